/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A daemon in a process of its own, and clients that mean it harm. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "daemon/client_quota.h"
#include "daemon/session.h"
#include "wire_client.h"

static int start(void **state)
{
	static struct wire_daemon daemon;

	wire_daemon_start(&daemon, 2);
	*state = &daemon;
	return 0;
}

/* Whatever a test did to it, the daemon still serves and ends in order. */
static int stop(void **state)
{
	struct wire_daemon *daemon = *state;
	const struct softefa_request request = { .type = SOFTEFA_STOP };
	int control = wire_open_control(daemon);

	assert_int_equal(wire_ask(control, &request, NULL, NULL), 0);
	close(control);
	assert_int_equal(wire_daemon_wait(daemon), 0);
	close(daemon->life_fd);
	return 0;
}

static int uverbs(void **state)
{
	int fd = wire_open_uverbs(*state, 0);

	assert_int_equal(wire_get_context(fd), 0);
	return fd;
}

/* Waits until no context is left, as the daemon tells it. */
static void await_no_contexts(void **state)
{
	int control = wire_open_control(*state);
	struct timespec pause = { .tv_nsec = 10000000 };

	for (unsigned i = 0; strstr(wire_show(control), "client pid"); i++) {
		assert_true(i < 1000);
		nanosleep(&pause, NULL);
	}
	assert_null(strstr(wire_show(control), "pds                1"));
	close(control);
}

static void test_bad_hello(void **state)
{
	struct softefa_request hello = {
		.type = SOFTEFA_HELLO_CONTROL,
		.version = SOFTEFA_PROTOCOL_VERSION + 1,
	};
	char room[100] = { 0 };
	int fd;

	fd = wire_connect(*state);
	assert_int_equal(wire_ask(fd, &hello, NULL, NULL), -EPROTO);
	assert_int_equal(wire_ask(fd, &hello, NULL, NULL), -ENODATA);
	close(fd);
	hello.version = SOFTEFA_PROTOCOL_VERSION;
	hello.type = SOFTEFA_IOCTL;
	fd = wire_connect(*state);
	assert_int_equal(wire_ask(fd, &hello, NULL, NULL), -EPROTO);
	close(fd);
	hello.type = SOFTEFA_HELLO_UVERBS;
	hello.device = 2;
	fd = wire_connect(*state);
	assert_int_equal(wire_ask(fd, &hello, NULL, NULL), -ENODEV);
	close(fd);
	for (unsigned len = 1; len <= sizeof(room); len += 33) {
		fd = wire_connect(*state);
		assert_int_equal(send(fd, room, len, 0), len);
		assert_true(recv(fd, room, sizeof(room), 0) <= 0);
		close(fd);
	}
}

static void test_wrong_kind(void **state)
{
	struct softefa_request request = { .type = SOFTEFA_STOP };
	int fd = uverbs(state);

	assert_int_equal(wire_ask(fd, &request, NULL, NULL), -EPROTO);
	close(fd);
	fd = wire_open_control(*state);
	request.type = SOFTEFA_IOCTL;
	assert_int_equal(wire_ask(fd, &request, NULL, NULL), -EPROTO);
	assert_int_equal(wire_ask(fd, &request, NULL, NULL), -ENODATA);
	close(fd);
}

/* A control request that brings @count times the descriptor @passed. */
static int ask_with_fds(int fd, uint32_t type, int passed, unsigned count)
{
	struct softefa_request request = { .type = type };
	struct softefa_answer answer;
	struct iovec iov = { &request, sizeof(request) };
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control = { 0 };
	int fds[2] = { passed, passed };
	struct msghdr hdr = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(count * sizeof(int)),
	};

	control.align.cmsg_level = SOL_SOCKET;
	control.align.cmsg_type = SCM_RIGHTS;
	control.align.cmsg_len = CMSG_LEN(count * sizeof(int));
	memcpy(CMSG_DATA(&control.align), fds, count * sizeof(int));
	assert_int_equal(sendmsg(fd, &hdr, 0), sizeof(request));
	if (recv(fd, &answer, sizeof(answer), 0) != sizeof(answer))
		return -ENODATA;
	return answer.result;
}

