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

static struct rig_pair p;

static int set_up(void **state)
{
	rig_pair_init(&p, ENGINE_QP_SRD, NULL, ENGINE_CQ_SGID, NULL);
	return 0;
}

static int tear_down(void **state)
{
	rig_pair_fini(&p);
	return 0;
}

static void test_message_arrives(void **state)
{
	struct engine_device_counters counters;
	struct efa_io_tx_wqe wqe;
	struct efa_io_cdesc entry;

	rig_fill(&p.guest[0], 0, 1000, 1);
	rig_post_recv(&p.qp[1], 0x8123, 4096, 2000);
	wqe = rig_send(&p.qp[0], &p.qp[1], 0xfff7, 0, 1000);
	rig_post(&p.qp[0], &wqe);

	entry = rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 0xfff7);
	assert_int_equal(entry.qp_num, engine_qp_number(p.qp[0].qp));
	assert_int_equal(entry.flags & EFA_IO_CDESC_OP_TYPE, 0);
	entry = rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 0x8123);
	assert_int_equal(entry.qp_num, engine_qp_number(p.qp[1].qp));
	assert_int_equal(entry.rx.length, 1000);
	assert_int_equal(entry.rx.src_qp_num, engine_qp_number(p.qp[0].qp));
	assert_int_equal(entry.rx.ah, engine_ah_number(p.guest[1].ah[0]));
	assert_int_equal(entry.flags & EFA_IO_CDESC_HAS_IMM, 0);
	rig_assert_filled(&p.guest[1], 4096, 1000, 1);
	assert_int_equal(p.guest[1].memory[4096 + 1000], 0);
	rig_cq_expect_empty(&p.cq[0]);
	rig_cq_expect_empty(&p.cq[1]);

	counters = rig_counters(&p.rig, 0);
	assert_int_equal(counters.tx_messages, 1);
	assert_int_equal(counters.tx_bytes, 1000);
	assert_int_equal(counters.sq_doorbells, 1);
	assert_int_equal(counters.completions, 1);
	counters = rig_counters(&p.rig, 1);
	assert_int_equal(counters.rx_messages, 1);
	assert_int_equal(counters.rx_bytes, 1000);
	assert_int_equal(counters.rq_doorbells, 1);
	assert_int_equal(counters.error_completions, 0);
	assert_int_equal(p.rig.rules, 0);
}

static void test_immediate_and_inline(void **state)
{
	struct efa_io_tx_wqe wqe;
	struct efa_io_cdesc entry;

	rig_post_recv(&p.qp[1], 1, 0, 100);
	wqe = rig_inline(&p.qp[0], &p.qp[1], 2, "thirty-two bytes, not one more..", 32);
	rig_set_imm(&wqe);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 2);
	entry = rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 1);
	assert_int_equal(entry.flags & EFA_IO_CDESC_HAS_IMM,
			 EFA_IO_CDESC_HAS_IMM);
	assert_int_equal(entry.rx.imm, RIG_IMM);
	assert_int_equal(entry.rx.length, 32);
	assert_memory_equal(p.guest[1].memory,
			    "thirty-two bytes, not one more..", 32);
}

/* Two pieces out, three in, none of the borders alike. */
static void test_gather_and_scatter(void **state)
{
	struct efa_io_tx_wqe wqe;
	struct efa_io_cdesc entry;

	rig_fill(&p.guest[0], 0, 300, 9);
	wqe = rig_send(&p.qp[0], &p.qp[1], 5, 0, 100);
	wqe.meta.length = 2;
	wqe.data.sgl[1] = wqe.data.sgl[0];
	wqe.data.sgl[1].buf_addr_lo += 100;
	wqe.data.sgl[1].length = 200;

	rig_stage_recv(&p.qp[1], 6, 1000, 70, EFA_IO_RX_FIRST);
	rig_stage_recv(&p.qp[1], 0, 1070, 0, 0);
	rig_stage_recv(&p.qp[1], 0, 1070, 300, EFA_IO_RX_LAST);
	rig_ring_rq(&p.qp[1]);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 5);
	entry = rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 6);
	assert_int_equal(entry.rx.length, 300);
	rig_assert_filled(&p.guest[1], 1000, 300, 9);
}

static void test_empty_message(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 5, 0, 0);
	struct efa_io_cdesc entry;

	wqe.meta.length = 0;
	rig_post_recv(&p.qp[1], 6, 0, 0);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 5);
	entry = rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 6);
	assert_int_equal(entry.rx.length, 0);
}

