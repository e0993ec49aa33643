/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "cli/control_client.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

void control_socket_name(const char *name, char socket[CONTROL_MAX_SOCKET])
{
	const char *inherited = getenv(SOFTEFA_ENV_SOCKET);

	if (!name && inherited && *inherited &&
	    strlen(inherited) < CONTROL_MAX_SOCKET)
		strcpy(socket, inherited);
	else
		snprintf(socket, CONTROL_MAX_SOCKET, "softefa/%u/%s",
			 (unsigned)geteuid(), name ? name : "default");
}

/* What a call that waits on the connection failed with. */
static int broken_off(void)
{
	return errno == EAGAIN ? -ETIMEDOUT : -EIO;
}

/* Also of connect(), which waits where too many others do. */
static int bound_waits(int fd, time_t seconds)
{
	const struct timeval limit = { .tv_sec = seconds };

	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0)
		return -errno;
	return 0;
}

static int send_all(int fd, const void *message, size_t len_bytes)
{
	ssize_t len;

	do {
		len = send(fd, message, len_bytes, MSG_NOSIGNAL);
	} while (len < 0 && errno == EINTR);
	if (len < 0)
		return broken_off();
	return len == (ssize_t)len_bytes ? 0 : -EIO;
}

static int ask_about(int fd, uint32_t type, uint64_t addr)
{
	const struct softefa_request request = {
		.type = type,
		.version = SOFTEFA_PROTOCOL_VERSION,
		.addr = addr,
	};

	return send_all(fd, &request, sizeof(request));
}

static int ask(int fd, uint32_t type)
{
	return ask_about(fd, type, 0);
}

/* The length, or a negative errno. */
static ssize_t receive(int fd, void *buf, size_t size)
{
	ssize_t len;

	do {
		len = recv(fd, buf, size, 0);
	} while (len < 0 && errno == EINTR);
	return len < 0 ? broken_off() : len;
}

static int take_answer(int fd, struct softefa_answer *answer)
{
	ssize_t len = receive(fd, answer, sizeof(*answer));

	if (len < 0)
		return (int)len;
	return len == sizeof(*answer) ? answer->result : -EIO;
}

static int answer_result(int fd)
{
	struct softefa_answer answer;

	return take_answer(fd, &answer);
}

static int ask_for_answer(int fd, uint32_t type)
{
	int ret = ask(fd, type);

	return ret ? ret : answer_result(fd);
}

/*
 * Anybody can listen on an abstract name. What another user says there is
 * shown on this terminal and, by a shim, written into this user's processes.
 */
static int check_daemon(int fd, pid_t *pid)
{
	struct ucred daemon;
	socklen_t len = sizeof(daemon);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &daemon, &len) < 0)
		return -errno;
	*pid = daemon.pid;
	return daemon.uid == 0 || daemon.uid == geteuid() ? 0 : -EPERM;
}

static int greet(int fd, const char *socket_name, pid_t *daemon)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	size_t len = strlen(socket_name);
	int ret = bound_waits(fd, CONTROL_WAIT_S);

	assert(len < CONTROL_MAX_SOCKET);
	memcpy(addr.sun_path + 1, socket_name, len);
	if (ret)
		return ret;
	if (connect(fd, (struct sockaddr *)&addr,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				len)) < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	ret = check_daemon(fd, daemon);
	return ret ? ret : ask_for_answer(fd, SOFTEFA_HELLO_CONTROL);
}

int control_connect(const char *socket_name, pid_t *daemon)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int ret;

	*daemon = 0;
	if (fd < 0)
		return -errno;
	ret = greet(fd, socket_name, daemon);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static int receive_text(int fd, struct softefa_text *text)
{
	ssize_t len = receive(fd, text, sizeof(*text));

	if (len < 0)
		return (int)len;
	if (len < (ssize_t)offsetof(struct softefa_text, text) ||
	    text->length > (size_t)len - offsetof(struct softefa_text, text))
		return -EIO;
	/* To be read as a string, but where it fills the page. */
	if (text->length < sizeof(text->text))
		text->text[text->length] = '\0';
	return text->result;
}

int control_show(int fd, uint64_t cursor, struct softefa_text *text)
{
	int ret = ask_about(fd, SOFTEFA_SHOW, cursor);

	return ret ? ret : receive_text(fd, text);
}

int control_counters(int fd, uint64_t cursor, struct softefa_text *text)
{
	int ret = ask_about(fd, SOFTEFA_COUNTERS, cursor);

	return ret ? ret : receive_text(fd, text);
}

/* As ask(), with a descriptor. */
static int ask_with_fd(int fd, uint32_t type, int passed)
{
	const struct softefa_request request = {
		.type = type,
		.version = SOFTEFA_PROTOCOL_VERSION,
	};
	struct iovec iov = { (void *)(uintptr_t)&request, sizeof(request) };
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct msghdr hdr = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t len;

	control.align.cmsg_level = SOL_SOCKET;
	control.align.cmsg_type = SCM_RIGHTS;
	control.align.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.align), &passed, sizeof(passed));
	do {
		len = sendmsg(fd, &hdr, MSG_NOSIGNAL);
	} while (len < 0 && errno == EINTR);
	if (len < 0)
		return broken_off();
	return len == sizeof(request) ? 0 : -EIO;
}

int control_trace_start(int fd, int file)
{
	int ret = ask_with_fd(fd, SOFTEFA_TRACE_START, file);

	return ret ? ret : answer_result(fd);
}

int control_trace_stop(int fd)
{
	int ret = bound_waits(fd, CONTROL_END_S);

	return ret ? ret : ask_for_answer(fd, SOFTEFA_TRACE_STOP);
}

int control_ask_text(int fd, struct softefa_text_request *request,
		     struct softefa_text *answer)
{
	size_t len_bytes = sizeof(request->request);
	int ret;

	if (request->text[0])
		len_bytes += strlen(request->text) + 1;
	request->request.version = SOFTEFA_PROTOCOL_VERSION;
	answer->length = 0;
	ret = send_all(fd, request, len_bytes);
	return ret ? ret : receive_text(fd, answer);
}

pid_t control_daemon(int fd)
{
	struct ucred daemon;
	socklen_t len = sizeof(daemon);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &daemon, &len) < 0)
		return 0;
	return daemon.pid;
}

/* -ETIMEDOUT when the process of @pidfd does not end in time. */
static int await_end(int pidfd)
{
	struct pollfd end = { .fd = pidfd, .events = POLLIN };
	int ret;

	do {
		ret = poll(&end, 1, CONTROL_END_S * 1000);
	} while (ret < 0 && errno == EINTR);
	return ret ? 0 : -ETIMEDOUT;
}

int control_stop(int fd, uint64_t *rule_breaks)
{
	struct softefa_answer answer = { .rule_breaks = 0 };
	int pidfd = (int)syscall(SYS_pidfd_open, control_daemon(fd), 0);
	int ret = ask(fd, SOFTEFA_STOP);

	if (!ret)
		ret = take_answer(fd, &answer);
	*rule_breaks = answer.rule_breaks;
	if (pidfd < 0)
		return ret;
	if (!ret)
		ret = await_end(pidfd);
	close(pidfd);
	return ret;
}
