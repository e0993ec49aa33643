/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/device_state.h"
#include "engine/requester.h"
#include "test/engine_rig.h"

#define SEND	EFA_IO_SEND_QUEUE
#define RECV	EFA_IO_RECV_QUEUE
#define STATUS(name)	EFA_IO_COMP_STATUS_##name

static struct rig_pair p;

static int set_up(void **state)
{
	rig_pair_init(&p, ENGINE_QP_SRD, NULL, 0, NULL);
	return 0;
}

static int set_up_next(void **state)
{
	rig_pair_init(&p, ENGINE_QP_SRD, "next", ENGINE_CQ_SQ_REQ_ID_64, NULL);
	return 0;
}

static int set_up_oldest(void **state)
{
	rig_pair_init(&p, ENGINE_QP_SRD, "0xefa0", 0, NULL);
	return 0;
}

static int tear_down(void **state)
{
	rig_pair_fini(&p);
	return 0;
}

static enum engine_qp_state state_of(const struct rig_qp *qp)
{
	struct engine_qp_state_attr attr;

	engine_qp_query(qp->qp, &attr);
	return attr.state;
}

/* Waiting, not yet fetched and received: all come back, in that order. */
static void test_error_flushes(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	rig_post(&p.qp[0], &wqe);
	wqe.meta.req_id = 2;
	wqe.meta.ctrl2 &= ~EFA_IO_TX_META_COMP_REQ;
	rig_stage(&p.qp[0], &wqe);
	rig_ring_sq(&p.qp[0]);
	rig_post_recv(&p.qp[0], 3, 0, 8);
	rig_stage_recv(&p.qp[0], 4, 0, 8, EFA_IO_RX_FIRST);
	rig_stage_recv(&p.qp[0], 0, 0, 8, EFA_IO_RX_LAST);
	rig_ring_rq(&p.qp[0]);
	rig_qp_set_state(&p.qp[0], ENGINE_QP_ERR);
	rig_cq_expect(&p.cq[0], SEND, STATUS(FLUSHED), 1);
	rig_cq_expect(&p.cq[0], SEND, STATUS(FLUSHED), 2);
	rig_cq_expect(&p.cq[0], RECV, STATUS(FLUSHED), 3);
	rig_cq_expect(&p.cq[0], RECV, STATUS(FLUSHED), 4);
	/* Nothing is left behind, and what comes now is flushed as well. */
	rig_advance(&p.rig, RNR_RETRY_NS);
	rig_cq_expect_empty(&p.cq[0]);
	rig_post_recv(&p.qp[0], 5, 0, 8);
	wqe.meta.req_id = 6;
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(FLUSHED), 6);
	rig_cq_expect(&p.cq[0], RECV, STATUS(FLUSHED), 5);
	assert_int_equal(p.rig.rules, 0);
}

/* After a reset the rings start anew, also with the same count as before. */
static void test_reset_forgets(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	rig_post(&p.qp[0], &wqe);
	rig_post_recv(&p.qp[0], 3, 0, 8);
	rig_qp_set_state(&p.qp[0], ENGINE_QP_RESET);
	rig_advance(&p.rig, RNR_RETRY_NS);
	rig_cq_expect_empty(&p.cq[0]);
	rig_qp_to_rts(&p.qp[0], 7);
	rig_post_recv(&p.qp[1], 9, 0, 8);
	wqe.meta.req_id = 2;
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 2);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 9);
	rig_cq_expect_empty(&p.cq[0]);
	assert_int_equal(p.rig.rules, 0);
}

/* Drained: what was fetched goes on, what is new waits for RTS. */
static void test_drain(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	rig_post(&p.qp[0], &wqe);
	rig_qp_set_state(&p.qp[0], ENGINE_QP_SQD);
	wqe.meta.req_id = 2;
	rig_post(&p.qp[0], &wqe);
	rig_post_recv(&p.qp[1], 8, 0, 8);
	rig_post_recv(&p.qp[1], 9, 0, 8);
	rig_advance(&p.rig, RNR_RETRY_NS);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 1);
	rig_cq_expect_empty(&p.cq[0]);
	rig_qp_set_state(&p.qp[0], ENGINE_QP_RTS);
	rig_poll(&p.rig);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 2);
}

static void test_destroy_is_silent(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	rig_post(&p.qp[0], &wqe);
	rig_stage(&p.qp[0], &wqe);
	rig_ring_sq(&p.qp[0]);
	rig_post_recv(&p.qp[0], 3, 0, 8);
	engine_qp_destroy(p.qp[0].qp);
	assert_true(engine_next_timer_ns(p.rig.engine, 0) == UINT64_MAX);
	assert_int_equal(rig_counters(&p.rig, 0).qps, 0);
	rig_advance(&p.rig, RNR_RETRY_NS);
	rig_cq_expect_empty(&p.cq[0]);
}

static int modify(struct engine_qp_state_attr attr, uint32_t mask)
{
	return engine_qp_modify(p.qp[0].qp, &attr, mask);
}

