/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/recv_ring.h"
#include "hw/efa_io_defs.h"

#define DEPTH	8u

static struct efa_io_rx_desc ring[DEPTH];
static uint32_t doorbell;
static struct recv_ring rq;
static struct recv_request request;
static const char *rule;
static bool is_rung;

static int set_up(void **state)
{
	memset(ring, 0, sizeof(ring));
	rq = (struct recv_ring) {
		.ring = (uint8_t *)ring,
		.doorbell = &doorbell,
		.depth = DEPTH,
		.max_sge = 3,
	};
	recv_ring_reset(&rq);
	return 0;
}

static void put(uint32_t index, uint16_t req_id, uint32_t ctrl)
{
	ring[index % DEPTH] = (struct efa_io_rx_desc) {
		.buf_addr_lo = index, .buf_addr_hi = 7, .req_id = req_id,
		.length = 100 + index, .lkey_ctrl = ctrl | 0xaaaaaa,
	};
}

static int peek(void)
{
	return recv_ring_peek(&rq, &request, &is_rung, &rule);
}

static void test_single_and_chain(void **state)
{
	assert_int_equal(peek(), 0);
	assert_false(is_rung);
	put(0, 5, EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	put(1, 6, EFA_IO_RX_FIRST);
	put(2, 0, 0);
	put(3, 0, EFA_IO_RX_LAST);
	doorbell = 4;
	assert_int_equal(peek(), 1);
	assert_true(is_rung);
	assert_int_equal(request.req_id, 5);
	assert_int_equal(request.sge_count, 1);
	assert_int_equal(request.sge[0].lkey, 0xaaaaaa);
	assert_true(request.sge[0].addr == 7ull << 32);
	/* It stays until it is taken. */
	assert_int_equal(peek(), 1);
	assert_false(is_rung);
	assert_int_equal(request.req_id, 5);
	recv_ring_take(&rq, &request);
	assert_int_equal(peek(), 1);
	assert_int_equal(request.req_id, 6);
	assert_int_equal(request.sge_count, 3);
	assert_int_equal(request.sge[2].length, 103);
	recv_ring_take(&rq, &request);
	assert_int_equal(peek(), 0);
}

/* 70000 descriptors through a ring of 8, in chains over its end. */
static void test_counter_wraps(void **state)
{
	uint32_t i;

	for (i = 0; i < 70000; i += 2) {
		put(i, i, EFA_IO_RX_FIRST);
		put(i + 1, 0, EFA_IO_RX_LAST);
		doorbell = (i + 2) & 0xffff;
		assert_int_equal(peek(), 1);
		assert_int_equal(request.req_id, i & 0xffff);
		assert_int_equal(request.sge[1].length,
				 (101 + i) & 0xffff);
		recv_ring_take(&rq, &request);
		assert_int_equal(peek(), 0);
	}
}

static void test_incomplete_chain_waits(void **state)
{
	put(0, 5, EFA_IO_RX_FIRST);
	put(1, 0, EFA_IO_RX_LAST);
	doorbell = 1;
	assert_int_equal(peek(), 0);
	doorbell = 2;
	assert_int_equal(peek(), 1);
	assert_int_equal(request.sge_count, 2);
}

static void test_full_ring(void **state)
{
	uint32_t i;

	for (i = 0; i < DEPTH; i++)
		put(i, i, EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	doorbell = DEPTH;
	assert_int_equal(peek(), 1);
	doorbell = DEPTH + 1;
	assert_int_equal(peek(), -EPROTO);
	doorbell = 65535;
	assert_int_equal(peek(), -EPROTO);
	assert_non_null(rule);
	doorbell = 65536 + 1;
	assert_int_equal(peek(), -EPROTO);
}

static void test_broken_chains(void **state)
{
	put(0, 5, EFA_IO_RX_LAST);
	doorbell = 1;
	assert_int_equal(peek(), -EBADMSG);
	assert_int_equal(request.req_id, 5);
	put(0, 5, EFA_IO_RX_FIRST);
	put(1, 6, EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	doorbell = 2;
	assert_int_equal(peek(), -EBADMSG);
	assert_int_equal(request.req_id, 5);
	put(1, 0, 0);
	put(2, 0, 0);
	put(3, 0, EFA_IO_RX_LAST);
	doorbell = 4;
	assert_int_equal(peek(), -EBADMSG);
	put(0, 5, EFA_IO_RX_FIRST | EFA_IO_RX_LAST | 1u << 24);
	assert_int_equal(peek(), -EBADMSG);
	put(0, 5, EFA_IO_RX_FIRST | EFA_IO_RX_LAST | 1u << 29);
	assert_int_equal(peek(), -EBADMSG);
}

static void test_no_queue(void **state)
{
	rq.depth = 0;
	rq.doorbell = NULL;
	assert_int_equal(peek(), 0);
	recv_ring_reset(&rq);
}

static void test_reset(void **state)
{
	put(0, 5, EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	doorbell = 1;
	assert_int_equal(peek(), 1);
	recv_ring_take(&rq, &request);
	recv_ring_reset(&rq);
	assert_int_equal(doorbell, 0);
	assert_int_equal(peek(), 0);
	doorbell = 1;
	assert_int_equal(peek(), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_single_and_chain, set_up),
		cmocka_unit_test_setup(test_counter_wraps, set_up),
		cmocka_unit_test_setup(test_incomplete_chain_waits, set_up),
		cmocka_unit_test_setup(test_full_ring, set_up),
		cmocka_unit_test_setup(test_broken_chains, set_up),
		cmocka_unit_test_setup(test_no_queue, set_up),
		cmocka_unit_test_setup(test_reset, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
