/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/req_id_set.h"

static void test_in_use_until_removed(void **state)
{
	struct req_id_set set;

	assert_int_equal(req_id_set_init(&set), 0);
	assert_true(req_id_set_add(&set, 5));
	assert_false(req_id_set_add(&set, 5));
	assert_true(req_id_set_add(&set, 5 + 64));
	req_id_set_remove(&set, 5);
	assert_false(req_id_set_add(&set, 5 + 64));
	assert_true(req_id_set_add(&set, 5));
	req_id_set_fini(&set);
}

static void test_every_id(void **state)
{
	struct req_id_set set;
	uint32_t id;

	assert_int_equal(req_id_set_init(&set), 0);
	for (id = 0; id <= UINT16_MAX; id++)
		assert_true(req_id_set_add(&set, id));
	for (id = 0; id <= UINT16_MAX; id++)
		assert_false(req_id_set_add(&set, id));
	req_id_set_clear(&set);
	assert_true(req_id_set_add(&set, 0));
	assert_true(req_id_set_add(&set, UINT16_MAX));
	req_id_set_fini(&set);
}

static void test_without_account(void **state)
{
	struct req_id_set set = { .words = NULL };

	assert_true(req_id_set_add(&set, 5));
	assert_true(req_id_set_add(&set, 5));
	req_id_set_remove(&set, 5);
	req_id_set_clear(&set);
	req_id_set_fini(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_use_until_removed),
		cmocka_unit_test(test_every_id),
		cmocka_unit_test(test_without_account),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
