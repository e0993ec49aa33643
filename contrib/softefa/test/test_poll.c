/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Whatever a guest has to do, the others have their turn soon. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/poll.h"
#include "engine/requester.h"
#include "test/engine_rig.h"

#define SEND	EFA_IO_SEND_QUEUE
#define RECV	EFA_IO_RECV_QUEUE
#define STATUS(name)	EFA_IO_COMP_STATUS_##name

#define MANY	64u

static struct rig_pair p;

static int set_up(void **state)
{
	rig_pair_init(&p, ENGINE_QP_SRD, NULL, 0, NULL);
	return 0;
}

static int tear_down(void **state)
{
	rig_pair_fini(&p);
	return 0;
}

/* Messages to nobody, each completing with an error. */
static void stage_failures(struct rig_qp *qp, unsigned count)
{
	struct efa_io_tx_wqe wqe = rig_send(qp, &p.qp[1], 1, 0, 8);

	wqe.meta.qkey++;
	while (count--)
		rig_stage(qp, &wqe);
	rig_ring_sq(qp);
}

/* The other guest's message to itself. */
static void stage_of_other(void)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[1], &p.qp[1], 2, 0, 8);

	rig_post_recv(&p.qp[1], 3, 0, 8);
	rig_stage(&p.qp[1], &wqe);
	rig_ring_sq(&p.qp[1]);
}

static void test_many_queues_of_one_guest(void **state)
{
	const unsigned most = POLL_CONTEXT_SHARE / REQUESTER_OP_COST +
		REQUESTER_TURN_OPS;
	struct rig_qp_opts opts = { .sq_depth = 32 };
	static struct rig_qp busy[MANY];
	struct engine_device_counters c;
	unsigned i;

	for (i = 0; i < MANY; i++) {
		rig_qp_init(&p.guest[0], &busy[i], ENGINE_QP_SRD, &p.cq[0],
			    &p.cq[0], &opts);
		stage_failures(&busy[i], 32);
	}
	assert_true(most < 32 * MANY);
	stage_of_other();
	engine_poll(p.rig.engine, 0);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 3);
	rig_cq_expect(&p.cq[1], SEND, STATUS(OK), 2);
	c = rig_counters(&p.rig, 0);
	assert_true(c.error_completions >= 1 && c.error_completions <= most);
	/* Nor does the guest's first queue keep its last one out. */
	for (i = 0; i < 32 * MANY / (most - REQUESTER_TURN_OPS); i++)
		engine_poll(p.rig.engine, 0);
	c = rig_counters(&p.rig, 0);
	assert_int_equal(c.error_completions, 32 * MANY);
	for (i = 0; i < MANY; i++) {
		engine_qp_destroy(busy[i].qp);
		rig_qp_fini(&busy[i]);
	}
}

/* By what it moves, too: each of its queues writes as much as a turn takes. */
static void test_many_transfers_of_one_guest(void **state)
{
	static struct rig_qp busy[MANY];
	struct efa_io_tx_wqe wqe;
	uint64_t moved;
	unsigned i;

	for (i = 0; i < MANY; i++) {
		rig_qp_init(&p.guest[0], &busy[i], ENGINE_QP_SRD, &p.cq[0],
			    &p.cq[0], NULL);
		wqe = rig_rdma(&busy[i], &p.qp[1], EFA_IO_RDMA_WRITE, 1, 0,
			       4096, REQUESTER_TURN_BYTES);
		rig_stage(&busy[i], &wqe);
		rig_ring_sq(&busy[i]);
	}
	stage_of_other();
	engine_poll(p.rig.engine, 0);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 3);
	rig_cq_expect(&p.cq[1], SEND, STATUS(OK), 2);
	moved = rig_counters(&p.rig, 0).tx_bytes;
	assert_true(moved <= POLL_CONTEXT_SHARE + REQUESTER_TURN_BYTES);
	/* All of them end, whichever came first. */
	rig_poll(&p.rig);
	for (i = 0; i < MANY; i++)
		rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 1);
	for (i = 0; i < MANY; i++) {
		engine_qp_destroy(busy[i].qp);
		rig_qp_fini(&busy[i]);
	}
}

/* A queue in ERR flushes what comes, but not all at once. */
static void test_flush_is_bounded(void **state)
{
	struct rig_qp_opts deep = { .sq_depth = 1024, .rq_depth = 4096 };
	struct rig_qp busy;
	unsigned i;

	rig_qp_init(&p.guest[0], &busy, ENGINE_QP_SRD, &p.cq[0], &p.cq[0],
		    &deep);
	rig_qp_set_state(&busy, ENGINE_QP_ERR);
	for (i = 0; i < 4096; i++)
		rig_stage_recv(&busy, i, 0, 8,
			       EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	rig_ring_rq(&busy);
	stage_failures(&busy, 1024);
	assert_int_equal(engine_poll(p.rig.engine, 0),
			 2 * REQUESTER_TURN_FLUSHES);
	rig_poll(&p.rig);
	assert_int_equal(rig_counters(&p.rig, 0).error_completions,
			 4096 + 1024);
	engine_qp_destroy(busy.qp);
	rig_qp_fini(&busy);
}

/* Many messages whose retry is due at the same time. */
static void test_wake_is_bounded(void **state)
{
	struct rig_qp_opts deep = { .sq_depth = 4096, .rq_depth = 16 };
	struct rig_qp busy;
	struct efa_io_tx_wqe wqe;
	unsigned i;

	rig_qp_init(&p.guest[0], &busy, ENGINE_QP_SRD, &p.cq[0], &p.cq[0],
		    &deep);
	wqe = rig_send(&busy, &busy, 1, 0, 8);
	for (i = 0; i < 4096; i++)
		rig_stage(&busy, &wqe);
	rig_ring_sq(&busy);
	rig_poll(&p.rig);
	assert_int_equal(engine_poll(p.rig.engine, RNR_RETRY_NS),
			 REQUESTER_WAKE_OPS + REQUESTER_TURN_OPS);
	/* The others are due, which keeps the owner from sleeping. */
	assert_int_equal(engine_next_timer_ns(p.rig.engine, RNR_RETRY_NS), 0);
	engine_qp_destroy(busy.qp);
	rig_qp_fini(&busy);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(many_queues_of_one_guest), T(many_transfers_of_one_guest),
		T(flush_is_bounded), T(wake_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
