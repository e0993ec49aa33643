/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "shim/dir_stream.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/thread_order.h"

#define MAX_STREAMS	32
#define MAX_NAMES	64

struct dir_stream {
	atomic_bool in_use;
	unsigned char types[MAX_NAMES];
	int fd;
	size_t num_names;
	size_t next;
	struct dirent entry;
	char path[TREE_MAX_PATH];
	char names[MAX_NAMES][TREE_MAX_NAME];
};

static struct dir_stream streams[MAX_STREAMS];

static struct dir_stream *claim(void)
{
	size_t i;

	for (i = 0; i < MAX_STREAMS; i++) {
		if (atomic_exchange(&streams[i].in_use, true))
			continue;
		thread_order_acquired(&streams[i]);
		return &streams[i];
	}
	return NULL;
}

static unsigned char type_of(const struct softefa_devices *devices,
			     const char *dir, const char *name)
{
	char path[TREE_MAX_PATH + TREE_MAX_NAME + 1];
	struct tree_node node;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (tree_walk(devices, path, false, &node))
		return DT_UNKNOWN;
	switch (node.kind) {
	case TREE_DIR: return DT_DIR;
	case TREE_LINK: return DT_LNK;
	case TREE_CHAR: return DT_CHR;
	default: return DT_REG;
	}
}

struct dir_stream *dir_stream_open(const struct softefa_devices *devices,
				   const char *path, int fd)
{
	struct dir_stream *stream = claim();
	size_t i, num;

	if (!stream)
		return NULL;
	strcpy(stream->names[0], ".");
	strcpy(stream->names[1], "..");
	num = 2 + tree_list(devices, path, stream->names + 2, MAX_NAMES - 2);
	stream->types[0] = DT_DIR;
	stream->types[1] = DT_DIR;
	for (i = 2; i < num; i++)
		stream->types[i] = type_of(devices, path, stream->names[i]);
	snprintf(stream->path, sizeof(stream->path), "%s", path);
	stream->num_names = num;
	stream->next = 0;
	stream->fd = fd;
	return stream;
}

struct dir_stream *dir_stream_of(DIR *dir)
{
	uintptr_t at = (uintptr_t)dir;

	if (at < (uintptr_t)streams || at >= (uintptr_t)(streams + MAX_STREAMS))
		return NULL;
	return (struct dir_stream *)dir;
}

struct dirent *dir_stream_read(struct dir_stream *stream)
{
	struct dirent *entry = &stream->entry;
	char path[TREE_MAX_PATH + TREE_MAX_NAME + 1];

	if (stream->next >= stream->num_names)
		return NULL;
	snprintf(path, sizeof(path), "%s/%s", stream->path,
		 stream->names[stream->next]);
	memset(entry, 0, sizeof(*entry));
	entry->d_ino = tree_inode(path);
	entry->d_type = stream->types[stream->next];
	entry->d_reclen = sizeof(*entry);
	strcpy(entry->d_name, stream->names[stream->next]);
	stream->next++;
	entry->d_off = (off_t)stream->next;
	return entry;
}

long dir_stream_tell(const struct dir_stream *stream)
{
	return (long)stream->next;
}

void dir_stream_seek(struct dir_stream *stream, long position)
{
	stream->next = position < 0 ? 0 : (size_t)position;
}

int dir_stream_fd(const struct dir_stream *stream)
{
	return stream->fd;
}

void dir_stream_close(struct dir_stream *stream)
{
	syscall(SYS_close, stream->fd);
	thread_order_releasing(stream);
	atomic_store(&stream->in_use, false);
}
