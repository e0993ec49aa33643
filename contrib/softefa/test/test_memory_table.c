/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/memory_table.h"
#include "test/engine_rig.h"

static struct rig rig;
static struct rig_guest guest;

static int set_up(void **state)
{
	rig_init(&rig, NULL, NULL);
	rig_guest_init(&rig, &guest, 0);
	return 0;
}

static int set_up_oldest(void **state)
{
	rig_init(&rig, "0xefa0", NULL);
	rig_guest_init(&rig, &guest, 0);
	return 0;
}

static int tear_down(void **state)
{
	rig_guest_fini(&guest);
	rig_fini(&rig);
	return 0;
}

static int reg(uint64_t start, uint64_t length, uint64_t iova,
	       uint32_t access)
{
	struct engine_mr *mr;
	int err;

	err = engine_mr_create(guest.pd, start, length, iova, access, &mr);
	if (!err)
		engine_mr_destroy(mr);
	return err;
}

static void test_registration(void **state)
{
	uint64_t max =
		profile_max_mr_size(engine_device_profile(rig.device[0]));

	assert_int_equal(reg(RIG_MEMORY_BASE, 4096, 0, 0), 0);
	assert_int_equal(reg(RIG_MEMORY_BASE, 4096, 0, 7), 0);
	assert_int_equal(reg(RIG_MEMORY_BASE, 4096, 0, 8), -EOPNOTSUPP);
	assert_int_equal(reg(RIG_MEMORY_BASE, 0, 0, 1), -EINVAL);
	assert_int_equal(reg(RIG_MEMORY_BASE, max + 1, 0, 1), -EINVAL);
	assert_int_equal(reg(-4096ull, 8192, 0, 1), -EINVAL);
	assert_int_equal(reg(RIG_MEMORY_BASE, 8192, -4096ull, 1), -EINVAL);
	assert_int_equal(reg(RIG_MEMORY_BASE - 1, 4096, 0, 1), -EFAULT);
	assert_int_equal(reg(RIG_MEMORY_BASE + RIG_MEMORY_BYTES - 1, 2, 0, 1),
			 -EFAULT);
	guest.hole_start = 8192;
	guest.hole_bytes = 1;
	assert_int_equal(reg(RIG_MEMORY_BASE, 65536, 0, 1), -EFAULT);
	guest.is_gone = true;
	assert_int_equal(reg(RIG_MEMORY_BASE, 4096, 0, 1), -ESRCH);
	assert_int_equal(rig_counters(&rig, 0).mrs, 1);
}

static void test_oldest_has_no_remote_write(void **state)
{
	assert_int_equal(reg(RIG_MEMORY_BASE, 4096, 0,
			     ENGINE_ACCESS_REMOTE_WRITE), -EOPNOTSUPP);
	assert_int_equal(reg(RIG_MEMORY_BASE, 4096, 0,
			     ENGINE_ACCESS_REMOTE_READ), 0);
}

static void test_resolve(void **state)
{
	struct engine_mr *mr;
	uint64_t addr = 0;
	uint32_t key;

	assert_int_equal(engine_mr_create(guest.pd, RIG_MEMORY_BASE + 100, 50,
					  1000, ENGINE_ACCESS_REMOTE_READ,
					  &mr), 0);
	key = engine_mr_key(mr);
	assert_true(key > 0 && key < 1u << 24);
#define RESOLVE(addr_, len, access)					\
	memory_resolve(guest.pd, key, addr_, len, access, &addr)
	assert_int_equal(RESOLVE(1000, 50, 0), 0);
	assert_true(addr == RIG_MEMORY_BASE + 100);
	assert_int_equal(RESOLVE(1049, 1, ENGINE_ACCESS_REMOTE_READ), 0);
	assert_true(addr == RIG_MEMORY_BASE + 149);
	assert_int_equal(RESOLVE(1049, 2, 0), -EACCES);
	assert_int_equal(RESOLVE(1050, 1, 0), -EACCES);
	assert_int_equal(RESOLVE(999, 1, 0), -EACCES);
	assert_int_equal(RESOLVE(1000, UINT64_MAX, 0), -EACCES);
	assert_int_equal(RESOLVE(UINT64_MAX, 2, 0), -EACCES);
	assert_int_equal(RESOLVE(0, 0, 0), 0);
	assert_int_equal(RESOLVE(1000, 1, ENGINE_ACCESS_LOCAL_WRITE), -EACCES);
	assert_int_equal(RESOLVE(1000, 1, ENGINE_ACCESS_REMOTE_READ |
				 ENGINE_ACCESS_REMOTE_WRITE), -EACCES);
	engine_mr_destroy(mr);
	assert_int_equal(RESOLVE(1000, 1, 0), -EACCES);
}

/* The key of a range that is gone stays useless when the slot is reused. */
static void test_stale_key(void **state)
{
	uint32_t max = engine_device_profile(rig.device[0])->max_mr;
	uint32_t first, key, i;
	struct engine_mr *mr;
	uint64_t addr;

	assert_int_equal(engine_mr_create(guest.pd, RIG_MEMORY_BASE, 50, 0, 1,
					  &mr), 0);
	first = engine_mr_key(mr);
	engine_mr_destroy(mr);
	for (i = 0; i < 2 * max + 10; i++) {
		assert_int_equal(engine_mr_create(guest.pd, RIG_MEMORY_BASE, 50,
						  0, 1, &mr), 0);
		key = engine_mr_key(mr);
		assert_int_not_equal(key, first);
		if ((key ^ first) % max == 0)
			assert_int_equal(memory_resolve(guest.pd, first, 0, 1,
							0, &addr), -EACCES);
		engine_mr_destroy(mr);
	}
}

static void test_pd_is_busy(void **state)
{
	struct engine_pd *pd;
	struct engine_mr *mr;

	assert_int_equal(engine_pd_create(guest.ctx, &pd), 0);
	assert_int_equal(engine_mr_create(pd, RIG_MEMORY_BASE, 50, 0, 1, &mr),
			 0);
	assert_int_equal(engine_pd_destroy(pd), -EBUSY);
	engine_mr_destroy(mr);
	assert_int_equal(engine_pd_destroy(pd), 0);
}

int main(void)
{
#define W(name, with) cmocka_unit_test_setup_teardown(test_##name, with, \
						      tear_down)
#define T(name) W(name, set_up)
	const struct CMUnitTest tests[] = {
		T(registration),
		W(oldest_has_no_remote_write, set_up_oldest),
		T(resolve), T(stale_key), T(pd_is_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
