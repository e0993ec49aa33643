/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Processes that take what they can get of a daemon or feed it what they
 * like, and another client that must not notice.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "daemon/session.h"
#include "wire_client.h"

#define NOBODY	65534

static int start(void **state)
{
	static struct wire_daemon daemon;

	wire_daemon_start(&daemon, 1);
	*state = &daemon;
	return 0;
}

static int stop(void **state)
{
	struct wire_daemon *daemon = *state;

	close(daemon->life_fd);
	assert_int_equal(wire_daemon_wait(daemon), 0);
	return 0;
}

/* What is in order for a client that has done nothing wrong. */
static void check_served(void **state)
{
	int fd = wire_open_uverbs(*state, 0);
	uint32_t pd;

	assert_int_equal(wire_get_context(fd), 0);
	assert_int_equal(wire_alloc_pd(fd, &pd), 0);
	close(wire_create_channel(fd));
	close(fd);
}

/* Runs @deed in a process that then waits to be killed. */
static pid_t start_hostile(void **state, void (*deed)(void **state))
{
	struct wire_daemon *daemon = *state;
	int ready[2];
	pid_t child;
	char byte;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(ready[0]);
		close(daemon->life_fd);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		deed(state);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return child;
}

static void end_hostile(pid_t child)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void allow_all_descriptors(void)
{
	struct rlimit files;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	files.rlim_cur = files.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
}

/* Abstract names have no permissions: any user can connect, and wait. */
static void connect_as_nobody(void **state)
{
	allow_all_descriptors();
	/* Becoming another user forgets what the parent's death does. */
	if (setuid(NOBODY) || prctl(PR_SET_PDEATHSIG, SIGKILL))
		_exit(1);
	for (unsigned i = 0; i < SESSION_MAX + 100; i++)
		wire_connect(*state);
}

static void test_other_user(void **state)
{
	pid_t child;

	if (geteuid())
		skip();
	child = start_hostile(state, connect_as_nobody);
	check_served(state);
	end_hostile(child);
	check_served(state);
}

static void connect_silently(void **state)
{
	allow_all_descriptors();
	for (unsigned i = 0; i < SESSION_MAX + 100; i++)
		wire_connect(*state);
}

static void test_silent_connections(void **state)
{
	pid_t child = start_hostile(state, connect_silently);

	check_served(state);
	end_hostile(child);
}

/* As many channels as it gets, in as many contexts as it gets. */
static void hoard_channels(void **state)
{
	const struct softefa_request hello = {
		.type = SOFTEFA_HELLO_UVERBS,
		.version = SOFTEFA_PROTOCOL_VERSION,
	};
	int fd, channel;

	allow_all_descriptors();
	for (;;) {
		fd = wire_connect(*state);
		if (wire_ask(fd, &hello, NULL, NULL) || wire_get_context(fd))
			return;
		do {
			channel = wire_try_channel(fd);
		} while (channel >= 0);
	}
}

static void test_hoarded_descriptors(void **state)
{
	pid_t child = start_hostile(state, hoard_channels);

	check_served(state);
	end_hostile(child);
	check_served(state);
}

#define ON_DAEMON(test)	cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_DAEMON(test_other_user),
		ON_DAEMON(test_silent_connections),
		ON_DAEMON(test_hoarded_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
