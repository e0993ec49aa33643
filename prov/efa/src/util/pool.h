/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A pool of objects of one size that come and go often: getting and putting
 * back one is a few instructions. It grows by chunks, which stay until the
 * end, so that an object never moves; what was put back last is got first,
 * while it is in the cache. Under AddressSanitizer a free object may not be
 * touched. No lock inside.
 */
#ifndef UTIL_POOL_H
#define UTIL_POOL_H

#include <stddef.h>
#include <stdint.h>

struct util_pool_chunk;

struct util_pool {
	void *free;		/* the first word of one leads to the next */
	uint32_t in_use;
	uint32_t total;
	/* constant after init */
	uint32_t chunk_objects;
	uint32_t max_objects;
	size_t object_size;
	struct util_pool_chunk *chunks;
};

/*
 * @size_bytes of an object (> 0); @chunk_objects of them are allocated at a
 * time (> 0), and never more than @max_objects. Objects begin at multiples
 * of 16 bytes. Allocates nothing.
 */
void util_pool_init(struct util_pool *pool, size_t size_bytes,
		    uint32_t chunk_objects, uint32_t max_objects);
/* Frees all objects, also those in use. */
void util_pool_fini(struct util_pool *pool);

/* An object with undefined contents, the caller's until it is put back.
 * NULL: no memory, or max_objects are in use. */
void *util_pool_get(struct util_pool *pool);

/* Puts back @object, which must be from this pool and in use. */
void util_pool_put(struct util_pool *pool, void *object);

/* Allocates until @objects can be in use at once: 0, -ENOMEM, or -EINVAL
 * when that is more than may be. */
int util_pool_reserve(struct util_pool *pool, uint32_t objects);

#endif /* UTIL_POOL_H */
