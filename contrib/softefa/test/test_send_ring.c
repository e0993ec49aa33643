/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/send_ring.h"

#define DEPTH	4u

static struct efa_io_tx_wqe ring[DEPTH];
static uint32_t doorbell;
static struct send_ring sq;
static bool is_rung;

static void set_up(uint32_t wqe_size)
{
	memset(ring, 0, sizeof(ring));
	send_ring_fini(&sq);
	assert_int_equal(send_ring_init(&sq, ring, &doorbell, DEPTH, wqe_size),
			 0);
}

static struct efa_io_tx_meta_desc *entry(uint32_t index)
{
	return (void *)((uint8_t *)ring + index % DEPTH * sq.wqe_size);
}

/* As a driver writes it: the frame, and a mark to tell it by. */
static void put(uint32_t index, uint32_t mark)
{
	*entry(index) = (struct efa_io_tx_meta_desc) {
		.req_id = index,
		.ctrl1 = EFA_IO_TX_META_META_DESC,
		.ctrl2 = index & DEPTH ? EFA_IO_TX_META_PHASE : 0,
		.qkey = mark,
	};
}

/* Entries up to @end, rung and fetched. */
static void fetch_to(uint32_t end)
{
	struct efa_io_tx_wqe wqe;
	bool is_rung;

	while (sq.fetched != end) {
		put(sq.fetched, 7);
		doorbell = sq.fetched + 1;
		assert_int_equal(send_ring_pending(&sq, &is_rung), 1);
		assert_true(send_ring_fetch(&sq, &wqe));
	}
}

static void expect_back(uint32_t index, enum send_ring_slot slot)
{
	uint32_t given;

	assert_int_equal(send_ring_give_back(&sq, &given), slot);
	assert_int_equal(given, index);
}

static int pending(void)
{
	return send_ring_pending(&sq, &is_rung);
}

static void test_entries_in_order(void **state)
{
	struct efa_io_tx_wqe wqe;
	uint32_t i;

	set_up(64);
	for (i = 0; i < 70000; i++) {
		assert_int_equal(send_ring_phase(&sq), i / DEPTH & 1);
		((struct efa_io_tx_meta_desc *)((uint8_t *)ring +
			i % DEPTH * 64))->req_id = i;
		doorbell = (i + 1) & 0xffff;
		assert_int_equal(pending(), 1);
		assert_true(is_rung);
		send_ring_fetch(&sq, &wqe);
		assert_int_equal(wqe.meta.req_id, i & 0xffff);
		assert_int_equal(pending(), 0);
		assert_false(is_rung);
		sq.in_flight--;
	}
}

static void test_copy_is_of_the_entry_alone(void **state)
{
	struct efa_io_tx_wqe wqe;
	uint8_t *bytes = (uint8_t *)&wqe;
	int i;

	set_up(64);
	memset(ring, 0xee, sizeof(ring));
	doorbell = 1;
	send_ring_fetch(&sq, &wqe);
	for (i = 0; i < 128; i++)
		assert_int_equal(bytes[i], i < 64 ? 0xee : 0);
	set_up(128);
	memset(ring, 0xee, sizeof(ring));
	send_ring_fetch(&sq, &wqe);
	for (i = 0; i < 128; i++)
		assert_int_equal(bytes[i], 0xee);
}

/* The ring holds what is in flight and what is to come. */
static void test_room(void **state)
{
	struct efa_io_tx_wqe wqe;
	int i;

	set_up(64);
	doorbell = DEPTH;
	assert_int_equal(pending(), DEPTH);
	for (i = 0; i < 3; i++)
		send_ring_fetch(&sq, &wqe);
	doorbell = DEPTH + 1;
	assert_int_equal(pending(), -EPROTO);
	sq.in_flight--;
	assert_int_equal(pending(), 2);
	doorbell++;
	assert_int_equal(pending(), -EPROTO);
	doorbell = 2;		/* backwards */
	assert_int_equal(pending(), -EPROTO);
	doorbell = 0x10004;
	assert_int_equal(pending(), -EPROTO);
}

