/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/peer_message.h"

#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD	76	/* Linux 6.5 */
#define SCM_PIDFD	0x04
#endif

union receive_control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(struct ucred)) +
		   2 * CMSG_SPACE(sizeof(int))];
};

union send_control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(GATE_MAX_FDS * sizeof(int))];
};

/* Not the time a peer gave its socket to linger: others wait as well. */
static void close_received(int fd)
{
	const struct linger none = { 0 };

	/* Fails for what is no socket, and then it need not be. */
	(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
	close(fd);
}

/* Keeps the first descriptor; padding may have let in a second one. */
static void take_fds(struct peer_request *request, const struct cmsghdr *cmsg)
{
	size_t count = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	int fd;

	for (size_t i = 0; i < count; i++) {
		memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(int), sizeof(fd));
		if (request->reply_fd < 0)
			request->reply_fd = fd;
		else
			close_received(fd);
	}
}

/* Negative for a sender that is gone already. */
static void take_pidfd(struct peer_request *request,
		       const struct cmsghdr *cmsg)
{
	memcpy(&request->pidfd, CMSG_DATA(cmsg), sizeof(request->pidfd));
	if (request->pidfd < 0) {
		request->pidfd = -1;
		request->pid = 0;
	}
}

static void take_control(struct peer_request *request, struct msghdr *hdr)
{
	struct ucred cred;

	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(hdr); cmsg;
	     cmsg = CMSG_NXTHDR(hdr, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET)
			continue;
		if (cmsg->cmsg_type == SCM_RIGHTS)
			take_fds(request, cmsg);
		if (cmsg->cmsg_type == SCM_CREDENTIALS) {
			memcpy(&cred, CMSG_DATA(cmsg), sizeof(cred));
			request->pid = cred.pid;
		}
		if (cmsg->cmsg_type == SCM_PIDFD)
			take_pidfd(request, cmsg);
	}
}

int peer_message_name_senders(int fd)
{
	int one = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &one, sizeof(one)))
		return -errno;
	if (setsockopt(fd, SOL_SOCKET, SO_PASSPIDFD, &one, sizeof(one)) &&
	    errno != ENOPROTOOPT)
		return -errno;
	return 0;
}

/* A request; FAULT_ADD and a text that ends where the message does. */
static bool is_whole(struct peer_request *request, ssize_t len_bytes)
{
	ssize_t text_bytes = len_bytes - (ssize_t)sizeof(request->msg);

	if (text_bytes == 0)
		request->text[0] = '\0';
	return text_bytes == 0 ||
		(text_bytes > 0 && request->msg.type == SOFTEFA_FAULT_ADD &&
		 !request->text[text_bytes - 1]);
}

int peer_request_receive(int fd, struct peer_request *request)
{
	union receive_control control;
	struct iovec iov[] = {
		{ &request->msg, sizeof(request->msg) },
		{ request->text, sizeof(request->text) },
	};
	struct msghdr hdr = {
		.msg_iov = iov,
		.msg_iovlen = 2,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n;

	request->pid = 0;
	request->pidfd = -1;
	request->reply_fd = -1;
	n = recvmsg(fd, &hdr, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return -errno;
	take_control(request, &hdr);
	if (!(hdr.msg_flags & MSG_TRUNC) && is_whole(request, n))
		return 1;
	peer_request_fini(request);
	return n ? -EPROTO : 0;
}

void peer_request_fini(struct peer_request *request)
{
	if (request->reply_fd >= 0)
		close_received(request->reply_fd);
	request->reply_fd = -1;
	if (request->pidfd >= 0)
		close(request->pidfd);
	request->pidfd = -1;
}

static int check_unix_socket(int fd)
{
	int domain;
	socklen_t len = sizeof(domain);

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len))
		return -errno;
	return domain == AF_UNIX ? 0 : -ENOTSOCK;
}

int peer_answer_send(int fd, const void *answer, size_t len_bytes,
		     const int *fds, unsigned fd_count)
{
	union send_control control;
	struct iovec iov = { (void *)(uintptr_t)answer, len_bytes };
	struct msghdr hdr = { .msg_iov = &iov, .msg_iovlen = 1 };
	int ret = check_unix_socket(fd);

	assert(fd_count <= GATE_MAX_FDS);
	if (ret)
		return ret;
	if (fd_count) {
		struct cmsghdr *cmsg = &control.align;

		memset(&control, 0, sizeof(control));
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
		memcpy(CMSG_DATA(cmsg), fds, fd_count * sizeof(int));
		hdr.msg_control = &control;
		hdr.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
	}
	if (sendmsg(fd, &hdr, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return -errno;
	return 0;
}
