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
static struct recv_ring_finding finding;
static bool is_rung;

static int set_up(void **state)
{
	memset(ring, 0, sizeof(ring));
	return recv_ring_init(&rq, ring, &doorbell, DEPTH, 3);
}

static int tear_down(void **state)
{
	recv_ring_fini(&rq);
	return 0;
}

static void put(uint32_t index, uint16_t req_id, uint32_t ctrl)
{
	ring[index % DEPTH] = (struct efa_io_rx_desc) {
		.buf_addr_lo = index, .buf_addr_hi = 7, .req_id = req_id,
		.length = 100 + index, .lkey_ctrl = ctrl | 0xaaaaaa,
	};
}

/* Accepts all there is, then looks. */
static int peek(void)
{
	recv_ring_accept(&rq, DEPTH, &is_rung, &finding);
	return recv_ring_peek(&rq, &request);
}

static void take(void)
{
	recv_ring_take(&rq, &request, &finding);
	assert_null(finding.text);
}

static void assert_found(enum engine_rule rule, uint32_t index)
{
	assert_non_null(finding.text);
	assert_int_equal(finding.rule, rule);
	assert_int_equal(finding.index, index);
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
	take();
	assert_int_equal(peek(), 1);
	assert_int_equal(request.req_id, 6);
	assert_int_equal(request.sge_count, 3);
	assert_int_equal(request.sge[2].length, 103);
	take();
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
		take();
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

static void fill(void)
{
	uint32_t i;

	for (i = 0; i < DEPTH; i++)
		put(i, i, EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	doorbell = DEPTH;
	assert_int_equal(peek(), 1);
	assert_null(finding.text);
}

static void expect_bad_doorbell(uint32_t value)
{
	recv_ring_reset(&rq);
	fill();
	take();
	doorbell = value;
	assert_int_equal(peek(), -EPROTO);
	assert_found(ENGINE_RULE_RQ_DOORBELL, DEPTH);
	assert_int_equal(request.req_id, 0);
	/* It is told once, and nothing more is accepted. */
	doorbell = DEPTH;
	assert_int_equal(peek(), -EPROTO);
	assert_null(finding.text);
}

static void test_full_ring(void **state)
{
	fill();
	take();
	doorbell = DEPTH + 1;
	put(DEPTH, 0, EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	assert_int_equal(peek(), 1);
	assert_null(finding.text);
	expect_bad_doorbell(DEPTH + 2);
	expect_bad_doorbell(DEPTH - 1);
	expect_bad_doorbell(65535);
	expect_bad_doorbell(65536 + DEPTH);
}

static void expect_refused(uint32_t count, uint32_t index,
			   enum engine_rule rule)
{
	doorbell = count;
	assert_int_equal(peek(), -EBADMSG);
	assert_found(rule, index);
	assert_int_equal(request.req_id, 5);
	recv_ring_reset(&rq);
}

static void test_broken_chains(void **state)
{
	put(0, 5, EFA_IO_RX_LAST);
	expect_refused(1, 0, ENGINE_RULE_RQ_MALFORMED);
	put(0, 5, EFA_IO_RX_FIRST);
	put(1, 6, EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	expect_refused(2, 1, ENGINE_RULE_RQ_MALFORMED);
	put(1, 0, 0);
	put(2, 0, 0);
	put(3, 0, EFA_IO_RX_LAST);
	expect_refused(4, 3, ENGINE_RULE_RQ_MALFORMED);
	put(0, 5, EFA_IO_RX_FIRST | EFA_IO_RX_LAST | 1u << 24);
	expect_refused(1, 0, ENGINE_RULE_RQ_RESERVED);
	put(0, 5, EFA_IO_RX_FIRST | EFA_IO_RX_LAST | 1u << 29);
	expect_refused(1, 0, ENGINE_RULE_RQ_RESERVED);
}

/* What comes before a refused descriptor is good. */
static void test_refused_in_turn(void **state)
{
	put(0, 4, EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	put(1, 5, 0);
	doorbell = 2;
	assert_int_equal(peek(), 1);
	assert_found(ENGINE_RULE_RQ_MALFORMED, 1);
	assert_int_equal(request.req_id, 4);
	take();
	assert_int_equal(peek(), -EBADMSG);
	assert_int_equal(request.req_id, 5);
}

/* A descriptor is read once; changing it later is found, and changes nothing. */
static void test_overwritten(void **state)
{
	put(0, 5, EFA_IO_RX_FIRST);
	put(1, 5, EFA_IO_RX_LAST);
	doorbell = 2;
	assert_int_equal(peek(), 1);
	ring[1].length++;
	assert_int_equal(peek(), 1);
	assert_int_equal(request.sge[1].length, 101);
	recv_ring_take(&rq, &request, &finding);
	assert_found(ENGINE_RULE_RQ_OVERWRITE, 1);
}

/* Slots behind the oldest receive are the driver's to write. */
static void test_free_slots_are_written(void **state)
{
	put(0, 5, EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	doorbell = 1;
	assert_int_equal(peek(), 1);
	put(1, 6, EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	take();
	put(DEPTH, 7, EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	doorbell = 2;
	assert_int_equal(peek(), 1);
	assert_int_equal(request.req_id, 6);
	take();
}

static void test_request_ids(void **state)
{
	put(0, 5, EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	put(1, 5, EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	put(2, 6, EFA_IO_RX_FIRST);
	put(3, 6, EFA_IO_RX_LAST);
	doorbell = 4;
	/* It stops at the finding and goes on with the next call. */
	assert_int_equal(recv_ring_accept(&rq, DEPTH, &is_rung, &finding), 2);
	assert_found(ENGINE_RULE_RQ_REQ_ID, 1);
	assert_int_equal(recv_ring_accept(&rq, DEPTH, &is_rung, &finding), 2);
	assert_null(finding.text);
	assert_int_equal(peek(), 1);
	take();
	assert_int_equal(peek(), 1);
	take();
	put(4, 5, EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	doorbell = 5;
	assert_int_equal(peek(), 1);
	assert_null(finding.text);
}

static void test_accepts_no_more_than_asked(void **state)
{
	fill();
	recv_ring_reset(&rq);
	doorbell = DEPTH;
	assert_int_equal(recv_ring_accept(&rq, 3, &is_rung, &finding), 3);
	assert_true(is_rung);
	assert_int_equal(recv_ring_accept(&rq, 3, &is_rung, &finding), 3);
	assert_false(is_rung);
	assert_int_equal(recv_ring_accept(&rq, 3, &is_rung, &finding), 2);
}

static void test_no_queue(void **state)
{
	recv_ring_fini(&rq);
	assert_int_equal(recv_ring_init(&rq, NULL, NULL, 0, 3), 0);
	assert_int_equal(peek(), 0);
	recv_ring_reset(&rq);
}

static void test_reset(void **state)
{
	put(0, 5, EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	doorbell = 1;
	assert_int_equal(peek(), 1);
	take();
	recv_ring_reset(&rq);
	assert_int_equal(doorbell, 0);
	assert_int_equal(peek(), 0);
	doorbell = 1;
	assert_int_equal(peek(), 1);
}

#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		UNIT(test_single_and_chain),
		UNIT(test_counter_wraps),
		UNIT(test_incomplete_chain_waits),
		UNIT(test_full_ring),
		UNIT(test_broken_chains),
		UNIT(test_refused_in_turn),
		UNIT(test_overwritten),
		UNIT(test_free_slots_are_written),
		UNIT(test_request_ids),
		UNIT(test_accepts_no_more_than_asked),
		UNIT(test_no_queue),
		UNIT(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
