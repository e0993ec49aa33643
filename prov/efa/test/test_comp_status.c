/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "hw/comp_status.h"
#include "hw/efa_io_defs.h"

static void test_each_status_has_its_own_text(void **state)
{
	const char *unknown = hw_comp_status_text(255);

	for (unsigned int i = 0; i < 256; i++) {
		const char *text = hw_comp_status_text((uint8_t)i);
		bool known = i <= 15 || i == 18;

		assert_non_null(text);
		assert_int_equal(strcmp(text, unknown) != 0, known);
		assert_null(strchr(text, '\n'));
		for (unsigned int j = 0; known && j < i; j++)
			assert_string_not_equal(text, hw_comp_status_text(
							      (uint8_t)j));
	}
}

static void test_text_names_the_remedy(void **state)
{
	assert_non_null(strstr(
		hw_comp_status_text(
			EFA_IO_COMP_STATUS_LOCAL_ERROR_UNRESP_REMOTE),
		"security group"));
	assert_non_null(strstr(
		hw_comp_status_text(EFA_IO_COMP_STATUS_REMOTE_ERROR_RNR),
		"post more receives"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_status_has_its_own_text),
		cmocka_unit_test(test_text_names_the_remedy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