/* Whatever it is told to write to, the daemon neither waits nor ends. */
static void test_trace_files(void **state)
{
	struct softefa_request request = { .type = SOFTEFA_TRACE_START };
	int control = wire_open_control(*state), pair[2], file, fd;

	assert_int_equal(wire_ask(control, &request, NULL, NULL), -EBADF);
	assert_int_equal(pipe(pair), 0);
	assert_int_equal(ask_with_fds(control, SOFTEFA_TRACE_START, pair[1],
				      1), -EINVAL);
	assert_int_equal(ask_with_fds(control, SOFTEFA_TRACE_START, control,
				      1), -EINVAL);
	close(pair[0]);
	close(pair[1]);
	request.type = SOFTEFA_TRACE_STOP;
	assert_int_equal(wire_ask(control, &request, NULL, NULL), -ENOENT);

	file = memfd_create("trace", 0);
	assert_true(file >= 0);
	assert_int_equal(ask_with_fds(control, SOFTEFA_TRACE_START, file, 2),
			 0);
	assert_int_equal(ask_with_fds(control, SOFTEFA_TRACE_START, file, 1),
			 -EBUSY);
	fd = uverbs(state);
	close(fd);
	await_no_contexts(state);
	assert_non_null(strstr(wire_show(control), "trace: running"));
	assert_int_equal(wire_ask(control, &request, NULL, NULL), 0);
	assert_true(lseek(file, 0, SEEK_END) > 100);
	assert_int_equal(wire_ask(control, &request, NULL, NULL), -ENOENT);
	close(file);
	close(control);
	/* Nothing for those who only have a device. */
	fd = uverbs(state);
	assert_int_equal(wire_ask(fd, &request, NULL, NULL), -EPROTO);
	close(fd);
}

/* The daemon's two devices and their rules; nothing after the last. */
static void test_counter_cursor(void **state)
{
	int control = wire_open_control(*state), fd = uverbs(state);
	const char *text = wire_text(control, SOFTEFA_COUNTERS, 0);

	assert_non_null(strstr(text, "efa_0 contexts 1\n"));
	assert_non_null(strstr(text, "efa_1 contexts 0\n"));
	assert_non_null(strstr(text, "efa_1/rules sq-phase 0\n"));
	text = wire_text(control, SOFTEFA_COUNTERS, 2);
	assert_null(strstr(text, "efa_0"));
	assert_non_null(strstr(text, "efa_1 contexts 0\n"));
	assert_string_equal(wire_text(control, SOFTEFA_COUNTERS, 4), "");
	assert_string_equal(wire_text(control, SOFTEFA_COUNTERS, UINT64_MAX),
			    "");
	close(fd);
	close(control);
}

static void test_wild_addresses(void **state)
{
	static const uint64_t wild[] = {
		0, 1, 4096, UINT64_MAX, UINT64_MAX - 23, 1ull << 47,
		0xffffffff81000000ull,
	};
	struct softefa_request request = { .type = SOFTEFA_IOCTL };
	uint32_t pd;
	int fd = uverbs(state);

	for (unsigned i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		request.addr = wild[i];
		assert_int_equal(wire_ask(fd, &request, NULL, NULL), -EFAULT);
		assert_int_equal(wire_reg_mr(fd, 0, (void *)wild[i], 8, &pd),
				 -EINVAL);
	}
	assert_int_equal(wire_alloc_pd(fd, &pd), 0);
	for (unsigned i = 0; i < sizeof(wild) / sizeof(wild[0]); i++)
		assert_int_not_equal(wire_reg_mr(fd, pd, (void *)wild[i], 8,
						 &pd), 0);
	assert_int_equal(wire_alloc_pd(fd, NULL), -EFAULT);
	assert_int_equal(wire_destroy_pd(fd, pd), 0);
	assert_int_equal(wire_destroy_pd(fd, pd), -ENOENT);
	close(fd);
}

