/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Receive completions with a chosen status, or written later. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "test/engine_rig.h"

#define SEND		EFA_IO_SEND_QUEUE
#define RECV		EFA_IO_RECV_QUEUE
#define STATUS(name)	EFA_IO_COMP_STATUS_##name
#define OK		STATUS(OK)
#define MS		1000000ull

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

static void set(const char *text)
{
	rig_set_fault(&p.rig, text);
}

/* Its send completes well. */
static void pass(uint16_t req_id)
{
	struct efa_io_tx_wqe wqe;

	rig_post_recv(&p.qp[1], req_id, 0, 64);
	wqe = rig_inline(&p.qp[0], &p.qp[1], req_id, "word", 4);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, OK, req_id);
}

static void write_imm(uint16_t req_id)
{
	struct efa_io_tx_wqe wqe;

	rig_post_recv(&p.qp[1], req_id, 0, 64);
	wqe = rig_rdma(&p.qp[0], &p.qp[1], EFA_IO_RDMA_WRITE, req_id, 0, 100,
		       8);
	rig_set_imm(&wqe);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, OK, req_id);
}

static uint16_t received(uint16_t req_id, enum efa_io_comp_status status)
{
	return rig_cq_expect(&p.cq[1], RECV, status, req_id).rx.length;
}

/* The receive fails alone, without a length; its sender knows nothing. */
static void test_status(void **state)
{
	set("status queue=recv code=12 nth=2");
	pass(1);
	pass(2);
	pass(3);
	assert_int_equal(received(1, OK), 4);
	assert_int_equal(received(2, STATUS(REMOTE_ERROR_BAD_STATUS)), 0);
	assert_int_equal(received(3, OK), 4);
}

/* A send completion is none of its business, nor is another QP's. */
static void test_selected(void **state)
{
	char text[FAULT_SPEC_BYTES];

	snprintf(text, sizeof(text), "status queue=recv code=8 qp=%u",
		 engine_qp_number(p.qp[0].qp));
	if (engine_qp_number(p.qp[0].qp) == engine_qp_number(p.qp[1].qp))
		snprintf(text, sizeof(text),
			 "status queue=recv code=8 device=efa_0");
	set(text);
	set("status queue=recv code=8 peer=0x7fff");
	pass(1);
	received(1, OK);
}

static void test_by_operation(void **state)
{
	set("status queue=recv code=5 op=write-imm");
	pass(1);
	write_imm(2);
	received(1, OK);
	received(2, STATUS(LOCAL_ERROR_INVALID_LKEY));
	engine_fault_clear(p.rig.engine, 0);
	set("status queue=recv code=5 op=send");
	write_imm(3);
	pass(4);
	received(3, OK);
	received(4, STATUS(LOCAL_ERROR_INVALID_LKEY));
}

/* The one that is late is overtaken, and both faults can strike one. */
static void test_held(void **state)
{
	set("hold-cqe queue=recv time=1ms nth=1");
	set("status queue=recv code=8 nth=1");
	pass(1);
	pass(2);
	received(2, OK);
	rig_cq_expect_empty(&p.cq[1]);
	rig_advance(&p.rig, MS);
	received(1, STATUS(REMOTE_ERROR_ABORT));
}

/* Flushes are no messages: no fault is asked about them. */
static void test_flush_is_none(void **state)
{
	set("status queue=recv code=8");
	set("hold-cqe queue=recv time=1ms");
	rig_post_recv(&p.qp[1], 7, 0, 64);
	rig_poll(&p.rig);
	rig_qp_set_state(&p.qp[1], ENGINE_QP_ERR);
	rig_poll(&p.rig);
	received(7, STATUS(FLUSHED));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_status),
		TEST(test_selected),
		TEST(test_by_operation),
		TEST(test_held),
		TEST(test_flush_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
