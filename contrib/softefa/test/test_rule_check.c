/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The rules of the device, from the queues of a guest to what the engine's
 * owner is told. That each is silent for what is allowed is also what every
 * other test of the engine says, by counting rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/requester.h"
#include "engine/rule_check.h"
#include "test/engine_rig.h"

#define SEND		EFA_IO_SEND_QUEUE
#define RECV		EFA_IO_RECV_QUEUE
#define STATUS(s)	EFA_IO_COMP_STATUS_##s
#define WORDS		EFA_IO_TX_WQE_SIZE

static struct rig_pair p;

static void open_pair(const char *profile, uint32_t flags,
		      const struct rig_qp_opts *opts)
{
	rig_pair_init(&p, ENGINE_QP_SRD, profile, flags, opts);
}

static int set_up(void **state)
{
	open_pair(NULL, 0, NULL);
	return 0;
}

static int tear_down(void **state)
{
	rig_pair_fini(&p);
	return 0;
}

static uint64_t breaks(unsigned device, enum engine_rule rule)
{
	return engine_device_rule_breaks(p.rig.device[device], rule);
}

/* The last rule told, by the guest of @side, and nothing else was. */
static void expect_rule(unsigned side, enum engine_rule rule, const char *text)
{
	assert_int_equal(p.rig.rules, 1);
	assert_int_equal(p.rig.rule, rule);
	assert_ptr_equal(p.rig.rule_opaque, &p.guest[side]);
	assert_non_null(strstr(p.rig.rule_text, text));
	assert_int_equal(breaks(side, rule), 1);
	assert_int_equal(rig_counters(&p.rig, side).rule_breaks, 1);
	assert_int_equal(rig_counters(&p.rig, !side).rule_breaks, 0);
}

static void test_names(void **state)
{
	int rule;

	for (rule = 0; rule < ENGINE_RULES; rule++) {
		const char *name = engine_rule_name(rule);

		assert_non_null(name);
		assert_int_equal(engine_rule_find(name, strlen(name)), rule);
		assert_int_equal(engine_rule_find(name, strlen(name) - 1), -1);
	}
	assert_int_equal(engine_rule_find("sq-torn,lkey", 7),
			 ENGINE_RULE_SQ_TORN);
	assert_int_equal(engine_rule_find("", 0), -1);
}

/* Once per queue and rule; each time is counted. */
static void test_told_once_counted_always(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);
	int i;

	wqe.data.sgl[0].lkey ^= 0x800000;
	for (i = 0; i < 5; i++) {
		rig_post(&p.qp[0], &wqe);
		rig_cq_expect(&p.cq[0], SEND, STATUS(LOCAL_ERROR_INVALID_LKEY),
			      1);
	}
	assert_int_equal(p.rig.rules, 1);
	assert_int_equal(breaks(0, ENGINE_RULE_LKEY), 5);
	/* Another rule of the same queue, the same of another queue. */
	rig_stage(&p.qp[0], &wqe);
	p.qp[0].sq_doorbell = 0x10000;
	rig_poll(&p.rig);
	assert_int_equal(p.rig.rules, 2);
	wqe = rig_send(&p.qp[1], &p.qp[0], 1, 0, 8);
	wqe.data.sgl[0].lkey ^= 0x800000;
	rig_post(&p.qp[1], &wqe);
	assert_int_equal(p.rig.rules, 3);
	assert_int_equal(breaks(1, ENGINE_RULE_LKEY), 1);
}

static void test_request_id_twice(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 7, 0, 8);

	rig_post(&p.qp[0], &wqe);
	rig_post(&p.qp[0], &wqe);
	expect_rule(0, ENGINE_RULE_SQ_REQ_ID,
		    "send queue, entry 1: request ID 0x7");
	rig_post_recv(&p.qp[1], 1, 0, 8);
	rig_post_recv(&p.qp[1], 2, 0, 8);
	rig_advance(&p.rig, RNR_RETRY_NS);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 7);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 7);
	/* Now it is free. */
	rig_post(&p.qp[0], &wqe);
	assert_int_equal(breaks(0, ENGINE_RULE_SQ_REQ_ID), 1);
}

/* A reset forgets what was in flight. */
static void test_request_id_after_reset(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 7, 0, 8);

	rig_post(&p.qp[0], &wqe);
	rig_post_recv(&p.qp[0], 9, 0, 8);
	rig_poll(&p.rig);
	rig_qp_set_state(&p.qp[0], ENGINE_QP_RESET);
	p.qp[0].sq_posted = p.qp[0].rq_posted = 0;
	rig_qp_to_rts(&p.qp[0], 7);
	wqe = rig_send(&p.qp[0], &p.qp[1], 7, 0, 8);
	rig_post(&p.qp[0], &wqe);
	rig_post_recv(&p.qp[0], 9, 0, 8);
	rig_poll(&p.rig);
	assert_int_equal(p.rig.rules, 0);
}

/* A 64-bit ID is the application's, which may repeat itself. */
static void test_wide_request_ids_may_repeat(void **state)
{
	struct rig_qp_opts opts = { .flags = ENGINE_QP_SQ_REQ_ID_64 };
	struct efa_io_tx_wqe wqe;

	rig_pair_fini(&p);
	open_pair("next", ENGINE_CQ_SQ_REQ_ID_64, &opts);
	wqe = rig_send(&p.qp[0], &p.qp[1], 7, 0, 8);
	rig_post(&p.qp[0], &wqe);
	rig_post(&p.qp[0], &wqe);
	assert_int_equal(p.rig.rules, 0);
}