static void test_mtu_is_the_limit(void **state)
{
	uint32_t mtu = engine_device_profile(p.rig.device[0])->mtu;
	struct efa_io_tx_wqe wqe;

	rig_fill(&p.guest[0], 0, mtu + 1, 3);
	rig_post_recv(&p.qp[1], 1, 20000, 65535);
	wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, mtu + 1);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(LOCAL_ERROR_BAD_LENGTH), 1);
	wqe = rig_send(&p.qp[0], &p.qp[1], 2, 0, mtu);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 2);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 1);
	rig_assert_filled(&p.guest[1], 20000, mtu, 3);
}

/* Without COMP_REQ nothing but an error is heard of. */
static void test_silent_unless_wrong(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	wqe.meta.ctrl2 &= ~EFA_IO_TX_META_COMP_REQ;
	rig_post_recv(&p.qp[1], 1, 0, 100);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 1);
	rig_cq_expect_empty(&p.cq[0]);
	wqe.data.sgl[0].lkey ^= 1;
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(LOCAL_ERROR_INVALID_LKEY), 1);
}

/* Each piece needs a key of its own. */
static void test_second_key(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	rig_post_recv(&p.qp[1], 1, 0, 100);
	wqe.meta.length = 2;
	wqe.data.sgl[1] = wqe.data.sgl[0];
	wqe.data.sgl[1].lkey ^= 1;
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(LOCAL_ERROR_INVALID_LKEY), 1);
	rig_cq_expect_empty(&p.cq[1]);
}

static void test_unknown_sender_by_gid(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);
	struct efa_io_cdesc entry;

	engine_ah_destroy(p.guest[1].ah[0]);
	rig_post_recv(&p.qp[1], 1, 0, 100);
	rig_post(&p.qp[0], &wqe);
	entry = rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 1);
	assert_int_equal(entry.rx.ah, EFA_IO_AH_UNKNOWN);
	assert_memory_equal(entry.rx.src_gid,
			    engine_device_gid(p.rig.device[0]), 16);
}

static void test_unknown_sender_without_gid(void **state)
{
	static const uint8_t none[16];
	struct rig_cq cq;
	struct rig_qp qp;
	struct efa_io_tx_wqe wqe;
	struct efa_io_cdesc entry;

	rig_cq_init(&p.guest[1], &cq, 64, 0);
	rig_qp_init(&p.guest[1], &qp, ENGINE_QP_SRD, &cq, &cq, NULL);
	engine_ah_destroy(p.guest[1].ah[0]);
	rig_post_recv(&qp, 1, 0, 100);
	wqe = rig_send(&p.qp[0], &qp, 1, 0, 8);
	rig_post(&p.qp[0], &wqe);
	entry = rig_cq_expect(&cq, RECV, STATUS(OK), 1);
	assert_int_equal(entry.rx.ah, EFA_IO_AH_UNKNOWN);
	assert_memory_equal(entry.rx.src_gid, none, 16);
	engine_qp_destroy(qp.qp);
	rig_qp_fini(&qp);
	rig_cq_fini(&cq);
}

/* The default of an SRD QP: the receiver may take as long as it likes. */
static void test_rnr_without_end(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);
	int i;

	rig_post(&p.qp[0], &wqe);
	for (i = 0; i < 1000; i++) {
		assert_int_equal(engine_next_timer_ns(p.rig.engine,
						      p.rig.now_ns),
				 RNR_RETRY_NS);
		rig_advance(&p.rig, RNR_RETRY_NS);
	}
	rig_cq_expect_empty(&p.cq[0]);
	rig_post_recv(&p.qp[1], 1, 0, 100);
	rig_advance(&p.rig, RNR_RETRY_NS - 1);
	rig_cq_expect_empty(&p.cq[0]);
	rig_advance(&p.rig, 1);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 1);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 1);
	assert_true(engine_next_timer_ns(p.rig.engine, p.rig.now_ns) ==
		    UINT64_MAX);
}

static void expect_rnr_after(uint8_t retries)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);
	int i;

	rig_qp_set_state(&p.qp[0], ENGINE_QP_RESET);
	rig_qp_to_rts(&p.qp[0], retries);
	rig_post(&p.qp[0], &wqe);
	for (i = 0; i < retries; i++) {
		rig_cq_expect_empty(&p.cq[0]);
		rig_advance(&p.rig, RNR_RETRY_NS);
	}
	rig_cq_expect(&p.cq[0], SEND, STATUS(REMOTE_ERROR_RNR), 1);
}

static void test_rnr_with_an_end(void **state)
{
	expect_rnr_after(0);
	expect_rnr_after(1);
	expect_rnr_after(6);
}

