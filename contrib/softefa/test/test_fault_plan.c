/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/fault_plan.h"

#define EVENTS	200

static struct fault_plan plan;
static char error[FAULT_ERROR_BYTES];

static int set_up(void **state)
{
	fault_plan_init(&plan);
	return 0;
}

static int tear_down(void **state)
{
	fault_plan_fini(&plan);
	return 0;
}

static struct fault_event event_of(uint32_t qp, uint32_t peer, uint32_t op)
{
	return (struct fault_event) {
		.device = 0,
		.qp = qp,
		.peer = peer,
		.cq = FAULT_ANY,
		.type = FAULT_ANY,
		.op = op,
		.command = FAULT_ANY,
	};
}

static bool strikes(enum fault_kind kind)
{
	struct fault_event event = event_of(1, 2, FAULT_OP_SEND);
	struct fault_decision decision;

	return fault_plan_decide(&plan, kind, &event, &decision);
}

/* Which of the events strike, as a text of 0 and 1. */
static const char *pattern(enum fault_kind kind, unsigned events)
{
	static char text[EVENTS + 1];
	unsigned i;

	for (i = 0; i < events; i++)
		text[i] = strikes(kind) ? '1' : '0';
	text[i] = '\0';
	return text;
}

static void add(const char *text)
{
	int id = fault_plan_add(&plan, text, error);

	if (id <= 0)
		fail_msg("%s: %s", text, error);
}

static void test_nothing_set(void **state)
{
	assert_false(fault_plan_watches(&plan, ~0u));
	assert_false(strikes(FAULT_DROP));
	assert_int_equal(plan.logged, 0);
}

static void test_watched(void **state)
{
	add("drop nth=1");
	add("rnr type=7");
	assert_true(fault_plan_watches(&plan, FAULT_BIT(FAULT_DROP)));
	assert_true(fault_plan_watches(&plan, FAULT_BIT(FAULT_RNR)));
	assert_false(fault_plan_watches(&plan, FAULT_BIT(FAULT_STATUS)));
	assert_true(plan.wants_type);
	assert_int_equal(fault_plan_clear(&plan, 3), -ENOENT);
	assert_int_equal(fault_plan_clear(&plan, 2), 0);
	assert_false(plan.wants_type);
	assert_false(fault_plan_watches(&plan, FAULT_BIT(FAULT_RNR)));
	assert_int_equal(fault_plan_clear(&plan, 0), 0);
	assert_false(fault_plan_watches(&plan, ~0u));
	assert_int_equal(fault_plan_clear(&plan, 0), 0);
}

