/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Completion counters of the device: when there are any, what is asked of
 * verbs, and the counts that the device writes. */
#include "dev/comp_counter.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake_verbs.h"

static const struct dev_device *device;

static int begin(void **state)
{
	const struct dev_list *list;

	fake_verbs_install();
	fake.efa.device_caps |= COMPAT_EFADV_COMP_CNTR;
	assert_int_equal(dev_list_get(&list), 0);
	device = list->device;
	return 0;
}

static int end(void **state)
{
	dev_list_release();
	fake_verbs_assert_clean();
	return 0;
}

static void rediscover(void)
{
	const struct dev_list *list;

	dev_list_release();
	assert_int_equal(dev_list_get(&list), 0);
	device = list->device;
}

static void device_writes_the_counts(void **state)
{
	struct dev_counter counter;

	assert_int_equal(device->comp_cntr_ops, 63);
	assert_int_equal(dev_counter_create(device, NULL, NULL,
					    &counter), 0);
	assert_int_equal(dev_counter_good(&counter), 0);
	assert_int_equal(dev_counter_bad(&counter), 0);
	*fake.cntr_count = 5;
	*fake.cntr_errors = 2;
	assert_int_equal(dev_counter_good(&counter), 5);
	assert_int_equal(dev_counter_bad(&counter), 2);
	assert_int_equal(dev_counter_destroy(&counter), 0);
	assert_null(counter.verbs);
	assert_int_equal(dev_counter_good(&counter), 0);
}

static void attaches_what_the_device_counts(void **state)
{
	struct dev_counter counter;
	struct dev_qp qp = { .device = device };

	fake.cntr_caps.attach_ops = COMPAT_COMP_CNTR_SEND |
				    COMPAT_COMP_CNTR_RECV;
	rediscover();
	assert_int_equal(dev_counter_create(device, NULL, NULL,
					    &counter), 0);
	assert_int_equal(dev_counter_attach(&counter, &qp,
					    COMPAT_COMP_CNTR_RECV), 0);
	assert_int_equal(fake.cntr_ops, COMPAT_COMP_CNTR_RECV);
	assert_int_equal(dev_counter_attach(&counter, &qp,
					    COMPAT_COMP_CNTR_RDMA_READ),
			 -EOPNOTSUPP);
	fake.failing = "qp_attach_comp_cntr";
	fake.failing_errno = EBUSY;
	assert_int_equal(dev_counter_attach(&counter, &qp,
					    COMPAT_COMP_CNTR_SEND), -EBUSY);
	assert_int_equal(fake.cntr_ops, COMPAT_COMP_CNTR_RECV);
	assert_int_equal(dev_counter_destroy(&counter), 0);
}

/* One count in the caller's memory, one in a dma-buf that is not mapped. */
static void counts_where_it_is_told(void **state)
{
	uint64_t memory = 0;
	const struct compat_efadv_memory_location at = {
		.ptr = (uint8_t *)&memory,
	}, dmabuf = {
		.type = COMPAT_EFADV_MEMORY_DMABUF,
		.dmabuf = { .fd = 42, .offset = 64 },
	};
	struct dev_counter counter;

	assert_int_equal(dev_counter_create(device, &at, &dmabuf, &counter),
			 0);
	assert_ptr_equal(fake.cntr_count, &memory);
	assert_int_equal(fake.cntr_attr.errors.type,
			 COMPAT_EFADV_MEMORY_DMABUF);
	assert_int_equal(fake.cntr_attr.errors.dmabuf.fd, 42);
	assert_int_equal(fake.cntr_attr.errors.dmabuf.offset, 64);
	memory = 8;
	assert_int_equal(dev_counter_good(&counter), 8);
	assert_int_equal(dev_counter_bad(&counter), 0);
	assert_int_equal(dev_counter_set(&counter, DEV_COUNT_GOOD, 3), 0);
	assert_int_equal(dev_counter_add(&counter, DEV_COUNT_GOOD, 4), 0);
	assert_int_equal(memory, 7);
	fake.failing = "set_comp_cntr";
	fake.failing_errno = EOPNOTSUPP;
	assert_int_equal(dev_counter_set(&counter, DEV_COUNT_GOOD, 3),
			 -EOPNOTSUPP);
	assert_int_equal(fake.warnings, 1);
	fake.failing = NULL;
	assert_int_equal(dev_counter_destroy(&counter), 0);
}

static void assert_none(void)
{
	struct dev_counter counter = { 0 };

	rediscover();
	assert_int_equal(device->comp_cntr_ops, 0);
	assert_int_equal(dev_counter_create(device, NULL, NULL,
					    &counter), -EOPNOTSUPP);
	assert_null(counter.verbs);
}

static void may_be_missing(void **state)
{
	fake.cntr_caps.max_counters = 0;
	assert_none();
	fake.cntr_caps.max_counters = 1;
	fake.failing = "query_comp_cntr_caps";
	fake.failing_errno = EOPNOTSUPP;
	assert_none();
	fake.failing = NULL;
	fake.efa.device_caps &= ~COMPAT_EFADV_COMP_CNTR;
	assert_none();
	assert_int_equal(fake.warnings, 0);
}

static void failures_leave_nothing_behind(void **state)
{
	struct dev_counter counter = { 0 };

	fake.failing = "efadv_create_comp_cntr";
	fake.failing_errno = ENOMEM;
	assert_int_equal(dev_counter_create(device, NULL, NULL,
					    &counter), -ENOMEM);
	assert_null(counter.verbs);
	fake.failing = "destroy_comp_cntr";
	fake.failing_errno = EBUSY;
	assert_int_equal(dev_counter_create(device, NULL, NULL,
					    &counter), 0);
	assert_int_equal(dev_counter_destroy(&counter), -EBUSY);
	assert_int_equal(fake.warnings, 1);
	assert_non_null(counter.verbs);
	fake.failing = NULL;
	assert_int_equal(dev_counter_destroy(&counter), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(device_writes_the_counts),
		TEST(counts_where_it_is_told),
		TEST(attaches_what_the_device_counts),
		TEST(may_be_missing),
		TEST(failures_leave_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
