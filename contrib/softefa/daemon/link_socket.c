/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include "daemon/link_socket.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* So that a window of each of some hosts fits; the kernel may give less. */
#define BUFFER_BYTES	(8 << 20)

static const char *path_of(const struct link_address *address)
{
	const struct sockaddr_un *un = (const void *)&address->addr;

	return address->addr.ss_family == AF_UNIX && un->sun_path[0] ?
		un->sun_path : NULL;
}

/* Left behind by one that was killed: nobody answers there. */
static void remove_stale(const struct link_address *local)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return;
	if (connect(fd, (const struct sockaddr *)&local->addr, local->len) &&
	    errno == ECONNREFUSED)
		unlink(path_of(local));
	close(fd);
}

int link_socket_open(const struct link_address *local)
{
	int fd = socket(local->addr.ss_family,
			SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int size = BUFFER_BYTES, one = 1, ret;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	if (path_of(local))
		remove_stale(local);
	if ((local->addr.ss_family != AF_UNIX ||
	     !setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &one, sizeof(one))) &&
	    !bind(fd, (const struct sockaddr *)&local->addr, local->len))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

void link_socket_close(int fd, const struct link_address *local)
{
	close(fd);
	if (path_of(local))
		unlink(path_of(local));
}

int link_socket_send(int fd, const struct link_address *to,
		     const void *bytes, size_t len_bytes)
{
	if (sendto(fd, bytes, len_bytes, MSG_DONTWAIT | MSG_NOSIGNAL,
		   (const struct sockaddr *)&to->addr, to->len) < 0)
		return errno == EWOULDBLOCK || errno == ENOBUFS ? -EAGAIN :
			-errno;
	return 0;
}

static bool is_trusted(struct msghdr *hdr)
{
	struct ucred cred;

	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(hdr); cmsg;
	     cmsg = CMSG_NXTHDR(hdr, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET ||
		    cmsg->cmsg_type != SCM_CREDENTIALS)
			continue;
		memcpy(&cred, CMSG_DATA(cmsg), sizeof(cred));
		return cred.uid == 0 || cred.uid == geteuid();
	}
	return false;
}

int link_socket_receive(int fd, struct link_address *from, void *bytes,
			size_t max_bytes)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec iov = { bytes, max_bytes };
	struct msghdr hdr = {
		.msg_name = &from->addr,
		.msg_namelen = sizeof(from->addr),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n;

	memset(from, 0, sizeof(*from));
	n = recvmsg(fd, &hdr, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return errno == EWOULDBLOCK || errno == EINTR ? -EAGAIN :
			-errno;
	from->len = hdr.msg_namelen;
	if (hdr.msg_flags & MSG_TRUNC)
		return -EMSGSIZE;
	if (from->addr.ss_family == AF_UNIX && !is_trusted(&hdr))
		return -EACCES;
	return (int)n;
}
