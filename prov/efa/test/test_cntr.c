/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/cntr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include <rdma/fi_errno.h>

#include "compat/log.h"

static struct dev_device device;	/* without counters of its own */
static struct fabric_domain domain = { .device = &device };
static struct fid_cntr *cntr;

static int set_up(void **state)
{
	struct fi_cntr_attr attr = { .wait_obj = FI_WAIT_UNSPEC };

	fabric_reference_init(&domain.users);
	return fabric_cntr_open(&domain.fid, &attr, &cntr, NULL);
}

static int tear_down(void **state)
{
	return fi_close(&cntr->fid) || fabric_reference_is_used(&domain.users);
}

static void counts_and_takes_values(void **state)
{
	assert_int_equal(fi_cntr_read(cntr), 0);
	fabric_cntr_add(fabric_cntr_of(cntr), 3);
	assert_int_equal(fi_cntr_add(cntr, 4), 0);
	assert_int_equal(fi_cntr_read(cntr), 7);
	assert_int_equal(fi_cntr_set(cntr, 1), 0);
	assert_int_equal(fi_cntr_read(cntr), 1);
	fabric_cntr_add_error(fabric_cntr_of(cntr));
	assert_int_equal(fi_cntr_adderr(cntr, 2), 0);
	assert_int_equal(fi_cntr_readerr(cntr), 3);
	assert_int_equal(fi_cntr_seterr(cntr, 0), 0);
	assert_int_equal(fi_cntr_readerr(cntr), 0);
	assert_int_equal(fi_cntr_read(cntr), 1);
}

static void wait_ends_by_value_error_or_time(void **state)
{
	fi_cntr_set(cntr, 5);
	assert_int_equal(fi_cntr_wait(cntr, 5, -1), 0);
	assert_int_equal(fi_cntr_wait(cntr, 6, 0), -FI_ETIMEDOUT);
	assert_int_equal(fi_cntr_wait(cntr, 6, 3), -FI_ETIMEDOUT);
	/* errors that were there before do not end it */
	fi_cntr_adderr(cntr, 1);
	assert_int_equal(fi_cntr_wait(cntr, 6, 3), -FI_ETIMEDOUT);
}

static unsigned int runs;

/* A queue that has a completion every third time. */
static void take_completions(void *arg)
{
	if (++runs % 3 == 0)
		fabric_cntr_add(arg, 1);
}

static void fail_in_the_end(void *arg)
{
	if (++runs == 100)
		fabric_cntr_add_error(arg);
}

static void reading_drives_the_queues(void **state)
{
	struct fabric_cntr *counter = fabric_cntr_of(cntr);

	runs = 0;
	assert_int_equal(fabric_cntr_hook(counter, take_completions, counter),
			 0);
	assert_int_equal(fabric_cntr_hook(counter, take_completions, counter),
			 0);
	fi_cntr_read(cntr);
	assert_int_equal(runs, 1);
	/* longer than the polls that make no pause */
	assert_int_equal(fi_cntr_wait(cntr, 40, -1), 0);
	assert_int_equal(runs, 120);
	fabric_cntr_unhook(counter, take_completions, counter);
	fi_cntr_read(cntr);
	assert_int_equal(runs, 121);
	fabric_cntr_unhook(counter, take_completions, counter);
	fi_cntr_read(cntr);
	assert_int_equal(runs, 121);
}

static void a_failure_ends_the_wait(void **state)
{
	struct fabric_cntr *counter = fabric_cntr_of(cntr);

	runs = 0;
	fabric_cntr_hook(counter, fail_in_the_end, counter);
	assert_int_equal(fi_cntr_wait(cntr, 1, -1), -FI_EAVAIL);
	fabric_cntr_unhook(counter, fail_in_the_end, counter);
}

static void *add_slowly(void *arg)
{
	for (unsigned int i = 0; i < 1000; i++)
		fabric_cntr_add(arg, 1);
	return NULL;
}

static void another_thread_ends_the_wait(void **state)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_slowly,
						fabric_cntr_of(cntr)), 0);
	assert_int_equal(fi_cntr_wait(cntr, 2000, -1), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(fi_cntr_read(cntr), 2000);
}

static void swallow(enum fi_log_level level, const char *text)
{
}

static void what_is_not_there_is_refused(void **state)
{
	struct fi_cntr_attr bytes = { .events = 1 };
	struct fi_cntr_attr fd = { .wait_obj = FI_WAIT_FD };
	struct fi_cntr_attr flags = { .flags = 1 };
	struct fid_cntr *other;

	compat_log_redirect(swallow);
	assert_int_equal(fabric_cntr_open(&domain.fid, &bytes, &other, NULL),
			 -FI_ENOSYS);
	assert_int_equal(fabric_cntr_open(&domain.fid, &fd, &other, NULL),
			 -FI_ENOSYS);
	assert_int_equal(fabric_cntr_open(&domain.fid, &flags, &other, NULL),
			 -FI_EINVAL);
	compat_log_redirect(NULL);
	fabric_reference_get(&fabric_cntr_of(cntr)->users);
	assert_int_equal(fi_close(&cntr->fid), -FI_EBUSY);
	fabric_reference_put(&fabric_cntr_of(cntr)->users);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(counts_and_takes_values),
		TEST(wait_ends_by_value_error_or_time),
		TEST(reading_drives_the_queues),
		TEST(a_failure_ends_the_wait),
		TEST(another_thread_ends_the_wait),
		TEST(what_is_not_there_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
