/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Discovery: what is offered, what is left out, and what the log says. */
#include "dev/device_list.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake_verbs.h"

static int begin(void **state)
{
	fake_verbs_install();
	return 0;
}

static int end(void **state)
{
	dev_list_release();
	fake_verbs_assert_clean();
	return 0;
}

/* Discovers, twice: the second call must add nothing to the log. */
static const struct dev_list *discover(int expected)
{
	const struct dev_list *list = NULL, *again = NULL;
	int warnings;

	assert_int_equal(dev_list_get(&list), expected);
	warnings = fake.warnings;
	assert_int_equal(dev_list_get(&again), expected);
	assert_ptr_equal(list, again);
	assert_int_equal(fake.warnings, warnings);
	return list;
}

static void assert_warned(const char *word)
{
	if (!strstr(fake.last_warning, word))
		fail_msg("no \"%s\" in: %s", word, fake.last_warning);
}

static void healthy_device(void **state)
{
	const struct dev_list *list = discover(0);
	const struct dev_device *device = &list->device[0];

	assert_int_equal(list->count, 1);
	assert_string_equal(device->name, "efa_0");
	assert_int_equal(device->mtu, 8928);
	assert_int_equal(device->inline_size, 32);
	assert_int_equal(device->inline_size_wide, 80);
	assert_int_equal(device->max_send_depth, 4096);
	assert_int_equal(device->max_send_depth_wide, 2048);
	assert_int_equal(device->speed_bps, 100000000000);
	assert_int_equal(device->max_rdma_size, 1 << 30);
	assert_true(device->caps.rdma_read);
	assert_false(device->caps.rdma_write);
	assert_true(device->caps.rnr_retry);
	assert_true(device->caps.cq_with_sgid);
	assert_false(device->caps.unsolicited_write_recv);
	assert_true(device->caps.wide_wqe);
	assert_true(device->caps.cq_notification);
	assert_false(device->has_pci);
	assert_string_equal(device->driver, "");
	assert_int_equal(fake.warnings, 0);
	assert_int_equal(fake.cqs, 0);
	assert_int_equal(fake.channels, 0);
}

static void older_library(void **state)
{
	const struct dev_device *device;

	fake.efa.inline_buf_size_ex = 0;
	fake.no_doorbell = true;
	fake.failing = "efadv_get_max_sq_depth";
	fake.failing_errno = EOPNOTSUPP;
	device = &discover(0)->device[0];
	assert_false(device->caps.wide_wqe);
	assert_int_equal(device->inline_size_wide, 0);
	assert_int_equal(device->max_send_depth, 4096);
	assert_int_equal(device->max_send_depth_wide, 0);
	assert_false(device->caps.cq_notification);
}

static void device_without_events(void **state)
{
	fake.no_notification = true;
	assert_false(discover(0)->device[0].caps.cq_notification);
}

static void no_rdma_in_the_kernel(void **state)
{
	fake.devices = -1;
	fake.list_errno = ENOSYS;
	discover(-ENODEV);
	assert_int_equal(fake.warnings, 1);
	assert_warned("no EFA device");
	assert_warned("softefa run");
}

static void no_device(void **state)
{
	fake.devices = 0;
	discover(-ENODEV);
	assert_int_equal(fake.warnings, 1);
	assert_warned("libibverbs lists no RDMA device");
}

static void other_devices_alone(void **state)
{
	fake.devices = 2;
	fake.is_other[0] = fake.is_other[1] = true;
	discover(-ENODEV);
	assert_int_equal(fake.warnings, 1);
	assert_warned("of other kinds");
}

static void other_devices_are_skipped(void **state)
{
	const struct dev_list *list;

	fake.devices = 3;
	fake.is_other[0] = fake.is_other[2] = true;
	list = discover(0);
	assert_int_equal(list->count, 1);
	assert_string_equal(list->device[0].name, "efa_1");
	assert_int_equal(fake.warnings, 0);
}

static void no_rights(void **state)
{
	fake.devices = 3;
	for (int i = 0; i < 3; i++)
		fake.open_errno[i] = EACCES;
	discover(-EACCES);
	assert_int_equal(fake.warnings, 1);
	assert_warned("efa_0 and 2 others");
	assert_warned("/dev/infiniband/uverbs0");
	assert_warned("Permission denied");
}

static void one_of_three_opens(void **state)
{
	fake.devices = 3;
	fake.open_errno[0] = EPERM;
	fake.open_errno[2] = ENOSPC;
	assert_string_equal(discover(0)->device[0].name, "efa_1");
	assert_int_equal(fake.warnings, 2);
	assert_warned("uverbs2");
}

static void first_generation(void **state)
{
	fake.attr.vendor_part_id = 0xefa0;
	discover(-ENODEV);
	assert_int_equal(fake.warnings, 1);
	assert_warned("first generation");
}

static void each_query_may_fail(void **state)
{
	static const char *const steps[] = {
		"efadv_query_device", "query_device", "query_port",
		"query_gid", "create_comp_channel", "efadv_create_cq",
		"efadv_query_cq",
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		fake_verbs_install();
		fake.failing = steps[i];
		fake.failing_errno = EIO;
		discover(-ENODEV);
		assert_int_equal(fake.warnings, 1);
		assert_warned("Input/output error");
		dev_list_release();
		fake_verbs_assert_clean();
	}
}

/* That is over soon: nothing is left open, and the next call tries again. */
static void out_of_memory(void **state)
{
	const struct dev_list *list;

	fake.devices = 3;
	fake.open_errno[1] = ENOMEM;
	assert_int_equal(dev_list_get(&list), -ENOMEM);
	assert_int_equal(fake.warnings, 1);
	assert_warned("now");
	fake_verbs_assert_clean();
	fake.open_errno[1] = 0;
	fake.failing = "efadv_create_cq";
	fake.failing_errno = ENOMEM;
	assert_int_equal(dev_list_get(&list), -ENOMEM);
	fake_verbs_assert_clean();
	fake.failing = NULL;
	assert_int_equal(discover(0)->count, 3);
}

static void unknown_ring_form(void **state)
{
	fake.cq_entry_size = 16;
	discover(-ENODEV);
	assert_warned("completion queue");
}

static void port_without_mtu(void **state)
{
	fake.port.max_msg_sz = 0;
	discover(-ENODEV);
	assert_warned("MTU");
}

static void found_again_after_release(void **state)
{
	fake.devices = 0;
	discover(-ENODEV);
	dev_list_release();
	fake.devices = 2;
	assert_int_equal(discover(0)->count, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(healthy_device),
		TEST(older_library),
		TEST(device_without_events),
		TEST(no_rdma_in_the_kernel),
		TEST(no_device),
		TEST(other_devices_alone),
		TEST(other_devices_are_skipped),
		TEST(no_rights),
		TEST(one_of_three_opens),
		TEST(first_generation),
		TEST(each_query_may_fail),
		TEST(out_of_memory),
		TEST(unknown_ring_form),
		TEST(port_without_mtu),
		TEST(found_again_after_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
