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
	sq = (struct send_ring) {
		.ring = (uint8_t *)ring,
		.doorbell = &doorbell,
		.depth = DEPTH,
		.wqe_size = wqe_size,
	};
	send_ring_reset(&sq);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries_in_order),
		cmocka_unit_test(test_copy_is_of_the_entry_alone),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
