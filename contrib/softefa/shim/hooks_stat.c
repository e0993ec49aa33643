/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Hooks that ask about a path or a descriptor without opening it. */
#include "shim/hook.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "shim/device_table.h"
#include "shim/libc_next.h"
#include "shim/path_lookup.h"
#include "shim/uverbs_fd.h"
#include "shim/virtual_fd.h"

/* A path of a system call: the one given, or where the lookup led. */
struct real_path {
	int dirfd;
	const char *path;
	char text[TREE_MAX_PATH * 2];
};

/*
 * Looks up and leaves in @real what to ask the kernel for when the result is
 * not PATH_VIRTUAL. Returns an enum path_owner or a negative errno.
 */
static int find(int dirfd, const char *path, bool follow,
		struct path_place *place, struct real_path *real)
{
	int ret = path_lookup(dirfd, path, follow, place);

	real->dirfd = dirfd;
	real->path = path;
	if (ret == PATH_ELSEWHERE) {
		ret = path_text(place, real->text, sizeof(real->text));
		if (ret < 0)
			return ret;
		real->dirfd = AT_FDCWD;
		real->path = real->text;
		return PATH_ELSEWHERE;
	}
	return ret;
}

__attribute__((noinline))
static int stat_node(const struct tree_node *node, struct stat *st)
{
	static const struct softefa_devices none;
	struct softefa_devices storage;
	const struct softefa_devices *devices = device_table_get(&storage);

	virtual_fd_stat(devices ? devices : &none, node, st);
	return 0;
}

/* The status of context @device: that of its device node. */
static void stat_context(int device, struct stat *st)
{
	struct tree_node node = {
		.kind = TREE_CHAR,
		.device = (uint32_t)device,
	};
	struct softefa_devices storage;
	const struct softefa_devices *devices = device_table_get(&storage);

	if (!devices || (uint32_t)device >= devices->count)
		return;
	snprintf(node.path, sizeof(node.path), "dev/infiniband/%s",
		 devices->entry[device].uverbs);
	virtual_fd_stat(devices, &node, st);
}

/* Puts the shim's own descriptors right in *@st, which the kernel filled. */
static void correct(int fd, struct stat *st)
{
	char path[VIRTUAL_FD_MAX_PATH];
	struct path_place place;
	int device;

	if (S_ISSOCK(st->st_mode)) {
		device = uverbs_fd_device(fd);
		if (device >= 0)
			stat_context(device, st);
	} else if (virtual_fd_path_of(fd, st, path, sizeof(path)) > 0 &&
		   path_lookup(AT_FDCWD, path, true, &place) == PATH_VIRTUAL) {
		stat_node(&place.node, st);
	}
}

static int stat_fd(int fd, struct stat *st)
{
	if (syscall(SYS_fstat, fd, st) < 0)
		return -1;
	correct(fd, st);
	return 0;
}

static int stat_path(int dirfd, const char *path, struct stat *st, int flags)
{
	struct path_place place;
	struct real_path real;
	int ret;

	if ((flags & AT_EMPTY_PATH) && path && !*path && dirfd >= 0)
		return stat_fd(dirfd, st);
	ret = find(dirfd, path, !(flags & AT_SYMLINK_NOFOLLOW), &place, &real);
	if (ret == PATH_VIRTUAL && place.node.kind != TREE_REAL_FILE)
		return stat_node(&place.node, st);
	if (ret == PATH_VIRTUAL)
		real.path = place.node.content;
	if (hook_result(ret) < 0)
		return -1;
	return (int)syscall(SYS_newfstatat, real.dirfd, real.path, st, flags);
}

HOOK(int, stat, const char *path, struct stat *st)
{
	return stat_path(AT_FDCWD, path, st, 0);
}
HOOK_ALIAS(int, stat64, stat, const char *path, struct stat *st);

