/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The send ring of a QP, seen from the device: how many entries the
 * doorbell offers, and the next of them. Knows nothing of what they mean.
 *
 * The ring lies on the device, behind a write-combining mapping: what counts
 * of an entry is what is there at its doorbell. So a copy of each entry is
 * kept when it is fetched, and compared with the ring when the driver may
 * write to the slot again, which it learns from completions alone: their
 * number, for they come in any order. The n-th completion gives the slot of
 * the n-th entry back.
 */
#ifndef ENGINE_SEND_RING_H
#define ENGINE_SEND_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/efa_io_defs.h"

struct send_ring {
	const uint8_t *ring;
	volatile uint32_t *doorbell;
	uint8_t *kept;			/* the entries as fetched, by slot */
	uint32_t depth;			/* a power of two; 0: no queue */
	uint32_t wqe_size;
	uint32_t max_batch;		/* entries per doorbell; 0: no limit */
	uint32_t fetched;		/* counts freely since the reset */
	uint32_t in_flight;		/* fetched and not completed */
	uint32_t last_doorbell;		/* as read last, */
	uint32_t good_doorbell;		/* and the last that was right */
};

/* What became of a slot while it was the device's. */
enum send_ring_slot {
	SEND_RING_INTACT,
	SEND_RING_CHANGED,		/* other bytes, the same phase */
	SEND_RING_OVERWRITTEN,		/* the phase of the next time around */
};

/*
 * @ring and @doorbell stay the caller's, of @depth entries of @wqe_size
 * bytes; @depth 0: there is no queue. Resets it. -ENOMEM.
 */
int send_ring_init(struct send_ring *sq, const void *ring,
		   volatile uint32_t *doorbell, uint32_t depth,
		   uint32_t wqe_size);
void send_ring_fini(struct send_ring *sq);

/*
 * Entries that are there to be fetched, or -EPROTO when the doorbell went
 * back, counts more of them than the ring holds beside those in flight, or
 * sets bits above its count. @is_rung: the word changed since it was last
 * read.
 */
int send_ring_pending(struct send_ring *sq, bool *is_rung);

/* The phase bit of the next entry: 0 at first, flipped at each wrap. */
uint8_t send_ring_phase(const struct send_ring *sq);

/*
 * Copies the next entry, of which there must be one, into @wqe (zero beyond
 * a 64-byte entry) and counts it as in flight. False when the slot holds
 * byte by byte what it held at its last fetch, or at the reset.
 */
bool send_ring_fetch(struct send_ring *sq, struct efa_io_tx_wqe *wqe);

/*
 * One entry in flight has completed: gives the oldest slot back, number
 * @index since the reset, and says what became of it. To be called before
 * the driver can know of the completion.
 */
enum send_ring_slot send_ring_give_back(struct send_ring *sq, uint32_t *index);

/*
 * True when the driver has written more than max_batch entries that no
 * doorbell told of: the first beyond is there, and after that was seen, the
 * doorbell still was what send_ring_pending read last, @pending entries
 * beyond the fetched ones.
 */
bool send_ring_is_overstaged(const struct send_ring *sq, uint32_t pending);

/* As after creation: everything is forgotten, the doorbell word is zero. */
void send_ring_reset(struct send_ring *sq);

#endif /* ENGINE_SEND_RING_H */