static void test_receive_id_twice(void **state)
{
	rig_post_recv(&p.qp[1], 7, 0, 8);
	rig_post_recv(&p.qp[1], 7, 0, 8);
	rig_poll(&p.rig);
	expect_rule(1, ENGINE_RULE_RQ_REQ_ID, "receive queue, descriptor 1");
}

/* Seen when it is posted, not only when a message needs it. */
static void test_receive_is_checked_when_posted(void **state)
{
	rig_stage_recv(&p.qp[1], 5, 0, 8, EFA_IO_RX_FIRST | EFA_IO_RX_LAST |
		       1u << 27);
	rig_ring_rq(&p.qp[1]);
	rig_poll(&p.rig);
	expect_rule(1, ENGINE_RULE_RQ_RESERVED, "descriptor 0");
}

static void test_receive_written_to(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	rig_post_recv(&p.qp[1], 7, 0, 8);
	rig_poll(&p.rig);
	p.qp[1].rq_ring[0] ^= 1;
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 7);
	expect_rule(1, ENGINE_RULE_RQ_OVERWRITE, "descriptor 0: written to");
}

/* Entries complete in any order; the slot that comes back is the oldest. */
static void test_slots_by_number_of_completions(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);
	struct efa_io_tx_wqe bad = wqe;

	rig_post(&p.qp[0], &wqe);
	bad.meta.req_id = 2;
	bad.meta.dest_qp_num++;
	rig_post(&p.qp[0], &bad);
	rig_cq_expect(&p.cq[0], SEND, STATUS(REMOTE_ERROR_BAD_DEST_QPN), 2);
	/* One has completed: slot 0 is the driver's, slot 1 is not. */
	p.qp[0].sq_ring[0] ^= 1;
	p.qp[0].sq_ring[WORDS] ^= 1;
	rig_post_recv(&p.qp[1], 9, 0, 8);
	rig_advance(&p.rig, RNR_RETRY_NS);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 1);
	expect_rule(0, ENGINE_RULE_SQ_TORN, "entry 1: written to");
}

static void stage(uint32_t count)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 0, 0, 8);
	uint32_t i;

	for (i = 0; i < count; i++) {
		wqe.meta.req_id = i;
		rig_stage(&p.qp[0], &wqe);
	}
	rig_poll(&p.rig);
}

static void test_batch(void **state)
{
	struct rig_qp_opts opts = { .sq_depth = 256 };
	uint32_t max = profile_at(0)->max_tx_batch;

	rig_pair_fini(&p);
	open_pair(NULL, 0, &opts);
	stage(max);
	assert_int_equal(p.rig.rules, 0);
	rig_ring_sq(&p.qp[0]);
	rig_poll(&p.rig);
	stage(max);
	assert_int_equal(p.rig.rules, 0);
	stage(1);
	assert_int_equal(breaks(0, ENGINE_RULE_SQ_BATCH) > 0, 1);
	assert_int_equal(p.rig.rules, 1);
	assert_int_equal(p.rig.rule, ENGINE_RULE_SQ_BATCH);
}

static void test_late_entry(void **state)
{
	p.qp[0].sq_doorbell = 1;
	rig_poll(&p.rig);
	expect_rule(0, ENGINE_RULE_SQ_LATE, "entry 0: not written");
}

/* What is wrong with memory is said; the other side's is not told at all. */
static void test_local_and_remote_memory(void **state)
{
	struct efa_io_tx_wqe wqe = rig_rdma(&p.qp[0], &p.qp[1],
					    EFA_IO_RDMA_READ, 1, 0, 0, 64);

	wqe.data.rdma_req.remote_mem.rkey ^= 0x800000;
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(REMOTE_ERROR_BAD_ADDRESS), 1);
	assert_int_equal(p.rig.rules, 0);
	wqe = rig_rdma(&p.qp[0], &p.qp[1], EFA_IO_RDMA_READ, 2,
		       RIG_MEMORY_BYTES - 63, 0, 64);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(LOCAL_ERROR_INVALID_LKEY), 2);
	expect_rule(0, ENGINE_RULE_LKEY, "not all of it lies in");
}

/* A device pins the pages that a client has unmapped. */
static void test_unmapped_memory_is_no_violation(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 4096, 8);

	p.guest[0].hole_start = 4096;
	p.guest[0].hole_bytes = 4096;
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(LOCAL_ERROR_INVALID_LKEY), 1);
	assert_int_equal(p.rig.rules, 0);
}

#define UNIT(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		UNIT(test_told_once_counted_always),
		UNIT(test_request_id_twice),
		UNIT(test_request_id_after_reset),
		UNIT(test_wide_request_ids_may_repeat),
		UNIT(test_receive_id_twice),
		UNIT(test_receive_is_checked_when_posted),
		UNIT(test_receive_written_to),
		UNIT(test_slots_by_number_of_completions),
		UNIT(test_batch),
		UNIT(test_late_entry),
		UNIT(test_local_and_remote_memory),
		UNIT(test_unmapped_memory_is_no_violation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
