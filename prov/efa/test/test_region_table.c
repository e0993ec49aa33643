/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/region_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <rdma/fabric.h>

#define REGIONS	1000u

static struct fabric_region_table table;
static uint8_t memory[256];

static struct fabric_region region_of(uint64_t key, uint64_t access)
{
	return (struct fabric_region) {
		.key = key,
		.addr = (uintptr_t)memory + 64,
		.len = 128,
		.access = access,
		.lkey = (uint32_t)key + 5,
	};
}

static struct fabric_region_range range_of(uint64_t key, size_t at, size_t len)
{
	return (struct fabric_region_range) {
		.key = key, .addr = (uintptr_t)memory + at, .len = len,
	};
}

static bool is_allowed(uint64_t key, size_t at, size_t len, uint64_t access)
{
	struct fabric_region_range range = range_of(key, at, len);
	uint32_t lkey = 0;
	bool is = fabric_region_check(&table, &range, access, &lkey);

	assert_int_equal(lkey, is ? key + 5 : 0);
	return is;
}

static int set_up(void **state)
{
	return fabric_region_table_init(&table);
}

static int tear_down(void **state)
{
	fabric_region_table_fini(&table);
	return 0;
}

static void bounds_are_those_of_the_region(void **state)
{
	struct fabric_region region = region_of(7, FI_REMOTE_READ);

	fabric_region_add(&table, &region);
	assert_true(is_allowed(7, 64, 128, FI_REMOTE_READ));
	assert_true(is_allowed(7, 64, 0, FI_REMOTE_READ));
	assert_true(is_allowed(7, 191, 1, FI_REMOTE_READ));
	assert_true(is_allowed(7, 192, 0, FI_REMOTE_READ));
	assert_false(is_allowed(7, 192, 1, FI_REMOTE_READ));
	assert_false(is_allowed(7, 63, 1, FI_REMOTE_READ));
	assert_false(is_allowed(7, 64, 129, FI_REMOTE_READ));
	assert_false(is_allowed(7, 64, SIZE_MAX, FI_REMOTE_READ));
	assert_false(is_allowed(8, 64, 1, FI_REMOTE_READ));
	assert_false(is_allowed(7 | 1ull << 32, 64, 1, FI_REMOTE_READ));
	fabric_region_remove(&table, &region);
	assert_false(is_allowed(7, 64, 1, FI_REMOTE_READ));
}

static void rights_are_those_granted(void **state)
{
	struct fabric_region reads = region_of(1, FI_REMOTE_READ);
	struct fabric_region writes = region_of(2, FI_REMOTE_WRITE);
	struct fabric_region_range range;
	uint8_t bytes[16];

	fabric_region_add(&table, &reads);
	fabric_region_add(&table, &writes);
	memset(memory, 3, sizeof(memory));
	memset(bytes, 4, sizeof(bytes));
	range = range_of(1, 100, sizeof(bytes));
	assert_false(fabric_region_store(&table, &range, bytes));
	assert_int_equal(memory[100], 3);
	assert_true(fabric_region_load(&table, &range, bytes));
	assert_int_equal(bytes[15], 3);
	memset(bytes, 4, sizeof(bytes));
	range = range_of(2, 100, sizeof(bytes));
	assert_false(fabric_region_load(&table, &range, bytes));
	assert_int_equal(bytes[0], 4);
	assert_true(fabric_region_store(&table, &range, bytes));
	assert_int_equal(memory[99], 3);
	assert_int_equal(memory[100], 4);
	assert_int_equal(memory[115], 4);
	assert_int_equal(memory[116], 3);
	assert_false(is_allowed(1, 100, 1, FI_REMOTE_READ | FI_REMOTE_WRITE));
	fabric_region_remove(&table, &reads);
	fabric_region_remove(&table, &writes);
}

static void many_keys_are_told_apart(void **state)
{
	static struct fabric_region regions[REGIONS];

	for (uint32_t i = 0; i < REGIONS; i++) {
		regions[i] = region_of(i * 7, FI_REMOTE_READ);
		fabric_region_add(&table, &regions[i]);
	}
	for (uint32_t i = 0; i < REGIONS; i += 2)
		fabric_region_remove(&table, &regions[i]);
	for (uint32_t i = 0; i < REGIONS; i++)
		assert_int_equal(is_allowed(i * 7, 64, 8, FI_REMOTE_READ),
				 i % 2);
	for (uint32_t i = 1; i < REGIONS; i += 2)
		fabric_region_remove(&table, &regions[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_are_those_of_the_region),
		cmocka_unit_test(rights_are_those_granted),
		cmocka_unit_test(many_keys_are_told_apart),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
