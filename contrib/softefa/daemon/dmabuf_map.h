/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The memory behind a dma-buf that a client names by a descriptor, mapped in
 * the daemon. A memfd is taken for one as well: it stands in for the memory
 * of an accelerator where there is none.
 *
 * Only what cannot block a fault is mapped: dma-bufs and files of tmpfs,
 * never one of a file system that the client could serve itself. It can
 * still be cut off under the daemon: touch it through dmabuf_map_read and
 * dmabuf_map_write, which fail then, and directly only if dmabuf_map_is_fixed.
 */
#ifndef DAEMON_DMABUF_MAP_H
#define DAEMON_DMABUF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dmabuf_map {
	void *base;		/* of the page that holds the first byte */
	size_t mapped_bytes;
	size_t offset;		/* of the first byte, below a page */
	size_t length;
	bool is_writable;
};

/*
 * Maps [offset, offset + length) of the buffer @fd, which stays the
 * caller's. -EINVAL for a descriptor of another kind and for a range beyond
 * the buffer's end, -EACCES or -EPERM when it cannot be written although
 * @for_write, -ENOMEM.
 */
int dmabuf_map_open(struct dmabuf_map *map, int fd, uint64_t offset,
		    uint64_t length, bool for_write);
void dmabuf_map_close(struct dmabuf_map *map);

/*
 * Whether the buffer @fd can never become shorter, so that every byte of its
 * mappings stays. Of a memfd it is made sure by a seal, if its owner allows
 * sealing.
 */
bool dmabuf_map_is_fixed(int fd);

/* Copies bytes at @at, which is within the map. -EFAULT: it is gone. */
int dmabuf_map_read(const struct dmabuf_map *map, size_t at, void *dst,
		    size_t len_bytes);
int dmabuf_map_write(const struct dmabuf_map *map, size_t at, const void *src,
		     size_t len_bytes);

#endif /* DAEMON_DMABUF_MAP_H */
