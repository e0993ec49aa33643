/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Hooks that list directories. */
#include "shim/hook.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/device_table.h"
#include "shim/dir_stream.h"
#include "shim/libc_next.h"
#include "shim/path_lookup.h"
#include "shim/virtual_fd.h"

/* A stream on the virtual directory @place; on success it owns @fd. */
__attribute__((noinline))
static DIR *open_stream(const struct path_place *place, int fd)
{
	struct softefa_devices storage;
	const struct softefa_devices *devices = device_table_get(&storage);
	struct dir_stream *stream = NULL;

	errno = ENOTDIR;
	if (devices && place->node.kind == TREE_DIR) {
		errno = EMFILE;
		stream = dir_stream_open(devices, place->node.path, fd);
	}
	return (DIR *)stream;
}

static DIR *opendir_virtual(const struct path_place *place)
{
	char path[VIRTUAL_FD_MAX_PATH];
	DIR *dir;
	int fd = path_text(place, path, sizeof(path));

	if (fd >= 0 && place->node.kind != TREE_DIR)
		fd = -ENOTDIR;
	if (fd >= 0)
		fd = virtual_fd_open(&place->node, path, O_CLOEXEC);
	if (hook_result(fd) < 0)
		return NULL;
	dir = open_stream(place, fd);
	if (!dir)
		syscall(SYS_close, fd);
	return dir;
}

HOOK(DIR *, opendir, const char *path)
{
	struct path_place place;
	char text[TREE_MAX_PATH * 2];
	int ret = path_lookup(AT_FDCWD, path, true, &place);

	if (ret == PATH_VIRTUAL)
		return opendir_virtual(&place);
	if (ret == PATH_ELSEWHERE) {
		ret = path_text(&place, text, sizeof(text));
		path = text;
	}
	if (hook_result(ret) < 0)
		return NULL;
	return libc_next()->opendir(path);
}

HOOK(DIR *, fdopendir, int fd)
{
	char path[VIRTUAL_FD_MAX_PATH];
	struct path_place place;

	if (virtual_fd_path(fd, path, sizeof(path)) < 0 ||
	    path_lookup(AT_FDCWD, path, true, &place) != PATH_VIRTUAL)
		return libc_next()->fdopendir(fd);
	return open_stream(&place, fd);
}

HOOK(struct dirent *, readdir, DIR *dir)
{
	struct dir_stream *stream = dir_stream_of(dir);

	return stream ? dir_stream_read(stream) : libc_next()->readdir(dir);
}
HOOK_ALIAS(struct dirent *, readdir64, readdir, DIR *dir);

HOOK(int, readdir_r, DIR *dir, struct dirent *entry, struct dirent **result)
{
	struct dir_stream *stream = dir_stream_of(dir);
	struct dirent *next;

	if (!stream)
		return libc_next()->readdir_r(dir, entry, result);
	next = dir_stream_read(stream);
	if (next)
		*entry = *next;
	*result = next ? entry : NULL;
	return 0;
}
HOOK_ALIAS(int, readdir64_r, readdir_r, DIR *dir, struct dirent *entry,
	   struct dirent **result);

HOOK(int, closedir, DIR *dir)
{
	struct dir_stream *stream = dir_stream_of(dir);

	if (!stream)
		return libc_next()->closedir(dir);
	dir_stream_close(stream);
	return 0;
}

HOOK(int, dirfd, DIR *dir)
{
	struct dir_stream *stream = dir_stream_of(dir);

	return stream ? dir_stream_fd(stream) : libc_next()->dirfd(dir);
}

HOOK(void, rewinddir, DIR *dir)
{
	struct dir_stream *stream = dir_stream_of(dir);

	if (stream)
		dir_stream_seek(stream, 0);
	else
		libc_next()->rewinddir(dir);
}

HOOK(long, telldir, DIR *dir)
{
	struct dir_stream *stream = dir_stream_of(dir);

	return stream ? dir_stream_tell(stream) : libc_next()->telldir(dir);
}

HOOK(void, seekdir, DIR *dir, long position)
{
	struct dir_stream *stream = dir_stream_of(dir);

	if (stream)
		dir_stream_seek(stream, position);
	else
		libc_next()->seekdir(dir, position);
}
