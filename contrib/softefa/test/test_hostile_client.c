/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Processes that take what they can get of a daemon or feed it what they
 * like, and another client that must not notice.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
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
	const struct softefa_request hello = {
		.type = SOFTEFA_HELLO_CONTROL,
		.version = SOFTEFA_PROTOCOL_VERSION,
	};
	int fd;

	allow_all_descriptors();
	/* Becoming another user forgets what the parent's death does. */
	if (setuid(NOBODY) || prctl(PR_SET_PDEATHSIG, SIGKILL))
		_exit(1);
	fd = wire_connect(*state);
	if (wire_ask(fd, &hello, NULL, NULL) != -EACCES)
		_exit(1);
	close(fd);
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

static void take_a_red_name(void **state)
{
	prctl(PR_SET_NAME, "\033[31m\tred");
	wire_open_uverbs(*state, 0);
}

/* What a process calls itself is shown to people, on terminals. */
static void test_name(void **state)
{
	pid_t child = start_hostile(state, take_a_red_name);
	int control = wire_open_control(*state);

	assert_non_null(strstr(wire_show(control), "(?[31m?red)"));
	assert_null(strchr(wire_show(control), '\033'));
	close(control);
	end_hostile(child);
}

/* Lets the next process have the number @pid. False without the right. */
static bool choose_next_pid(pid_t pid)
{
	FILE *file = fopen("/proc/sys/kernel/ns_last_pid", "w");
	bool chosen = file && fprintf(file, "%d", (int)pid - 1) > 0;

	return file && !fclose(file) && chosen;
}

/* The child that asks ends before the daemon looks at what it asked. */
static pid_t ask_and_end(int fd, const struct softefa_request *request,
			 int reply)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		wire_send_with_fd(fd, request, reply);
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	return child;
}

/*
 * Starts a process with the number @pid, whose status is 0 when *@word is
 * still 12345 once @go can be read; -1 when that number cannot be had.
 */
static pid_t start_as(const struct wire_daemon *daemon, pid_t pid, int go,
		      const volatile uint32_t *word)
{
	pid_t child;
	char byte;

	/* Others may start processes as well: once more. */
	for (int i = 0; i < 100 && choose_next_pid(pid); i++) {
		child = fork();
		if (child == 0) {
			close(daemon->life_fd);
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			_exit(read(go, &byte, 1) == 1 && *word == 12345 ?
			      0 : 1);
		}
		assert_true(child > 0);
		if (child == pid)
			return child;
		end_hostile(child);
	}
	return -1;
}

/*
 * A request of a process that is gone, whose number is another's by now: the
 * memory at the same place in that one must stay as it is.
 */
static void test_reused_pid(void **state)
{
	static struct wire_frame frame;
	static uint32_t pd = 12345;
	const struct softefa_request request = {
		.type = SOFTEFA_IOCTL,
		.addr = (uintptr_t)&frame,
	};
	const struct wire_daemon *daemon = *state;
	int fd = wire_open_uverbs(*state, 0), pair[2], go[2], status = -1;
	struct softefa_answer answer;
	pid_t gone, other;

	assert_int_equal(wire_get_context(fd), 0);
	wire_frame_alloc_pd(&frame, &pd);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	assert_int_equal(pipe(go), 0);
	kill(daemon->pid, SIGSTOP);
	gone = ask_and_end(fd, &request, pair[1]);
	close(pair[1]);
	other = start_as(daemon, gone, go[0], &pd);
	kill(daemon->pid, SIGCONT);
	if (other > 0) {
		assert_int_equal(recv(pair[0], &answer, sizeof(answer), 0),
				 sizeof(answer));
		assert_int_equal(answer.result, -ESRCH);
	}
	assert_int_equal(write(go[1], "x", 1), 1);
	if (other > 0)
		assert_int_equal(waitpid(other, &status, 0), other);
	close(pair[0]);
	close(go[0]);
	close(go[1]);
	close(fd);
	if (other < 0)
		skip();
	assert_int_equal(status, 0);
}

