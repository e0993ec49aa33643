/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hooks on what a program does with an open device or a netlink socket.
 * close, dup, fork, read, poll and munmap need none: a context is a socket
 * and a queue a mapping, and the kernel knows how to handle those.
 */
#include "shim/hook.h"

#include <linux/netlink.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>

#include "shim/client_env.h"
#include "shim/libc_next.h"
#include "shim/netlink_rdma.h"
#include "shim/uverbs_fd.h"

HOOK(int, ioctl, int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (request != UVERBS_IOCTL || !client_env_is_active() ||
	    uverbs_fd_device(fd) < 0)
		return next_ioctl(fd, request, arg);
	return hook_result(uverbs_fd_ioctl(fd, arg));
}

/*
 * What @mapped, a mapping by the kernel, becomes. It refuses to map a socket
 * with ENODEV (EOVERFLOW for a key beyond a file's size), so nothing but a
 * refused mapping pays for the question.
 */
static void *map_refused(void *mapped, void *addr, size_t len, int prot,
			 int flags, int fd, off_t offset)
{
	int refused = errno;

	if (mapped != MAP_FAILED || fd < 0 ||
	    (refused != ENODEV && refused != EOVERFLOW))
		return mapped;
	if (uverbs_fd_device(fd) < 0) {
		errno = refused;
		return MAP_FAILED;
	}
	return hook_result(uverbs_fd_mmap(fd, addr, len, prot, flags, offset,
					  &mapped)) < 0 ? MAP_FAILED : mapped;
}

HOOK(void *, mmap, void *addr, size_t len, int prot, int flags, int fd,
     off_t offset)
{
	return map_refused(next_mmap(addr, len, prot, flags, fd, offset),
			   addr, len, prot, flags, fd, offset);
}
HOOK_ALIAS(void *, mmap64, mmap, void *addr, size_t len, int prot, int flags,
	   int fd, off_t offset);

/*
 * Libraries that watch mappings (libfabric, Open MPI, UCX) put code of their
 * own in the place of mmap, hook or not, which then makes the system call.
 */
HOOK(long, syscall, long number, ...)
{
	long arg[6];
	va_list args;
	size_t i;

	va_start(args, number);
	for (i = 0; i < 6; i++)
		arg[i] = va_arg(args, long);
	va_end(args);
	if (number != SYS_mmap)
		return next_syscall(number, arg);
	return (long)map_refused((void *)next_syscall(number, arg),
				 (void *)arg[0], (size_t)arg[1], (int)arg[2],
				 (int)arg[3], (int)arg[4], arg[5]);
}

HOOK(int, socket, int domain, int type, int protocol)
{
	if (domain == AF_NETLINK && protocol == NETLINK_RDMA &&
	    client_env_has_netlink())
		protocol = NETLINK_USERSOCK;
	return next_socket(domain, type, protocol);
}

static ssize_t send_message(int fd, const struct msghdr *msg, int flags)
{
	ssize_t sent;

	if (!netlink_rdma_take(fd, msg, &sent))
		return next_sendmsg(fd, msg, flags);
	if (sent >= 0)
		return sent;
	errno = (int)-sent;
	return -1;
}

HOOK(ssize_t, sendmsg, int fd, const struct msghdr *msg, int flags)
{
	return send_message(fd, msg, flags);
}

HOOK(ssize_t, sendto, int fd, const void *buf, size_t len, int flags,
     const struct sockaddr *addr, socklen_t addr_len)
{
	struct iovec iov = { (void *)buf, len };
	const struct msghdr msg = {
		.msg_name = (void *)addr,
		.msg_namelen = addr_len,
		.msg_iov = &iov,
		.msg_iovlen = 1,
	};

	if (!addr || addr->sa_family != AF_NETLINK)
		return next_sendto(fd, buf, len, flags, addr, addr_len);
	return send_message(fd, &msg, flags);
}
