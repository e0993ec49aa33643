/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The functions that the shim's hooks stand in front of: the C library's,
 * or those of a sanitizer in between. They are found once, before any other
 * constructor (the shim is linked with -z initfirst), so that no hook calls
 * dlsym(). What has a system call of the same meaning is called directly
 * when a hook runs even earlier; the others are then looked up at once.
 */
#ifndef SHIM_LIBC_NEXT_H
#define SHIM_LIBC_NEXT_H

#include <dirent.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>

/* Each with the meaning, the result and the errno of its namesake. */
int next_openat(int dirfd, const char *path, int flags, mode_t mode);
int next_ioctl(int fd, unsigned long request, void *arg);
void *next_mmap(void *addr, size_t len, int prot, int flags, int fd,
		off_t offset);
int next_socket(int domain, int type, int protocol);
ssize_t next_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t next_sendto(int fd, const void *buf, size_t len, int flags,
		    const struct sockaddr *addr, socklen_t addr_len);
long next_syscall(long number, const long arg[6]);

/* Those that only the C library can do. */
struct libc_next {
	FILE *(*fopen)(const char *path, const char *mode);
	char *(*realpath)(const char *path, char *resolved);
	DIR *(*opendir)(const char *path);
	DIR *(*fdopendir)(int fd);
	struct dirent *(*readdir)(DIR *dir);
	int (*readdir_r)(DIR *dir, struct dirent *entry, struct dirent **got);
	int (*closedir)(DIR *dir);
	int (*dirfd)(DIR *dir);
	void (*rewinddir)(DIR *dir);
	long (*telldir)(DIR *dir);
	void (*seekdir)(DIR *dir, long position);
};

/* All members set; static. */
const struct libc_next *libc_next(void);

#endif /* SHIM_LIBC_NEXT_H */
