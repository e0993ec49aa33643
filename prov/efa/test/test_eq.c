/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/eq.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rdma/fi_errno.h>

#include "compat/log.h"

static struct fabric_fabric fabric;
static struct fid_eq *eq;

static int open_eq(enum fi_wait_obj wait_obj, uint64_t flags)
{
	struct fi_eq_attr attr = { .wait_obj = wait_obj, .flags = flags };

	fabric = (struct fabric_fabric) {
		.fid.api_version = FI_VERSION(1, 17),
	};
	fabric_reference_init(&fabric.users);
	return fabric_eq_open(&fabric.fid, &attr, &eq, NULL);
}

static int set_up(void **state)
{
	return open_eq(FI_WAIT_UNSPEC, FI_WRITE);
}

static int tear_down(void **state)
{
	return fi_close(&eq->fid) || fabric_reference_is_used(&fabric.users);
}

static bool fd_is_readable(void)
{
	struct pollfd poll_fd = { .events = POLLIN };

	assert_int_equal(fi_control(&eq->fid, FI_GETWAIT, &poll_fd.fd), 0);
	return poll(&poll_fd, 1, 0) == 1;
}

static void post(int err, const char *text)
{
	assert_int_equal(fabric_eq_post_error(fabric_eq_of(eq), &eq->fid, err,
					      13, text), 0);
}

static void events_come_in_order(void **state)
{
	struct fi_eq_entry entry = { .data = 1 }, got;
	uint32_t event;

	assert_int_equal(fi_eq_read(eq, &event, &got, sizeof(got), 0),
			 -FI_EAGAIN);
	assert_int_equal(fi_eq_write(eq, FI_NOTIFY, &entry, sizeof(entry), 0),
			 sizeof(entry));
	entry.data = 2;
	fi_eq_write(eq, FI_SHUTDOWN, &entry, sizeof(entry), 0);
	assert_int_equal(fi_eq_read(eq, &event, &got, sizeof(got), FI_PEEK),
			 sizeof(got));
	assert_int_equal(fi_eq_read(eq, &event, &got, 1, 0), -FI_ETOOSMALL);
	assert_int_equal(fi_eq_read(eq, &event, &got, sizeof(got), 0),
			 sizeof(got));
	assert_int_equal(event, FI_NOTIFY);
	assert_int_equal(got.data, 1);
	fi_eq_read(eq, &event, &got, sizeof(got), 0);
	assert_int_equal(event, FI_SHUTDOWN);
	assert_int_equal(got.data, 2);
}

static void an_error_stands_in_the_way_until_read(void **state)
{
	struct fi_eq_err_entry entry = { 0 };
	struct fi_eq_entry got;
	uint32_t event;

	assert_int_equal(fi_eq_readerr(eq, &entry, 0), -FI_EAGAIN);
	post(FI_EIO, "the device is gone");
	assert_int_equal(fi_eq_read(eq, &event, &got, sizeof(got), 0),
			 -FI_EAVAIL);
	assert_int_equal(fi_eq_sread(eq, &event, &got, sizeof(got), -1, 0),
			 -FI_EAVAIL);
	assert_int_equal(fi_eq_readerr(eq, &entry, 0), sizeof(entry));
	assert_int_equal(entry.err, FI_EIO);
	assert_int_equal(entry.prov_errno, 13);
	assert_ptr_equal(entry.fid, &eq->fid);
	assert_string_equal(entry.err_data, "the device is gone");
	assert_int_equal(entry.err_data_size, 19);
	assert_int_equal(fi_eq_read(eq, &event, &got, sizeof(got), 0),
			 -FI_EAGAIN);
}

static void the_text_is_cut_to_the_applications_buffer(void **state)
{
	char buf[8] = "";
	struct fi_eq_err_entry entry = {
		.err_data = buf, .err_data_size = 4,
	};

	post(FI_EIO, "the device");
	fi_eq_readerr(eq, &entry, 0);
	assert_ptr_equal(entry.err_data, buf);
	assert_int_equal(entry.err_data_size, 4);
	assert_memory_equal(buf, "the \0", 5);
	post(FI_EIO, NULL);
	entry = (struct fi_eq_err_entry) {
		.err_data = buf, .err_data_size = 4,
	};
	fi_eq_readerr(eq, &entry, 0);
	assert_int_equal(entry.err_data_size, 0);
}

