/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "compat/core_variable.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define VARIABLE	"FI_TEST_CORE_VARIABLE"

static void reads_the_words_of_the_core(void **state)
{
	static const char *const yes[] = { "1", "yes", "TRUE", "On" };
	static const char *const no[] = { "0", "NO", "false", "off" };

	for (int i = 0; i < 4; i++) {
		setenv(VARIABLE, yes[i], 1);
		assert_true(compat_core_variable(VARIABLE, false));
		setenv(VARIABLE, no[i], 1);
		assert_false(compat_core_variable(VARIABLE, true));
	}
}

static void says_otherwise_when_it_says_nothing(void **state)
{
	static const char *const nothing[] = { "", "2", "maybe", "yes!" };

	for (int i = 0; i < 4; i++) {
		setenv(VARIABLE, nothing[i], 1);
		assert_true(compat_core_variable(VARIABLE, true));
		assert_false(compat_core_variable(VARIABLE, false));
	}
	unsetenv(VARIABLE);
	assert_true(compat_core_variable(VARIABLE, true));
	assert_false(compat_core_variable(VARIABLE, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_words_of_the_core),
		cmocka_unit_test(says_otherwise_when_it_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
