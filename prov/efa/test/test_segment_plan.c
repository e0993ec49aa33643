/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Cutting messages into packets. */
#include "rdm/segment_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void expect_plan(uint64_t total, size_t max, uint64_t count,
			uint64_t each, size_t last)
{
	struct rdm_segment_plan plan = rdm_segment_plan(total, max);

	assert_int_equal(plan.count, count);
	assert_int_equal(rdm_segment_len(&plan, count - 1), last);
	if (count > 1)
		assert_int_equal(rdm_segment_len(&plan, 0), each);
}

/* As libfabric 2.1.0 cut them: see recorded_packets.h. */
static void test_as_the_in_tree_provider(void **state)
{
	(void)state;
	expect_plan(30000, 8900, 4, 7496, 7512);
	expect_plan(20000, 8860, 3, 6664, 6672);
}

static void test_edges(void **state)
{
	(void)state;
	expect_plan(1, 1, 1, 1, 1);
	expect_plan(8900, 8900, 1, 8900, 8900);
	expect_plan(8901, 8900, 2, 4448, 4453);
	/* Rounding leaves more than the last packet holds: one more. */
	expect_plan(30, 15, 4, 8, 6);
	expect_plan(9, 5, 2, 5, 4);
	expect_plan(3, 1, 3, 1, 1);
}

/* Packets cover the message once, none is empty or too long; of a medium
 * message at most one is more than needed. */
static void expect_whole(uint64_t total, size_t max)
{
	struct rdm_segment_plan plan = rdm_segment_plan(total, max);
	uint64_t at = 0;

	for (uint64_t i = 0; i < plan.count; i++) {
		assert_true(rdm_segment_offset(&plan, i) == at);
		assert_true(rdm_segment_len(&plan, i) > 0);
		assert_true(rdm_segment_len(&plan, i) <= max);
		at += rdm_segment_len(&plan, i);
	}
	assert_true(at == total);
	if (max >= 1024 && total <= 65536)
		assert_true(plan.count <= (total - 1) / max + 2);
}

static void test_covers_all(void **state)
{
	(void)state;
	for (size_t max = 1; max < 40; max++)
		for (uint64_t total = 1; total < 500; total++)
			expect_whole(total, max);
	srand(1);
	for (int i = 0; i < 10000; i++)
		expect_whole(1 + (uint64_t)rand() % 100000,
			     256 + (size_t)rand() % 9000);
}

static void test_window(void **state)
{
	(void)state;
	assert_int_equal(rdm_segment_window(191152, 32, 8896), 191152);
	assert_int_equal(rdm_segment_window(1000000, 32, 8896), 284672);
	assert_int_equal(rdm_segment_window(1, 32, 8896), 1);
	assert_int_equal(rdm_segment_window(1000000, 0, 8896), 8896);
	assert_true(rdm_segment_window(UINT64_MAX, UINT32_MAX, 8896) ==
		    (uint64_t)UINT32_MAX * 8896);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_the_in_tree_provider),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_covers_all),
		cmocka_unit_test(test_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
