/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "hw/send_queue.h"

struct test_sq {
	uint64_t ring[16 * 16];	/* 16 entries of up to 128 bytes */
	uint32_t doorbell;
	struct hw_wq_geometry geometry;
	struct hw_sq sq;
};

static void test_open(struct test_sq *t, uint32_t entry_size,
		      uint32_t max_batch, uint32_t caps)
{
	memset(t, 0, sizeof(*t));
	t->geometry = (struct hw_wq_geometry){
		.buffer = t->ring, .entry_size = entry_size,
		.num_entries = 16, .doorbell = &t->doorbell,
		.max_batch = max_batch, .caps = caps,
	};
	assert_int_equal(hw_sq_init(&t->sq, &t->geometry, 3), 0);
}

static const uint8_t *test_entry(const struct test_sq *t, uint32_t index)
{
	return (const uint8_t *)t->ring + index * t->geometry.entry_size;
}

static uint64_t test_post(struct test_sq *t, void *context, bool more)
{
	const struct hw_dest dest = { .qpn = 9 };
	uint32_t index = t->sq.produced % 16;
	struct hw_send_wqe wqe;
	uint64_t id = 0;

	assert_false(hw_sq_is_full(&t->sq));
	hw_wqe_init(&wqe, t->sq.entry_size, EFA_IO_SEND, &dest);
	hw_sq_post(&t->sq, &wqe, context, 77, 5, more);
	memcpy(&id, test_entry(t, index), 2);
	memcpy((uint8_t *)&id + 2, test_entry(t, index) + 26, 6);
	return id;
}

static void test_refuses_impossible_rings(void **state)
{
	struct test_sq t;
	struct hw_wq_geometry bad;

	test_open(&t, 64, 0, 0);
	hw_sq_fini(&t.sq);
	bad = t.geometry;
	bad.num_entries = 12;
	assert_int_equal(hw_sq_init(&t.sq, &bad, 0), -EINVAL);
	bad = t.geometry;
	bad.entry_size = 32;
	assert_int_equal(hw_sq_init(&t.sq, &bad, 0), -EINVAL);
	bad = t.geometry;
	bad.doorbell = NULL;
	assert_int_equal(hw_sq_init(&t.sq, &bad, 0), -EINVAL);
	bad = t.geometry;
	bad.num_entries = 65536;
	assert_int_equal(hw_sq_init(&t.sq, &bad, 0), -EINVAL);
}

static void test_phase_flips_each_round(void **state)
{
	struct test_sq t;

	test_open(&t, 64, 0, 0);
	for (uint32_t n = 0; n < 100; n++) {
		uint64_t id = test_post(&t, NULL, false);
		uint8_t ctrl2 = test_entry(&t, n % 16)[3];

		assert_int_equal(ctrl2 & 1, n / 16 % 2);
		assert_int_equal(ctrl2 & ~1, 0x1c);
		assert_int_equal(t.doorbell, n + 1);
		hw_sq_put(&t.sq, hw_sq_find(&t.sq, id));
	}
	hw_sq_fini(&t.sq);
}

static void test_fills_up_and_recovers(void **state)
{
	struct test_sq t;
	uint64_t ids[16];

	test_open(&t, 64, 0, 0);
	for (int i = 0; i < 16; i++)
		ids[i] = test_post(&t, &ids[i], true);
	assert_true(hw_sq_is_full(&t.sq));
	for (int i = 15; i >= 0; i--) {
		struct hw_req_slot *slot = hw_sq_find(&t.sq, ids[i]);

		assert_non_null(slot);
		assert_ptr_equal(slot->context, &ids[i]);
		assert_int_equal(slot->peer, 77);
		assert_int_equal(slot->flags, 5);
		hw_sq_put(&t.sq, slot);
		assert_null(hw_sq_find(&t.sq, ids[i]));
	}
	assert_false(hw_sq_is_full(&t.sq));
	hw_sq_fini(&t.sq);
}

static void test_more_defers_the_doorbell(void **state)
{
	struct test_sq t;

	test_open(&t, 64, 4, 0);
	for (int i = 0; i < 3; i++)
		test_post(&t, NULL, true);
	assert_int_equal(t.doorbell, 0);
	/* the batch is full: the device takes no more between two rings */
	test_post(&t, NULL, true);
	assert_int_equal(t.doorbell, 4);
	test_post(&t, NULL, true);
	assert_int_equal(t.doorbell, 4);
	hw_sq_ring_doorbell(&t.sq);
	assert_int_equal(t.doorbell, 5);
	hw_sq_ring_doorbell(&t.sq);
	assert_int_equal(t.sq.doorbells, 2);
	test_post(&t, NULL, false);
	assert_int_equal(t.doorbell, 6);
	hw_sq_fini(&t.sq);
}

static void test_doorbell_counts_in_16_bits(void **state)
{
	struct test_sq t;

	test_open(&t, 64, 0, 0);
	for (uint32_t n = 1; n < 70000; n++) {
		uint64_t id = test_post(&t, NULL, false);

		assert_int_equal(t.doorbell, n & 0xffff);
		hw_sq_put(&t.sq, hw_sq_find(&t.sq, id));
	}
	hw_sq_fini(&t.sq);
}

static void test_wide_ids_go_to_both_fields(void **state)
{
	struct test_sq t;
	uint64_t id;

	test_open(&t, 64, 0, HW_WQ_REQ_ID_64);
	hw_sq_fini(&t.sq);
	assert_int_equal(hw_sq_init(&t.sq, &t.geometry, 0x123456789abcde), 0);
	id = test_post(&t, &t, false);
	assert_true(id == 0x123456789abcde0);
	assert_int_equal(test_entry(&t, 0)[24], 0);
	assert_int_equal(test_entry(&t, 0)[25], 0);
	assert_ptr_equal(hw_sq_find(&t.sq, id)->context, &t);
	assert_null(hw_sq_find(&t.sq, id & 0xffff));
	hw_sq_fini(&t.sq);
}

static void test_wide_entries_have_their_stride(void **state)
{
	struct test_sq t;

	test_open(&t, 128, 0, 0);
	memset(t.ring, 0xee, sizeof(t.ring));
	test_post(&t, NULL, false);
	test_post(&t, NULL, false);
	assert_int_equal(test_entry(&t, 0)[127], 0);
	assert_int_equal(test_entry(&t, 1)[4], 9);
	assert_int_equal(test_entry(&t, 1)[127], 0);
	assert_int_equal(test_entry(&t, 2)[0], 0xee);
	hw_sq_fini(&t.sq);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refuses_impossible_rings),
		cmocka_unit_test(test_phase_flips_each_round),
		cmocka_unit_test(test_fills_up_and_recovers),
		cmocka_unit_test(test_more_defers_the_doorbell),
		cmocka_unit_test(test_doorbell_counts_in_16_bits),
		cmocka_unit_test(test_wide_ids_go_to_both_fields),
		cmocka_unit_test(test_wide_entries_have_their_stride),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
