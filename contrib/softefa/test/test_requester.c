/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/requester.h"
#include "test/engine_rig.h"

#define SEND	EFA_IO_SEND_QUEUE
#define RECV	EFA_IO_RECV_QUEUE
#define STATUS(name)	EFA_IO_COMP_STATUS_##name
#define INTERNAL	STATUS(LOCAL_ERROR_QP_INTERNAL_ERROR)

static struct rig_pair p;

static int set_up(void **state)
{
	rig_pair_init(&p, ENGINE_QP_SRD, NULL, 0, NULL);
	return 0;
}

static int set_up_wide(void **state)
{
	static const struct rig_qp_opts opts = {
		.wqe_size = EFA_IO_TX_WQE_SIZE_WIDE,
		.flags = ENGINE_QP_SQ_REQ_ID_64,
	};

	rig_pair_init(&p, ENGINE_QP_SRD, "next", ENGINE_CQ_SQ_REQ_ID_64,
		      &opts);
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

/* The other guest and its QP go on as if nothing had happened. */
static void expect_other_unhurt(void)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[1], &p.qp[1], 51, 0, 8);

	rig_post_recv(&p.qp[1], 50, 0, 8);
	rig_post(&p.qp[1], &wqe);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 50);
	rig_cq_expect(&p.cq[1], SEND, STATUS(OK), 51);
	assert_int_equal(state_of(&p.qp[1]), ENGINE_QP_RTS);
}

static void expect_stopped_by(uint32_t doorbell)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	/* One waits for a receive, one is in the ring. */
	rig_post(&p.qp[0], &wqe);
	wqe.meta.req_id = 2;
	rig_stage(&p.qp[0], &wqe);
	rig_post_recv(&p.qp[0], 3, 0, 8);
	p.qp[0].sq_doorbell = doorbell;
	rig_poll(&p.rig);
	assert_int_equal(state_of(&p.qp[0]), ENGINE_QP_ERR);
	rig_cq_expect(&p.cq[0], SEND, INTERNAL, 2);
	rig_cq_expect(&p.cq[0], SEND, STATUS(FLUSHED), 1);
	rig_cq_expect(&p.cq[0], RECV, STATUS(FLUSHED), 3);
	rig_cq_expect_empty(&p.cq[0]);
	assert_int_equal(p.rig.rules, 1);
	assert_ptr_equal(p.rig.rule_opaque, &p.guest[0]);
	rig_poll(&p.rig);
	assert_int_equal(p.rig.rules, 1);
	expect_other_unhurt();
}

static void test_doorbell_beyond_the_ring(void **state)
{
	/* 16 slots, one of them in flight. */
	expect_stopped_by(1 + 16);
}

static void test_doorbell_backwards(void **state)
{
	expect_stopped_by(0);
}

static void test_doorbell_far_away(void **state)
{
	expect_stopped_by(40000);
}

static void test_doorbell_of_more_than_16_bits(void **state)
{
	expect_stopped_by(0x10002);
}

/* A reset is the way out. */
static void test_broken_doorbell_and_reset(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 7, 0, 8);
	struct efa_io_cdesc entry;

	p.qp[0].sq_doorbell = 40000;
	rig_poll(&p.rig);
	while (rig_cq_take(&p.cq[0], &entry))
		;
	rig_qp_set_state(&p.qp[0], ENGINE_QP_RESET);
	rig_qp_to_rts(&p.qp[0], 7);
	rig_post_recv(&p.qp[1], 9, 0, 8);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 7);
}

static void test_malformed_entry(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	rig_post_recv(&p.qp[1], 9, 0, 8);
	rig_stage(&p.qp[0], &wqe);
	wqe.meta.req_id = 2;
	wqe.meta.ctrl2 ^= EFA_IO_TX_META_PHASE;
	rig_stage(&p.qp[0], &wqe);
	wqe.meta.req_id = 3;
	wqe.meta.ctrl2 ^= EFA_IO_TX_META_PHASE;
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, INTERNAL, 2);
	rig_cq_expect(&p.cq[0], SEND, STATUS(FLUSHED), 1);
	rig_cq_expect(&p.cq[0], SEND, STATUS(FLUSHED), 3);
	rig_cq_expect_empty(&p.cq[0]);
	rig_cq_expect_empty(&p.cq[1]);
	assert_int_equal(state_of(&p.qp[0]), ENGINE_QP_ERR);
	assert_non_null(strstr(p.rig.rule_text, "entry 1: wrong phase"));
}

/* An entry that was never written has the first phase, but no meta bit. */
static void test_unwritten_entry(void **state)
{
	p.qp[0].sq_doorbell = 1;
	rig_poll(&p.rig);
	rig_cq_expect(&p.cq[0], SEND, INTERNAL, 0);
	assert_int_equal(p.rig.rules, 1);
}

