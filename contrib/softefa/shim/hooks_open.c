/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Hooks that open: files, device nodes, directories as descriptors. */
#include "shim/hook.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/libc_next.h"
#include "shim/path_lookup.h"
#include "shim/uverbs_fd.h"
#include "shim/virtual_fd.h"

static int open_readable(const struct path_place *place, int flags)
{
	char path[VIRTUAL_FD_MAX_PATH];
	int ret;

	if ((flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC))
		return place->node.kind == TREE_DIR ? -EISDIR : -EACCES;
	if ((flags & O_DIRECTORY) && place->node.kind != TREE_DIR)
		return -ENOTDIR;
	ret = path_text(place, path, sizeof(path));
	return ret < 0 ? ret : virtual_fd_open(&place->node, path, flags);
}

/* Opens what the tree has; the result is a descriptor or negative errno. */
static int open_virtual(const struct path_place *place, int flags)
{
	int ret;

	if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return -EEXIST;
	switch (place->node.kind) {
	case TREE_CHAR:
		if (flags & O_DIRECTORY)
			return -ENOTDIR;
		return uverbs_fd_open(place->node.device, flags);
	case TREE_LINK:
		return -ELOOP;
	case TREE_REAL_FILE:
		ret = next_openat(AT_FDCWD, place->node.content, flags, 0);
		return ret < 0 ? -errno : ret;
	default:
		return open_readable(place, flags);
	}
}

/* As open_virtual(), of whatever @path turns out to be. */
static int open_path(int dirfd, const char *path, int flags, mode_t mode)
{
	struct path_place place;
	char text[TREE_MAX_PATH * 2];
	int ret = path_lookup(dirfd, path, !(flags & O_NOFOLLOW), &place);

	if (ret == PATH_VIRTUAL)
		return open_virtual(&place, flags);
	if (ret == PATH_ELSEWHERE) {
		ret = path_text(&place, text, sizeof(text));
		path = text;
		dirfd = AT_FDCWD;
	}
	if (ret < 0)
		return ret;
	ret = next_openat(dirfd, path, flags, mode);
	return ret < 0 ? -errno : ret;
}

/* The mode is given only when a file may be made. */
#define MODE_ARGUMENT(mode, flags)					\
do {									\
	va_list args;							\
									\
	va_start(args, flags);						\
	(mode) = (flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE ? \
		 va_arg(args, mode_t) : 0;				\
	va_end(args);							\
} while (0)

HOOK(int, open, const char *path, int flags, ...)
{
	mode_t mode;

	MODE_ARGUMENT(mode, flags);
	return hook_result(open_path(AT_FDCWD, path, flags, mode));
}
HOOK_ALIAS(int, open64, open, const char *path, int flags, ...);

HOOK(int, openat, int dirfd, const char *path, int flags, ...)
{
	mode_t mode;

	MODE_ARGUMENT(mode, flags);
	return hook_result(open_path(dirfd, path, flags, mode));
}
HOOK_ALIAS(int, openat64, openat, int dirfd, const char *path, int flags, ...);

/* The names that fortified programs use for calls without a mode. */
HOOK(int, __open_2, const char *path, int flags)
{
	return hook_result(open_path(AT_FDCWD, path, flags, 0));
}
HOOK_ALIAS(int, __open64_2, __open_2, const char *path, int flags);

HOOK(int, __openat_2, int dirfd, const char *path, int flags)
{
	return hook_result(open_path(dirfd, path, flags, 0));
}
HOOK_ALIAS(int, __openat64_2, __openat_2, int dirfd, const char *path,
	   int flags);

/* A stream on what the tree has; only reading is allowed there. */
static FILE *fopen_virtual(const struct path_place *place, const char *mode)
{
	int flags = strchr(mode, 'e') ? O_CLOEXEC : 0;
	int fd;
	FILE *file;

	flags |= mode[0] == 'r' && !strchr(mode, '+') ? O_RDONLY : O_RDWR;
	fd = hook_result(open_virtual(place, flags));
	if (fd < 0)
		return NULL;
	file = fdopen(fd, mode);
	if (!file)
		syscall(SYS_close, fd);
	return file;
}

HOOK(FILE *, fopen, const char *path, const char *mode)
{
	struct path_place place;
	char text[TREE_MAX_PATH * 2];
	int ret = path_lookup(AT_FDCWD, path, true, &place);

	if (ret == PATH_VIRTUAL)
		return fopen_virtual(&place, mode);
	if (ret == PATH_ELSEWHERE) {
		ret = path_text(&place, text, sizeof(text));
		path = text;
	}
	if (hook_result(ret) < 0)
		return NULL;
	return libc_next()->fopen(path, mode);
}
HOOK_ALIAS(FILE *, fopen64, fopen, const char *path, const char *mode);
