/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A ring of bytes between two threads: one puts, one takes. Neither waits;
 * a put that finds no room is refused whole.
 */
#ifndef DAEMON_TRACE_RING_H
#define DAEMON_TRACE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_ring {
	uint8_t *bytes;
	size_t size;		/* a power of two */
	/* Both count freely. Each is written by one thread. */
	_Alignas(64) size_t head;	/* put so far */
	_Alignas(64) size_t tail;	/* taken so far */
};

/* @size_bytes: a power of two. -ENOMEM. */
int trace_ring_init(struct trace_ring *ring, size_t size_bytes);
void trace_ring_fini(struct trace_ring *ring);

/* Something to put; length 0 is allowed. */
struct trace_piece {
	const void *bytes;
	size_t length;
};

/* Puts all @count pieces, one after another, or (false) none of them. */
bool trace_ring_put(struct trace_ring *ring, const struct trace_piece *piece,
		    unsigned count);

/*
 * The oldest bytes that lie together, 0 when there are none; they stay until
 * trace_ring_take gives @length of them up.
 */
size_t trace_ring_peek(const struct trace_ring *ring, const uint8_t **bytes);
void trace_ring_take(struct trace_ring *ring, size_t length);

#endif /* DAEMON_TRACE_RING_H */