static void test_schedules(void **state)
{
	static const struct {
		const char *text, *pattern;
	} rows[] = {
		{ "drop", "1111111111" },
		{ "drop nth=3", "0010000000" },
		{ "drop after=3", "0001111111" },
		{ "drop every=3", "1001001001" },
		{ "drop count=2", "1100000000" },
		{ "drop after=2 every=2 count=3", "0010101000" },
		{ "drop prob=0", "0000000000" },
		{ "drop prob=1", "1111111111" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		add(rows[i].text);
		assert_string_equal(pattern(FAULT_DROP, 10), rows[i].pattern);
		fault_plan_clear(&plan, 0);
	}
}

static void test_chance_and_seed(void **state)
{
	char first[EVENTS + 1];
	unsigned i, hits = 0;

	add("drop prob=0.25 seed=9");
	strcpy(first, pattern(FAULT_DROP, EVENTS));
	for (i = 0; i < EVENTS; i++)
		hits += first[i] == '1';
	assert_true(hits >= EVENTS / 4 - 25 && hits <= EVENTS / 4 + 25);
	fault_plan_clear(&plan, 0);
	/* Set again it starts over, whatever its ID. */
	add("drop prob=0.25 seed=9");
	assert_string_equal(pattern(FAULT_DROP, EVENTS), first);
	fault_plan_clear(&plan, 0);
	add("drop prob=0.25 seed=10");
	assert_string_not_equal(pattern(FAULT_DROP, EVENTS), first);
}

/* A delay comes of the event's number, not of what struck before it. */
static void test_draws_do_not_shift(void **state)
{
	struct fault_event event = event_of(1, 2, FAULT_OP_SEND);
	struct fault_decision all, some;
	unsigned i;

	add("reorder delay=0..1s window=100 seed=3");
	for (i = 0; i < 10; i++)
		fault_plan_decide(&plan, FAULT_REORDER, &event, &all);
	fault_plan_clear(&plan, 0);
	add("reorder delay=0..1s window=100 seed=3 nth=10");
	for (i = 0; i < 10; i++)
		fault_plan_decide(&plan, FAULT_REORDER, &event, &some);
	assert_int_equal(some.number, 10);
	assert_true(all.delay_ns == some.delay_ns);
	assert_int_equal(all.later, some.later);
	assert_true(all.delay_ns <= 1000000000);
	assert_true(all.later < 100);
}

static void test_selectors(void **state)
{
	struct fault_event event = event_of(5, 6, FAULT_OP_READ);
	struct fault_decision d;

	add("status code=9 qp=5 peer=6 op=read");
	assert_true(fault_plan_decide(&plan, FAULT_STATUS, &event, &d));
	assert_int_equal(d.spec.status, 9);
	event.op = FAULT_OP_SEND;
	assert_false(fault_plan_decide(&plan, FAULT_STATUS, &event, &d));
	event.op = FAULT_OP_READ;
	event.qp = 6;
	assert_false(fault_plan_decide(&plan, FAULT_STATUS, &event, &d));
	event.qp = 5;
	event.peer = 5;
	assert_false(fault_plan_decide(&plan, FAULT_STATUS, &event, &d));
	event.peer = 6;
	event.queue = FAULT_QUEUE_RECV;
	assert_false(fault_plan_decide(&plan, FAULT_STATUS, &event, &d));
	fault_plan_clear(&plan, 0);

	event = event_of(FAULT_ANY, FAULT_ANY, 0);
	event.command = FAULT_CMD_REG_MR;
	add("command name=reg_mr errno=ENOMEM device=efa_0");
	assert_true(fault_plan_decide(&plan, FAULT_COMMAND, &event, &d));
	assert_int_equal(d.spec.error, ENOMEM);
	event.command = FAULT_CMD_ALLOC_PD;
	assert_false(fault_plan_decide(&plan, FAULT_COMMAND, &event, &d));
	event.command = FAULT_CMD_REG_MR;
	event.device = 1;
	assert_false(fault_plan_decide(&plan, FAULT_COMMAND, &event, &d));
}

/* Events that are not selected are not counted. */
static void test_counts_matches_only(void **state)
{
	struct fault_event other = event_of(9, 2, FAULT_OP_SEND);
	struct fault_decision d;

	add("drop qp=1 nth=2");
	assert_false(fault_plan_decide(&plan, FAULT_DROP, &other, &d));
	assert_false(strikes(FAULT_DROP));
	assert_false(fault_plan_decide(&plan, FAULT_DROP, &other, &d));
	assert_true(strikes(FAULT_DROP));
}

static void test_oldest_wins(void **state)
{
	struct fault_event event = event_of(1, 2, FAULT_OP_SEND);
	struct fault_decision d;
	char text[256];

	add("status code=7 nth=2");
	add("status code=8 count=2");
	assert_true(fault_plan_decide(&plan, FAULT_STATUS, &event, &d));
	assert_int_equal(d.spec.status, 8);
	assert_true(fault_plan_decide(&plan, FAULT_STATUS, &event, &d));
	assert_int_equal(d.spec.status, 7);
	/* The other one saw that event too, and still has one to spend. */
	assert_true(fault_plan_decide(&plan, FAULT_STATUS, &event, &d));
	assert_int_equal(d.spec.status, 8);
	assert_int_equal(d.number, 3);
	fault_plan_list(&plan, text, sizeof(text));
	assert_string_equal(text,
		"1: status code=7 nth=2 (events 3, struck 1)\n"
		"2: status code=8 count=2 (events 3, struck 2)\n");
	assert_int_equal(fault_plan_list(&plan, text, 60), 44);
}

static void read_log(char *text, size_t size)
{
	uint64_t from = 0, next;
	size_t used = 0, len;

	/* In small pieces, as over the socket. */
	while ((next = fault_plan_log(&plan, from, text + used,
				      size - used < 300 ? size - used : 300,
				      &len)) != from) {
		from = next;
		used += len;
	}
	text[used] = '\0';
}

static void run_logged(const char *spec, char *text, size_t size)
{
	fault_plan_fini(&plan);
	fault_plan_init(&plan);
	add(spec);
	pattern(FAULT_REORDER, 50);
	read_log(text, size);
}

static void test_same_seed_same_log(void **state)
{
	static char first[16384], second[16384], other[16384];

	run_logged("reorder delay=0..1ms prob=0.5 seed=4", first,
		   sizeof(first));
	run_logged("reorder delay=0..1ms prob=0.5 seed=4", second,
		   sizeof(second));
	run_logged("reorder delay=0..1ms prob=0.5 seed=5", other,
		   sizeof(other));
	assert_true(strlen(first) > 500);
	assert_string_equal(first, second);
	assert_string_not_equal(first, other);
}

static void test_log_line(void **state)
{
	struct fault_event event = event_of(5, 6, FAULT_OP_WRITE_IMM);
	struct fault_decision d;
	char text[512];

	add("reorder delay=7us nth=2");
	fault_plan_decide(&plan, FAULT_REORDER, &event, &d);
	fault_plan_decide(&plan, FAULT_REORDER, &event, &d);
	add("command errno=EIO");
	event = event_of(FAULT_ANY, FAULT_ANY, 0);
	event.command = FAULT_CMD_CREATE_QP;
	fault_plan_decide(&plan, FAULT_COMMAND, &event, &d);
	read_log(text, sizeof(text));
	assert_string_equal(text,
		"1 reorder: event 2 efa_0 qp 5 peer 6 write-imm delay 7000 ns\n"
		"2 command: event 1 efa_0 create_qp\n");
}

/* The log is bounded: it forgets the oldest. */
static void test_log_wraps(void **state)
{
	char text[FAULT_LOG_LINE_BYTES];
	uint64_t next;
	size_t len;
	unsigned i;

	add("drop");
	for (i = 0; i < FAULT_LOG_LINES + 10; i++)
		strikes(FAULT_DROP);
	next = fault_plan_log(&plan, 0, text, 60, &len);
	assert_int_equal(next, 11);
	text[len] = '\0';
	assert_non_null(strstr(text, "event 11 "));
	assert_int_equal(fault_plan_log(&plan, plan.logged, text,
					sizeof(text), &len), plan.logged);
	assert_int_equal(len, 0);
}

static void test_limit(void **state)
{
	unsigned i;

	for (i = 0; i < FAULT_PLAN_MAX; i++)
		add("drop");
	assert_int_equal(fault_plan_add(&plan, "drop", error), -ENOSPC);
	assert_non_null(strstr(error, "64 faults"));
	assert_int_equal(fault_plan_clear(&plan, 1), 0);
	add("drop");
	assert_int_equal(fault_plan_add(&plan, "bad", error), -EINVAL);
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_nothing_set),
		TEST(test_watched),
		TEST(test_schedules),
		TEST(test_chance_and_seed),
		TEST(test_draws_do_not_shift),
		TEST(test_selectors),
		TEST(test_counts_matches_only),
		TEST(test_oldest_wins),
		TEST(test_same_seed_same_log),
		TEST(test_log_line),
		TEST(test_log_wraps),
		TEST(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
