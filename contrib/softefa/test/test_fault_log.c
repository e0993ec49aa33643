/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "daemon/fault_log.h"

/* stderr is a pipe while a test runs. */
struct captured {
	int before;
	int read_fd;
};

static int capture(void **state)
{
	static struct captured captured;
	int fd[2];

	if (pipe(fd) || fcntl(fd[0], F_SETFL, O_NONBLOCK))
		return -1;
	fflush(stderr);
	captured.before = dup(STDERR_FILENO);
	captured.read_fd = fd[0];
	dup2(fd[1], STDERR_FILENO);
	close(fd[1]);
	*state = &captured;
	return 0;
}

static int release(void **state)
{
	struct captured *captured = *state;

	dup2(captured->before, STDERR_FILENO);
	close(captured->before);
	close(captured->read_fd);
	return 0;
}

/* What lies in the pipe, at most @size - 1 bytes of it. */
static void take_text(const struct captured *captured, char *text,
		      size_t size)
{
	ssize_t n = read(captured->read_fd, text, size - 1);

	text[n < 0 ? 0 : n] = '\0';
}

static unsigned count_lines(const char *text)
{
	unsigned count = 0;

	for (; (text = strchr(text, '\n')); text++)
		count++;
	return count;
}

static void await_next_second(void)
{
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &start);
	do {
		poll(NULL, 0, 10);
		clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	} while (now.tv_sec == start.tv_sec);
}

static void test_kept_lines(void **state)
{
	(void)state;
	fault_log_init(false, -1);
	assert_null(fault_log_line(0));
	for (int i = 0; i < 20; i++)
		fault_log("fault %d", i);
	assert_int_equal(fault_log_count(), 20);
	assert_string_equal(fault_log_line(0), "fault 19");
	assert_string_equal(fault_log_line(FAULT_LOG_KEPT - 1), "fault 4");
	assert_null(fault_log_line(FAULT_LOG_KEPT));
}

static void test_flood(void **state)
{
	char text[16384];

	fault_log_init(true, -1);
	await_next_second();
	for (int i = 0; i < 1000; i++)
		fault_log("fault %d", i);
	take_text(*state, text, sizeof(text));
	assert_int_equal(count_lines(text), FAULT_LOG_PER_SECOND);
	await_next_second();
	fault_log("one of another second");
	take_text(*state, text, sizeof(text));
	assert_non_null(strstr(text, "980 more faults\n"));
	assert_non_null(strstr(text, "one of another second\n"));
}

/* Fills the pipe; the alarm ends a fault that waits for room. */
static void test_full_pipe(void **state)
{
	const struct captured *captured = *state;
	static char text[1 << 20];
	char fill[4096];

	memset(fill, 'x', sizeof(fill));
	assert_int_equal(fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK), 0);
	while (write(STDERR_FILENO, fill, sizeof(fill)) > 0)
		;
	assert_int_equal(errno, EAGAIN);
	assert_int_equal(fcntl(STDERR_FILENO, F_SETFL, 0), 0);
	fault_log_init(true, -1);
	alarm(20);
	fault_log("nobody reads this");
	alarm(0);
	assert_string_equal(fault_log_line(0), "nobody reads this");
	take_text(captured, text, sizeof(text));
	await_next_second();
	fault_log("somebody reads this");
	take_text(captured, text, sizeof(text));
	assert_string_equal(text, "softefa: 1 more faults\n"
			    "softefa: somebody reads this\n");
}

#define CAPTURED(test)	cmocka_unit_test_setup_teardown(test, capture, release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept_lines),
		CAPTURED(test_flood),
		CAPTURED(test_full_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