/* One receiver that is not ready stops nobody else's messages. */
static void test_rnr_blocks_no_other(void **state)
{
	struct efa_io_tx_wqe wqe;
	struct rig_qp other;

	rig_qp_init(&p.guest[1], &other, ENGINE_QP_SRD, &p.cq[1], &p.cq[1],
		    NULL);
	rig_post_recv(&other, 7, 0, 100);
	wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);
	rig_stage(&p.qp[0], &wqe);
	wqe = rig_send(&p.qp[0], &other, 2, 0, 8);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 2);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 7);
	rig_cq_expect_empty(&p.cq[0]);
	engine_qp_destroy(other.qp);
	rig_qp_fini(&other);
}

/* A waiting message keeps its slot: the ring is full before it is sent. */
static void test_waiting_keeps_its_slot(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);
	uint32_t i;

	for (i = 0; i < p.qp[0].sq_depth; i++) {
		wqe.meta.req_id = i;
		rig_stage(&p.qp[0], &wqe);
	}
	rig_ring_sq(&p.qp[0]);
	rig_poll(&p.rig);
	assert_int_equal(p.rig.rules, 0);
	rig_post(&p.qp[0], &wqe);
	assert_int_equal(p.rig.rules, 1);
}

static void test_receiver_errors(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 100);

	rig_post_recv(&p.qp[1], 1, 0, 99);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(REMOTE_ERROR_BAD_LENGTH), 1);
	rig_cq_expect(&p.cq[1], RECV, STATUS(LOCAL_ERROR_BAD_LENGTH), 1);

	p.guest[1].hole_start = 4096;
	p.guest[1].hole_bytes = 4096;
	rig_post_recv(&p.qp[1], 2, 4000, 1000);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(REMOTE_ERROR_BAD_STATUS), 1);
	rig_cq_expect(&p.cq[1], RECV, STATUS(LOCAL_ERROR_INVALID_LKEY), 2);

	/* Neither QP minds. */
	rig_post_recv(&p.qp[1], 3, 0, 100);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 1);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 3);
}

static void test_receive_needs_write_access(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 100);
	uint32_t usual_key = p.guest[1].key;
	struct engine_mr *mr;

	assert_int_equal(engine_mr_create(p.guest[1].pd, RIG_MEMORY_BASE, 4096,
					  RIG_MEMORY_BASE, 0, &mr), 0);
	p.guest[1].key = engine_mr_key(mr);
	rig_post_recv(&p.qp[1], 1, 0, 100);
	p.guest[1].key = usual_key;
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(REMOTE_ERROR_BAD_STATUS), 1);
	rig_cq_expect(&p.cq[1], RECV, STATUS(LOCAL_ERROR_INVALID_LKEY), 1);
}

static void expect_status(struct efa_io_tx_wqe *wqe,
			  enum efa_io_comp_status status)
{
	rig_post(&p.qp[0], wqe);
	rig_cq_expect(&p.cq[0], SEND, status, wqe->meta.req_id);
}

static void test_wrong_destination(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);
	static const uint8_t nobody[16] = { 9 };
	struct engine_pd *pd;
	struct engine_ah *ah;

	rig_post_recv(&p.qp[1], 1, 0, 100);
	wqe.meta.qkey++;
	expect_status(&wqe, STATUS(REMOTE_ERROR_BAD_DEST_QPN));
	wqe.meta.qkey--;
	wqe.meta.dest_qp_num ^= 0x4000;
	expect_status(&wqe, STATUS(REMOTE_ERROR_BAD_DEST_QPN));
	wqe.meta.dest_qp_num ^= 0x4000;
	assert_int_equal(engine_ah_create(p.guest[0].pd, nobody, &ah), 0);
	wqe.meta.ah = engine_ah_number(ah);
	expect_status(&wqe, STATUS(LOCAL_ERROR_UNREACH_REMOTE));
	wqe.meta.ah = EFA_IO_AH_UNKNOWN;
	expect_status(&wqe, STATUS(LOCAL_ERROR_INVALID_AH));
	/* A handle of another PD of the same client. */
	assert_int_equal(engine_pd_create(p.guest[0].ctx, &pd), 0);
	assert_int_equal(engine_ah_create(pd, engine_device_gid(
						p.rig.device[1]), &ah), 0);
	wqe.meta.ah = engine_ah_number(ah);
	expect_status(&wqe, STATUS(LOCAL_ERROR_INVALID_AH));
	rig_cq_expect_empty(&p.cq[1]);
}

