/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "daemon/client_process.h"
#include "daemon/copy_watch.h"
#include "daemon/memory_map.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD	77	/* Linux 6.5 */
#endif

/* guest_memory is the first member. */
static struct client_process *client_of(struct guest_memory *mem)
{
	return (struct client_process *)mem;
}

typedef ssize_t (*copy_call)(pid_t, const struct iovec *, unsigned long,
			     const struct iovec *, unsigned long,
			     unsigned long);

/* One call moves at most 2 GiB, and stops short at a bad page. */
static int client_copy(struct client_process *client, copy_call copy,
		       uint64_t addr, void *local, size_t len_bytes)
{
	struct iovec mine, theirs;
	ssize_t n;

	while (len_bytes) {
		if (!client_process_is_alive(client))
			return -ESRCH;
		mine.iov_base = local;
		mine.iov_len = len_bytes;
		theirs.iov_base = (void *)(uintptr_t)addr;
		theirs.iov_len = len_bytes;
		copy_watch_begin(client);
		n = copy(client->pid, &mine, 1, &theirs, 1, 0);
		copy_watch_end();
		if (n <= 0)
			return n < 0 && errno == ESRCH ? -ESRCH : -EFAULT;
		local = (char *)local + n;
		addr += n;
		len_bytes -= n;
	}
	return 0;
}

static int client_read(struct guest_memory *mem, uint64_t addr, void *dst,
		       size_t len_bytes)
{
	return client_copy(client_of(mem), process_vm_readv, addr, dst,
			   len_bytes);
}

static int client_read_many(struct guest_memory *mem,
			    const struct guest_range *range, unsigned count)
{
	struct client_process *client = client_of(mem);
	struct iovec mine[GUEST_READ_RANGES], theirs[GUEST_READ_RANGES];
	size_t len_bytes = 0;
	ssize_t n;

	for (unsigned i = 0; i < count; i++) {
		mine[i].iov_base = range[i].dst;
		theirs[i].iov_base = (void *)(uintptr_t)range[i].addr;
		mine[i].iov_len = theirs[i].iov_len = range[i].len_bytes;
		len_bytes += range[i].len_bytes;
	}
	if (!client_process_is_alive(client))
		return -ESRCH;
	copy_watch_begin(client);
	n = process_vm_readv(client->pid, mine, count, theirs, count, 0);
	copy_watch_end();
	if (n < 0 && errno == ESRCH)
		return -ESRCH;
	return n < 0 || (size_t)n != len_bytes ? -EFAULT : 0;
}

static int client_write(struct guest_memory *mem, uint64_t addr,
			const void *src, size_t len_bytes)
{
	return client_copy(client_of(mem), process_vm_writev, addr,
			   (void *)(uintptr_t)src, len_bytes);
}

/* A file of its directory in /proc; the number may be another's by now. */
static int client_open_proc(const struct client_process *client,
			    const char *name)
{
	char path[40];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)client->pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	if (client_process_is_alive(client))
		return fd;
	close(fd);
	return -ESRCH;
}

static int client_check(struct guest_memory *mem, uint64_t addr,
			uint64_t len_bytes, bool for_write)
{
	int fd = client_open_proc(client_of(mem), "maps");
	int ret;

	if (fd < 0)
		return fd == -ESRCH ? -ESRCH : -EFAULT;
	ret = memory_map_check(fd, addr, len_bytes, for_write);
	close(fd);
	return ret == -ESRCH ? -ESRCH : ret ? -EFAULT : 0;
}

/*
 * The kernel checks the right to another process' memory before it looks
 * at the address, so reading what cannot be mapped asks for the right only.
 */
static int client_check_access(const struct client_process *client)
{
	char byte;
	struct iovec mine = { &byte, 1 }, theirs = { NULL, 1 };

	if (process_vm_readv(client->pid, &mine, 1, &theirs, 1, 0) < 0 &&
	    errno != EFAULT)
		return -errno;
	return client_process_is_alive(client) ? 0 : -ESRCH;
}