/* As many descriptors on the way as the kernel allows a user. */
static void fill_the_way(int pair[2])
{
	union {
		struct cmsghdr cmsg;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	char byte = 0;
	const int passed = STDERR_FILENO;
	struct iovec iov = { &byte, 1 };
	struct msghdr hdr = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	control.cmsg.cmsg_level = SOL_SOCKET;
	control.cmsg.cmsg_type = SCM_RIGHTS;
	control.cmsg.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.cmsg), &passed, sizeof(passed));
	while (sendmsg(pair[1], &hdr, MSG_DONTWAIT) == 1)
		;
	assert_int_equal(errno, ETOOMANYREFS);
}

static void check_full_way(void)
{
	struct softefa_request map = { .type = SOFTEFA_MMAP };
	struct wire_daemon daemon;
	int fd, pair[2];
	struct wire_cq cq;

	wire_daemon_start(&daemon, 1);
	fd = wire_open_uverbs(&daemon, 0);
	assert_int_equal(wire_get_context(fd), 0);
	assert_int_equal(wire_create_cq(fd, 16, -1, &cq), 0);
	map.addr = cq.ring_key;
	map.length = cq.ring_bytes;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	fill_the_way(pair);
	assert_int_equal(wire_ask(fd, &map, NULL, NULL), -EMFILE);
	close(pair[0]);
	close(pair[1]);
	assert_int_equal(wire_ask(fd, &map, NULL, NULL), 0);
	close(daemon.life_fd);
	assert_int_equal(wire_daemon_wait(&daemon), 0);
}

/* The kernel counts them by user: no client is to pay for another's. */
static void test_descriptors_on_the_way(void **state)
{
	const struct rlimit few = { 128, 128 };
	int status;
	pid_t child;

	(void)state;
	if (geteuid())
		skip();
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (setrlimit(RLIMIT_NOFILE, &few) || setuid(NOBODY) ||
		    prctl(PR_SET_DUMPABLE, 1))
			_exit(1);
		check_full_way();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* A connected socket with unsent data that is to linger, and its peer's. */
static int lingering_socket(int *listener, int *peer)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const struct linger linger = { .l_onoff = 1, .l_linger = 60 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(addr);
	static char data[65536];

	*listener = socket(AF_INET, SOCK_STREAM, 0);
	if (fd < 0 || bind(*listener, (struct sockaddr *)&addr, len) ||
	    listen(*listener, 1) ||
	    getsockname(*listener, (struct sockaddr *)&addr, &len) ||
	    connect(fd, (struct sockaddr *)&addr, len))
		return -1;
	*peer = accept(*listener, NULL, NULL);
	while (send(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger,
				    sizeof(linger)), 0);
	return fd;
}

/* The daemon closes it last, which takes a minute if done without care. */
static void test_lingering_socket(void **state)
{
	const struct softefa_request request = { .type = SOFTEFA_IOCTL };
	const struct wire_daemon *daemon = *state;
	int listener = -1, peer = -1;
	int linger = lingering_socket(&listener, &peer);
	struct pollfd end = { .events = POLLIN };

	if (linger < 0)
		skip();
	end.fd = wire_open_uverbs(*state, 0);
	kill(daemon->pid, SIGSTOP);
	wire_send_with_fd(end.fd, &request, linger);
	close(linger);
	kill(daemon->pid, SIGCONT);
	/* It disconnects who asks for answers there. */
	assert_int_equal(poll(&end, 1, 30000), 1);
	close(peer);
	close(listener);
	close(end.fd);
}

#define ON_DAEMON(test)	cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_DAEMON(test_other_user),
		ON_DAEMON(test_silent_connections),
		ON_DAEMON(test_hoarded_descriptors),
		ON_DAEMON(test_name),
		ON_DAEMON(test_reused_pid),
		ON_DAEMON(test_lingering_socket),
		cmocka_unit_test(test_descriptors_on_the_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
