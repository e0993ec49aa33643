/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "shim/virtual_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NAME_PREFIX	"softefa:"
#define LINK_PREFIX	"/memfd:" NAME_PREFIX
#define LINK_SUFFIX	" (deleted)"

/*
 * Permission bits that no other memfd has, so that the name is asked for
 * only when it is likely ours.
 */
#define MARK_MODE	01444u

/* A device number that no file system has: unnamed devices have major 0. */
#define VIRTUAL_DEV	makedev(0, 0xefa)

static int fill(int fd, const char *text)
{
	size_t len = strlen(text);

	if (syscall(SYS_pwrite64, fd, text, len, 0) != (long)len)
		return -EIO;
	if (syscall(SYS_fchmod, fd, MARK_MODE) < 0 ||
	    syscall(SYS_fcntl, fd, F_ADD_SEALS,
		    F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW |
		    F_SEAL_WRITE) < 0)
		return -errno;
	return 0;
}

int virtual_fd_open(const struct tree_node *node, const char *path,
		    int open_flags)
{
	char name[sizeof(NAME_PREFIX) + VIRTUAL_FD_MAX_PATH];
	unsigned flags = MFD_ALLOW_SEALING;
	int fd, ret;

	assert(node->kind == TREE_DIR || node->kind == TREE_FILE);
	if (strlen(path) >= VIRTUAL_FD_MAX_PATH)
		return -ENAMETOOLONG;
	snprintf(name, sizeof(name), NAME_PREFIX "%s", path);
	if (open_flags & O_CLOEXEC)
		flags |= MFD_CLOEXEC;
	fd = (int)syscall(SYS_memfd_create, name, flags);
	if (fd < 0)
		return -errno;
	ret = fill(fd, node->kind == TREE_FILE ? node->content : "");
	if (ret) {
		syscall(SYS_close, fd);
		return ret;
	}
	return fd;
}

int virtual_fd_path_of(int fd, const struct stat *st, char *path, size_t size)
{
	char proc[32], text[sizeof(LINK_PREFIX) + VIRTUAL_FD_MAX_PATH +
			    sizeof(LINK_SUFFIX)];
	size_t prefix = strlen(LINK_PREFIX), suffix = strlen(LINK_SUFFIX);
	ssize_t len;

	if (!S_ISREG(st->st_mode) || (st->st_mode & 07777) != MARK_MODE ||
	    st->st_nlink)
		return -ENOENT;
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", fd);
	len = syscall(SYS_readlinkat, AT_FDCWD, proc, text, sizeof(text));
	if (len < (ssize_t)(prefix + suffix) ||
	    strncmp(text, LINK_PREFIX, prefix))
		return -ENOENT;
	len -= (ssize_t)(prefix + suffix);
	if ((size_t)len >= size)
		return -ENOENT;
	memcpy(path, text + prefix, (size_t)len);
	path[len] = '\0';
	return (int)len;
}

int virtual_fd_path(int fd, char *path, size_t size)
{
	struct stat st;

	if (fd < 0 || syscall(SYS_fstat, fd, &st) < 0)
		return -ENOENT;
	return virtual_fd_path_of(fd, &st, path, size);
}

void virtual_fd_stat(const struct softefa_devices *devices,
		     const struct tree_node *node, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_dev = VIRTUAL_DEV;
	st->st_ino = tree_inode(node->path);
	st->st_nlink = 1;
	st->st_blksize = 4096;
	switch (node->kind) {
	case TREE_DIR:
		st->st_mode = S_IFDIR | 0755;
		st->st_nlink = 2;
		break;
	case TREE_LINK:
		st->st_mode = S_IFLNK | 0777;
		st->st_size = (off_t)strlen(node->content);
		break;
	case TREE_CHAR:
		st->st_mode = S_IFCHR | 0666;
		st->st_rdev = makedev(SOFTEFA_UVERBS_MAJOR,
				      devices->entry[node->device].minor);
		break;
	default:
		st->st_mode = S_IFREG | 0444;
		st->st_size = 4096;
	}
}
