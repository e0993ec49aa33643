/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Completion events that are spurious, late or few; and that none is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/comp_ring.h"
#include "engine/device_state.h"
#include "test/engine_rig.h"

#define MS	1000000ull

static struct rig rig;
static struct rig_guest guest;
static struct rig_cq cq;

static int set_up(void **state)
{
	rig_init(&rig, NULL, NULL);
	rig_guest_init(&rig, &guest, 0);
	rig_cq_init(&guest, &cq, 16, ENGINE_CQ_EVENTS);
	return 0;
}

static int tear_down(void **state)
{
	rig_guest_fini(&guest);
	rig_cq_fini(&cq);
	rig_fini(&rig);
	return 0;
}

static void set(const char *text)
{
	rig_set_fault(&rig, text);
}

static void complete(void)
{
	const struct efa_io_cdesc entry = { .req_id = 1 };

	comp_ring_post(cq.cq, &entry);
	rig_poll(&rig);
}

/* The consumer takes what is there, then the event, and arms again. */
static void consume(void)
{
	struct efa_io_cdesc entry;

	while (rig_cq_take(&cq, &entry))
		;
	cq.sn++;
	cq.doorbell = (cq.consumed & EFA_IO_DB_CONS_MASK) |
		(cq.sn & 3) << EFA_IO_DB_CMD_SN_SHIFT;
	rig_poll(&rig);
}

static void events_are(unsigned count)
{
	rig_poll(&rig);
	assert_int_equal(rig.events, count);
}

static void test_spurious(void **state)
{
	set("cq-event spurious nth=2");
	events_are(0);
	complete();
	events_are(1);
	consume();
	/* Nothing completed, and told all the same, once. */
	events_are(2);
	rig_advance(&rig, 10 * MS);
	events_are(2);
	consume();
	events_are(2);
	complete();
	events_are(3);
}

static void test_delay(void **state)
{
	set("cq-event delay=2ms");
	rig_advance(&rig, 10 * MS);
	complete();
	events_are(0);
	assert_true(engine_next_timer_ns(rig.engine, rig.now_ns) == 2 * MS);
	rig_advance(&rig, 2 * MS - 1);
	events_are(0);
	/* A later completion does not start the time anew. */
	complete();
	events_are(0);
	rig_advance(&rig, 1);
	events_are(1);
	assert_true(engine_next_timer_ns(rig.engine, rig.now_ns) ==
		    UINT64_MAX);
	consume();
	complete();
	rig_advance(&rig, 2 * MS);
	events_are(2);
}

static void test_coalesce(void **state)
{
	set("cq-event coalesce=3 delay=5ms");
	complete();
	complete();
	events_are(0);
	complete();
	events_are(1);
	consume();
	complete();
	rig_advance(&rig, 5 * MS - 1);
	events_are(1);
	rig_advance(&rig, 1);
	events_are(2);
	/* Without delay= it is a millisecond. */
	engine_fault_clear(rig.engine, 0);
	set("cq-event coalesce=3");
	consume();
	complete();
	events_are(2);
	rig_advance(&rig, MS);
	events_are(3);
}

/* Of another queue, or of another device: nothing changes here. */
static void test_selected(void **state)
{
	set("cq-event cq=99 delay=1s");
	set("cq-event device=efa_1 spurious");
	events_are(0);
	complete();
	events_are(1);
}

/* A fault that is cleared or set anew is decided anew: no event is lost. */
static void test_cleared(void **state)
{
	set("cq-event delay=3600s");
	complete();
	events_are(0);
	set("cq-event delay=1ms");
	events_are(0);
	engine_fault_clear(rig.engine, 1);
	events_are(0);
	rig_advance(&rig, MS);
	events_are(1);
	consume();
	complete();
	events_are(1);
	engine_fault_clear(rig.engine, 0);
	events_are(2);
}

/* It goes while its event waits: the wait goes with it. */
static void test_destroyed(void **state)
{
	set("cq-event delay=1ms");
	complete();
	assert_int_equal(engine_cq_destroy(cq.cq), 0);
	assert_true(engine_next_timer_ns(rig.engine, rig.now_ns) ==
		    UINT64_MAX);
	rig_advance(&rig, MS);
	events_are(0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_spurious),
		TEST(test_delay),
		TEST(test_coalesce),
		TEST(test_selected),
		TEST(test_cleared),
		TEST(test_destroyed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