/* An error in one request is its own affair. */
static void test_bad_request_is_alone(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);
	struct efa_io_tx_wqe bad = wqe;

	bad.meta.req_id = 2;
	bad.meta.ctrl1 |= 0xf;
	rig_post_recv(&p.qp[1], 8, 0, 8);
	rig_post_recv(&p.qp[1], 9, 0, 8);
	rig_stage(&p.qp[0], &wqe);
	rig_stage(&p.qp[0], &bad);
	wqe.meta.req_id = 3;
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(LOCAL_ERROR_UNSUPPORTED_OP), 2);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 1);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 3);
	assert_int_equal(state_of(&p.qp[0]), ENGINE_QP_RTS);
	assert_int_equal(p.rig.rules, 0);
}

static void expect_receiver_stopped(uint16_t req_id)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(REMOTE_ERROR_BAD_DEST_QPN), 1);
	rig_cq_expect(&p.cq[1], RECV, INTERNAL, req_id);
	rig_cq_expect_empty(&p.cq[1]);
	assert_int_equal(state_of(&p.qp[0]), ENGINE_QP_RTS);
	assert_int_equal(state_of(&p.qp[1]), ENGINE_QP_ERR);
	assert_int_equal(p.rig.rules, 1);
	assert_ptr_equal(p.rig.rule_opaque, &p.guest[1]);
}

static void test_broken_receive(void **state)
{
	rig_stage_recv(&p.qp[1], 5, 0, 8, 0);
	rig_stage_recv(&p.qp[1], 6, 0, 8, EFA_IO_RX_FIRST | EFA_IO_RX_LAST);
	rig_ring_rq(&p.qp[1]);
	expect_receiver_stopped(5);
}

static void test_broken_receive_doorbell(void **state)
{
	rig_post_recv(&p.qp[1], 5, 0, 8);
	p.qp[1].rq_doorbell = 17;
	expect_receiver_stopped(0);
}

/* What the guest writes into an entry after its doorbell changes nothing, but
 * breaks a rule. */
static void test_entry_is_copied_once(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	rig_fill(&p.guest[0], 0, 8, 4);
	rig_post(&p.qp[0], &wqe);
	memset(p.qp[0].sq_ring, 0xff, 64);
	rig_post_recv(&p.qp[1], 9, 0, 8);
	rig_advance(&p.rig, RNR_RETRY_NS);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 1);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 9);
	rig_assert_filled(&p.guest[1], 0, 8, 4);
	assert_int_equal(p.rig.rules, 1);
	assert_int_equal(p.rig.rule, ENGINE_RULE_SQ_OVERWRITE);
}

static void test_wide_entries_wrap(void **state)
{
	struct efa_io_tx_wqe wqe;
	struct efa_io_cdesc entry;
	uint8_t data[80];
	uint64_t i;

	for (i = 0; i < 3000; i++) {
		memset(data, i, sizeof(data));
		wqe = rig_inline(&p.qp[0], &p.qp[1], i << 40 | i, data, 80);
		rig_post_recv(&p.qp[1], i, 0, 80);
		rig_post(&p.qp[0], &wqe);
		entry = rig_cq_expect(&p.cq[0], SEND, STATUS(OK), i);
		assert_int_equal(entry.tx.req_id_ex[1],
				 (i << 40 | i) >> 32 & 0xffff);
		rig_cq_expect(&p.cq[1], RECV, STATUS(OK), i);
		assert_memory_equal(p.guest[1].memory, data, 80);
	}
}

/* A turn is short, whatever a guest has posted. */
static void test_turns_are_bounded(void **state)
{
	struct rig_qp_opts deep = { .sq_depth = 1024, .rq_depth = 4096 };
	struct efa_io_tx_wqe wqe;
	struct rig_qp busy;
	unsigned count, i;

	rig_qp_init(&p.guest[0], &busy, ENGINE_QP_SRD, &p.cq[0], &p.cq[0],
		    &deep);
	wqe = rig_send(&busy, &p.qp[1], 1, 0, 8);
	wqe.meta.qkey++;
	wqe.meta.ctrl2 &= ~EFA_IO_TX_META_COMP_REQ;
	for (i = 0; i < 1024; i++)
		rig_stage(&busy, &wqe);
	rig_ring_sq(&busy);
	wqe = rig_send(&p.qp[1], &p.qp[1], 2, 0, 8);
	rig_post_recv(&p.qp[1], 3, 0, 8);
	rig_stage(&p.qp[1], &wqe);
	rig_ring_sq(&p.qp[1]);
	count = engine_poll(p.rig.engine, 0);
	assert_true(count <= 2 * 2 * REQUESTER_TURN_OPS);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 3);
	engine_qp_destroy(busy.qp);
	rig_qp_fini(&busy);
}

