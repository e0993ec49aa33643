/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "daemon/idle_pace.h"

#define MS	1000000ull

static void test_without_queues_it_blocks(void **state)
{
	assert_true(idle_pace_sleep_ns(0, false, UINT64_MAX) ==
		    IDLE_PACE_FOREVER);
	assert_true(idle_pace_sleep_ns(0, false, 77) == 77);
}

static void test_sleep_grows_within_bounds(void **state)
{
	uint64_t last = 0, now;

	assert_true(idle_pace_sleep_ns(0, true, UINT64_MAX) ==
		    IDLE_PACE_SHORTEST_NS);
	for (uint64_t idle = 0; idle < 400 * MS; idle += MS / 4) {
		now = idle_pace_sleep_ns(idle, true, UINT64_MAX);
		assert_true(now >= last);
		assert_true(now >= IDLE_PACE_SHORTEST_NS);
		assert_true(now <= IDLE_PACE_LONGEST_NS);
		last = now;
	}
	assert_true(last == IDLE_PACE_LONGEST_NS);
	assert_true(idle_pace_sleep_ns(UINT64_MAX, true, UINT64_MAX) ==
		    IDLE_PACE_LONGEST_NS);
}

static void test_timer_is_kept(void **state)
{
	assert_true(idle_pace_sleep_ns(0, true, 10) == 10);
	assert_true(idle_pace_sleep_ns(400 * MS, true, 0) == 0);
	assert_true(idle_pace_sleep_ns(0, true, MS) == IDLE_PACE_SHORTEST_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_queues_it_blocks),
		cmocka_unit_test(test_sleep_grows_within_bounds),
		cmocka_unit_test(test_timer_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
