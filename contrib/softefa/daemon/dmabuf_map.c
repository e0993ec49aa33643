/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include "daemon/dmabuf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef DMA_BUF_MAGIC
#define DMA_BUF_MAGIC	0x444d4142
#endif

/* The file system of @fd, 0 when it has none that is known. */
static long type_of(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) ? 0 : (long)fs.f_type;
}

/* Its bytes; -1: it is neither a dma-buf nor a file of tmpfs. */
static off_t size_of(int fd)
{
	struct stat st;

	switch (type_of(fd)) {
	case DMA_BUF_MAGIC:
		return lseek(fd, 0, SEEK_END);
	case TMPFS_MAGIC:
		return fstat(fd, &st) || !S_ISREG(st.st_mode) ? -1 :
		       st.st_size;
	default:
		return -1;
	}
}

int dmabuf_map_open(struct dmabuf_map *map, int fd, uint64_t offset,
		    uint64_t length, bool for_write)
{
	uint64_t in_page = sysconf(_SC_PAGESIZE) - 1;
	off_t size = size_of(fd);
	uint64_t start = offset & ~in_page;
	void *base;

	if (size < 0 || !length || offset + length < offset ||
	    offset + length > (uint64_t)size)
		return -EINVAL;
	base = mmap(NULL, offset + length - start,
		    PROT_READ | (for_write ? PROT_WRITE : 0), MAP_SHARED, fd,
		    (off_t)start);
	if (base == MAP_FAILED)
		return -errno;
	*map = (struct dmabuf_map) {
		.base = base,
		.mapped_bytes = offset + length - start,
		.offset = offset - start,
		.length = length,
		.is_writable = for_write,
	};
	return 0;
}

void dmabuf_map_close(struct dmabuf_map *map)
{
	munmap(map->base, map->mapped_bytes);
	map->base = NULL;
}

bool dmabuf_map_is_fixed(int fd)
{
	if (type_of(fd) == DMA_BUF_MAGIC)
		return true;
	fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK);
	return (fcntl(fd, F_GET_SEALS) & F_SEAL_SHRINK) &&
		fcntl(fd, F_GET_SEALS) >= 0;
}

typedef ssize_t (*copy_call)(pid_t, const struct iovec *, unsigned long,
			     const struct iovec *, unsigned long,
			     unsigned long);

/*
 * The daemon's own memory by the call that reaches a client's: where a page
 * is gone it returns an error instead of a signal.
 */
static int copy(const struct dmabuf_map *map, copy_call call, size_t at,
		void *local, size_t len_bytes)
{
	struct iovec mine, theirs;
	ssize_t n;

	while (len_bytes) {
		mine.iov_base = local;
		mine.iov_len = len_bytes;
		theirs.iov_base = (char *)map->base + map->offset + at;
		theirs.iov_len = len_bytes;
		n = call(getpid(), &mine, 1, &theirs, 1, 0);
		if (n <= 0)
			return -EFAULT;
		local = (char *)local + n;
		at += (size_t)n;
		len_bytes -= (size_t)n;
	}
	return 0;
}

int dmabuf_map_read(const struct dmabuf_map *map, size_t at, void *dst,
		    size_t len_bytes)
{
	return copy(map, process_vm_readv, at, dst, len_bytes);
}

int dmabuf_map_write(const struct dmabuf_map *map, size_t at, const void *src,
		     size_t len_bytes)
{
	return copy(map, process_vm_writev, at, (void *)(uintptr_t)src,
		    len_bytes);
}
