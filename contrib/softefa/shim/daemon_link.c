/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "shim/daemon_link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "shim/client_env.h"

/* Room for @num descriptors beside a message. */
union fd_control {
	struct cmsghdr align;
	char space[CMSG_SPACE(DAEMON_LINK_MAX_FDS * sizeof(int))];
};

static void close_fd(int fd)
{
	syscall(SYS_close, fd);
}

/* A program may have made its end of the connection non-blocking. */
static void wait_until_writable(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };

	syscall(SYS_ppoll, &poll_fd, 1, NULL, NULL, 0);
}

/* 0, or -EIO when nobody is at the other end. */
static int send_whole(int fd, const struct msghdr *msg)
{
	while (syscall(SYS_sendmsg, fd, msg, MSG_NOSIGNAL) < 0) {
		if (errno == EAGAIN)
			wait_until_writable(fd);
		else if (errno == EPIPE || errno == ECONNRESET ||
			 errno == ENOTCONN)
			return -EIO;
		else if (errno != EINTR)
			return -errno;
	}
	return 0;
}

/*
 * Waits for a message on @fd or for the hang-up of @connection: a process
 * forked at the wrong moment may hold a copy of the far end of @fd, which
 * then does not hang up with the daemon. The length, or -EIO.
 *
 * As long as it takes: a daemon that is stopped, as in a debugger, is a
 * device that is slow, and a program must not see more of it. Signals that
 * end the process do so.
 */
static ssize_t receive(int fd, int connection, struct msghdr *msg)
{
	struct pollfd poll_fds[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = connection },
	};
	ssize_t len;

	for (;;) {
		syscall(SYS_ppoll, poll_fds, 2, NULL, NULL, 0);
		len = syscall(SYS_recvmsg, fd, msg,
			      MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
		if (len > 0)
			return len;
		if (!len || (errno != EAGAIN && errno != EINTR) ||
		    poll_fds[1].revents)
			return -EIO;
	}
}

static int send_request(int fd, const struct softefa_request *request)
{
	struct iovec iov = { (void *)request, sizeof(*request) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	return send_whole(fd, &msg);
}

static ssize_t receive_plain(int fd, void *buf, size_t len)
{
	struct iovec iov = { buf, len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	return receive(fd, fd, &msg);
}

static socklen_t abstract_address(struct sockaddr_un *addr, const char *name)
{
	size_t len = strlen(name);

	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	memcpy(addr->sun_path + 1, name, len);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len);
}

static int connect_daemon(int fd)
{
	struct sockaddr_un addr;
	socklen_t len = abstract_address(&addr, client_env_socket());

	while (syscall(SYS_connect, fd, &addr, len) < 0) {
		if (errno != EINTR)
			return errno == ECONNREFUSED ? -ENODEV : -errno;
	}
	return 0;
}

/*
 * Where Yama lets only a tracer reach another process's memory, the daemon
 * is named as one. Without Yama the kernel does not know the call.
 */
static void let_daemon_reach_memory(int fd)
{
	struct ucred daemon;
	socklen_t len = sizeof(daemon);

	if (!syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &daemon,
		     &len) && daemon.pid > 0)
		syscall(SYS_prctl, PR_SET_PTRACER, daemon.pid, 0, 0, 0);
}

/*
 * Anybody can listen on an abstract name, and what the daemon answers says
 * where to write in this process: it has to be this user's, or root's.
 */
static int check_daemon(int fd)
{
	struct ucred daemon;
	socklen_t len = sizeof(daemon);

	if (syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &daemon,
		    &len) < 0)
		return -errno;
	return daemon.uid == 0 || daemon.uid == (uid_t)syscall(SYS_geteuid) ?
	       0 : -EACCES;
}

/* Says HELLO; 0 or what the daemon answered. */
static int greet(int fd, uint32_t type, uint32_t device)
{
	struct softefa_request hello = {
		.type = type,
		.version = SOFTEFA_PROTOCOL_VERSION,
		.device = device,
	};
	struct softefa_answer answer;
	int ret = connect_daemon(fd);

	if (ret)
		return ret;
	ret = check_daemon(fd);
	if (ret)
		return ret;
	if (type == SOFTEFA_HELLO_UVERBS)
		let_daemon_reach_memory(fd);
	ret = send_request(fd, &hello);
	if (ret)
		return -ENODEV;
	if (receive_plain(fd, &answer, sizeof(answer)) != sizeof(answer))
		return -ENODEV;
	return answer.result;
}