static void test_before_get_context(void **state)
{
	int fd = wire_open_uverbs(*state, 1);
	struct wire_cq cq;
	uint32_t pd;

	assert_int_equal(wire_alloc_pd(fd, &pd), -EINVAL);
	assert_int_equal(wire_destroy_pd(fd, 0), -EINVAL);
	assert_int_equal(wire_create_cq(fd, 16, -1, &cq), -EINVAL);
	assert_int_equal(wire_get_context(fd), 0);
	assert_int_equal(wire_get_context(fd), -EINVAL);
	close(fd);
}

static void test_handles_are_own(void **state)
{
	int a = uverbs(state), b = uverbs(state);
	uint32_t pd, mr, other;
	static char data[64];

	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(wire_alloc_pd(a, &pd), 0);
	assert_int_equal(pd, 2);
	assert_int_equal(wire_alloc_pd(b, &other), 0);
	assert_int_equal(other, 0);
	assert_int_equal(wire_destroy_pd(b, pd), -ENOENT);
	assert_int_equal(wire_reg_mr(b, pd, data, sizeof(data), &mr),
			 -EINVAL);
	assert_int_equal(wire_reg_mr(a, pd, data, sizeof(data), &mr), 0);
	/* An MR is no PD, and a PD in use stays. */
	assert_int_equal(wire_destroy_pd(a, mr), -EINVAL);
	assert_int_equal(wire_destroy_pd(a, pd), -EBUSY);
	close(a);
	close(b);
}

static int ask_mmap(int fd, uint64_t key, uint64_t length, int *got)
{
	const struct softefa_request request = {
		.type = SOFTEFA_MMAP,
		.addr = key,
		.length = length,
		.prot = PROT_READ | PROT_WRITE,
	};

	return wire_ask(fd, &request, NULL, got);
}

static void test_mmap_is_exact(void **state)
{
	int a = uverbs(state), b = uverbs(state), fd;
	struct wire_cq cq;
	struct stat st;

	assert_int_equal(wire_create_cq(a, 256, -1, &cq), 0);
	assert_int_equal(cq.ring_bytes, 8192);
	assert_int_equal(ask_mmap(a, cq.ring_key, 4096, NULL), -EINVAL);
	assert_int_equal(ask_mmap(a, cq.ring_key, 12288, NULL), -EINVAL);
	assert_int_equal(ask_mmap(a, cq.ring_key + 4096, 4096, NULL),
			 -EINVAL);
	assert_int_equal(ask_mmap(b, cq.ring_key, 8192, NULL), -EINVAL);
	assert_int_equal(ask_mmap(a, cq.ring_key, 8192, &fd), 0);
	/* No way to take the pages from under the daemon. */
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	close(a);
	close(b);
}

static void test_channels_are_own(void **state)
{
	int a = uverbs(state), b = uverbs(state);
	int of_a = wire_create_channel(a), of_b = wire_create_channel(b);
	struct wire_cq cq;

	assert_int_equal(wire_create_cq(a, 16, of_b, &cq), -EBADF);
	assert_int_equal(wire_create_cq(a, 16, STDIN_FILENO, &cq), -EBADF);
	assert_int_equal(wire_create_cq(a, 16, 9999, &cq), -EBADF);
	assert_int_equal(wire_create_cq(a, 16, of_a, &cq), 0);
	close(of_a);
	close(of_b);
	close(a);
	close(b);
}

/* Channels closed by the client are not kept: it may make many. */
static void test_channels_are_freed(void **state)
{
	int fd = uverbs(state);

	for (unsigned i = 0; i < 2 * CONTEXT_MAX_CHANNELS; i++)
		close(wire_create_channel(fd));
	close(fd);
}

