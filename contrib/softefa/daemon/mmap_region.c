/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/mmap_region.h"

struct region_file {
	int fd;
	size_t page_bytes;
	uint64_t cursor;		/* search for room starts here */
	struct mmap_region **region;	/* by key, ascending */
	unsigned count;
	unsigned size;
};

int region_file_open(struct region_file **file)
{
	struct region_file *f = calloc(1, sizeof(*f));
	int ret;

	if (!f)
		return -ENOMEM;
	f->page_bytes = sysconf(_SC_PAGESIZE);
	f->fd = memfd_create("softefa-queues",
			     MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (f->fd < 0)
		goto err;
	if (ftruncate(f->fd, REGION_FILE_BYTES) ||
	    fcntl(f->fd, F_ADD_SEALS,
		  F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		goto err_close;
	*file = f;
	return 0;

err_close:
	ret = -errno;
	close(f->fd);
	free(f);
	return ret;
err:
	ret = -errno;
	free(f);
	return ret;
}

void region_file_close(struct region_file *file)
{
	if (!file)
		return;
	for (unsigned i = 0; i < file->count; i++) {
		munmap(file->region[i]->base, file->region[i]->length_bytes);
		free(file->region[i]);
	}
	free(file->region);
	close(file->fd);
	free(file);
}

int region_file_fd(const struct region_file *file)
{
	return file->fd;
}

/* Index of the first region whose key is not below @key. */
static unsigned region_lower_bound(const struct region_file *file,
				   uint64_t key)
{
	unsigned low = 0, high = file->count;

	while (low < high) {
		unsigned mid = low + (high - low) / 2;

		if (file->region[mid]->key < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Room for @length at or above @start; @index tells where it goes. */
static int region_file_find_room(const struct region_file *file,
				 uint64_t start, size_t length, uint64_t *key,
				 unsigned *index)
{
	unsigned i = region_lower_bound(file, start);
	uint64_t at = start;

	if (i > 0) {
		uint64_t end = file->region[i - 1]->key +
			       file->region[i - 1]->length_bytes;

		if (end > at)
			at = end;
	}
	for (; i < file->count; i++) {
		if (file->region[i]->key - at >= length)
			break;
		at = file->region[i]->key + file->region[i]->length_bytes;
	}
	if (at > REGION_FILE_BYTES || REGION_FILE_BYTES - at < length)
		return -ENOMEM;
	*key = at;
	*index = i;
	return 0;
}

static int region_file_reserve(struct region_file *file)
{
	unsigned size = file->size ? file->size * 2 : 16;
	struct mmap_region **region;

	if (file->count < file->size)
		return 0;
	region = reallocarray(file->region, size, sizeof(*region));
	if (!region)
		return -ENOMEM;
	file->region = region;
	file->size = size;
	return 0;
}

/* What a client wrote here before, or writes through an old mapping, goes. */
static int region_file_zero(struct region_file *file, uint64_t key,
			    size_t length)
{
	if (fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      key, length))
		return -errno;
	return 0;
}

static struct mmap_region *region_map(struct region_file *file, uint64_t key,
				      size_t length)
{
	struct mmap_region *region = malloc(sizeof(*region));

	if (!region)
		return NULL;
	region->key = key;
	region->length_bytes = length;
	region->base = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED,
			    file->fd, key);
	if (region->base == MAP_FAILED) {
		free(region);
		return NULL;
	}
	return region;
}

int mmap_region_create(struct region_file *file, size_t length_bytes,
		       struct mmap_region **region)
{
	size_t mask = file->page_bytes - 1;
	size_t length = (length_bytes + mask) & ~mask;
	struct mmap_region *new;
	unsigned index;
	uint64_t key;

	assert(length_bytes > 0);
	if (length_bytes > REGION_FILE_BYTES || region_file_reserve(file))
		return -ENOMEM;
	if (region_file_find_room(file, file->cursor, length, &key, &index) &&
	    region_file_find_room(file, 0, length, &key, &index))
		return -ENOMEM;
	if (region_file_zero(file, key, length))
		return -ENOMEM;
	new = region_map(file, key, length);
	if (!new)
		return -ENOMEM;

	memmove(file->region + index + 1, file->region + index,
		(file->count - index) * sizeof(*file->region));
	file->region[index] = new;
	file->count++;
	file->cursor = key + length;
	*region = new;
	return 0;
}

void mmap_region_destroy(struct region_file *file, struct mmap_region *region)
{
	unsigned index = region_lower_bound(file, region->key);

	assert(index < file->count && file->region[index] == region);
	munmap(region->base, region->length_bytes);
	/* Only costs memory when it fails; create zeroes again. */
	(void)region_file_zero(file, region->key, region->length_bytes);
	file->count--;
	memmove(file->region + index, file->region + index + 1,
		(file->count - index) * sizeof(*file->region));
	free(region);
}

const struct mmap_region *mmap_region_find(const struct region_file *file,
					   uint64_t key, uint64_t length_bytes)
{
	uint64_t mask = file->page_bytes - 1;
	const struct mmap_region *region;
	unsigned index;

	if (length_bytes == 0 || length_bytes > REGION_FILE_BYTES)
		return NULL;
	index = region_lower_bound(file, key);
	if (index == file->count)
		return NULL;
	region = file->region[index];
	if (region->key != key ||
	    region->length_bytes != ((length_bytes + mask) & ~mask))
		return NULL;
	return region;
}
