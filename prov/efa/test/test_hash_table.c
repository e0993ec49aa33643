/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The hash table against a plain array that says what must be in it. */
#include "util/hash_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { KEYS = 1000 };

struct object {
	struct util_hash_node node;
	uint64_t key;
	bool present;
};

static struct object objects[KEYS];

/* @coarse hashes collide: 7 values for all keys. */
static uint64_t hash_of(uint64_t key, bool coarse)
{
	return coarse ? key % 7 : util_hash_mix(key, 1);
}

static bool is_there(const struct util_hash_table *table, uint64_t key,
		     bool coarse)
{
	struct util_hash_node *node;
	unsigned int found = 0;

	for (node = util_hash_first(table, hash_of(key, coarse)); node;
	     node = util_hash_next(node)) {
		assert_int_equal(node->hash, hash_of(key, coarse));
		found += ((struct object *)node)->key == key;
	}
	assert_true(found <= 1);
	return found;
}

static void add_and_remove_at_random(bool coarse)
{
	struct util_hash_table table;
	uint32_t count = 0;

	assert_int_equal(util_hash_init(&table), 0);
	srand(1);
	for (int i = 0; i < KEYS; i++)
		objects[i] = (struct object) { .key = i };
	for (int step = 0; step < 20 * KEYS; step++) {
		struct object *object = &objects[rand() % KEYS];

		assert_int_equal(is_there(&table, object->key, coarse),
				 object->present);
		if (object->present)
			util_hash_remove(&table, &object->node);
		else
			util_hash_insert(&table, &object->node,
					 hash_of(object->key, coarse));
		count += object->present ? -1 : 1;
		object->present = !object->present;
		assert_int_equal(table.count, count);
	}
	for (int i = 0; i < KEYS; i++)
		assert_int_equal(is_there(&table, i, coarse),
				 objects[i].present);
	util_hash_fini(&table);
}

/* In the middle of a chain and alone; the others stay. */
static void replaces_a_node(void **state)
{
	struct object heir[3] = { { .key = 0 }, { .key = 7 }, { .key = 3 } };
	struct util_hash_table table;

	assert_int_equal(util_hash_init(&table), 0);
	for (int i = 0; i < 15; i++) {
		objects[i] = (struct object) { .key = i };
		util_hash_insert(&table, &objects[i].node, hash_of(i, true));
	}
	for (int i = 0; i < 3; i++) {
		util_hash_replace(&table, &objects[heir[i].key].node,
				  &heir[i].node);
		objects[heir[i].key].key = UINT64_MAX;
	}
	for (int i = 0; i < 15; i++)
		assert_true(is_there(&table, i, true));
	assert_int_equal(table.count, 15);
	for (int i = 0; i < 3; i++)
		util_hash_remove(&table, &heir[i].node);
	assert_int_equal(table.count, 12);
	assert_false(is_there(&table, 7, true));
	assert_true(is_there(&table, 14, true));
	util_hash_fini(&table);
}

static void random_with_good_hash(void **state)
{
	add_and_remove_at_random(false);
}

static void random_with_collisions(void **state)
{
	add_and_remove_at_random(true);
}

static void grows_with_its_nodes(void **state)
{
	struct util_hash_table table;

	assert_int_equal(util_hash_init(&table), 0);
	for (int i = 0; i < KEYS; i++)
		util_hash_insert(&table, &objects[i].node,
				 util_hash_mix(i, i));
	assert_true(table.mask >= KEYS / 2 && table.mask <= 2 * KEYS);
	util_hash_fini(&table);
}

/* GIDs differ in few bits; the low bits of the result must not show it. */
static void mix_spreads_small_differences(void **state)
{
	unsigned int used[64] = { 0 };
	unsigned int largest = 0;

	for (uint64_t i = 0; i < 64 * 16; i++) {
		unsigned int *n = &used[util_hash_mix(0xfe80, i << 40) & 63];

		if (++*n > largest)
			largest = *n;
	}
	assert_true(largest >= 16 && largest <= 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replaces_a_node),
		cmocka_unit_test(random_with_good_hash),
		cmocka_unit_test(random_with_collisions),
		cmocka_unit_test(grows_with_its_nodes),
		cmocka_unit_test(mix_spreads_small_differences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