/* Fills its socket with requests and takes no answer. */
static void test_answers_not_taken(void **state)
{
	const struct softefa_request request = { .type = SOFTEFA_SHOW };
	struct timespec pause = { .tv_nsec = 1000000 };
	int fd = wire_open_control(*state);
	unsigned refused = 0;

	while (send(fd, &request, sizeof(request),
		    MSG_DONTWAIT | MSG_NOSIGNAL) > 0 || errno == EAGAIN) {
		assert_true(++refused < 1000000);
		if (errno == EAGAIN)
			nanosleep(&pause, NULL);
		errno = 0;
	}
	assert_true(errno == EPIPE || errno == ECONNRESET);
	close(fd);
}

/* The descriptor for the answer is no socket, or nobody reads it. */
static void test_bad_reply_fd(void **state)
{
	const struct softefa_request request = { .type = SOFTEFA_IOCTL };
	int pipe_fd[2], pair[2], fd;
	struct softefa_answer answer;

	assert_int_equal(pipe(pipe_fd), 0);
	fd = uverbs(state);
	wire_send_with_fd(fd, &request, pipe_fd[1]);
	assert_true(recv(fd, &answer, sizeof(answer), 0) <= 0);
	close(fd);
	close(pipe_fd[0]);
	close(pipe_fd[1]);

	fd = uverbs(state);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	close(pair[0]);
	wire_send_with_fd(fd, &request, pair[1]);
	close(pair[1]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	wire_send_with_fd(fd, &request, pair[1]);
	close(pair[1]);
	assert_int_equal(recv(pair[0], &answer, sizeof(answer), 0),
			 sizeof(answer));
	assert_int_equal(answer.result, -EFAULT);
	assert_int_equal(recv(pair[0], &answer, sizeof(answer), 0), 0);
	close(pair[0]);
	close(fd);
}

/* A child uses the parent's descriptor, from its own memory. */
static void test_forked_child(void **state)
{
	int fd = uverbs(state), status;
	static char data[64];
	uint32_t pd, mr;
	pid_t child;

	assert_int_equal(wire_alloc_pd(fd, &pd), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		uint32_t second = 99;

		if (wire_alloc_pd(fd, &second) || second != pd + 1)
			_exit(1);
		if (wire_reg_mr(fd, pd, data, 64, &mr) != -EINVAL)
			_exit(2);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(wire_reg_mr(fd, pd, data, 64, &mr), 0);
	close(fd);
}

static void test_killed_client(void **state)
{
	int started[2], byte = 0;
	pid_t child;

	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(pipe(started), 0);
		child = fork();
		assert_true(child >= 0);
		if (child == 0) {
			int fd = uverbs(state);
			struct wire_cq cq;
			uint32_t pd;

			wire_alloc_pd(fd, &pd);
			wire_create_cq(fd, 1024, wire_create_channel(fd), &cq);
			byte = write(started[1], "x", 1);
			for (;;)
				wire_destroy_pd(fd, 12345);
		}
		close(started[1]);
		assert_int_equal(read(started[0], &byte, 1), 1);
		close(started[0]);
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, NULL, 0), child);
	}
	await_no_contexts(state);
}

static int hello_result(void **state)
{
	const struct softefa_request hello = {
		.type = SOFTEFA_HELLO_CONTROL,
		.version = SOFTEFA_PROTOCOL_VERSION,
	};
	int fd = wire_connect(*state);
	int ret = wire_ask(fd, &hello, NULL, NULL);

	close(fd);
	return ret;
}