#define ATTR(...) (struct engine_qp_state_attr) { __VA_ARGS__ }

static void test_modify_values(void **state)
{
	struct engine_qp_state_attr out;

	assert_int_equal(modify(ATTR(.state = ENGINE_QP_RTS),
				ENGINE_QPA_STATE | 1u << 3), -EOPNOTSUPP);
	assert_int_equal(modify(ATTR(.cur_state = ENGINE_QP_RTR),
				ENGINE_QPA_CUR_STATE), -EINVAL);
	assert_int_equal(modify(ATTR(.cur_state = ENGINE_QP_RTS, .qkey = 5),
				ENGINE_QPA_CUR_STATE | ENGINE_QPA_QKEY), 0);
	engine_qp_query(p.qp[0].qp, &out);
	assert_int_equal(out.qkey, 5);
	assert_int_equal(out.state, ENGINE_QP_RTS);
	assert_int_equal(out.port, 1);
	assert_int_equal(out.rnr_retry, 7);
	assert_int_equal(modify(ATTR(.state = ENGINE_QP_INIT),
				ENGINE_QPA_STATE), -EINVAL);
	rig_qp_set_state(&p.qp[0], ENGINE_QP_RESET);
	assert_int_equal(modify(ATTR(.state = ENGINE_QP_INIT, .port = 2),
				ENGINE_QPA_STATE | ENGINE_QPA_PORT |
				ENGINE_QPA_PKEY_INDEX | ENGINE_QPA_QKEY),
			 -EOPNOTSUPP);
	assert_int_equal(modify(ATTR(.state = ENGINE_QP_INIT, .port = 1,
				     .pkey_index = 1),
				ENGINE_QPA_STATE | ENGINE_QPA_PORT |
				ENGINE_QPA_PKEY_INDEX | ENGINE_QPA_QKEY),
			 -EOPNOTSUPP);
	assert_int_equal(modify(ATTR(.state = ENGINE_QP_INIT, .port = 1,
				     .qkey = 77),
				ENGINE_QPA_STATE | ENGINE_QPA_PORT |
				ENGINE_QPA_PKEY_INDEX | ENGINE_QPA_QKEY), 0);
	assert_int_equal(modify(ATTR(.state = ENGINE_QP_RTR),
				ENGINE_QPA_STATE), 0);
	assert_int_equal(modify(ATTR(.state = ENGINE_QP_RTS, .rnr_retry = 8),
				ENGINE_QPA_STATE | ENGINE_QPA_SQ_PSN |
				ENGINE_QPA_RNR_RETRY), -EINVAL);
	assert_int_equal(state_of(&p.qp[0]), ENGINE_QP_RTR);
	assert_int_equal(modify(ATTR(.state = ENGINE_QP_RTS, .rnr_retry = 3,
				     .sq_psn = 99),
				ENGINE_QPA_STATE | ENGINE_QPA_SQ_PSN |
				ENGINE_QPA_RNR_RETRY), 0);
	engine_qp_query(p.qp[0].qp, &out);
	assert_int_equal(out.rnr_retry, 3);
	assert_int_equal(out.sq_psn, 99);
	assert_int_equal(out.qkey, 77);
}

/* The base of attributes that must be accepted, and each spoilt alone. */
static struct engine_qp_attr usual(void)
{
	return (struct engine_qp_attr) {
		.type = ENGINE_QP_SRD,
		.send_cq = p.cq[0].cq,
		.recv_cq = p.cq[0].cq,
		.sq_depth = 16,
		.sq_ring_bytes = 16 * 64,
		.rq_ring_bytes = 16 * 16,
		.max_send_sge = 2,
		.max_recv_sge = 1,
		.max_inline = 32,
	};
}

#define SPOILT(field, value, error)					\
	do {								\
		struct engine_qp_attr attr = usual();			\
									\
		attr.field = value;					\
		assert_int_equal(engine_qp_attr_check(p.guest[0].pd,	\
						      &attr), error);	\
	} while (0)

static void test_attributes(void **state)
{
	SPOILT(max_inline, 32, 0);
	SPOILT(type, 2, -EINVAL);
	SPOILT(send_cq, NULL, -EINVAL);
	SPOILT(send_cq, p.cq[1].cq, -EINVAL);
	SPOILT(recv_cq, p.cq[1].cq, -EINVAL);
	SPOILT(sq_depth, 15, -EINVAL);
	SPOILT(sq_depth, 32, -EINVAL);		/* 32 bytes each */
	SPOILT(sq_depth, 8, -EINVAL);		/* 128, not on this device */
	SPOILT(sq_depth, 0, -EINVAL);
	SPOILT(sq_ring_bytes, 16 * 64 + 1, -EINVAL);
	SPOILT(sq_ring_bytes, 0, -EINVAL);
	SPOILT(max_send_sge, 3, -EINVAL);
	SPOILT(max_recv_sge, 4, -EINVAL);
	SPOILT(max_inline, 33, -EINVAL);
	SPOILT(rq_ring_bytes, 0, 0);
	SPOILT(rq_ring_bytes, 24, -EINVAL);
	SPOILT(rq_ring_bytes, 3 * 16, -EINVAL);
	SPOILT(rq_ring_bytes, 32768 * 16, 0);
	SPOILT(rq_ring_bytes, 65536 * 16, -EINVAL);
	SPOILT(flags, ENGINE_QP_UNSOLICITED_WRITE_RECV, 0);
	SPOILT(flags, ENGINE_QP_SQ_REQ_ID_64, -EOPNOTSUPP);
	SPOILT(flags, 4, -EOPNOTSUPP);
}

