/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "shim/libc_next.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/client_env.h"

static struct {
	int (*openat)(int dirfd, const char *path, int flags, ...);
	int (*ioctl)(int fd, unsigned long request, ...);
	void *(*mmap)(void *addr, size_t len, int prot, int flags, int fd,
		      off_t offset);
	int (*socket)(int domain, int type, int protocol);
	ssize_t (*sendmsg)(int fd, const struct msghdr *msg, int flags);
	ssize_t (*sendto)(int fd, const void *buf, size_t len, int flags,
			  const struct sockaddr *addr, socklen_t addr_len);
	long (*syscall)(long number, ...);
} calls;

static struct libc_next functions;
static atomic_bool is_resolved;

/* An object pointer becomes a function pointer as POSIX has it for dlsym. */
#define RESOLVE(table, name) \
	(*(void **)&(table).name = dlsym(RTLD_NEXT, #name))

/* Run by two threads at once it stores the same values twice. */
static void resolve(void)
{
	RESOLVE(calls, openat);
	RESOLVE(calls, ioctl);
	RESOLVE(calls, mmap);
	RESOLVE(calls, socket);
	RESOLVE(calls, sendmsg);
	RESOLVE(calls, sendto);
	RESOLVE(calls, syscall);
	RESOLVE(functions, fopen);
	RESOLVE(functions, realpath);
	RESOLVE(functions, opendir);
	RESOLVE(functions, fdopendir);
	RESOLVE(functions, readdir);
	RESOLVE(functions, readdir_r);
	RESOLVE(functions, closedir);
	RESOLVE(functions, dirfd);
	RESOLVE(functions, rewinddir);
	RESOLVE(functions, telldir);
	RESOLVE(functions, seekdir);
	/* Pairs with the acquire of libc_next(). */
	atomic_store_explicit(&is_resolved, true, memory_order_release);
}

/* The C library hands its start-up arguments to every constructor. */
__attribute__((constructor)) static void start(int argc, char **argv,
					       char **envp)
{
	(void)argc;
	(void)argv;
	client_env_read(envp);
	resolve();
}

const struct libc_next *libc_next(void)
{
	if (!atomic_load_explicit(&is_resolved, memory_order_acquire))
		resolve();
	return &functions;
}

int next_openat(int dirfd, const char *path, int flags, mode_t mode)
{
	if (calls.openat)
		return calls.openat(dirfd, path, flags, mode);
	return (int)syscall(SYS_openat, dirfd, path, flags, mode);
}

int next_ioctl(int fd, unsigned long request, void *arg)
{
	if (calls.ioctl)
		return calls.ioctl(fd, request, arg);
	return (int)syscall(SYS_ioctl, fd, request, arg);
}

void *next_mmap(void *addr, size_t len, int prot, int flags, int fd,
		off_t offset)
{
	if (calls.mmap)
		return calls.mmap(addr, len, prot, flags, fd, offset);
	return (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, offset);
}

int next_socket(int domain, int type, int protocol)
{
	if (calls.socket)
		return calls.socket(domain, type, protocol);
	return (int)syscall(SYS_socket, domain, type, protocol);
}

ssize_t next_sendmsg(int fd, const struct msghdr *msg, int flags)
{
	if (calls.sendmsg)
		return calls.sendmsg(fd, msg, flags);
	return syscall(SYS_sendmsg, fd, msg, flags);
}

ssize_t next_sendto(int fd, const void *buf, size_t len, int flags,
		    const struct sockaddr *addr, socklen_t addr_len)
{
	if (calls.sendto)
		return calls.sendto(fd, buf, len, flags, addr, addr_len);
	return syscall(SYS_sendto, fd, buf, len, flags, addr, addr_len);
}

long next_syscall(long number, const long arg[6])
{
	if (!calls.syscall)
		resolve();
	return calls.syscall(number, arg[0], arg[1], arg[2], arg[3], arg[4],
			     arg[5]);
}
