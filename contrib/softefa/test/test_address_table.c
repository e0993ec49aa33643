/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/address_table.h"
#include "test/engine_rig.h"

static struct rig rig;
static struct rig_guest guest;

static int set_up(void **state)
{
	rig_init(&rig, NULL, NULL);
	rig_guest_init(&rig, &guest, 0);
	return 0;
}

static int tear_down(void **state)
{
	rig_guest_fini(&guest);
	rig_fini(&rig);
	return 0;
}

static void make_gid(uint8_t gid[16], uint32_t n)
{
	memset(gid, 0, 16);
	gid[0] = 0x20;
	memcpy(gid + 12, &n, sizeof(n));
}

static void test_there_and_back(void **state)
{
	uint32_t max = engine_device_profile(rig.device[0])->max_ah;
	struct engine_ah *ah;
	uint8_t gid[16];
	uint32_t i;

	for (i = 0; i < max - 2; i++) {
		make_gid(gid, i);
		assert_int_equal(address_number_of(guest.pd, gid),
				 EFA_IO_AH_UNKNOWN);
		assert_int_equal(engine_ah_create(guest.pd, gid, &ah), 0);
		assert_int_equal(address_number_of(guest.pd, gid),
				 engine_ah_number(ah));
		assert_memory_equal(address_gid(guest.pd,
						engine_ah_number(ah)),
				    gid, 16);
	}
	make_gid(gid, i);
	assert_int_equal(engine_ah_create(guest.pd, gid, &ah), -ENOMEM);
	assert_int_equal(rig_counters(&rig, 0).ahs, max);
	assert_null(address_gid(guest.pd, 0));
	assert_null(address_gid(guest.pd, EFA_IO_AH_UNKNOWN));
}

/* As often as it was created, it must be destroyed. */
static void test_one_number_for_one_gid(void **state)
{
	struct engine_ah *first, *second;
	uint8_t gid[16];
	uint16_t number;

	make_gid(gid, 1);
	assert_int_equal(engine_ah_create(guest.pd, gid, &first), 0);
	assert_int_equal(engine_ah_create(guest.pd, gid, &second), 0);
	number = engine_ah_number(first);
	assert_int_equal(engine_ah_number(second), number);
	engine_ah_destroy(first);
	assert_int_equal(address_number_of(guest.pd, gid), number);
	engine_ah_destroy(second);
	assert_int_equal(address_number_of(guest.pd, gid), EFA_IO_AH_UNKNOWN);
	assert_null(address_gid(guest.pd, number));
}

static void test_domains_are_apart(void **state)
{
	struct engine_ah *ah;
	struct engine_pd *pd;
	uint8_t gid[16];

	make_gid(gid, 1);
	assert_int_equal(engine_pd_create(guest.ctx, &pd), 0);
	assert_int_equal(engine_ah_create(pd, gid, &ah), 0);
	assert_int_equal(engine_pd_destroy(pd), -EBUSY);
	assert_int_equal(address_number_of(guest.pd, gid), EFA_IO_AH_UNKNOWN);
	assert_null(address_gid(guest.pd, engine_ah_number(ah)));
	engine_ah_destroy(ah);
	assert_int_equal(engine_pd_destroy(pd), 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(there_and_back), T(one_number_for_one_gid),
		T(domains_are_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
