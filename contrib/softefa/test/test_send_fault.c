/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What faults of the sending side do on the bench, where time stands still. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/requester.h"
#include "test/engine_rig.h"

#define SEND	EFA_IO_SEND_QUEUE
#define RECV	EFA_IO_RECV_QUEUE
#define STATUS(name)	EFA_IO_COMP_STATUS_##name
#define MS	1000000ull

static struct rig_pair p;

static int set_up(void **state)
{
	rig_pair_init(&p, ENGINE_QP_SRD, NULL, ENGINE_CQ_SGID, NULL);
	return 0;
}

static int set_up_ud(void **state)
{
	rig_pair_init(&p, ENGINE_QP_UD, NULL, ENGINE_CQ_SGID, NULL);
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

/* Message @i is the four bytes of its number. */
static void post(unsigned i)
{
	uint32_t number = i;
	struct efa_io_tx_wqe wqe;

	wqe = rig_inline(&p.qp[0], &p.qp[1], i, &number, sizeof(number));
	rig_post(&p.qp[0], &wqe);
}

static void post_receives(unsigned count)
{
	unsigned i;

	for (i = 0; i < count; i++)
		rig_post_recv(&p.qp[1], i, i * 64, 64);
}

/* The number of the message that came next. */
static uint32_t next_message(uint32_t header_bytes)
{
	struct efa_io_cdesc entry;
	uint32_t number;

	assert_true(rig_cq_take(&p.cq[1], &entry));
	assert_int_equal(entry.status, STATUS(OK));
	memcpy(&number, p.guest[1].memory + entry.req_id * 64 + header_bytes,
	       sizeof(number));
	return number;
}

static void test_delay(void **state)
{
	set("reorder delay=1ms nth=1");
	post_receives(2);
	post(0);
	rig_cq_expect_empty(&p.cq[0]);
	assert_int_equal(engine_next_timer_ns(p.rig.engine, p.rig.now_ns), MS);
	post(1);
	assert_int_equal(next_message(0), 1);
	rig_advance(&p.rig, MS - 1);
	rig_cq_expect_empty(&p.cq[1]);
	rig_advance(&p.rig, 1);
	assert_int_equal(next_message(0), 0);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 1);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 0);
}

/* Without time passing a message waits for those behind it, no longer. */
static void test_window(void **state)
{
	bool seen[16] = { false };
	unsigned i, moved = 0;
	uint32_t number;
	struct efa_io_cdesc entry;

	set("reorder window=4 seed=2");
	post_receives(12);
	for (i = 0; i < 12; i++) {
		post(i);
		/* At most three are ever missing. */
		while (rig_cq_take(&p.cq[0], &entry)) {
			number = next_message(0);
			assert_true(number + 4 > i && number <= i);
			assert_false(seen[number]);
			seen[number] = true;
			moved += number != i;
		}
	}
	assert_true(moved > 2);
	rig_advance(&p.rig, MS);
	while (rig_cq_take(&p.cq[0], &entry))
		seen[next_message(0)] = true;
	for (i = 0; i < 12; i++)
		assert_true(seen[i]);
	rig_cq_expect_empty(&p.cq[1]);
}

static void test_destroy_in_window(void **state)
{
	set("reorder window=256 delay=1ms");
	post_receives(4);
	post(0);
	post(1);
	post(2);
	engine_qp_destroy(p.qp[0].qp);
	rig_qp_fini(&p.qp[0]);
	rig_advance(&p.rig, 10 * MS);
	/* For tear_down. */
	rig_qp_init(&p.guest[0], &p.qp[0], ENGINE_QP_SRD, &p.cq[0], &p.cq[0],
		    NULL);
}

static void test_rnr_is_forced(void **state)
{
	set("rnr times=2");
	post_receives(1);
	post(7);
	rig_cq_expect_empty(&p.cq[0]);
	rig_advance(&p.rig, RNR_RETRY_NS);
	rig_cq_expect_empty(&p.cq[0]);
	rig_advance(&p.rig, RNR_RETRY_NS);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 7);
	assert_int_equal(next_message(0), 7);
}

static void test_blackhole(void **state)
{
	set("blackhole time=5ms");
	post_receives(1);
	post(1);
	rig_advance(&p.rig, 5 * MS - 1);
	rig_cq_expect_empty(&p.cq[0]);
	rig_advance(&p.rig, 1);
	rig_cq_expect(&p.cq[0], SEND, STATUS(LOCAL_ERROR_UNRESP_REMOTE), 1);
	rig_cq_expect_empty(&p.cq[1]);
}

static void test_datagrams(void **state)
{
	set("drop nth=1");
	set("duplicate nth=2");
	post_receives(3);
	post(0);
	post(1);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 0);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 1);
	assert_int_equal(next_message(40), 1);
	assert_int_equal(next_message(40), 1);
	rig_cq_expect_empty(&p.cq[1]);
	assert_int_equal(rig_counters(&p.rig, 0).ud_drops, 1);
}

/* SRD is reliable: those faults are none of its. */
static void test_srd_is_not_dropped(void **state)
{
	char text[256];

	set("drop");
	post_receives(1);
	post(3);
	assert_int_equal(next_message(0), 3);
	engine_fault_list(p.rig.engine, text, sizeof(text));
	assert_non_null(strstr(text, "events 0"));
}

static void test_killed_qp_is_silent(void **state)
{
	struct engine_qp_state_attr attr = { .state = ENGINE_QP_ERR };

	set("kill-qp side=local nth=2");
	set("reorder delay=1ms nth=1");
	post_receives(4);
	post(0);
	post(1);
	post(2);
	rig_advance(&p.rig, 10 * MS);
	rig_cq_expect_empty(&p.cq[0]);
	rig_cq_expect_empty(&p.cq[1]);
	assert_int_equal(engine_qp_modify(p.qp[0].qp, &attr,
					  ENGINE_QPA_STATE), -EINVAL);
}

static void test_late_message(void **state)
{
	struct efa_io_cdesc entry;
	uint32_t number = engine_qp_number(p.qp[0].qp);

	set("late-packets delay=2ms");
	post_receives(1);
	post(9);
	engine_qp_destroy(p.qp[0].qp);
	rig_qp_fini(&p.qp[0]);
	rig_poll(&p.rig);
	rig_cq_expect_empty(&p.cq[1]);
	rig_advance(&p.rig, 2 * MS);
	entry = rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 0);
	assert_int_equal(entry.rx.src_qp_num, number);
	rig_cq_expect_empty(&p.cq[0]);
	rig_qp_init(&p.guest[0], &p.qp[0], ENGINE_QP_SRD, &p.cq[0], &p.cq[0],
		    NULL);
}

#define SRD(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define UD(name)	cmocka_unit_test_setup_teardown(name, set_up_ud, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SRD(test_delay),
		SRD(test_window),
		SRD(test_destroy_in_window),
		SRD(test_rnr_is_forced),
		SRD(test_blackhole),
		UD(test_datagrams),
		SRD(test_srd_is_not_dropped),
		SRD(test_killed_qp_is_silent),
		SRD(test_late_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