static void client_read_name(struct client_process *client)
{
	int fd = client_open_proc(client, "comm");
	ssize_t n;

	n = fd < 0 ? -1 : read(fd, client->name, sizeof(client->name) - 1);
	if (fd >= 0)
		close(fd);
	client->name[n < 0 ? 0 : n] = '\0';
	client->name[strcspn(client->name, "\n")] = '\0';
	/* A process names itself; a terminal is to obey nobody. */
	for (char *c = client->name; *c; c++) {
		if (*c < ' ' || *c > '~')
			*c = '?';
	}
}

/* Takes @pidfd over, also when it fails. */
static int client_create(struct client_process **client, pid_t pid, int pidfd)
{
	struct client_process *c = calloc(1, sizeof(*c));
	int ret = -ENOMEM;

	if (!c)
		goto err;
	c->mem.check = client_check;
	c->mem.read = client_read;
	c->mem.write = client_write;
	c->mem.read_many = client_read_many;
	c->pid = pid;
	c->pidfd = pidfd;
	ret = client_check_access(c);
	if (ret)
		goto err;
	client_read_name(c);
	*client = c;
	return 0;
err:
	free(c);
	close(pidfd);
	return ret;
}

static int pidfd_open_pid(pid_t pid)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);

	return fd < 0 ? -errno : fd;
}

static int client_open_by_number(struct client_process **client, pid_t pid)
{
	int pidfd = pidfd_open_pid(pid);

	return pidfd < 0 ? pidfd : client_create(client, pid, pidfd);
}

int client_process_open_sender(struct client_process **client, pid_t pid,
			       int pidfd)
{
	if (pid <= 0)
		return -ESRCH;
	if (pidfd < 0)
		return client_open_by_number(client, pid);
	pidfd = fcntl(pidfd, F_DUPFD_CLOEXEC, 0);
	return pidfd < 0 ? -errno : client_create(client, pid, pidfd);
}

int client_process_open_peer(struct client_process **client, int socket_fd)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	int pidfd;

	if (getsockopt(socket_fd, SOL_SOCKET, SO_PEERCRED, &cred, &len))
		return -errno;
	if (cred.pid <= 0)
		return -ESRCH;
	len = sizeof(pidfd);
	if (getsockopt(socket_fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &len)) {
		/* An older kernel: the peer holds its number until it dies. */
		if (errno != ENOPROTOOPT)
			return errno == EINVAL ? -ESRCH : -errno;
		return client_open_by_number(client, cred.pid);
	}
	return client_create(client, cred.pid, pidfd);
}

static void client_ended(struct poll_source *source, uint32_t events)
{
	struct client_process *client = (struct client_process *)
		((char *)source - offsetof(struct client_process, source));

	(void)events;
	client->is_gone = true;
	/* It stays readable. */
	poll_loop_remove(client->loop, client->pidfd);
}

int client_process_watch(struct client_process *client, struct poll_loop *loop)
{
	int ret;

	client->source.ready = client_ended;
	ret = poll_loop_add(loop, client->pidfd, &client->source, EPOLLIN);
	if (!ret)
		client->loop = loop;
	return ret;
}

void client_process_close(struct client_process *client)
{
	if (!client)
		return;
	if (client->loop && !client->is_gone)
		poll_loop_remove(client->loop, client->pidfd);
	copy_watch_wait();
	close(client->pidfd);
	free(client);
}

bool client_process_is_alive(const struct client_process *client)
{
	struct pollfd pfd = { .fd = client->pidfd, .events = POLLIN };

	if (client->loop)
		return !client->is_gone;
	return poll(&pfd, 1, 0) == 0;
}

int client_process_get_fd(const struct client_process *client,
			  uint64_t number)
{
	int fd;

	if (number > INT32_MAX)
		return -EBADF;
	fd = syscall(SYS_pidfd_getfd, client->pidfd, (int)number, 0);
	return fd < 0 ? -errno : fd;
}
