/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/iface_select.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compat/log.h"

static struct dev_device devices[] = {
	{ .name = "efa_0" }, { .name = "efa_1" }, { .name = "efa_10" },
};
static const struct dev_list list = { .count = 3, .device = devices };

static char last_line[1024];
static unsigned int lines;

static void keep_line(enum fi_log_level level, const char *text)
{
	strncpy(last_line, text, sizeof(last_line) - 1);
	lines++;
}

static void every_device_is_the_default(void **state)
{
	assert_true(fabric_iface_selects(NULL, "efa_0"));
	assert_true(fabric_iface_selects("all", "efa_1"));
	assert_true(fabric_iface_check(NULL, &list));
	assert_true(fabric_iface_check("all", &list));
	assert_null(fabric_iface_value());
}

/* All 2^3 - 1 selections, by whole names. */
static void any_subset_can_be_chosen(void **state)
{
	for (unsigned int set = 1; set < 8; set++) {
		char value[64] = "";

		for (unsigned int i = 0; i < 3; i++) {
			if (!(set & 1u << i))
				continue;
			if (value[0])
				strcat(value, ",");
			strcat(value, devices[i].name);
		}
		assert_true(fabric_iface_check(value, &list));
		for (unsigned int i = 0; i < 3; i++)
			assert_int_equal(fabric_iface_selects(value,
							devices[i].name),
					 !!(set & 1u << i));
	}
	assert_false(fabric_iface_selects("efa_10", "efa_1"));
	assert_false(fabric_iface_selects("efa_1", "efa_10"));
	assert_true(fabric_iface_check(" efa_1, efa_0 ", &list));
}

static void a_wrong_name_offers_none_and_says_so_once(void **state)
{
	compat_log_redirect(keep_line);
	assert_false(fabric_iface_check("efa_1,eth0", &list));
	assert_non_null(strstr(last_line, "eth0"));
	assert_non_null(strstr(last_line, "efa_10"));
	assert_false(fabric_iface_check("", &list));
	assert_false(fabric_iface_check(",", &list));
	assert_int_equal(lines, 1);
	compat_log_redirect(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_device_is_the_default),
		cmocka_unit_test(any_subset_can_be_chosen),
		cmocka_unit_test(a_wrong_name_offers_none_and_says_so_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
