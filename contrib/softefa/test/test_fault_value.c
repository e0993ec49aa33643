/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/fault_value.h"
#include "engine/random_sequence.h"

#define ONE	RANDOM_SEQUENCE_CERTAIN

static void test_numbers(void **state)
{
	uint64_t out = 99;

	assert_int_equal(fault_value_number("0", 0, 5, &out), 0);
	assert_int_equal(out, 0);
	assert_int_equal(fault_value_number("0x1f", 0, 31, &out), 0);
	assert_int_equal(out, 31);
	assert_int_equal(fault_value_number("18446744073709551615", 0,
					    UINT64_MAX, &out), 0);
	assert_true(out == UINT64_MAX);
	out = 99;
	assert_int_equal(fault_value_number("18446744073709551616", 0,
					    UINT64_MAX, &out), -EINVAL);
	assert_int_equal(fault_value_number("6", 0, 5, &out), -EINVAL);
	assert_int_equal(fault_value_number("1", 2, 5, &out), -EINVAL);
	assert_int_equal(fault_value_number("", 0, 5, &out), -EINVAL);
	assert_int_equal(fault_value_number("0x", 0, 5, &out), -EINVAL);
	assert_int_equal(fault_value_number("-1", 0, 5, &out), -EINVAL);
	assert_int_equal(fault_value_number("+1", 0, 5, &out), -EINVAL);
	assert_int_equal(fault_value_number("1a", 0, 5, &out), -EINVAL);
	assert_int_equal(out, 99);
}

static void test_times(void **state)
{
	uint64_t min = 0, max = 0;

	assert_int_equal(fault_value_time("500ns", &min), 0);
	assert_int_equal(min, 500);
	assert_int_equal(fault_value_time("2s", &min), 0);
	assert_int_equal(min, 2000000000);
	assert_int_equal(fault_value_time("0", &min), 0);
	assert_int_equal(min, 0);
	assert_int_equal(fault_value_time("5", &min), -EINVAL);
	assert_int_equal(fault_value_time("5m", &min), -EINVAL);
	assert_int_equal(fault_value_time("us", &min), -EINVAL);
	assert_int_equal(fault_value_time("3601s", &min), -EINVAL);
	assert_int_equal(fault_value_time("3600s", &min), 0);

	assert_int_equal(fault_value_time_range("0..200us", &min, &max), 0);
	assert_int_equal(min, 0);
	assert_int_equal(max, 200000);
	assert_int_equal(fault_value_time_range("1ms", &min, &max), 0);
	assert_int_equal(min, 1000000);
	assert_int_equal(max, 1000000);
	assert_int_equal(fault_value_time_range("2ms..1ms", &min, &max),
			 -EINVAL);
	assert_int_equal(fault_value_time_range("..1ms", &min, &max),
			 -EINVAL);
	assert_int_equal(fault_value_time_range("1ms..", &min, &max),
			 -EINVAL);
	assert_int_equal(fault_value_time_range("1..2ms", &min, &max),
			 -EINVAL);
	assert_int_equal(min, 1000000);
}

static void test_chances(void **state)
{
	static const struct {
		const char *text;
		uint64_t chance;
	} good[] = {
		{ "0", 0 }, { "1", ONE }, { "0.5", ONE / 2 }, { "1.0", ONE },
		{ "25%", ONE / 4 }, { "100%", ONE }, { "12.5%", ONE / 8 },
		{ "0.000000001", 4 },
	};
	static const char *const bad[] = {
		"", "2", "1.1", "101%", "100.5%", ".5", "0.", "-0.5", "0,5",
		"50%%", "0.0000000001", "1e-3", "nan",
	};
	uint64_t out;
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(fault_value_chance(good[i].text, &out), 0);
		assert_true(out == good[i].chance);
	}
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(fault_value_chance(bad[i], &out), -EINVAL);
}

static void test_errors(void **state)
{
	int out = 0;

	assert_int_equal(fault_value_errno("ENOMEM", &out), 0);
	assert_int_equal(out, ENOMEM);
	assert_int_equal(fault_value_errno("22", &out), 0);
	assert_int_equal(out, EINVAL);
	assert_int_equal(fault_value_errno("0", &out), -EINVAL);
	assert_int_equal(fault_value_errno("ENOTHING", &out), -EINVAL);
	assert_int_equal(fault_value_errno("", &out), -EINVAL);
	assert_int_equal(fault_value_errno("134", &out), -EINVAL);
}

static void test_choices(void **state)
{
	static const char *const names[] = { "a", NULL, "c" };
	uint32_t out = 9;

	assert_int_equal(fault_value_choice("c", names, 3, &out), 0);
	assert_int_equal(out, 2);
	assert_int_equal(fault_value_choice("", names, 3, &out), -EINVAL);
	assert_int_equal(fault_value_choice("cc", names, 3, &out), -EINVAL);
}

/* Published values: the same seed must give them on every machine. */
static void test_sequence(void **state)
{
	struct random_sequence sequence = { 1234567 };
	unsigned i, hits = 0;

	assert_true(random_sequence_next(&sequence) == 6457827717110365317ull);
	assert_true(random_sequence_next(&sequence) == 3203168211198807973ull);
	for (i = 0; i < 10000; i++)
		hits += random_sequence_happens(&sequence, ONE / 4);
	assert_true(hits >= 2300 && hits <= 2700);
	for (i = 0; i < 1000; i++) {
		assert_true(random_sequence_happens(&sequence, ONE));
		assert_false(random_sequence_happens(&sequence, 0));
		assert_true(random_sequence_below(&sequence, 7) < 7);
		assert_true(random_sequence_below(&sequence, 1) == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_chances),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_sequence),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
