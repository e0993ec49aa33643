/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Faults of a link: what becomes of the datagrams that leave a host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/link_delay.h"

#define DATAGRAMS	1000u

struct bench {
	struct fault_plan plan;
	struct link_delay delay;
	struct link_address to;
};

static void set_up(struct bench *b, const char *first, const char *second)
{
	char error[FAULT_ERROR_BYTES];

	memset(b, 0, sizeof(*b));
	b->to.len = 5;
	fault_plan_init(&b->plan);
	b->delay.plan = &b->plan;
	assert_false(link_delay_watches(&b->delay));
	assert_true(fault_plan_add(&b->plan, first, error) > 0);
	if (second)
		assert_true(fault_plan_add(&b->plan, second, error) > 0);
	assert_true(link_delay_watches(&b->delay));
}

static void tear_down(struct bench *b)
{
	link_delay_fini(&b->delay);
	fault_plan_fini(&b->plan);
}

/* Bit i % 64 of a digest: datagram i left at once. */
static unsigned send_all(struct bench *b, uint64_t *digest)
{
	unsigned sent = 0, copies;

	*digest = 0;
	for (uint32_t i = 0; i < DATAGRAMS; i++) {
		copies = link_delay_copies(&b->delay, i, &b->to, &i,
					   sizeof(i));
		*digest = (*digest * 31) ^ copies;
		sent += copies;
	}
	return sent;
}

static void test_loss(void **state)
{
	uint64_t first, again, other;
	struct bench b;
	unsigned sent;

	(void)state;
	set_up(&b, "link-loss prob=5% seed=3", NULL);
	sent = send_all(&b, &first);
	assert_true(sent >= DATAGRAMS * 90 / 100 &&
		    sent <= DATAGRAMS * 98 / 100);
	assert_true(b.delay.lost == DATAGRAMS - sent);
	tear_down(&b);
	set_up(&b, "link-loss prob=5% seed=3", NULL);
	assert_int_equal(send_all(&b, &again), sent);
	assert_true(first == again);
	tear_down(&b);
	set_up(&b, "link-loss prob=5% seed=4", NULL);
	send_all(&b, &other);
	assert_true(first != other);
	tear_down(&b);
}

static void test_delay(void **state)
{
	struct link_delayed *kept;
	uint64_t digest, last_ns = 0, swaps = 0;
	uint32_t number, last = 0;
	struct bench b;
	unsigned taken = 0;

	(void)state;
	set_up(&b, "link-delay delay=1us..1ms seed=1", NULL);
	assert_true(link_delay_next_ns(&b.delay) == UINT64_MAX);
	assert_int_equal(send_all(&b, &digest), 0);
	assert_true(link_delay_next_ns(&b.delay) < 1000000);
	assert_null(link_delay_take(&b.delay, 999));
	while ((kept = link_delay_take(&b.delay, DATAGRAMS + 1000000))) {
		assert_true(kept->due.due_ns >= last_ns);
		last_ns = kept->due.due_ns;
		assert_int_equal(kept->len_bytes, sizeof(number));
		assert_int_equal(kept->to.len, 5);
		memcpy(&number, kept->bytes, sizeof(number));
		swaps += number < last;
		last = number;
		taken++;
		free(kept);
	}
	assert_int_equal(taken, DATAGRAMS);
	assert_true(swaps > DATAGRAMS / 4);
	tear_down(&b);
}

static void test_duplicate(void **state)
{
	uint64_t digest;
	struct bench b;

	(void)state;
	set_up(&b, "link-duplicate every=2", NULL);
	assert_int_equal(send_all(&b, &digest), DATAGRAMS * 3 / 2);
	tear_down(&b);
	/* Of the two one is late. */
	set_up(&b, "link-duplicate count=1", "link-delay delay=5us count=1");
	assert_int_equal(link_delay_copies(&b.delay, 10, &b.to, "x", 1), 1);
	assert_true(link_delay_next_ns(&b.delay) == 5010);
	tear_down(&b);
}

static void test_partition(void **state)
{
	struct bench b;
	uint64_t digest;

	(void)state;
	set_up(&b, "partition", NULL);
	assert_int_equal(send_all(&b, &digest), 0);
	assert_true(link_delay_is_cut(&b.delay, &b.to));
	assert_int_equal(fault_plan_clear(&b.plan, 0), 0);
	assert_false(link_delay_watches(&b.delay));
	tear_down(&b);
}

/* What is kept is bounded, and nothing of it leaks. */
static void test_bound(void **state)
{
	struct bench b;
	uint64_t digest;

	(void)state;
	set_up(&b, "link-delay delay=3600s", NULL);
	send_all(&b, &digest);
	send_all(&b, &digest);
	assert_int_equal(b.delay.kept.count, LINK_DELAY_MAX);
	assert_true(b.delay.lost == 2 * DATAGRAMS - LINK_DELAY_MAX);
	tear_down(&b);
}

/* A fault of one link does not strike, nor count, what passes on another. */
static void test_one_link(void **state)
{
	char error[LINK_ERROR_BYTES];
	struct link_spec hosts;
	uint64_t digest;
	struct bench b;

	(void)state;
	assert_int_equal(link_spec_parse("udp:127.0.0.1:1,peer=127.0.0.1:2",
					 &hosts, error), 0);
	set_up(&b, "partition host=127.0.0.1:2", "link-loss nth=1");
	b.to = hosts.local;
	assert_int_equal(send_all(&b, &digest), DATAGRAMS - 1);
	assert_false(link_delay_is_cut(&b.delay, &b.to));
	b.to = hosts.peer[0];
	assert_int_equal(send_all(&b, &digest), 0);
	assert_true(link_delay_is_cut(&b.delay, &b.to));
	tear_down(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loss),
		cmocka_unit_test(test_delay),
		cmocka_unit_test(test_duplicate),
		cmocka_unit_test(test_partition),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_one_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