/* Its structure has no err_data_size: what lies there is its own. */
static void an_old_application_keeps_what_follows_the_entry(void **state)
{
	struct fi_eq_err_entry entry = { .err_data_size = 4 };
	char buf[8] = "mine";

	fabric.fid.api_version = FI_VERSION(1, 4);
	entry.err_data = buf;
	post(FI_EIO, "the device is gone");
	assert_int_equal(fi_eq_readerr(eq, &entry, 0),
			 offsetof(struct fi_eq_err_entry, err_data_size));
	assert_int_equal(entry.err, FI_EIO);
	assert_string_equal(entry.err_data, "the device is gone");
	assert_int_equal(entry.err_data_size, 4);
	assert_string_equal(buf, "mine");
}

static void the_descriptor_tells_whether_there_is_something(void **state)
{
	struct fi_eq_err_entry error = { 0 };
	struct fid_eq *queue = eq;

	assert_false(fd_is_readable());
	assert_int_equal(fabric_eq_trywait(fabric_eq_of(queue)), 0);
	post(FI_EIO, NULL);
	post(FI_EIO, NULL);
	assert_true(fd_is_readable());
	assert_int_equal(fabric_eq_trywait(fabric_eq_of(queue)), -FI_EAGAIN);
	fi_eq_readerr(eq, &error, 0);
	assert_true(fd_is_readable());
	fi_eq_readerr(eq, &error, 0);
	assert_false(fd_is_readable());
}

static void *write_one(void *arg)
{
	fi_eq_write(eq, FI_NOTIFY, NULL, 0, 0);
	return NULL;
}

static void sread_waits_for_an_event_or_the_time(void **state)
{
	pthread_t thread;
	uint32_t event = 0;

	assert_int_equal(fi_eq_sread(eq, &event, NULL, 0, 5, 0), -FI_EAGAIN);
	assert_int_equal(pthread_create(&thread, NULL, write_one, NULL), 0);
	assert_int_equal(fi_eq_sread(eq, &event, NULL, 0, -1, 0), 0);
	assert_int_equal(event, FI_NOTIFY);
	pthread_join(thread, NULL);
}

static void an_unread_queue_stops_growing(void **state)
{
	unsigned int posted = 0;

	while (!fabric_eq_post_error(fabric_eq_of(eq), &eq->fid, FI_EIO, 0,
				     "x"))
		posted++;
	assert_int_equal(posted, 1024);
	assert_int_equal(fi_eq_write(eq, FI_NOTIFY, NULL, 0, 0), -FI_EAGAIN);
}

static void swallow(enum fi_log_level level, const char *text)
{
}

static void what_is_not_asked_for_is_refused(void **state)
{
	struct fi_eq_attr mutex = { .wait_obj = FI_WAIT_MUTEX_COND };
	struct fid_eq *other;
	uint32_t event;
	int fd;

	assert_int_equal(open_eq(FI_WAIT_NONE, 0), 0);
	assert_int_equal(fi_eq_write(eq, FI_NOTIFY, NULL, 0, 0), -FI_EINVAL);
	assert_int_equal(fi_eq_sread(eq, &event, NULL, 0, 0, 0), -FI_EINVAL);
	assert_int_equal(fi_control(&eq->fid, FI_GETWAIT, &fd), -FI_ENOSYS);
	compat_log_redirect(swallow);
	assert_int_equal(fabric_eq_open(&fabric.fid, &mutex, &other, NULL),
			 -FI_ENOSYS);
	compat_log_redirect(NULL);
	fabric_reference_get(&fabric_eq_of(eq)->users);
	assert_int_equal(fi_close(&eq->fid), -FI_EBUSY);
	fabric_reference_put(&fabric_eq_of(eq)->users);
	assert_int_equal(fi_close(&eq->fid), 0);
}

static void strerror_prefers_what_was_said(void **state)
{
	char buf[5];

	assert_int_equal(open_eq(FI_WAIT_NONE, 0), 0);
	assert_string_equal(fi_eq_strerror(eq, 13, "said", NULL, 0), "said");
	assert_non_null(fi_eq_strerror(eq, 13, NULL, NULL, 0));
	assert_string_equal(fi_eq_strerror(eq, 13, "longer", buf,
					   sizeof(buf)), "long");
	assert_int_equal(fi_close(&eq->fid), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(events_come_in_order),
		TEST(an_error_stands_in_the_way_until_read),
		TEST(the_text_is_cut_to_the_applications_buffer),
		TEST(an_old_application_keeps_what_follows_the_entry),
		TEST(the_descriptor_tells_whether_there_is_something),
		TEST(sread_waits_for_an_event_or_the_time),
		TEST(an_unread_queue_stops_growing),
		cmocka_unit_test(what_is_not_asked_for_is_refused),
		cmocka_unit_test(strerror_prefers_what_was_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