static void test_reset(void **state)
{
	struct efa_io_tx_wqe wqe;

	set_up(64);
	doorbell = 3;
	assert_int_equal(pending(), 3);
	send_ring_fetch(&sq, &wqe);
	send_ring_reset(&sq);
	assert_int_equal(doorbell, 0);
	assert_int_equal(pending(), 0);
	doorbell = 3;
	assert_int_equal(pending(), 3);
	assert_true(is_rung);
}

/* The n-th completion gives the n-th slot back, and no earlier one. */
static void test_slots_come_back_in_order(void **state)
{
	set_up(64);
	fetch_to(DEPTH);
	expect_back(0, SEND_RING_INTACT);
	put(DEPTH, 9);
	expect_back(1, SEND_RING_INTACT);
	put(DEPTH + 1, 9);
	expect_back(2, SEND_RING_INTACT);
	fetch_to(DEPTH + 2);
	expect_back(3, SEND_RING_INTACT);
	expect_back(4, SEND_RING_INTACT);
}

static void test_changed_slots(void **state)
{
	set_up(64);
	fetch_to(3);
	entry(0)->qkey++;
	put(DEPTH + 1, 7);
	((uint8_t *)entry(2))[63] ^= 1;
	expect_back(0, SEND_RING_CHANGED);
	expect_back(1, SEND_RING_OVERWRITTEN);
	expect_back(2, SEND_RING_CHANGED);
}

/* 64-byte entries end where the next one begins. */
static void test_neighbours_do_not_count(void **state)
{
	set_up(64);
	fetch_to(1);
	put(1, 7);
	expect_back(0, SEND_RING_INTACT);
	set_up(128);
	fetch_to(1);
	((uint8_t *)entry(0))[127] ^= 1;
	expect_back(0, SEND_RING_CHANGED);
}

static void test_unwritten_entry(void **state)
{
	struct efa_io_tx_wqe wqe;

	set_up(64);
	assert_false(send_ring_fetch(&sq, &wqe));
	fetch_to(DEPTH);
	while (sq.in_flight)
		expect_back(sq.fetched - sq.in_flight, SEND_RING_INTACT);
	assert_false(send_ring_fetch(&sq, &wqe));
	put(DEPTH + 1, 7);
	assert_true(send_ring_fetch(&sq, &wqe));
}

static void expect_staged(uint32_t first, uint32_t count, bool is_too_many)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		put(first + i, 7);
	assert_int_equal(send_ring_is_overstaged(&sq, 0), is_too_many);
}

static void test_staged_entries(void **state)
{
	set_up(64);
	sq.max_batch = 2;
	assert_false(send_ring_is_overstaged(&sq, 0));
	expect_staged(0, 2, false);
	expect_staged(0, 3, true);
	/* Rung meanwhile: then they were not too many. */
	doorbell = 1;
	assert_false(send_ring_is_overstaged(&sq, 0));
	assert_int_equal(pending(), 1);
	assert_false(send_ring_is_overstaged(&sq, 1));
	/* The second time around, over slots of the first. */
	set_up(64);
	sq.max_batch = 2;
	fetch_to(DEPTH);
	while (sq.in_flight)
		expect_back(sq.fetched - sq.in_flight, SEND_RING_INTACT);
	assert_false(send_ring_is_overstaged(&sq, 0));
	expect_staged(DEPTH, 2, false);
	expect_staged(DEPTH, 3, true);
	/* What a reset finds in the ring was there before. */
	send_ring_reset(&sq);
	sq.max_batch = 2;
	assert_false(send_ring_is_overstaged(&sq, 0));
	sq.max_batch = DEPTH;
	assert_false(send_ring_is_overstaged(&sq, 0));
	sq.max_batch = 0;
	assert_false(send_ring_is_overstaged(&sq, 0));
}

static int tear_down(void **state)
{
	send_ring_fini(&sq);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries_in_order),
		cmocka_unit_test(test_copy_is_of_the_entry_alone),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_slots_come_back_in_order),
		cmocka_unit_test(test_changed_slots),
		cmocka_unit_test(test_neighbours_do_not_count),
		cmocka_unit_test(test_unwritten_entry),
		cmocka_unit_test(test_staged_entries),
	};

	return cmocka_run_group_tests(tests, NULL, tear_down);
}