/* Also when a receiver comes to life for whom many messages wait. */
static void test_wake_up_is_bounded(void **state)
{
	struct rig_qp_opts deep = { .sq_depth = 256, .rq_depth = 256 };
	struct efa_io_tx_wqe wqe;
	struct rig_qp busy;
	unsigned i;

	rig_qp_init(&p.guest[0], &busy, ENGINE_QP_SRD, &p.cq[0], &p.cq[0],
		    &deep);
	wqe = rig_send(&busy, &busy, 1, 0, 8);
	wqe.meta.ctrl2 &= ~EFA_IO_TX_META_COMP_REQ;
	for (i = 0; i < 256; i++)
		rig_stage(&busy, &wqe);
	rig_ring_sq(&busy);
	rig_poll(&p.rig);
	for (i = 0; i < 256; i++)
		rig_post_recv(&busy, i, 0, 8);
	assert_true(engine_poll(p.rig.engine, RNR_RETRY_NS) > 0);
	assert_int_equal(rig_counters(&p.rig, 0).rx_messages,
			 REQUESTER_TURN_OPS);
	engine_qp_destroy(busy.qp);
	rig_qp_fini(&busy);
}

/*
 * The AH of a message that waits is destroyed, and its number given to the
 * address of another device: the message goes neither way.
 */
static void test_address_number_given_anew(void **state)
{
	static const uint8_t elsewhere[16] = { 0xfe, 0x80, [15] = 77 };
	struct device_profile profile = *profile_at(0);
	struct rig_guest guest[2];
	struct efa_io_tx_wqe wqe;
	struct rig_cq cq[2];
	struct rig_qp qp[2];
	struct engine_ah *ah;
	struct rig rig;
	uint16_t number;
	int i;

	profile.max_ah = 2;
	rig_init_profiles(&rig, &profile, &profile);
	for (i = 0; i < 2; i++) {
		rig_guest_init(&rig, &guest[i], i);
		rig_cq_init(&guest[i], &cq[i], 64, 0);
		rig_qp_init(&guest[i], &qp[i], ENGINE_QP_SRD, &cq[i], &cq[i],
			    NULL);
	}
	wqe = rig_send(&qp[0], &qp[1], 1, 0, 8);
	rig_post(&qp[0], &wqe);
	rig_cq_expect_empty(&cq[0]);
	number = engine_ah_number(guest[0].ah[1]);
	engine_ah_destroy(guest[0].ah[1]);
	assert_int_equal(engine_ah_create(guest[0].pd, elsewhere, &ah), 0);
	assert_int_equal(engine_ah_number(ah), number);
	rig_post_recv(&qp[1], 2, 0, 8);
	rig_advance(&rig, RNR_RETRY_NS);
	rig_cq_expect(&cq[0], SEND, STATUS(FLUSHED), 1);
	rig_cq_expect_empty(&cq[1]);
	for (i = 0; i < 2; i++) {
		rig_guest_fini(&guest[i]);
		rig_qp_fini(&qp[i]);
		rig_cq_fini(&cq[i]);
	}
	rig_fini(&rig);
}

static void test_idle_says_so(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	assert_int_equal(engine_poll(p.rig.engine, 0), 0);
	assert_true(engine_has_queues(p.rig.engine));
	rig_post(&p.qp[0], &wqe);
	/* Waiting for a receiver is idle as well, with an alarm set. */
	assert_int_equal(engine_poll(p.rig.engine, 0), 0);
	assert_int_equal(engine_next_timer_ns(p.rig.engine, 0), RNR_RETRY_NS);
	assert_int_equal(engine_next_timer_ns(p.rig.engine, RNR_RETRY_NS - 1),
			 1);
	assert_int_equal(engine_next_timer_ns(p.rig.engine, 2 * RNR_RETRY_NS),
			 0);
	engine_qp_destroy(p.qp[0].qp);
	engine_qp_destroy(p.qp[1].qp);
	assert_false(engine_has_queues(p.rig.engine));
}

int main(void)
{
#define W(name, with) cmocka_unit_test_setup_teardown(test_##name, with, \
						      tear_down)
#define T(name) W(name, set_up)
	const struct CMUnitTest tests[] = {
		T(doorbell_beyond_the_ring), T(doorbell_backwards),
		T(doorbell_far_away), T(doorbell_of_more_than_16_bits),
		T(broken_doorbell_and_reset), T(malformed_entry),
		T(unwritten_entry), T(bad_request_is_alone),
		T(broken_receive), T(broken_receive_doorbell),
		T(entry_is_copied_once), W(wide_entries_wrap, set_up_wide),
		T(turns_are_bounded), T(wake_up_is_bounded),
		T(address_number_given_anew), T(idle_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
