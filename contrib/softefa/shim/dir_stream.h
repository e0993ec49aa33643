/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * DIR of virtual directories. The C library can make none without a real
 * directory, so these are the shim's own, from a fixed pool: whether a DIR
 * is one of them is a comparison of addresses. Streams are independent of
 * each other; one stream is for one thread at a time, as DIR is.
 */
#ifndef SHIM_DIR_STREAM_H
#define SHIM_DIR_STREAM_H

#include <dirent.h>
#include <stdbool.h>

#include "shim/virtual_tree.h"

struct dir_stream;

/*
 * Opens the directory that @fd, a virtual directory's descriptor, stands
 * for; @path is its path as tree_walk() resolved it. The stream owns @fd
 * from then on. NULL when all streams are in use (-EMFILE).
 */
struct dir_stream *dir_stream_open(const struct softefa_devices *devices,
				   const char *path, int fd);

/* @dir as one of these streams, or NULL. */
struct dir_stream *dir_stream_of(DIR *dir);

/* The next entry, valid until the next call on @stream; NULL at the end. */
struct dirent *dir_stream_read(struct dir_stream *stream);

/* The number of entries read, and setting it. */
long dir_stream_tell(const struct dir_stream *stream);
void dir_stream_seek(struct dir_stream *stream, long position);

/* The descriptor, which the stream keeps. */
int dir_stream_fd(const struct dir_stream *stream);

/* Closes the stream with its descriptor. */
void dir_stream_close(struct dir_stream *stream);

#endif /* SHIM_DIR_STREAM_H */
