/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Messages that arrive after the QP which sent them was destroyed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "test/engine_rig.h"

#define RECV	EFA_IO_RECV_QUEUE
#define OK	EFA_IO_COMP_STATUS_OK
#define MS	1000000ull
#define GRH	40u

static struct rig_pair p;
static uint32_t sender;

static void start(enum engine_qp_type type)
{
	rig_pair_init(&p, type, NULL, 0, NULL);
	sender = engine_qp_number(p.qp[0].qp);
	rig_set_fault(&p.rig, "late-packets delay=1ms");
}

static int set_up(void **state)
{
	start(ENGINE_QP_SRD);
	return 0;
}

static int set_up_datagrams(void **state)
{
	start(ENGINE_QP_UD);
	return 0;
}

static int tear_down(void **state)
{
	rig_pair_fini(&p);
	return 0;
}

/* From memory that is overwritten once the QP is gone: it has left it. */
static void send_and_destroy(void)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 100);

	rig_fill(&p.guest[0], 0, 100, 3);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect_empty(&p.cq[1]);
	engine_qp_destroy(p.qp[0].qp);
	memset(p.guest[0].memory, 0, 100);
}

static void test_message(void **state)
{
	struct efa_io_cdesc entry;

	rig_post_recv(&p.qp[1], 9, 4096, 100);
	send_and_destroy();
	rig_advance(&p.rig, MS - 1);
	rig_cq_expect_empty(&p.cq[1]);
	rig_advance(&p.rig, 1);
	entry = rig_cq_expect(&p.cq[1], RECV, OK, 9);
	assert_int_equal(entry.rx.src_qp_num, sender);
	assert_int_equal(entry.rx.length, 100);
	rig_assert_filled(&p.guest[1], 4096, 100, 3);
	rig_advance(&p.rig, 10 * MS);
	rig_cq_expect_empty(&p.cq[1]);
}

static void test_datagram(void **state)
{
	struct efa_io_cdesc entry;

	rig_post_recv(&p.qp[1], 9, 4096, 100 + GRH);
	send_and_destroy();
	rig_advance(&p.rig, MS);
	entry = rig_cq_expect(&p.cq[1], RECV, OK, 9);
	assert_int_equal(entry.rx.length, 100 + GRH);
	rig_assert_filled(&p.guest[1], 4096 + GRH, 100, 3);
}

/* The client is gone altogether. */
static void test_context_gone(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 100);

	rig_fill(&p.guest[0], 0, 100, 3);
	rig_post_recv(&p.qp[1], 9, 4096, 100);
	rig_post(&p.qp[0], &wqe);
	engine_context_destroy(p.guest[0].ctx);
	p.guest[0].ctx = NULL;
	rig_advance(&p.rig, MS);
	rig_cq_expect(&p.cq[1], RECV, OK, 9);
	rig_assert_filled(&p.guest[1], 4096, 100, 3);
}

/* Nobody is there any more, or nobody has a receive: it is lost. */
static void test_lost(void **state)
{
	send_and_destroy();
	rig_advance(&p.rig, MS);
	rig_post_recv(&p.qp[1], 9, 4096, 100);
	rig_advance(&p.rig, MS);
	rig_cq_expect_empty(&p.cq[1]);
}

static void test_receiver_gone(void **state)
{
	rig_post_recv(&p.qp[1], 9, 4096, 100);
	send_and_destroy();
	engine_qp_destroy(p.qp[1].qp);
	rig_advance(&p.rig, MS);
	rig_cq_expect_empty(&p.cq[1]);
	assert_true(engine_next_timer_ns(p.rig.engine, p.rig.now_ns) ==
		    UINT64_MAX);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_message),
		TEST(test_context_gone),
		TEST(test_lost),
		TEST(test_receiver_gone),
		cmocka_unit_test_setup_teardown(test_datagram,
						set_up_datagrams, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
