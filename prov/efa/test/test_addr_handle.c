/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Address handles are shared by GID, found by number, and all go away. */
#include "dev/addr_handle.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake_verbs.h"

static struct dev_device device = { .name = "efa_0" };
static struct dev_pd pd;
static struct dev_ah_table *table;

static int begin(void **state)
{
	fake_verbs_install();
	assert_int_equal(dev_pd_create(&device, &pd), 0);
	return dev_ah_table_create(&pd, &table);
}

static int end(void **state)
{
	assert_int_equal(dev_ah_table_destroy(table), 0);
	assert_int_equal(dev_pd_destroy(&pd), 0);
	fake_verbs_assert_clean();
	return 0;
}

/* The fake device numbers a handle by the GID's last two bytes. */
static union ibv_gid gid_of(uint16_t number)
{
	union ibv_gid gid = { .raw = { 0xfe, 0x80 } };

	gid.raw[14] = number >> 8;
	gid.raw[15] = number & 0xff;
	return gid;
}

static void shared_by_gid(void **state)
{
	const union ibv_gid one = gid_of(1), two = gid_of(2);
	const struct dev_ah *a, *b, *c;

	assert_int_equal(dev_ah_get(table, &one, &a), 0);
	assert_int_equal(dev_ah_get(table, &two, &b), 0);
	assert_int_equal(dev_ah_get(table, &one, &c), 0);
	assert_ptr_equal(a, c);
	assert_ptr_not_equal(a, b);
	assert_int_equal(a->ahn, 1);
	assert_int_equal(b->ahn, 2);
	assert_memory_equal(&a->gid, &one, sizeof(one));
	assert_memory_equal(&fake.ah_gid, &two, sizeof(two));
	assert_int_equal(fake.ahs, 2);
	dev_ah_put(table, a);
	assert_int_equal(fake.ahs, 2);
	dev_ah_put(table, a);
	assert_int_equal(fake.ahs, 1);
	dev_ah_put(table, b);
	assert_int_equal(fake.ahs, 0);
}

static void found_by_number(void **state)
{
	const union ibv_gid gid = gid_of(0x1234);
	const struct dev_ah *ah;
	union ibv_gid found;

	assert_false(dev_ah_gid(table, 0x1234, &found));
	assert_int_equal(dev_ah_get(table, &gid, &ah), 0);
	assert_true(dev_ah_gid(table, 0x1234, &found));
	assert_memory_equal(&found, &gid, sizeof(gid));
	assert_false(dev_ah_gid(table, 0x34, &found));
	dev_ah_put(table, ah);
	assert_false(dev_ah_gid(table, 0x1234, &found));
	/* it was copied out */
	assert_memory_equal(&found, &gid, sizeof(gid));
}

static void many(void **state)
{
	const struct dev_ah *ah[1000];

	for (int i = 0; i < 1000; i++) {
		const union ibv_gid gid = gid_of(i + 1);

		assert_int_equal(dev_ah_get(table, &gid, &ah[i]), 0);
	}
	assert_int_equal(fake.ahs, 1000);
	for (int i = 0; i < 1000; i++) {
		union ibv_gid found;

		assert_true(dev_ah_gid(table, i + 1, &found));
		assert_memory_equal(&found, &ah[i]->gid, sizeof(found));
	}
	for (int i = 0; i < 1000; i += 2)
		dev_ah_put(table, ah[i]);
	assert_int_equal(fake.ahs, 500);
	/* end() destroys the rest with the table */
}

static void zero_gid(void **state)
{
	const union ibv_gid zero = { .raw = { 0 } };
	const struct dev_ah *ah;

	assert_int_equal(dev_ah_get(table, &zero, &ah), -EINVAL);
	assert_int_equal(fake.ahs, 0);
}

static void device_refuses(void **state)
{
	const union ibv_gid gid = gid_of(3);
	const struct dev_ah *ah;

	fake.failing = "create_ah";
	fake.failing_errno = ENOMEM;
	assert_int_equal(dev_ah_get(table, &gid, &ah), -ENOMEM);
	assert_non_null(strstr(fake.last_warning, "fe80::3"));
	fake.failing = "efadv_query_ah";
	fake.failing_errno = EOPNOTSUPP;
	assert_int_equal(dev_ah_get(table, &gid, &ah), -EOPNOTSUPP);
	assert_int_equal(fake.ahs, 0);
	fake.failing = NULL;
	assert_int_equal(dev_ah_get(table, &gid, &ah), 0);
	dev_ah_put(table, ah);
}

/* A handle the device will not let go of stays: it is given out again, and
 * goes at last with the table. */
static void destroy_fails(void **state)
{
	const union ibv_gid gid = gid_of(4);
	const struct dev_ah *ah, *again;

	assert_int_equal(dev_ah_get(table, &gid, &ah), 0);
	fake.failing = "destroy_ah";
	fake.failing_errno = EIO;
	dev_ah_put(table, ah);
	assert_int_equal(fake.warnings, 1);
	assert_int_equal(fake.ahs, 1);
	assert_int_equal(dev_ah_get(table, &gid, &again), 0);
	assert_ptr_equal(again, ah);
	assert_int_equal(fake.ahs, 1);
	dev_ah_put(table, ah);
	assert_int_equal(dev_ah_table_destroy(table), -EIO);
	fake.failing = NULL;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(shared_by_gid),
		TEST(found_by_number),
		TEST(many),
		TEST(zero_gid),
		TEST(device_refuses),
		TEST(destroy_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
