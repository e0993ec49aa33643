/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "shim/uverbs_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#endif

#include "shim/daemon_link.h"
#include "shim/libc_next.h"

#define TAG_PREFIX	"softefa.uverbs"

/* A name that no other descriptor of this network namespace has. */
static void make_tag(char *tag, size_t size, uint32_t device)
{
	static atomic_uint count;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(tag, size, TAG_PREFIX "%u.%d.%lx.%x", device, (int)getpid(),
		 (unsigned long)now.tv_sec * 1000000000ul +
		 (unsigned long)now.tv_nsec, atomic_fetch_add(&count, 1));
}

int uverbs_fd_open(uint32_t device, int open_flags)
{
	char tag[80];
	int flags = 0, ret;

	if (open_flags & O_CLOEXEC)
		flags |= SOCK_CLOEXEC;
	if (open_flags & O_NONBLOCK)
		flags |= SOCK_NONBLOCK;
	do {
		make_tag(tag, sizeof(tag), device);
		ret = daemon_link_open(device, tag, flags);
	} while (ret == -EADDRINUSE);
	return ret;
}

int uverbs_fd_device(int fd)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);
	size_t prefix = strlen(TAG_PREFIX);

	if (syscall(SYS_getsockname, fd, &addr, &len) < 0 ||
	    addr.sun_family != AF_UNIX ||
	    len <= offsetof(struct sockaddr_un, sun_path) + 1 + prefix ||
	    len >= sizeof(addr) || addr.sun_path[0] ||
	    memcmp(addr.sun_path + 1, TAG_PREFIX, prefix))
		return -ENODEV;
	((char *)&addr)[len] = '\0';
	return atoi(addr.sun_path + 1 + prefix);
}

/*
 * valgrind sees no ioctl and so does not know that the daemon has written
 * the results: all that the attributes point to is declared written.
 */
#ifdef VALGRIND_MAKE_MEM_DEFINED_IF_ADDRESSABLE
struct uverbs_attr {
	uint16_t id, len, flags, reserved;
	uint64_t data;
};

static void declare_written(void *header)
{
	struct uverbs_attr *attr = (void *)((char *)header + 24);
	uint16_t i, num_attrs;

	if (!RUNNING_ON_VALGRIND)
		return;
	memcpy(&num_attrs, (char *)header + 6, sizeof(num_attrs));
	VALGRIND_MAKE_MEM_DEFINED_IF_ADDRESSABLE(attr,
						 num_attrs * sizeof(*attr));
	for (i = 0; i < num_attrs; i++)
		VALGRIND_MAKE_MEM_DEFINED_IF_ADDRESSABLE(attr[i].data,
							 attr[i].len);
}
#else
static void declare_written(void *header)
{
	(void)header;
}
#endif

/* Tells the caller the number that a new descriptor has got. */
static void store_fd(const struct softefa_answer *answer, unsigned i, int fd)
{
	void *to = (void *)(uintptr_t)answer->fd_addr[i];
	uint64_t number = (uint64_t)fd;

	assert(answer->fd_width[i] == 4 || answer->fd_width[i] == 8);
	/* Little endian: the first bytes are the low ones. */
	memcpy(to, &number, answer->fd_width[i]);
}

int uverbs_fd_ioctl(int fd, void *header)
{
	const struct softefa_request request = {
		.type = SOFTEFA_IOCTL,
		.addr = (uintptr_t)header,
	};
	struct daemon_reply reply;
	unsigned i;
	int ret;

	ret = daemon_link_request(fd, &request, &reply);
	if (ret)
		return ret;
	for (i = 0; i < reply.num_fds; i++)
		store_fd(&reply.answer, i, reply.fd[i]);
	declare_written(header);
	return 0;
}

static int map_reply(const struct daemon_reply *reply, void *addr, size_t len,
		     int prot, int flags, void **mapped)
{
	void *map;

	if (reply->num_fds != 1)
		return -EIO;
	map = next_mmap(addr, len, prot, flags, reply->fd[0],
			(off_t)reply->answer.offset);
	if (map == MAP_FAILED)
		return -errno;
	*mapped = map;
	return 0;
}

int uverbs_fd_mmap(int fd, void *addr, size_t len, int prot, int flags,
		   off_t key, void **mapped)
{
	const struct softefa_request request = {
		.type = SOFTEFA_MMAP,
		.addr = (uint64_t)key,
		.length = len,
		.prot = (uint32_t)prot,
	};
	struct daemon_reply reply;
	int ret;

	/* The driver maps queues and doorbells shared or not at all. */
	if ((flags & MAP_TYPE) != MAP_SHARED)
		return -EINVAL;
	ret = daemon_link_request(fd, &request, &reply);
	if (ret)
		return ret;
	ret = map_reply(&reply, addr, len, prot, flags, mapped);
	while (reply.num_fds)
		syscall(SYS_close, reply.fd[--reply.num_fds]);
	return ret;
}