/* A process that has as many connections as it may until it is killed. */
static pid_t hoarder(void **state)
{
	int ready[2];
	pid_t child;
	char byte;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		for (unsigned i = 0; i < CLIENT_QUOTA_CONNECTIONS; i++)
			wire_open_control(*state);
		if (write(ready[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return child;
}

static void test_too_many_connections(void **state)
{
	enum { HOARDERS = SESSION_MAX / CLIENT_QUOTA_CONNECTIONS - 1 };
	int fd[CLIENT_QUOTA_CONNECTIONS];
	pid_t child[HOARDERS], other;
	struct rlimit files;
	int status;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	if (files.rlim_max < 2 * SESSION_MAX)
		skip();
	files.rlim_cur = files.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
	for (unsigned i = 0; i < HOARDERS; i++)
		child[i] = hoarder(state);
	for (unsigned i = 0; i < CLIENT_QUOTA_CONNECTIONS; i++)
		fd[i] = wire_open_control(*state);
	assert_non_null(strstr(wire_show(fd[0]), "connections: 1024\n"));
	other = fork();
	assert_true(other >= 0);
	if (other == 0)
		_exit(-hello_result(state));
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_int_equal(WEXITSTATUS(status), ENFILE);
	for (unsigned i = 0; i < HOARDERS; i++) {
		kill(child[i], SIGKILL);
		assert_int_equal(waitpid(child[i], NULL, 0), child[i]);
	}
	/* Now there is room, but not for this process. */
	while (!strstr(wire_show(fd[0]), "connections: 256\n"))
		;
	assert_int_equal(hello_result(state), -EMFILE);
	close(fd[1]);
	while (!strstr(wire_show(fd[0]), "connections: 255\n"))
		;
	assert_int_equal(hello_result(state), 0);
	for (unsigned i = 2; i < CLIENT_QUOTA_CONNECTIONS; i++)
		close(fd[i]);
	while (!strstr(wire_show(fd[0]), "connections: 1\n"))
		;
	close(fd[0]);
}

/* The end of the daemon reaches a client that waits for an event. */
static void test_fatal_event(void **state)
{
	struct ib_uverbs_async_event_desc event = { 0 };
	struct wire_daemon daemon;
	struct wire_frame frame;
	int fd, async;

	wire_daemon_start(&daemon, 1);
	fd = wire_open_uverbs(&daemon, 0);
	assert_int_equal(wire_get_context(fd), 0);
	wire_frame_begin(&frame, UVERBS_OBJECT_ASYNC_EVENT,
			 UVERBS_METHOD_ASYNC_EVENT_ALLOC);
	wire_frame_add(&frame, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, 0, 0);
	assert_int_equal(wire_ioctl(fd, &frame, &async), 0);
	assert_int_equal(wire_ioctl(fd, &frame, NULL), -EBUSY);
	/* Its owner goes away, and with it the daemon. */
	close(daemon.life_fd);
	assert_int_equal(wire_daemon_wait(&daemon), 0);
	assert_int_equal(read(async, &event, sizeof(event)), sizeof(event));
	assert_int_equal(event.event_type, 8);
	assert_int_equal(read(async, &event, sizeof(event)), 0);
	assert_int_equal(wire_destroy_pd(fd, 0), -ENODATA);
	close(async);
	close(fd);
}

static void test_terminated(void **state)
{
	struct wire_daemon daemon;

	wire_daemon_start(&daemon, 16);
	kill(daemon.pid, SIGTERM);
	assert_int_equal(wire_daemon_wait(&daemon), 0);
	close(daemon.life_fd);
}

#define ON_DAEMON(test)	cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_DAEMON(test_bad_hello),
		ON_DAEMON(test_wrong_kind),
		ON_DAEMON(test_trace_files),
		ON_DAEMON(test_wild_addresses),
		ON_DAEMON(test_before_get_context),
		ON_DAEMON(test_handles_are_own),
		ON_DAEMON(test_mmap_is_exact),
		ON_DAEMON(test_channels_are_own),
		ON_DAEMON(test_channels_are_freed),
		ON_DAEMON(test_answers_not_taken),
		ON_DAEMON(test_bad_reply_fd),
		ON_DAEMON(test_forked_child),
		ON_DAEMON(test_killed_client),
		ON_DAEMON(test_too_many_connections),
		ON_DAEMON(test_counter_cursor),
		cmocka_unit_test(test_fatal_event),
		cmocka_unit_test(test_terminated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
