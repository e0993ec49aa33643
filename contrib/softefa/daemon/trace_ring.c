/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/trace_ring.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int trace_ring_init(struct trace_ring *ring, size_t size_bytes)
{
	assert(size_bytes && !(size_bytes & (size_bytes - 1)));
	ring->bytes = malloc(size_bytes);
	ring->size = size_bytes;
	ring->head = 0;
	ring->tail = 0;
	return ring->bytes ? 0 : -ENOMEM;
}

void trace_ring_fini(struct trace_ring *ring)
{
	free(ring->bytes);
}

static size_t copy_in(struct trace_ring *ring, size_t at,
		      const struct trace_piece *piece)
{
	size_t start = at & (ring->size - 1);
	size_t first = ring->size - start;

	if (first > piece->length)
		first = piece->length;
	if (first)
		memcpy(ring->bytes + start, piece->bytes, first);
	if (piece->length > first)
		memcpy(ring->bytes, (const uint8_t *)piece->bytes + first,
		       piece->length - first);
	return at + piece->length;
}

bool trace_ring_put(struct trace_ring *ring, const struct trace_piece *piece,
		    unsigned count)
{
	size_t at = ring->head, total = 0;
	unsigned i;

	for (i = 0; i < count; i++)
		total += piece[i].length;
	/* Pairs with the release of trace_ring_take: its reads are over. */
	if (total > ring->size -
	    (at - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE)))
		return false;
	for (i = 0; i < count; i++)
		at = copy_in(ring, at, &piece[i]);
	/* Pairs with the acquire of trace_ring_peek: the bytes are there. */
	__atomic_store_n(&ring->head, at, __ATOMIC_RELEASE);
	return true;
}

size_t trace_ring_peek(const struct trace_ring *ring, const uint8_t **bytes)
{
	size_t start = ring->tail & (ring->size - 1);
	size_t length = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) -
		ring->tail;

	*bytes = ring->bytes + start;
	return length < ring->size - start ? length : ring->size - start;
}

void trace_ring_take(struct trace_ring *ring, size_t length)
{
	__atomic_store_n(&ring->tail, ring->tail + length, __ATOMIC_RELEASE);
}
