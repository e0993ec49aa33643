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

static int send_all(int fd, const void *message, size_t len_bytes)
{
	ssize_t len;

	do {
		len = send(fd, message, len_bytes, MSG_NOSIGNAL);
	} while (len < 0 && errno == EINTR);
	return len == (ssize_t)len_bytes ? 0 : -EIO;
}

static int ask(int fd, uint32_t type)
{
	const struct softefa_request request = {
		.type = type,
		.version = SOFTEFA_PROTOCOL_VERSION,
	};

	return send_all(fd, &request, sizeof(request));
}

static ssize_t receive(int fd, void *buf, size_t size)
{
	ssize_t len;

	do {
		len = recv(fd, buf, size, 0);
	} while (len < 0 && errno == EINTR);
	return len;
}

static int take_answer(int fd, struct softefa_answer *answer)
{
	if (receive(fd, answer, sizeof(*answer)) != sizeof(*answer))
		return -EIO;
	return answer->result;
}

static int answer_result(int fd)
{
	struct softefa_answer answer;

	return take_answer(fd, &answer);
}

static int ask_for_answer(int fd, uint32_t type)
{
	return ask(fd, type) ? -EIO : answer_result(fd);
}

/*
 * Anybody can listen on an abstract name. What another user says there is
 * shown on this terminal and, by a shim, written into this user's processes.
 */
static int check_daemon(int fd)
{
	struct ucred daemon;
	socklen_t len = sizeof(daemon);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &daemon, &len) < 0)
		return -errno;
	return daemon.uid == 0 || daemon.uid == geteuid() ? 0 : -EPERM;
}

int control_connect(const char *socket_name)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	size_t len = strlen(socket_name);
	int fd, ret;

	assert(len < CONTROL_MAX_SOCKET);
	memcpy(addr.sun_path + 1, socket_name, len);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&addr,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				len)) < 0) {
		ret = -errno;
		close(fd);
		return ret;
	}
	ret = check_daemon(fd);
	if (!ret)
		ret = ask_for_answer(fd, SOFTEFA_HELLO_CONTROL);
	if (ret) {
		close(fd);
		return ret;
	}
	return fd;
}

static int receive_text(int fd, struct softefa_text *text)
{
	ssize_t len;

	len = receive(fd, text, sizeof(*text));
	if (len < (ssize_t)offsetof(struct softefa_text, text) ||
	    text->length > (size_t)len - offsetof(struct softefa_text, text))
		return -EIO;
	return text->result;
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
	return len == sizeof(request) ? 0 : -EIO;
}

int control_trace_start(int fd, int file)
{
	if (ask_with_fd(fd, SOFTEFA_TRACE_START, file))
		return -EIO;
	return answer_result(fd);
}

int control_trace_stop(int fd)
{
	return ask_for_answer(fd, SOFTEFA_TRACE_STOP);
}

int control_show(int fd, struct softefa_text *text)
{
	return ask(fd, SOFTEFA_SHOW) ? -EIO : receive_text(fd, text);
}

int control_ask_text(int fd, struct softefa_text_request *request,
		     struct softefa_text *answer)
{
	size_t len_bytes = sizeof(request->request);

	if (request->text[0])
		len_bytes += strlen(request->text) + 1;
	request->request.version = SOFTEFA_PROTOCOL_VERSION;
	answer->length = 0;
	return send_all(fd, request, len_bytes) ? -EIO :
		receive_text(fd, answer);
}

/* The process that listens at the other end, as a descriptor. */
static int daemon_pidfd(int fd)
{
	struct ucred daemon;
	socklen_t len = sizeof(daemon);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &daemon, &len) < 0)
		return -errno;
	return (int)syscall(SYS_pidfd_open, daemon.pid, 0);
}

int control_stop(int fd, uint64_t *rule_breaks)
{
	struct pollfd end = { .fd = daemon_pidfd(fd), .events = POLLIN };
	struct softefa_answer answer = { .rule_breaks = 0 };
	int ret = ask(fd, SOFTEFA_STOP) ? -EIO : take_answer(fd, &answer);

	*rule_breaks = answer.rule_breaks;
	while (!ret && end.fd >= 0 && poll(&end, 1, -1) < 0 && errno == EINTR)
		;
	if (end.fd >= 0)
		close(end.fd);
	return ret;
}
