/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Completions that are kept back, and what may go away meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/requester.h"
#include "test/engine_rig.h"

#define SEND	EFA_IO_SEND_QUEUE
#define RECV	EFA_IO_RECV_QUEUE
#define OK	EFA_IO_COMP_STATUS_OK
#define MS	1000000ull

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

static void set(const char *text)
{
	rig_set_fault(&p.rig, text);
}

/* A message from QP @from to the other one, which has a receive. */
static void pass(int from, uint16_t req_id)
{
	struct efa_io_tx_wqe wqe;

	rig_post_recv(&p.qp[1 - from], req_id, 0, 64);
	wqe = rig_inline(&p.qp[from], &p.qp[1 - from], req_id, "word", 4);
	rig_post(&p.qp[from], &wqe);
}

static void test_time(void **state)
{
	set("hold-cqe time=1ms nth=1");
	pass(0, 1);
	pass(0, 2);
	rig_cq_expect(&p.cq[0], SEND, OK, 2);
	rig_cq_expect_empty(&p.cq[0]);
	assert_int_equal(engine_next_timer_ns(p.rig.engine, p.rig.now_ns), MS);
	rig_advance(&p.rig, MS);
	rig_cq_expect(&p.cq[0], SEND, OK, 1);
}

/* Errors are held like any other completion. */
static void test_error_is_held(void **state)
{
	struct efa_io_tx_wqe wqe;

	set("hold-cqe time=1ms");
	set("status code=8");
	wqe = rig_inline(&p.qp[0], &p.qp[1], 1, "word", 4);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect_empty(&p.cq[0]);
	rig_advance(&p.rig, MS);
	rig_cq_expect(&p.cq[0], SEND, EFA_IO_COMP_STATUS_REMOTE_ERROR_ABORT, 1);
}

static void test_until_recv(void **state)
{
	set("hold-cqe until=recv");
	pass(0, 1);
	pass(0, 2);
	rig_cq_expect_empty(&p.cq[0]);
	engine_fault_clear(p.rig.engine, 0);
	pass(1, 3);
	rig_cq_expect(&p.cq[0], RECV, OK, 3);
	rig_cq_expect(&p.cq[0], SEND, OK, 1);
	rig_cq_expect(&p.cq[0], SEND, OK, 2);
}

/* A receive that is late by a time is what the send waits for. */
static void test_one_waits_for_another(void **state)
{
	set("hold-cqe until=recv");
	set("hold-cqe queue=recv time=1ms");
	pass(0, 1);
	pass(1, 2);
	rig_cq_expect_empty(&p.cq[0]);
	rig_advance(&p.rig, MS);
	rig_cq_expect(&p.cq[0], RECV, OK, 2);
	rig_cq_expect(&p.cq[0], SEND, OK, 1);
	rig_cq_expect(&p.cq[1], RECV, OK, 1);
	rig_cq_expect(&p.cq[1], SEND, OK, 2);
}

static void replace_qp(void)
{
	rig_qp_init(&p.guest[0], &p.qp[0], ENGINE_QP_SRD, &p.cq[0], &p.cq[0],
		    NULL);
}

static void destroy_qp(void)
{
	engine_qp_destroy(p.qp[0].qp);
	rig_qp_fini(&p.qp[0]);
}

static void test_destroyed_qp(void **state)
{
	uint32_t number = engine_qp_number(p.qp[0].qp);
	struct efa_io_cdesc entry;

	set("hold-cqe until=destroy nth=1");
	set("hold-cqe until=destroy time=2ms nth=2");
	set("hold-cqe time=1ms nth=3");
	set("hold-cqe until=recv nth=4");
	pass(0, 1);
	pass(0, 2);
	pass(0, 3);
	pass(0, 4);
	rig_cq_expect_empty(&p.cq[0]);
	destroy_qp();
	entry = rig_cq_expect(&p.cq[0], SEND, OK, 1);
	assert_int_equal(entry.qp_num, number);
	rig_cq_expect_empty(&p.cq[0]);
	rig_advance(&p.rig, MS);
	rig_cq_expect(&p.cq[0], SEND, OK, 3);
	rig_advance(&p.rig, MS);
	rig_cq_expect(&p.cq[0], SEND, OK, 2);
	/* What nothing would end now has ended with the QP. */
	rig_advance(&p.rig, 100 * MS);
	rig_cq_expect_empty(&p.cq[0]);
	replace_qp();
}

/* The queue goes, another one gets its number: nothing is written there. */
static void test_destroyed_cq(void **state)
{
	set("hold-cqe time=1ms");
	pass(0, 1);
	destroy_qp();
	assert_int_equal(engine_cq_destroy(p.cq[0].cq), 0);
	rig_cq_fini(&p.cq[0]);
	rig_cq_init(&p.guest[0], &p.cq[0], 64, 0);
	rig_advance(&p.rig, 2 * MS);
	rig_cq_expect_empty(&p.cq[0]);
	replace_qp();
}

/* What is held when all ends is freed; a sanitizer tells. */
static void test_end_of_engine(void **state)
{
	set("hold-cqe time=1s nth=1");
	set("hold-cqe until=destroy time=1s nth=2");
	set("hold-cqe until=recv");
	pass(0, 1);
	pass(0, 2);
	pass(0, 3);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_time),
		TEST(test_error_is_held),
		TEST(test_until_recv),
		TEST(test_one_waits_for_another),
		TEST(test_destroyed_qp),
		TEST(test_destroyed_cq),
		TEST(test_end_of_engine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