static int new_socket(void)
{
	int fd = (int)syscall(SYS_socket, AF_UNIX,
			      SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

static int check_devices(struct softefa_devices *devices, ssize_t len)
{
	struct softefa_device_entry *entry;
	size_t header = offsetof(struct softefa_devices, entry);

	if (len < (ssize_t)header || devices->result ||
	    devices->count > SOFTEFA_MAX_DEVICES ||
	    (size_t)len < header + devices->count * sizeof(*entry))
		return -EPROTO;
	for (entry = devices->entry;
	     entry < devices->entry + devices->count; entry++) {
		entry->ibdev[sizeof(entry->ibdev) - 1] = '\0';
		entry->uverbs[sizeof(entry->uverbs) - 1] = '\0';
		entry->pci[sizeof(entry->pci) - 1] = '\0';
		entry->node_guid[sizeof(entry->node_guid) - 1] = '\0';
		entry->gid[sizeof(entry->gid) - 1] = '\0';
	}
	return 0;
}

int daemon_link_devices(struct softefa_devices *devices)
{
	const struct softefa_request request = { .type = SOFTEFA_DEVICES };
	int fd, ret;

	fd = new_socket();
	if (fd < 0)
		return fd;
	ret = greet(fd, SOFTEFA_HELLO_CONTROL, 0);
	if (!ret)
		ret = send_request(fd, &request);
	if (!ret)
		ret = check_devices(devices, receive_plain(fd, devices,
							   sizeof(*devices)));
	close_fd(fd);
	return ret;
}

/* O_NONBLOCK and no FD_CLOEXEC come last: a greeting waits. */
static void set_fd_flags(int fd, int flags)
{
	if (flags & SOCK_NONBLOCK)
		syscall(SYS_fcntl, fd, F_SETFL, O_RDWR | O_NONBLOCK);
	if (!(flags & SOCK_CLOEXEC))
		syscall(SYS_fcntl, fd, F_SETFD, 0);
}

int daemon_link_open(uint32_t device, const char *tag, int flags)
{
	struct sockaddr_un addr;
	socklen_t len = abstract_address(&addr, tag);
	int fd, ret = 0;

	fd = new_socket();
	if (fd < 0)
		return fd;
	if (syscall(SYS_bind, fd, &addr, len) < 0)
		ret = -errno;
	if (!ret)
		ret = greet(fd, SOFTEFA_HELLO_UVERBS, device);
	if (ret) {
		close_fd(fd);
		return ret;
	}
	set_fd_flags(fd, flags);
	return fd;
}

/* Sends @request with the descriptor @answer_fd. */
static int send_with_fd(int fd, const struct softefa_request *request,
			int answer_fd)
{
	union fd_control control = { 0 };
	struct iovec iov = { (void *)request, sizeof(*request) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(sizeof(int)),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &answer_fd, sizeof(int));
	return send_whole(fd, &msg);
}

static void take_fds(struct msghdr *msg, struct daemon_reply *reply)
{
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg);

	reply->num_fds = 0;
	if (!cmsg || cmsg->cmsg_level != SOL_SOCKET ||
	    cmsg->cmsg_type != SCM_RIGHTS)
		return;
	reply->num_fds = (unsigned)((cmsg->cmsg_len - CMSG_LEN(0)) /
				    sizeof(int));
	memcpy(reply->fd, CMSG_DATA(cmsg), reply->num_fds * sizeof(int));
}

static void close_fds(struct daemon_reply *reply)
{
	while (reply->num_fds)
		close_fd(reply->fd[--reply->num_fds]);
}

/*
 * The kernel leaves out descriptors for which this process has no room, and
 * an answer that failed brings none.
 */
static int receive_reply(int fd, int connection, struct daemon_reply *reply)
{
	union fd_control control;
	struct iovec iov = { &reply->answer, sizeof(reply->answer) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t len = receive(fd, connection, &msg);
	int ret = 0;

	if (len < 0)
		return (int)len;
	take_fds(&msg, reply);
	if (len != sizeof(reply->answer))
		ret = -EIO;
	else if (reply->answer.result)
		ret = reply->answer.result;
	else if (reply->num_fds != reply->answer.fd_count)
		ret = -EMFILE;
	if (ret)
		close_fds(reply);
	return ret;
}

int daemon_link_request(int fd, const struct softefa_request *request,
			struct daemon_reply *reply)
{
	int pair[2], ret;

	if (syscall(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
		    pair) < 0)
		return -errno;
	ret = send_with_fd(fd, request, pair[1]);
	/* Only the daemon may keep this end, or its hang-up is not seen. */
	close_fd(pair[1]);
	if (!ret)
		ret = receive_reply(pair[0], fd, reply);
	close_fd(pair[0]);
	return ret;
}
