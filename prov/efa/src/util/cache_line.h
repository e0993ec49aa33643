/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Memory for structures whose members are placed on cache lines, so that
 * two threads that write different members do not slow each other down.
 */
#ifndef UTIL_CACHE_LINE_H
#define UTIL_CACHE_LINE_H

#include <stdlib.h>
#include <string.h>

#define UTIL_CACHE_LINE		64

/* @size zeroed bytes that begin a cache line; NULL: no memory. For free(). */
static inline void *util_cache_line_calloc(size_t size)
{
	size_t lines = (size + UTIL_CACHE_LINE - 1) / UTIL_CACHE_LINE;
	void *memory = aligned_alloc(UTIL_CACHE_LINE, lines * UTIL_CACHE_LINE);

	return memory ? memset(memory, 0, lines * UTIL_CACHE_LINE) : NULL;
}

#endif /* UTIL_CACHE_LINE_H */
