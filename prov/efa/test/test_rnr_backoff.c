/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/rnr_backoff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void doubles_up_to_the_limit(void **state)
{
	static const uint64_t pause_us[] = {
		100, 200, 400, 800, 1000, 1000, 1000,
	};
	struct rdm_rnr_backoff backoff;

	rdm_rnr_backoff_init(&backoff, 100, 1000, 1);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 7; i++)
			assert_int_equal(rdm_rnr_backoff_pause(&backoff, 5),
					 5 + 1000 * pause_us[i]);
		rdm_rnr_backoff_reset(&backoff);
	}
}

static void first_pause_above_the_limit(void **state)
{
	struct rdm_rnr_backoff backoff;

	rdm_rnr_backoff_init(&backoff, 100, 7, 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(rdm_rnr_backoff_pause(&backoff, 0), 7000);
}

/* However often, and however long the limit is. */
static void never_overflows(void **state)
{
	struct rdm_rnr_backoff backoff;
	uint64_t last = 0;

	rdm_rnr_backoff_init(&backoff, 1, UINT32_MAX, 1);
	for (int i = 0; i < 1000; i++) {
		uint64_t pause = rdm_rnr_backoff_pause(&backoff, 0);

		assert_true(pause >= last);
		last = pause;
	}
	assert_true(last == UINT32_MAX * (uint64_t)1000);
}

static void random_first_pause(void **state)
{
	uint64_t lowest = UINT64_MAX, highest = 0;

	for (uint64_t seed = 0; seed < 10000; seed++) {
		struct rdm_rnr_backoff backoff;
		uint64_t pause;

		rdm_rnr_backoff_init(&backoff, 0, 1000000, seed);
		pause = rdm_rnr_backoff_pause(&backoff, 0);
		if (pause < lowest)
			lowest = pause;
		if (pause > highest)
			highest = pause;
	}
	assert_int_equal(lowest, RDM_RNR_MIN_RANDOM_US * 1000);
	assert_int_equal(highest, RDM_RNR_MAX_RANDOM_US * 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doubles_up_to_the_limit),
		cmocka_unit_test(first_pause_above_the_limit),
		cmocka_unit_test(never_overflows),
		cmocka_unit_test(random_first_pause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
