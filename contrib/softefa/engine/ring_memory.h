/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Access to memory that a guest writes at the same time: rings and doorbell
 * words. What is read here is read once; checks then look at the copy.
 */
#ifndef ENGINE_RING_MEMORY_H
#define ENGINE_RING_MEMORY_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	      "descriptors are used in place");

/*
 * Pairs with the guest's store of the doorbell after its entries: ring
 * reads that follow see what the count covers.
 */
static inline uint32_t doorbell_read(const volatile uint32_t *doorbell)
{
	return __atomic_load_n(doorbell, __ATOMIC_ACQUIRE);
}

/* A word of whatever struct lies there. */
typedef uint64_t __attribute__((may_alias)) ring_word;

/*
 * Takes a copy of a ring entry, 8-byte aligned as the guest's own stores.
 * Volatile: the compiler may not go back to the ring for a second look.
 */
static inline void ring_entry_copy(void *copy, const void *entry,
				   size_t len_bytes)
{
	const volatile ring_word *from = entry;
	ring_word *to = copy;

	for (; len_bytes; len_bytes -= sizeof(*to))
		*to++ = *from++;
}

#endif /* ENGINE_RING_MEMORY_H */
