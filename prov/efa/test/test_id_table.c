/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "util/id_table.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "random_steps.h"

static struct util_id_table table;
static char object[1000];

static int set_up(void **state)
{
	util_id_table_init(&table);
	return 0;
}

static int tear_down(void **state)
{
	util_id_table_fini(&table);
	return 0;
}

static uint32_t add(void *what)
{
	uint32_t id = 0;

	assert_int_equal(util_id_table_add(&table, what, &id), 0);
	assert_true(id != 0);
	assert_ptr_equal(util_id_table_find(&table, id), what);
	return id;
}

static void finds_what_was_added(void **state)
{
	uint32_t id[1000];

	for (int i = 0; i < 1000; i++)
		id[i] = add(&object[i]);
	for (int i = 0; i < 1000; i++)
		assert_ptr_equal(util_id_table_find(&table, id[i]), &object[i]);
	assert_int_equal(table.in_use, 1000);
}

/* Any 32 bits but the names that are in use. */
static void finds_nothing_else(void **state)
{
	struct random_source random = { .state = 1 };
	uint32_t id[3], made_up;

	assert_null(util_id_table_find(&table, 0));
	assert_null(util_id_table_find(&table, UINT32_MAX));
	for (int i = 0; i < 3; i++)
		id[i] = add(&object[i]);
	util_id_table_remove(&table, id[1]);
	assert_null(util_id_table_find(&table, id[1]));
	for (uint32_t at = 0; at < 100; at++)
		assert_null(util_id_table_find(&table, at));
	for (int i = 0; i < 100000; i++) {
		made_up = random_next(&random);
		if (made_up != id[0] && made_up != id[2])
			assert_null(util_id_table_find(&table, made_up));
	}
}

/* A name returns after all generations of all slots. */
static void name_returns_late(void **state)
{
	uint32_t first = add(&object[0]), id = first;
	uint64_t uses = 0;

	do {
		util_id_table_remove(&table, id);
		id = add(&object[0]);
		uses++;
		assert_true(uses < 1u << 24);
	} while (id != first);
	assert_int_equal(uses, 4095u * table.num_slots);
}

static void random_against_array(void **state)
{
	struct random_source random = { .state = 7 };
	unsigned long steps = random_steps(1000000);
	static uint32_t id[1000], dead[1000];
	uint32_t in_use = 0;

	for (int i = 0; i < 1000; i++)
		id[i] = dead[i] = 0;
	for (unsigned long step = 0; step < steps; step++) {
		uint32_t i = random_below(&random, step % 5000 + 1) % 1000;

		if (id[i]) {
			assert_ptr_equal(util_id_table_find(&table, id[i]),
					 &object[i]);
			util_id_table_remove(&table, id[i]);
			dead[i] = id[i];
			id[i] = 0;
			in_use--;
		} else {
			assert_null(util_id_table_find(&table, dead[i]));
			id[i] = add(&object[i]);
			in_use++;
		}
		assert_int_equal(table.in_use, in_use);
	}
}

static void walks_over_all(void **state)
{
	uint32_t at = 0, found = 0, id[200];
	bool seen[200] = { false };
	char *one;

	for (int i = 0; i < 200; i++)
		id[i] = add(&object[i]);
	for (int i = 0; i < 200; i += 3)
		util_id_table_remove(&table, id[i]);
	while ((one = util_id_table_next(&table, &at))) {
		uint32_t i = one - object;

		assert_true(i % 3 != 0 && !seen[i]);
		seen[i] = true;
		found++;
		util_id_table_remove(&table, id[i]);
	}
	assert_int_equal(found, 133);
	assert_int_equal(table.in_use, 0);
}

static void is_full_in_the_end(void **state)
{
	uint32_t id;

	for (uint32_t i = 0; i < UTIL_ID_MAX_OBJECTS; i++)
		assert_int_equal(util_id_table_add(&table, object, &id), 0);
	assert_int_equal(util_id_table_add(&table, object, &id), -ENOSPC);
	util_id_table_remove(&table, id);
	assert_int_equal(util_id_table_add(&table, object, &id), 0);
}

#define CASE(f)	cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(finds_what_was_added),
		CASE(finds_nothing_else),
		CASE(name_returns_late),
		CASE(random_against_array),
		CASE(walks_over_all),
		CASE(is_full_in_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
