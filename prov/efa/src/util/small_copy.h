/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Copies of what an inline payload holds: less work than a call of memcpy,
 * which must be ready for any length.
 */
#ifndef UTIL_SMALL_COPY_H
#define UTIL_SMALL_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The first and the last @size bytes of @len >= @size, which may overlap. */
#define UTIL_COPY_ENDS(to, from, len, size)				\
	do {								\
		memcpy(to, from, size);					\
		memcpy((to) + (len) - (size), (from) + (len) - (size),	\
		       size);						\
	} while (0)

/* @len_bytes from @src to @dst, which do not overlap; meant for a few. */
static inline __attribute__((always_inline)) void
util_small_copy(void *dst, const void *src, size_t len_bytes)
{
	const uint8_t *from = src;
	uint8_t *to = dst;

	if (len_bytes >= 16) {
		for (size_t i = 16; i < len_bytes; i += 16)
			memcpy(to + i - 16, from + i - 16, 16);
		memcpy(to + len_bytes - 16, from + len_bytes - 16, 16);
	} else if (len_bytes >= 8) {
		UTIL_COPY_ENDS(to, from, len_bytes, 8);
	} else if (len_bytes >= 4) {
		UTIL_COPY_ENDS(to, from, len_bytes, 4);
	} else if (len_bytes) {
		to[0] = from[0];
		to[len_bytes / 2] = from[len_bytes / 2];
		to[len_bytes - 1] = from[len_bytes - 1];
	}
}

#endif /* UTIL_SMALL_COPY_H */
