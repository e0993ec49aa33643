/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "hw/req_id.h"

static void test_refuses_impossible_sizes(void **state)
{
	struct hw_req_table table;

	assert_int_equal(hw_req_table_init(&table, 0, false, 0), -EINVAL);
	assert_int_equal(hw_req_table_init(&table, 3, false, 0), -EINVAL);
	assert_int_equal(hw_req_table_init(&table, 65536, true, 0), -EINVAL);
}

static void test_brings_back_what_was_posted(void **state)
{
	struct hw_req_table table;
	struct hw_req_slot *slot;
	uint64_t ids[8];
	int context[8];

	assert_int_equal(hw_req_table_init(&table, 8, false, 5), 0);
	for (unsigned int i = 0; i < 8; i++) {
		assert_false(hw_req_is_full(&table));
		ids[i] = hw_req_get(&table, &context[i], 100 + i,
				    (uint16_t)(200 + i), (uint16_t)(1 + i));
		for (unsigned int j = 0; j < i; j++)
			assert_int_not_equal(ids[i], ids[j]);
	}
	assert_true(hw_req_is_full(&table));
	assert_int_equal(hw_req_count(&table), 8);
	/* in another order than they were taken */
	for (unsigned int n = 0; n < 8; n++) {
		unsigned int i = (n * 3 + 1) % 8;

		slot = hw_req_find(&table, ids[i]);
		assert_non_null(slot);
		assert_ptr_equal(slot->context, &context[i]);
		assert_int_equal(slot->peer, 100 + i);
		assert_int_equal(slot->flags, 200 + i);
		assert_int_equal(slot->units, 1 + i);
		hw_req_put(&table, slot);
		assert_null(hw_req_find(&table, ids[i]));
		assert_false(hw_req_is_full(&table));
	}
	assert_int_equal(hw_req_count(&table), 0);
	hw_req_table_fini(&table);
}

static void test_limit_below_the_slots(void **state)
{
	struct hw_req_table table;
	uint64_t id;

	assert_int_equal(hw_req_table_init(&table, 8, false, 0), 0);
	table.limit = 1;
	id = hw_req_get(&table, NULL, 0, 0, 1);
	assert_true(hw_req_is_full(&table));
	hw_req_put(&table, hw_req_find(&table, id));
	assert_false(hw_req_is_full(&table));
	hw_req_get(&table, NULL, 0, 0, 1);
	table.limit = 2;
	assert_false(hw_req_is_full(&table));
	hw_req_table_fini(&table);
}

/* An ID must not come back before every other of the 65536 was used. */
static void test_16_bit_id_returns_last(void **state)
{
	static uint32_t last_use[65536];
	struct hw_req_table table;

	assert_int_equal(hw_req_table_init(&table, 256, false, 0), 0);
	for (uint32_t n = 1; n <= 3 * 65536; n++) {
		uint64_t id = hw_req_get(&table, NULL, 0, 0, 1);

		assert_true(id <= UINT16_MAX);
		if (last_use[id])
			assert_int_equal(n - last_use[id], 65536);
		last_use[id] = n;
		hw_req_put(&table, hw_req_find(&table, id));
	}
	hw_req_table_fini(&table);
}

static void test_stale_and_foreign_ids_are_not_found(void **state)
{
	struct hw_req_table old_table, new_table;
	uint64_t old_id, id;

	assert_int_equal(hw_req_table_init(&old_table, 16, false, 1), 0);
	assert_int_equal(hw_req_table_init(&new_table, 16, false, 2), 0);
	for (int i = 0; i < 16; i++) {
		old_id = hw_req_get(&old_table, NULL, 0, 0, 1);
		id = hw_req_get(&new_table, NULL, 0, 0, 1);
		assert_null(hw_req_find(&new_table, old_id));
		assert_non_null(hw_req_find(&new_table, id));
		/* bits the device never got */
		assert_null(hw_req_find(&new_table, id | 1u << 16));
	}
	hw_req_table_fini(&old_table);
	hw_req_table_fini(&new_table);
}

static void test_64_bit_generation_skips_none(void **state)
{
	struct hw_req_table table;
	uint64_t last = UINT64_MAX / 4;

	assert_int_equal(hw_req_table_init(&table, 4, true, last), 0);
	for (int i = 0; i < 64; i++) {
		uint64_t id = hw_req_get(&table, NULL, 0, 0, 1);
		struct hw_req_slot *slot;

		assert_true(id != HW_REQ_ID_NONE);
		slot = hw_req_find(&table, id);
		assert_ptr_equal(slot, &table.slots[id % 4]);
		if (i < 3)
			assert_true(id / 4 == last);
		hw_req_put(&table, slot);
		assert_null(hw_req_find(&table, id));
	}
	hw_req_table_fini(&table);
}

/* Random interleaving against a model: what is out, and nothing else. */
static void test_random_traffic(void **state)
{
	struct hw_req_table table;
	uint64_t out[64];
	uint32_t count = 0;
	unsigned int seed = 4711;

	assert_int_equal(hw_req_table_init(&table, 64, false, 9), 0);
	for (int n = 0; n < 500000; n++) {
		if (rand_r(&seed) % 2 && count < 64) {
			uint64_t tag = (uint64_t)n + 1;

			out[count] = hw_req_get(&table, (void *)tag, 0, 0, 1);
			count++;
		} else if (count) {
			uint32_t i = (uint32_t)rand_r(&seed) % count;
			struct hw_req_slot *slot;

			slot = hw_req_find(&table, out[i]);
			assert_non_null(slot);
			hw_req_put(&table, slot);
			out[i] = out[--count];
		}
		assert_int_equal(hw_req_count(&table), count);
		assert_int_equal(hw_req_is_full(&table), count == 64);
	}
	hw_req_table_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refuses_impossible_sizes),
		cmocka_unit_test(test_brings_back_what_was_posted),
		cmocka_unit_test(test_limit_below_the_slots),
		cmocka_unit_test(test_16_bit_id_returns_last),
		cmocka_unit_test(test_stale_and_foreign_ids_are_not_found),
		cmocka_unit_test(test_64_bit_generation_skips_none),
		cmocka_unit_test(test_random_traffic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
