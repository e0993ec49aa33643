/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "util/pool.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "random_steps.h"

enum { OBJECTS = 100, SIZE = 40, CHUNK = 7 };

static struct util_pool pool;

static int set_up(void **state)
{
	util_pool_init(&pool, SIZE, CHUNK, OBJECTS);
	return 0;
}

static int tear_down(void **state)
{
	util_pool_fini(&pool);
	assert_int_equal(pool.total, 0);
	return 0;
}

static void gives_as_many_as_may_be(void **state)
{
	void *object[OBJECTS];

	for (int i = 0; i < OBJECTS; i++) {
		object[i] = util_pool_get(&pool);
		assert_non_null(object[i]);
		assert_int_equal((uintptr_t)object[i] % 16, 0);
		memset(object[i], i, SIZE);
	}
	assert_null(util_pool_get(&pool));
	assert_int_equal(pool.in_use, OBJECTS);
	assert_int_equal(pool.total, OBJECTS);
	for (int i = 0; i < OBJECTS; i++) {
		for (int at = 0; at < SIZE; at++)
			assert_int_equal(((uint8_t *)object[i])[at], i);
		util_pool_put(&pool, object[i]);
	}
	assert_int_equal(pool.in_use, 0);
	assert_non_null(util_pool_get(&pool));
}

static void last_put_is_first_got(void **state)
{
	void *a = util_pool_get(&pool), *b = util_pool_get(&pool);

	util_pool_put(&pool, a);
	util_pool_put(&pool, b);
	assert_ptr_equal(util_pool_get(&pool), b);
	assert_ptr_equal(util_pool_get(&pool), a);
}

static void grows_only_as_needed(void **state)
{
	assert_int_equal(pool.total, 0);
	util_pool_put(&pool, util_pool_get(&pool));
	assert_int_equal(pool.total, CHUNK);
	for (int i = 0; i < 1000; i++)
		util_pool_put(&pool, util_pool_get(&pool));
	assert_int_equal(pool.total, CHUNK);
}

static void reserves(void **state)
{
	assert_int_equal(util_pool_reserve(&pool, CHUNK + 1), 0);
	assert_int_equal(pool.total, 2 * CHUNK);
	assert_int_equal(util_pool_reserve(&pool, OBJECTS), 0);
	assert_int_equal(pool.total, OBJECTS);
	assert_int_equal(util_pool_reserve(&pool, OBJECTS + 1), -EINVAL);
	assert_int_equal(pool.in_use, 0);
}

/* No object is two people's: each one's contents stay as they were. */
static void random_gets_and_puts(void **state)
{
	struct random_source random = { .state = 1 };
	unsigned long steps = random_steps(1000000);
	uint64_t *object[OBJECTS] = { NULL };
	uint32_t in_use = 0;

	for (uint64_t step = 1; step <= steps; step++) {
		uint64_t **at = &object[random_below(&random, OBJECTS)];

		if (*at) {
			assert_true((*at)[0] == (*at)[SIZE / 8 - 1]);
			assert_ptr_equal((void *)(*at)[1], at);
			util_pool_put(&pool, *at);
			*at = NULL;
			in_use--;
		} else {
			*at = util_pool_get(&pool);
			(*at)[0] = (*at)[SIZE / 8 - 1] = step;
			(*at)[1] = (uintptr_t)at;
			in_use++;
		}
		assert_int_equal(pool.in_use, in_use);
	}
}

#define CASE(f)	cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(gives_as_many_as_may_be),
		CASE(last_put_is_first_got),
		CASE(grows_only_as_needed),
		CASE(reserves),
		CASE(random_gets_and_puts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
