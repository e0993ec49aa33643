/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/number_pool.h"

static int objects[4096];

static void test_numbers_lead_back(void **state)
{
	uint32_t number[256], mask = 0;
	struct number_pool pool;
	uint32_t i, spare;

	assert_int_equal(number_pool_init(&pool, 256, 16), 0);
	for (i = 0; i < 256; i++) {
		assert_int_equal(number_pool_take(&pool, &objects[i],
						  &number[i]), 0);
		assert_true(number[i] > 0 && number[i] < 65535);
	}
	assert_int_equal(number_pool_take(&pool, &objects[0], &spare),
			 -ENOMEM);
	assert_int_equal(pool.live, 256);
	for (i = 0; i < 256; i++) {
		assert_ptr_equal(number_pool_find(&pool, number[i]),
				 &objects[i]);
		/* Unlike in the low bits, with which a driver indexes. */
		mask ^= number[i] & 255;
	}
	assert_int_equal(mask, 0);
	assert_null(number_pool_find(&pool, 0));
	assert_null(number_pool_find(&pool, UINT32_MAX));
	assert_null(number_pool_find(&pool, number[7] + 65536));
	number_pool_fini(&pool);
}

/* A number that was returned stays dead, also when its slot is in use. */
static void test_generations(void **state)
{
	uint32_t number, seen[1000];
	struct number_pool pool;
	int i, j;

	assert_int_equal(number_pool_init(&pool, 4, 16), 0);
	for (i = 0; i < 1000; i++) {
		assert_int_equal(number_pool_take(&pool, objects, &number), 0);
		for (j = 0; j < i; j++)
			assert_int_not_equal(seen[j], number);
		for (j = 0; j < i; j++)
			assert_null(number_pool_find(&pool, seen[j]));
		seen[i] = number;
		number_pool_return(&pool, number);
		assert_null(number_pool_find(&pool, number));
	}
	number_pool_fini(&pool);
}

/* All the way round: neither 0 nor all ones, and low bits stay apart. */
static void test_generations_wrap(void **state)
{
	uint32_t held, number;
	struct number_pool pool;
	int i;

	assert_int_equal(number_pool_init(&pool, 2, 4), 0);
	assert_int_equal(number_pool_take(&pool, &objects[1], &held), 0);
	for (i = 0; i < 100; i++) {
		assert_int_equal(number_pool_take(&pool, objects, &number), 0);
		assert_true(number > 0 && number < 15);
		assert_int_not_equal(number & 1, held & 1);
		assert_ptr_equal(number_pool_find(&pool, held), &objects[1]);
		number_pool_return(&pool, number);
	}
	number_pool_fini(&pool);
}

static void test_small_numbers(void **state)
{
	uint32_t number[1024], last, i;
	struct number_pool pool;

	assert_int_equal(number_pool_init(&pool, 1024, 0), 0);
	for (i = 0; i < 1024; i++) {
		assert_int_equal(number_pool_take(&pool, &objects[i],
						  &number[i]), 0);
		assert_int_equal(number[i], i + 1);
	}
	assert_int_equal(number_pool_take(&pool, objects, &last), -ENOMEM);
	for (i = 0; i < 5000; i++) {
		number_pool_return(&pool, number[i % 1024]);
		assert_int_equal(number_pool_take(&pool, &objects[1],
						  &last), 0);
		assert_true(last > 0 && last < 2047);
		assert_true(i > 900 || last != number[i % 1024]);
		number[i % 1024] = last;
	}
	number_pool_fini(&pool);
}

/* The one that was returned last is the last to come back. */
static void test_reuse_comes_late(void **state)
{
	uint32_t first, number;
	struct number_pool pool;
	int i;

	assert_int_equal(number_pool_init(&pool, 14, 0), 0);
	assert_int_equal(number_pool_take(&pool, objects, &first), 0);
	number_pool_return(&pool, first);
	for (i = 0; i < 13; i++) {
		assert_int_equal(number_pool_take(&pool, objects, &number), 0);
		assert_int_not_equal(number, first);
		number_pool_return(&pool, number);
	}
	number_pool_fini(&pool);
}

/* A chosen first number; those after it lead around the end, all distinct. */
static void test_start(void **state)
{
	uint32_t number[16], slots = 0, i, again;
	struct number_pool pool;

	assert_int_equal(number_pool_init(&pool, 16, 16), 0);
	number_pool_start_at(&pool, 65530);
	for (i = 0; i < 16; i++) {
		assert_int_equal(number_pool_take(&pool, &objects[i],
						  &number[i]), 0);
		assert_true(number[i] > 0 && number[i] < 65535);
		assert_ptr_equal(number_pool_find(&pool, number[i]),
				 &objects[i]);
		slots |= 1u << (number[i] & 15);
	}
	assert_int_equal(number[0], 65530);
	assert_int_equal(number[4], 65534);
	assert_int_equal(slots, 0xffff);
	number_pool_return(&pool, number[3]);
	assert_int_equal(number_pool_take(&pool, objects, &again), 0);
	assert_int_equal(again & 15, number[3] & 15);
	assert_int_not_equal(again, number[3]);
	number_pool_fini(&pool);
}

static void test_reuse_first(void **state)
{
	struct number_pool pool;
	uint32_t a, b, c;

	assert_int_equal(number_pool_init(&pool, 4, 16), 0);
	number_pool_start_at(&pool, 0x4321);
	number_pool_reuse_first(&pool);
	assert_int_equal(number_pool_take(&pool, objects, &a), 0);
	assert_int_equal(number_pool_take(&pool, objects, &b), 0);
	assert_int_equal(a, 0x4321);
	assert_int_equal(b, 0x4322);
	number_pool_return(&pool, a);
	number_pool_return(&pool, b);
	assert_int_equal(number_pool_take(&pool, objects, &c), 0);
	assert_int_equal(c, b);
	assert_int_equal(number_pool_take(&pool, objects, &c), 0);
	assert_int_equal(c, a);
	assert_int_equal(number_pool_take(&pool, objects, &c), 0);
	assert_int_equal(c, 0x4323);
	number_pool_return(&pool, c);
	assert_null(number_pool_find(&pool, c));
	number_pool_fini(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_lead_back),
		cmocka_unit_test(test_generations),
		cmocka_unit_test(test_generations_wrap),
		cmocka_unit_test(test_small_numbers),
		cmocka_unit_test(test_reuse_comes_late),
		cmocka_unit_test(test_start),
		cmocka_unit_test(test_reuse_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
