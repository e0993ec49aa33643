/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The pages that one context shares with its client: rings and doorbells.
 *
 * One memfd per context, of a fixed sparse size and sealed against any
 * change of it, so that no client can make the daemon fault on a page that
 * it cut off. A region is a page range of that file, mapped in the daemon;
 * its file offset is the key that the client gives to mmap, so the first
 * key may be 0, as in the kernel.
 */
#ifndef DAEMON_MMAP_REGION_H
#define DAEMON_MMAP_REGION_H

#include <stddef.h>
#include <stdint.h>

#define REGION_FILE_BYTES	(1ull << 30)	/* bound of a context */

struct region_file;

struct mmap_region {
	uint64_t key;		/* file offset */
	size_t length_bytes;	/* whole pages */
	void *base;		/* where the daemon sees it */
};

/* -errno of memfd_create, ftruncate or fcntl, -ENOMEM. */
int region_file_open(struct region_file **file);

/* Unmaps and frees all regions still there. NULL is allowed. */
void region_file_close(struct region_file *file);

/* The descriptor to hand to the client; stays the file's. */
int region_file_fd(const struct region_file *file);

/*
 * A zeroed region of @length_bytes (> 0), rounded up to whole pages. -ENOMEM
 * when the file is full or the mapping fails. A range that was destroyed is
 * used again as late as possible: a client may still have it mapped.
 */
int mmap_region_create(struct region_file *file, size_t length_bytes,
		       struct mmap_region **region);

/* Gives the memory back; a mapping of the client then reads zeros. */
void mmap_region_destroy(struct region_file *file, struct mmap_region *region);

/*
 * The region with this key and exactly this length in whole pages (the kernel
 * rounds the length of an mmap up), or NULL.
 */
const struct mmap_region *mmap_region_find(const struct region_file *file,
					   uint64_t key, uint64_t length_bytes);

#endif /* DAEMON_MMAP_REGION_H */
