/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "hw/recv_queue.h"

struct test_rq {
	struct efa_io_rx_desc ring[8];
	uint32_t doorbell;
	struct hw_wq_geometry geometry;
	struct hw_rq rq;
};

static void test_open(struct test_rq *t)
{
	memset(t, 0, sizeof(*t));
	t->geometry = (struct hw_wq_geometry){
		.buffer = t->ring, .entry_size = 16, .num_entries = 8,
		.doorbell = &t->doorbell,
	};
	assert_int_equal(hw_rq_init(&t->rq, &t->geometry, 1), 0);
}

static uint16_t test_post(struct test_rq *t, uint32_t sge_count,
			  void *context, bool more)
{
	const struct hw_sge sge[2] = {
		{ .addr = 0x0123456789abcdef, .length = 65535,
		  .lkey = 0xffaabbcc },
		{ .addr = 0x42, .length = 7, .lkey = 1 },
	};
	uint32_t index = t->rq.produced % 8;

	hw_rq_post(&t->rq, sge, sge_count, context, 65542, 3, more);
	return t->ring[index].req_id;
}

static void test_refuses_impossible_rings(void **state)
{
	struct test_rq t;
	struct hw_wq_geometry bad;

	test_open(&t);
	hw_rq_fini(&t.rq);
	bad = t.geometry;
	bad.entry_size = 64;
	assert_int_equal(hw_rq_init(&t.rq, &bad, 0), -EINVAL);
	bad = t.geometry;
	bad.num_entries = 0;
	assert_int_equal(hw_rq_init(&t.rq, &bad, 0), -EINVAL);
	bad = t.geometry;
	bad.buffer = NULL;
	assert_int_equal(hw_rq_init(&t.rq, &bad, 0), -EINVAL);
}

static void test_descriptor_bytes(void **state)
{
	struct test_rq t;
	uint8_t want[16] = { 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01,
			     0, 0, 0xff, 0xff, 0xcc, 0xbb, 0xaa, 0x40 };
	uint16_t id;

	test_open(&t);
	id = test_post(&t, 2, &t, false);
	memcpy(want + 8, &id, 2);
	assert_memory_equal(&t.ring[0], want, 16);
	assert_int_equal(t.ring[1].lkey_ctrl, 0x80000001);
	assert_int_equal(t.ring[1].length, 7);
	assert_int_equal(t.ring[1].req_id, id);
	/* the doorbell counts descriptors, not receives */
	assert_int_equal(t.doorbell, 2);
	test_post(&t, 1, NULL, false);
	assert_int_equal(t.ring[2].lkey_ctrl, 0xc0aabbcc);
	assert_int_equal(t.doorbell, 3);
	hw_rq_fini(&t.rq);
}

static void test_room_counts_descriptors(void **state)
{
	struct test_rq t;
	struct hw_req_slot *slot;
	uint16_t pair, single;

	test_open(&t);
	pair = test_post(&t, 2, &pair, true);
	single = test_post(&t, 1, &single, true);
	for (int i = 0; i < 5; i++) {
		assert_true(hw_rq_has_room(&t.rq, 1));
		test_post(&t, 1, NULL, true);
	}
	assert_false(hw_rq_has_room(&t.rq, 1));
	assert_int_equal(t.doorbell, 0);
	slot = hw_rq_find(&t.rq, single);
	assert_ptr_equal(slot->context, &single);
	hw_rq_put(&t.rq, slot);
	assert_true(hw_rq_has_room(&t.rq, 1));
	assert_false(hw_rq_has_room(&t.rq, 2));
	slot = hw_rq_find(&t.rq, pair);
	assert_ptr_equal(slot->context, &pair);
	assert_int_equal(slot->flags, 3);
	assert_int_equal(slot->peer, 65542);
	hw_rq_put(&t.rq, slot);
	assert_true(hw_rq_has_room(&t.rq, 3));
	assert_false(hw_rq_has_room(&t.rq, 4));
	assert_null(hw_rq_find(&t.rq, pair));
	hw_rq_fini(&t.rq);
}

static void test_limit_below_the_ring(void **state)
{
	struct test_rq t;

	test_open(&t);
	t.rq.limit = 3;
	assert_true(hw_rq_has_room(&t.rq, 3));
	assert_false(hw_rq_has_room(&t.rq, 4));
	test_post(&t, 2, NULL, false);
	assert_false(hw_rq_has_room(&t.rq, 2));
	t.rq.limit = 8;
	assert_true(hw_rq_has_room(&t.rq, 6));
	hw_rq_fini(&t.rq);
}

static void test_goes_round_for_long(void **state)
{
	struct test_rq t;
	uint32_t descriptors = 0;

	test_open(&t);
	for (uint32_t n = 0; n < 200000; n++) {
		uint32_t count = 1 + n % 2;
		uint16_t id;

		assert_true(hw_rq_has_room(&t.rq, count));
		id = test_post(&t, count, NULL, false);
		descriptors += count;
		assert_int_equal(t.doorbell, descriptors & 0xffff);
		hw_rq_put(&t.rq, hw_rq_find(&t.rq, id));
	}
	assert_int_equal(hw_req_count(&t.rq.ids), 0);
	hw_rq_fini(&t.rq);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refuses_impossible_rings),
		cmocka_unit_test(test_descriptor_bytes),
		cmocka_unit_test(test_room_counts_descriptors),
		cmocka_unit_test(test_limit_below_the_ring),
		cmocka_unit_test(test_goes_round_for_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
