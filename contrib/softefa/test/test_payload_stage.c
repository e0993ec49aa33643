/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/payload_stage.h"
#include "engine/requester.h"
#include "test/engine_rig.h"

#define SEND	EFA_IO_SEND_QUEUE
#define RECV	EFA_IO_RECV_QUEUE
#define STATUS(name)	EFA_IO_COMP_STATUS_##name
#define SENDS	8u
#define LEN	100u
#define TARGET	65536u

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

/* Message @i, which lies at 1000 * @i, goes to the same place from TARGET. */
static void stage_send(unsigned i, uint32_t len_bytes)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 10 + i,
					    i * 1000, len_bytes);

	rig_fill(&p.guest[0], i * 1000, len_bytes, (uint8_t)(i + 1));
	rig_stage(&p.qp[0], &wqe);
}

static void post_receives(void)
{
	unsigned i;

	for (i = 0; i < SENDS; i++)
		rig_post_recv(&p.qp[1], (uint16_t)(100 + i),
			      TARGET + i * 1000, 1000);
}

static void ring(void)
{
	rig_ring_sq(&p.qp[0]);
	rig_poll(&p.rig);
}

static void expect_arrived(unsigned i)
{
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), (uint16_t)(10 + i));
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), (uint16_t)(100 + i));
	rig_assert_filled(&p.guest[1], TARGET + i * 1000, LEN,
			  (uint8_t)(i + 1));
}

static void test_one_call_for_a_turn(void **state)
{
	unsigned i;

	post_receives();
	for (i = 0; i < SENDS; i++)
		stage_send(i, LEN);
	ring();
	for (i = 0; i < SENDS; i++)
		expect_arrived(i);
	assert_int_equal(p.guest[0].reads_of_many, 1);
	assert_int_equal(p.guest[0].reads, 0);
}

/* Inline and empty messages between the others, and one in two pieces. */
static void test_mixture(void **state)
{
	struct efa_io_tx_wqe wqe;

	post_receives();
	wqe = rig_inline(&p.qp[0], &p.qp[1], 1, "inline", 6);
	rig_stage(&p.qp[0], &wqe);
	rig_fill(&p.guest[0], 0, LEN, 1);
	wqe = rig_send(&p.qp[0], &p.qp[1], 2, 0, 40);
	wqe.meta.length = 2;
	wqe.data.sgl[1] = wqe.data.sgl[0];
	wqe.data.sgl[1].buf_addr_lo += 40;
	wqe.data.sgl[1].length = 60;
	rig_stage(&p.qp[0], &wqe);
	wqe = rig_send(&p.qp[0], &p.qp[1], 3, 0, 0);
	rig_stage(&p.qp[0], &wqe);
	wqe = rig_send(&p.qp[0], &p.qp[1], 4, 0, LEN);
	rig_stage(&p.qp[0], &wqe);
	ring();
	assert_memory_equal(p.guest[1].memory + TARGET, "inline", 6);
	rig_assert_filled(&p.guest[1], TARGET + 1000, LEN, 1);
	assert_int_equal(p.guest[1].memory[TARGET + 2000], 0);
	rig_assert_filled(&p.guest[1], TARGET + 3000, LEN, 1);
	assert_int_equal(p.guest[0].reads_of_many, 1);
	assert_int_equal(p.guest[0].reads, 0);
}

/* Memory that has gone hurts the message that lies in it and no other. */
static void test_hole(void **state)
{
	unsigned i;

	post_receives();
	for (i = 0; i < 3; i++)
		stage_send(i, LEN);
	p.guest[0].hole_start = 1000 + 50;
	p.guest[0].hole_bytes = 1;
	ring();
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 10);
	rig_cq_expect(&p.cq[0], SEND, STATUS(LOCAL_ERROR_INVALID_LKEY), 11);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 12);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 100);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 101);
	rig_assert_filled(&p.guest[1], TARGET, LEN, 1);
	rig_assert_filled(&p.guest[1], TARGET + 1000, LEN, 3);
}

static void test_wrong_key(void **state)
{
	struct efa_io_tx_wqe wqe;

	post_receives();
	stage_send(0, LEN);
	wqe = rig_send(&p.qp[0], &p.qp[1], 11, 1000, LEN);
	wqe.data.sgl[0].lkey++;
	rig_stage(&p.qp[0], &wqe);
	stage_send(2, LEN);
	ring();
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 10);
	rig_cq_expect(&p.cq[0], SEND, STATUS(LOCAL_ERROR_INVALID_LKEY), 11);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 12);
	assert_int_equal(p.guest[0].reads, 0);
}

/* What is sent after a wait is what lies there then. */
static void test_not_kept_for_a_retry(void **state)
{
	unsigned i;

	for (i = 0; i < 2; i++)
		stage_send(i, LEN);
	ring();
	rig_cq_expect_empty(&p.cq[0]);
	rig_fill(&p.guest[0], 0, LEN, 77);
	rig_fill(&p.guest[0], 1000, LEN, 78);
	post_receives();
	rig_advance(&p.rig, RNR_RETRY_NS);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 10);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 11);
	rig_assert_filled(&p.guest[1], TARGET, LEN, 77);
	rig_assert_filled(&p.guest[1], TARGET + 1000, LEN, 78);
}

static void test_client_is_gone(void **state)
{
	post_receives();
	stage_send(0, LEN);
	stage_send(1, LEN);
	p.guest[0].is_gone = true;
	ring();
	rig_cq_expect_empty(&p.cq[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_one_call_for_a_turn),
		TEST(test_mixture),
		TEST(test_hole),
		TEST(test_wrong_key),
		TEST(test_not_kept_for_a_retry),
		TEST(test_client_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
