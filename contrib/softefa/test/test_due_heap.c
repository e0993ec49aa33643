/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/due_heap.h"

static void test_order(void **state)
{
	struct due_heap heap = { 0 };
	struct due_entry entry[1000] = { 0 }, *popped;
	uint64_t last_due = 0, last_serial = 0;
	uint32_t seed = 1;
	int i;

	assert_true(due_heap_next_ns(&heap) == UINT64_MAX);
	for (i = 0; i < 1000; i++) {
		seed = seed * 1103515245 + 12345;
		assert_int_equal(due_heap_insert(&heap, &entry[i],
						 seed >> 16 & 63), 0);
		assert_true(due_entry_is_waiting(&entry[i]));
	}
	for (i = 0; i < 1000; i++) {
		popped = due_heap_pop(&heap, 63);
		assert_non_null(popped);
		assert_false(due_entry_is_waiting(popped));
		assert_true(popped->due_ns > last_due ||
			    (popped->due_ns == last_due &&
			     (!i || popped->serial > last_serial)));
		last_due = popped->due_ns;
		last_serial = popped->serial;
	}
	assert_null(due_heap_pop(&heap, UINT64_MAX));
	due_heap_fini(&heap);
}

static void test_time_must_come(void **state)
{
	struct due_heap heap = { 0 };
	struct due_entry entry = { 0 };

	assert_int_equal(due_heap_insert(&heap, &entry, 100), 0);
	assert_true(due_heap_next_ns(&heap) == 100);
	assert_null(due_heap_pop(&heap, 99));
	assert_ptr_equal(due_heap_pop(&heap, 100), &entry);
	due_heap_fini(&heap);
}

static void test_remove(void **state)
{
	struct due_heap heap = { 0 };
	struct due_entry entry[64] = { 0 }, *popped;
	uint64_t last = 0;
	int i, count = 0;

	for (i = 0; i < 64; i++)
		assert_int_equal(due_heap_insert(&heap, &entry[i],
						 i * 29 % 64), 0);
	for (i = 0; i < 64; i += 3)
		due_heap_remove(&heap, &entry[i]);
	while ((popped = due_heap_pop(&heap, UINT64_MAX))) {
		assert_int_not_equal((popped - entry) % 3, 0);
		assert_true(popped->due_ns >= last);
		last = popped->due_ns;
		count++;
	}
	assert_int_equal(count, 42);
	due_heap_fini(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_time_must_come),
		cmocka_unit_test(test_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
