/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "util/pool.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define POOL_HAS_ASAN	1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POOL_HAS_ASAN	1
#endif
#endif

#ifdef POOL_HAS_ASAN
#include <sanitizer/asan_interface.h>
#define pool_forbid(object, size)	__asan_poison_memory_region(object, size)
#define pool_allow(object, size)	__asan_unpoison_memory_region(object, size)
#else
#define pool_forbid(object, size)	((void)(object))
#define pool_allow(object, size)	((void)(object))
#endif

#define POOL_ALIGN	16u

struct util_pool_chunk {
	struct util_pool_chunk *next;
	_Alignas(POOL_ALIGN) char objects[];
};

void util_pool_init(struct util_pool *pool, size_t size_bytes,
		    uint32_t chunk_objects, uint32_t max_objects)
{
	size_t size = (size_bytes + POOL_ALIGN - 1) / POOL_ALIGN * POOL_ALIGN;

	assert(size_bytes && chunk_objects);
	*pool = (struct util_pool) {
		.chunk_objects = chunk_objects,
		.max_objects = max_objects,
		.object_size = size,
	};
}

void util_pool_fini(struct util_pool *pool)
{
	struct util_pool_chunk *chunk, *next;

	for (chunk = pool->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	pool->chunks = NULL;
	pool->free = NULL;
	pool->in_use = pool->total = 0;
}

static void push_free(struct util_pool *pool, void *object)
{
	memcpy(object, &pool->free, sizeof(pool->free));
	pool->free = object;
	pool_forbid(object, pool->object_size);
}

static int grow(struct util_pool *pool)
{
	uint32_t objects = pool->max_objects - pool->total;
	struct util_pool_chunk *chunk;

	if (objects > pool->chunk_objects)
		objects = pool->chunk_objects;
	chunk = malloc(sizeof(*chunk) + objects * pool->object_size);
	if (!chunk)
		return -ENOMEM;
	chunk->next = pool->chunks;
	pool->chunks = chunk;
	/* from behind, so that they are got in the order of addresses */
	for (uint32_t i = objects; i > 0; i--)
		push_free(pool, chunk->objects + (i - 1) * pool->object_size);
	pool->total += objects;
	return 0;
}

void *util_pool_get(struct util_pool *pool)
{
	void *object;

	if (__builtin_expect(!pool->free, 0) &&
	    (pool->total == pool->max_objects || grow(pool)))
		return NULL;
	object = pool->free;
	pool_allow(object, pool->object_size);
	memcpy(&pool->free, object, sizeof(pool->free));
	pool->in_use++;
	return object;
}

void util_pool_put(struct util_pool *pool, void *object)
{
	assert(pool->in_use > 0);
	push_free(pool, object);
	pool->in_use--;
}

int util_pool_reserve(struct util_pool *pool, uint32_t objects)
{
	if (objects > pool->max_objects)
		return -EINVAL;
	while (pool->total < objects) {
		int err = grow(pool);

		if (err)
			return err;
	}
	return 0;
}