static void test_attributes_next(void **state)
{
	struct engine_qp_attr attr = usual();

	SPOILT(sq_ring_bytes, 16 * 128, 0);
	SPOILT(flags, ENGINE_QP_SQ_REQ_ID_64, 0);
	attr.sq_ring_bytes = 16 * 128;
	attr.max_inline = 80;
	assert_int_equal(engine_qp_attr_check(p.guest[0].pd, &attr), 0);
	attr.max_inline = 81;
	assert_int_equal(engine_qp_attr_check(p.guest[0].pd, &attr), -EINVAL);
	/* Wide entries halve the depth that fits. */
	attr.max_inline = 80;
	attr.sq_depth = 4096;
	attr.sq_ring_bytes = 4096 * 128;
	assert_int_equal(engine_qp_attr_check(p.guest[0].pd, &attr), -EINVAL);
	attr.sq_ring_bytes = 4096 * 64;
	attr.max_inline = 32;
	assert_int_equal(engine_qp_attr_check(p.guest[0].pd, &attr), 0);
	attr.sq_depth = 8192;
	attr.sq_ring_bytes = 8192 * 64;
	assert_int_equal(engine_qp_attr_check(p.guest[0].pd, &attr), -EINVAL);
}

static void test_wide_ids_need_a_cq(void **state)
{
	struct engine_qp_attr attr = usual();
	struct rig_cq narrow;

	rig_cq_init(&p.guest[0], &narrow, 8, 0);
	attr.flags = ENGINE_QP_SQ_REQ_ID_64;
	attr.send_cq = narrow.cq;
	assert_int_equal(engine_qp_attr_check(p.guest[0].pd, &attr), -EINVAL);
	attr.send_cq = p.cq[0].cq;
	attr.recv_cq = narrow.cq;
	assert_int_equal(engine_qp_attr_check(p.guest[0].pd, &attr), 0);
	assert_int_equal(engine_cq_destroy(narrow.cq), 0);
	rig_cq_fini(&narrow);
}

static void test_oldest_has_less(void **state)
{
	SPOILT(flags, ENGINE_QP_UNSOLICITED_WRITE_RECV, -EOPNOTSUPP);
	SPOILT(sq_ring_bytes, 16 * 128, -EINVAL);
}

static void test_limit_and_numbers(void **state)
{
	uint32_t max = engine_device_profile(p.rig.device[0])->max_qp;
	struct rig_qp_opts small = { .sq_depth = 8, .has_no_rq = true };
	struct engine_qp_attr attr = usual();
	struct rig_qp *qp = calloc(max, sizeof(*qp));
	struct engine_qp *spare;
	uint32_t first, number, i;

	attr.sq_depth = 0;
	attr.sq_ring_bytes = 0;
	attr.rq_ring_bytes = 0;
	first = engine_qp_number(p.qp[0].qp);
	for (i = 1; i < max; i++) {
		rig_qp_init(&p.guest[0], &qp[i], ENGINE_QP_UD, &p.cq[0],
			    &p.cq[0], &small);
		number = engine_qp_number(qp[i].qp);
		assert_true(number > 0 && number < 65536);
		assert_int_not_equal(number % max, first % max);
	}
	assert_int_equal(engine_qp_create(p.guest[0].pd, &attr, &spare),
			 -ENOMEM);
	number = engine_qp_number(qp[1].qp);
	engine_qp_destroy(qp[1].qp);
	assert_int_equal(engine_qp_create(p.guest[0].pd, &attr, &spare), 0);
	assert_int_not_equal(engine_qp_number(spare), number);
	engine_qp_destroy(spare);
	for (i = 2; i < max; i++)
		engine_qp_destroy(qp[i].qp);
	for (i = 1; i < max; i++)
		rig_qp_fini(&qp[i]);
	free(qp);
}

int main(void)
{
#define W(name, with) cmocka_unit_test_setup_teardown(test_##name, with, \
						      tear_down)
#define T(name) W(name, set_up)
	const struct CMUnitTest tests[] = {
		T(error_flushes), T(reset_forgets), T(drain),
		T(destroy_is_silent), T(modify_values), T(attributes),
		W(attributes_next, set_up_next),
		W(wide_ids_need_a_cq, set_up_next),
		W(oldest_has_less, set_up_oldest), T(limit_and_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