static void test_destination_states(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	rig_qp_set_state(&p.qp[1], ENGINE_QP_ERR);
	expect_status(&wqe, STATUS(REMOTE_ERROR_BAD_DEST_QPN));
	rig_qp_set_state(&p.qp[1], ENGINE_QP_RESET);
	expect_status(&wqe, STATUS(REMOTE_ERROR_BAD_DEST_QPN));
	engine_qp_destroy(p.qp[1].qp);
	expect_status(&wqe, STATUS(REMOTE_ERROR_BAD_DEST_QPN));
}

/* What waits for a receiver that goes learns of it. */
static void test_destination_goes(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	rig_post(&p.qp[0], &wqe);
	engine_context_destroy(p.guest[1].ctx);
	p.guest[1].ctx = NULL;
	rig_advance(&p.rig, RNR_RETRY_NS);
	rig_cq_expect(&p.cq[0], SEND, STATUS(REMOTE_ERROR_BAD_DEST_QPN), 1);
}

/* A client that died is no destination, even before its context is closed. */
static void test_destination_is_dead(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	rig_post_recv(&p.qp[1], 1, 0, 100);
	rig_post_recv(&p.qp[1], 2, 0, 100);
	p.guest[1].is_gone = true;
	expect_status(&wqe, STATUS(REMOTE_ERROR_BAD_DEST_QPN));
	expect_status(&wqe, STATUS(REMOTE_ERROR_BAD_DEST_QPN));
	rig_cq_expect_empty(&p.cq[1]);
}

static void test_sender_is_dead(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	rig_post_recv(&p.qp[1], 1, 0, 100);
	p.guest[0].is_gone = true;
	rig_stage(&p.qp[0], &wqe);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect_empty(&p.cq[0]);
	rig_cq_expect_empty(&p.cq[1]);
}

static void test_address_goes(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	rig_post(&p.qp[0], &wqe);
	engine_ah_destroy(p.guest[0].ah[1]);
	rig_advance(&p.rig, RNR_RETRY_NS);
	rig_cq_expect(&p.cq[0], SEND, STATUS(FLUSHED), 1);
}

static void test_local_memory_goes(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	rig_post(&p.qp[0], &wqe);
	engine_mr_destroy(p.guest[0].mr);
	rig_advance(&p.rig, RNR_RETRY_NS);
	rig_cq_expect(&p.cq[0], SEND, STATUS(LOCAL_ERROR_INVALID_LKEY), 1);
}

/* A QP may send to itself, and break itself with that. */
static void test_to_itself(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[0], 1, 0, 8);

	rig_post_recv(&p.qp[0], 2, 100, 8);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], RECV, STATUS(OK), 2);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 1);

	rig_stage_recv(&p.qp[0], 3, 100, 8, EFA_IO_RX_LAST);
	rig_ring_rq(&p.qp[0]);
	rig_stage(&p.qp[0], &wqe);
	wqe.meta.req_id = 4;
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], RECV, STATUS(LOCAL_ERROR_QP_INTERNAL_ERROR), 3);
	rig_cq_expect(&p.cq[0], SEND, STATUS(FLUSHED), 4);
	rig_cq_expect(&p.cq[0], SEND, STATUS(REMOTE_ERROR_BAD_DEST_QPN), 1);
	assert_int_equal(p.rig.rules, 1);
}

/* All rings wrap many times; every message is seen once and intact. */
static void test_wraps(void **state)
{
	struct efa_io_tx_wqe wqe;
	uint16_t i;

	for (i = 0; i < 5000; i++) {
		rig_fill(&p.guest[0], 0, 64, i);
		rig_post_recv(&p.qp[1], i, 64, 64);
		wqe = rig_send(&p.qp[0], &p.qp[1], i, 0, 64);
		rig_post(&p.qp[0], &wqe);
		rig_cq_expect(&p.cq[0], SEND, STATUS(OK), i);
		rig_cq_expect(&p.cq[1], RECV, STATUS(OK), i);
		rig_assert_filled(&p.guest[1], 64, 64, i);
	}
	assert_int_equal(p.rig.rules, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(message_arrives), T(immediate_and_inline),
		T(gather_and_scatter), T(empty_message), T(mtu_is_the_limit),
		T(silent_unless_wrong), T(second_key), T(unknown_sender_by_gid),
		T(unknown_sender_without_gid), T(rnr_without_end),
		T(rnr_with_an_end), T(rnr_blocks_no_other),
		T(waiting_keeps_its_slot), T(receiver_errors),
		T(receive_needs_write_access), T(wrong_destination),
		T(destination_states), T(destination_goes),
		T(destination_is_dead), T(sender_is_dead), T(address_goes),
		T(local_memory_goes), T(to_itself), T(wraps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