HOOK(int, lstat, const char *path, struct stat *st)
{
	return stat_path(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}
HOOK_ALIAS(int, lstat64, lstat, const char *path, struct stat *st);

HOOK(int, fstat, int fd, struct stat *st)
{
	return stat_fd(fd, st);
}
HOOK_ALIAS(int, fstat64, fstat, int fd, struct stat *st);

HOOK(int, fstatat, int dirfd, const char *path, struct stat *st, int flags)
{
	return stat_path(dirfd, path, st, flags);
}
HOOK_ALIAS(int, fstatat64, fstatat, int dirfd, const char *path,
	   struct stat *st, int flags);

/* Programs built against a C library before 2.33; one version of layout. */
HOOK(int, __xstat, int version, const char *path, struct stat *st)
{
	(void)version;
	return stat_path(AT_FDCWD, path, st, 0);
}
HOOK_ALIAS(int, __xstat64, __xstat, int version, const char *path,
	   struct stat *st);

HOOK(int, __lxstat, int version, const char *path, struct stat *st)
{
	(void)version;
	return stat_path(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}
HOOK_ALIAS(int, __lxstat64, __lxstat, int version, const char *path,
	   struct stat *st);

HOOK(int, __fxstat, int version, int fd, struct stat *st)
{
	(void)version;
	return stat_fd(fd, st);
}
HOOK_ALIAS(int, __fxstat64, __fxstat, int version, int fd, struct stat *st);

HOOK(int, __fxstatat, int version, int dirfd, const char *path,
     struct stat *st, int flags)
{
	(void)version;
	return stat_path(dirfd, path, st, flags);
}
HOOK_ALIAS(int, __fxstatat64, __fxstatat, int version, int dirfd,
	   const char *path, struct stat *st, int flags);

static void fill_statx(const struct stat *st, struct statx *stx)
{
	memset(stx, 0, sizeof(*stx));
	stx->stx_mask = STATX_BASIC_STATS;
	stx->stx_blksize = (uint32_t)st->st_blksize;
	stx->stx_nlink = (uint32_t)st->st_nlink;
	stx->stx_mode = (uint16_t)st->st_mode;
	stx->stx_ino = st->st_ino;
	stx->stx_size = (uint64_t)st->st_size;
	stx->stx_rdev_major = major(st->st_rdev);
	stx->stx_rdev_minor = minor(st->st_rdev);
	stx->stx_dev_major = major(st->st_dev);
	stx->stx_dev_minor = minor(st->st_dev);
}

/* Whether *@st is what the shim made up for @fd. */
static bool stat_own_fd(int fd, struct stat *st)
{
	ino_t real;

	if (syscall(SYS_fstat, fd, st) < 0)
		return false;
	real = st->st_ino;
	correct(fd, st);
	return st->st_ino != real;
}

HOOK(int, statx, int dirfd, const char *path, int flags, unsigned mask,
     struct statx *stx)
{
	struct path_place place;
	struct real_path real = { .dirfd = dirfd, .path = path };
	struct stat st;
	int ret;

	if ((flags & AT_EMPTY_PATH) && path && !*path) {
		if (dirfd >= 0 && stat_own_fd(dirfd, &st)) {
			fill_statx(&st, stx);
			return 0;
		}
		return (int)syscall(SYS_statx, dirfd, path, flags, mask, stx);
	}
	ret = find(dirfd, path, !(flags & AT_SYMLINK_NOFOLLOW), &place, &real);
	if (ret == PATH_VIRTUAL && place.node.kind != TREE_REAL_FILE) {
		stat_node(&place.node, &st);
		fill_statx(&st, stx);
		return 0;
	}
	if (ret == PATH_VIRTUAL)
		real.path = place.node.content;
	if (hook_result(ret) < 0)
		return -1;
	return (int)syscall(SYS_statx, real.dirfd, real.path, flags, mask, stx);
}

/* Everybody may read and search, nobody write, but to a device node. */
static int access_path(int dirfd, const char *path, int mode, int flags)
{
	struct path_place place;
	struct real_path real;
	int ret = find(dirfd, path, !(flags & AT_SYMLINK_NOFOLLOW), &place,
		       &real);

	if (ret == PATH_VIRTUAL && place.node.kind == TREE_CHAR)
		ret = mode & X_OK ? -EACCES : 0;
	else if (ret == PATH_VIRTUAL && place.node.kind == TREE_DIR)
		ret = mode & W_OK ? -EACCES : 0;
	else if (ret == PATH_VIRTUAL)
		ret = mode & (W_OK | X_OK) ? -EACCES : 0;
	else if (ret >= 0 && flags)
		return (int)syscall(SYS_faccessat2, real.dirfd, real.path,
				    mode, flags);
	else if (ret >= 0)
		return (int)syscall(SYS_faccessat, real.dirfd, real.path,
				    mode);
	return hook_result(ret);
}

HOOK(int, access, const char *path, int mode)
{
	return access_path(AT_FDCWD, path, mode, 0);
}

HOOK(int, faccessat, int dirfd, const char *path, int mode, int flags)
{
	return access_path(dirfd, path, mode, flags);
}

HOOK(int, eaccess, const char *path, int mode)
{
	return access_path(AT_FDCWD, path, mode, AT_EACCESS);
}
HOOK_ALIAS(int, euidaccess, eaccess, const char *path, int mode);

static ssize_t readlink_path(int dirfd, const char *path, char *buf,
			     size_t size)
{
	struct path_place place;
	struct real_path real;
	int ret = find(dirfd, path, false, &place, &real);
	size_t len;

	if (ret == PATH_VIRTUAL && place.node.kind != TREE_LINK)
		ret = -EINVAL;
	if (hook_result(ret) < 0)
		return -1;
	if (ret != PATH_VIRTUAL)
		return syscall(SYS_readlinkat, real.dirfd, real.path, buf,
			       size);
	len = strlen(place.node.content);
	if (len > size)
		len = size;
	memcpy(buf, place.node.content, len);
	return (ssize_t)len;
}

HOOK(ssize_t, readlink, const char *path, char *buf, size_t size)
{
	return readlink_path(AT_FDCWD, path, buf, size);
}

HOOK(ssize_t, readlinkat, int dirfd, const char *path, char *buf, size_t size)
{
	return readlink_path(dirfd, path, buf, size);
}

/* The C library's end of a fortified program that overruns a buffer. */
_Noreturn void __chk_fail(void);

HOOK(ssize_t, __readlink_chk, const char *path, char *buf, size_t size,
     size_t buf_size)
{
	if (size > buf_size)
		__chk_fail();
	return readlink_path(AT_FDCWD, path, buf, size);
}

HOOK(ssize_t, __readlinkat_chk, int dirfd, const char *path, char *buf,
     size_t size, size_t buf_size)
{
	if (size > buf_size)
		__chk_fail();
	return readlink_path(dirfd, path, buf, size);
}

static char *resolve_path(const char *path, char *resolved)
{
	struct path_place place;
	struct real_path real;
	char text[TREE_MAX_PATH * 2];
	int ret = find(AT_FDCWD, path, true, &place, &real);

	if (ret == PATH_VIRTUAL)
		ret = path_text(&place, text, sizeof(text));
	else if (ret >= 0)
		return libc_next()->realpath(real.path, resolved);
	if (hook_result(ret) < 0)
		return NULL;
	return resolved ? strcpy(resolved, text) : strdup(text);
}

HOOK(char *, realpath, const char *path, char *resolved)
{
	return resolve_path(path, resolved);
}

HOOK(char *, __realpath_chk, const char *path, char *resolved, size_t size)
{
	if (size < PATH_MAX)
		__chk_fail();
	return resolve_path(path, resolved);
}

HOOK(char *, canonicalize_file_name, const char *path)
{
	return resolve_path(path, NULL);
}

/* Nothing virtual has extended attributes; `ls -l` asks for them. */
static ssize_t attributes_of(const char *path, bool follow,
			     struct real_path *real)
{
	struct path_place place;
	int ret = find(AT_FDCWD, path, follow, &place, real);

	return hook_result(ret == PATH_VIRTUAL ? -ENOTSUP : ret);
}

HOOK(ssize_t, getxattr, const char *path, const char *name, void *value,
     size_t size)
{
	struct real_path real;

	if (attributes_of(path, true, &real) < 0)
		return -1;
	return syscall(SYS_getxattr, real.path, name, value, size);
}

HOOK(ssize_t, lgetxattr, const char *path, const char *name, void *value,
     size_t size)
{
	struct real_path real;

	if (attributes_of(path, false, &real) < 0)
		return -1;
	return syscall(SYS_lgetxattr, real.path, name, value, size);
}

HOOK(ssize_t, listxattr, const char *path, char *list, size_t size)
{
	struct real_path real;

	if (attributes_of(path, true, &real) < 0)
		return -1;
	return syscall(SYS_listxattr, real.path, list, size);
}

HOOK(ssize_t, llistxattr, const char *path, char *list, size_t size)
{
	struct real_path real;

	if (attributes_of(path, false, &real) < 0)
		return -1;
	return syscall(SYS_llistxattr, real.path, list, size);
}
