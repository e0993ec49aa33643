/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Completion queues, protection domains and memory as verbs objects: what is
 * asked of verbs, and that a failure half-way leaves nothing behind. */
#include "dev/cq_create.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dev/mem_region.h"
#include "fake_verbs.h"

static const struct dev_device *device;

static int begin(void **state)
{
	const struct dev_list *list;

	fake_verbs_install();
	fake.efa.device_caps |= COMPAT_EFADV_UNSOLICITED_WRITE_RECV;
	assert_int_equal(dev_list_get(&list), 0);
	device = &list->device[0];
	return 0;
}

static int end(void **state)
{
	dev_list_release();
	fake_verbs_assert_clean();
	return 0;
}

static void plain(void **state)
{
	struct dev_cq_attr attr = { .depth = 100 };
	struct dev_cq cq;

	assert_int_equal(dev_cq_create(device, &attr, &cq), 0);
	assert_null(cq.channel);
	assert_int_equal(cq.geometry.num_entries, 128);
	assert_int_equal(cq.geometry.entry_size, 32);
	assert_non_null(cq.geometry.buffer);
	assert_non_null(cq.geometry.doorbell);
	assert_false(cq.with_sgid);
	assert_int_equal(fake.cq_efa.wc_flags, 0);
	assert_int_equal(dev_cq_destroy(&cq), 0);
}

static void with_everything(void **state)
{
	struct dev_cq_attr attr = {
		.depth = 64, .wait = true, .sgid = true, .unsolicited = true,
		.comp_vector = 5,
	};
	struct dev_cq cq;

	assert_int_equal(dev_cq_create(device, &attr, &cq), 0);
	assert_non_null(cq.channel);
	assert_true(cq.with_sgid);
	assert_int_equal(fake.cq_efa.wc_flags,
			 COMPAT_EFADV_WC_WITH_SGID |
			 COMPAT_EFADV_WC_WITH_IS_UNSOLICITED);
	assert_int_equal(fake.cq_vector, 1);
	assert_int_equal(dev_cq_destroy(&cq), 0);
}

static void events(void **state)
{
	struct dev_cq_attr attr = { .depth = 64, .wait = true };
	struct dev_cq cq;

	assert_int_equal(dev_cq_create(device, &attr, &cq), 0);
	assert_int_equal(dev_cq_take_event(&cq), 0);
	fake.events = 2;
	assert_int_equal(dev_cq_take_event(&cq), 1);
	assert_int_equal(fake.acknowledged, 1);
	assert_int_equal(dev_cq_take_event(&cq), 1);
	assert_int_equal(dev_cq_take_event(&cq), 0);
	assert_int_equal(fake.acknowledged, 2);
	fake.failing = "get_cq_event";
	fake.failing_errno = EIO;
	assert_int_equal(dev_cq_take_event(&cq), -EIO);
	fake.failing = NULL;
	assert_int_equal(dev_cq_destroy(&cq), 0);
}

static void refused(const struct dev_cq_attr *attr, int expected)
{
	struct dev_cq cq = { .with_sgid = true };
	int warnings = fake.warnings;

	assert_int_equal(dev_cq_create(device, attr, &cq), expected);
	assert_int_equal(fake.warnings, warnings + 1);
	assert_true(cq.with_sgid);
	assert_int_equal(fake.cqs, 0);
	assert_int_equal(fake.channels, 0);
}

static void beyond_the_device(void **state)
{
	struct dev_device lesser = *device;

	refused(&(struct dev_cq_attr) { .depth = 65537 }, -EINVAL);
	refused(&(struct dev_cq_attr) { .depth = 0 }, -EINVAL);
	lesser.caps.cq_notification = false;
	lesser.caps.unsolicited_write_recv = false;
	device = &lesser;
	refused(&(struct dev_cq_attr) { .depth = 1, .wait = true },
		-EOPNOTSUPP);
	refused(&(struct dev_cq_attr) { .depth = 1, .unsolicited = true },
		-EOPNOTSUPP);
}

static void failing_steps(void **state)
{
	const struct dev_cq_attr attr = { .depth = 8, .wait = true };

	fake.failing_errno = ENOSPC;
	fake.failing = "create_comp_channel";
	refused(&attr, -ENOSPC);
	fake.failing = "efadv_create_cq";
	refused(&attr, -ENOSPC);
	fake.failing = "efadv_query_cq";
	refused(&attr, -ENOSPC);
	fake.failing = NULL;
	fake.cq_entry_size = 64;
	refused(&attr, -EOPNOTSUPP);
	fake.cq_entry_size = 32;
	fake.no_doorbell = true;
	refused(&attr, -EOPNOTSUPP);
}

static void busy_cq_stays(void **state)
{
	struct dev_cq_attr attr = { .depth = 8, .wait = true };
	struct dev_cq cq;

	assert_int_equal(dev_cq_create(device, &attr, &cq), 0);
	fake.failing = "destroy_cq";
	fake.failing_errno = EBUSY;
	assert_int_equal(dev_cq_destroy(&cq), -EBUSY);
	assert_int_equal(fake.channels, 1);
	fake.failing = NULL;
	assert_int_equal(dev_cq_destroy(&cq), 0);
}

static void protection_domain(void **state)
{
	struct dev_pd pd;

	fake.failing = "alloc_pd";
	fake.failing_errno = ENOMEM;
	assert_int_equal(dev_pd_create(device, &pd), -ENOMEM);
	fake.failing = "dealloc_pd";
	fake.failing_errno = EBUSY;
	assert_int_equal(dev_pd_create(device, &pd), 0);
	assert_int_equal(dev_pd_destroy(&pd), -EBUSY);
	assert_int_equal(fake.warnings, 2);
	fake.failing = NULL;
	assert_int_equal(dev_pd_destroy(&pd), 0);
}

static void memory(void **state)
{
	struct dev_pd pd;
	struct dev_mr mr;
	char buf[8];

	assert_int_equal(dev_pd_create(device, &pd), 0);
	assert_int_equal(dev_mr_create(&pd, buf, sizeof(buf), 1, &mr), 0);
	assert_int_equal(mr.lkey, 5);
	assert_int_equal(mr.rkey, 6);
	fake.failing = "dereg_mr";
	fake.failing_errno = EBUSY;
	assert_int_equal(dev_mr_destroy(&mr), -EBUSY);
	fake.failing = "reg_mr";
	fake.failing_errno = EFAULT;
	assert_int_equal(dev_mr_destroy(&mr), 0);
	fake.warnings = 0;
	assert_int_equal(dev_mr_create(&pd, buf, 8, 1, &mr), -EFAULT);
	assert_int_equal(dev_mr_create_dmabuf(&pd, 0, 8, 0, 3, 1, &mr),
			 -EFAULT);
	assert_int_equal(fake.warnings, 0);
	assert_int_equal(dev_pd_destroy(&pd), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(plain),
		TEST(with_everything),
		TEST(events),
		TEST(beyond_the_device),
		TEST(failing_steps),
		TEST(busy_cq_stays),
		TEST(protection_domain),
		TEST(memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
