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

#include "daemon/handle_table.h"

#define MANY	5000u

static int object;

static void test_lowest_free_first(void **state)
{
	struct handle_table table;
	uint32_t handle;

	handle_table_init(&table);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(handle_table_add(&table, HANDLE_MR, &object,
						  &handle), 0);
		assert_int_equal(handle, i);
	}
	handle_table_remove(&table, 4000);
	handle_table_remove(&table, 17);
	handle_table_remove(&table, 16);
	assert_int_equal(table.used, MANY - 3);
	handle_table_add(&table, HANDLE_CQ, &object, &handle);
	assert_int_equal(handle, 16);
	handle_table_add(&table, HANDLE_CQ, &object, &handle);
	assert_int_equal(handle, 17);
	handle_table_add(&table, HANDLE_CQ, &object, &handle);
	assert_int_equal(handle, 4000);
	handle_table_add(&table, HANDLE_CQ, &object, &handle);
	assert_int_equal(handle, MANY);
	handle_table_fini(&table);
}

static void test_find_refuses(void **state)
{
	struct handle_table table;
	uint32_t handle;
	void *found = NULL;

	handle_table_init(&table);
	assert_int_equal(handle_table_find(&table, 0, HANDLE_PD, &found),
			 -ENOENT);
	handle_table_add(&table, HANDLE_PD, &object, &handle);
	assert_int_equal(handle_table_find(&table, handle, HANDLE_PD,
					   &found), 0);
	assert_ptr_equal(found, &object);
	assert_int_equal(handle_table_find(&table, handle, HANDLE_QP,
					   &found), -EINVAL);
	assert_int_equal(handle_table_find(&table, handle + 1, HANDLE_PD,
					   &found), -ENOENT);
	/* Numbers that would be in range if cut to 32 bits. */
	assert_int_equal(handle_table_find(&table, 1ull << 32, HANDLE_PD,
					   &found), -ENOENT);
	assert_int_equal(handle_table_find(&table, UINT64_MAX, HANDLE_PD,
					   &found), -ENOENT);
	handle_table_remove(&table, handle);
	assert_int_equal(handle_table_find(&table, handle, HANDLE_PD,
					   &found), -ENOENT);
	handle_table_fini(&table);
}

static void test_next_visits_one_type(void **state)
{
	struct handle_table table;
	uint32_t handle, seen = 0;
	int objects[60];

	handle_table_init(&table);
	for (unsigned i = 0; i < 60; i++)
		handle_table_add(&table, i % 3 ? HANDLE_QP : HANDLE_AH,
				 &objects[i], &handle);
	for (handle = 0; handle_table_next(&table, HANDLE_AH, &handle);
	     handle++) {
		assert_int_equal(handle % 3, 0);
		seen++;
	}
	assert_int_equal(seen, 20);
	handle_table_fini(&table);
}

/* A client that creates without end. */
static void test_bound(void **state)
{
	struct handle_table table;
	uint32_t handle;
	int ret = 0;

	handle_table_init(&table);
	for (uint32_t i = 0; i < HANDLE_TABLE_MAX; i++) {
		ret = handle_table_add(&table, HANDLE_AH, &object, &handle);
		if (ret)
			break;
	}
	assert_int_equal(ret, 0);
	assert_int_equal(handle_table_add(&table, HANDLE_AH, &object, &handle),
			 -ENOMEM);
	handle_table_remove(&table, 5);
	assert_int_equal(handle_table_add(&table, HANDLE_AH, &object, &handle),
			 0);
	assert_int_equal(handle, 5);
	handle_table_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lowest_free_first),
		cmocka_unit_test(test_find_refuses),
		cmocka_unit_test(test_next_visits_one_type),
		cmocka_unit_test(test_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
