/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The send ring of a QP, seen from the device: how many entries the
 * doorbell offers, and the next of them. Knows nothing of what they mean.
 */
#ifndef ENGINE_SEND_RING_H
#define ENGINE_SEND_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/efa_io_defs.h"

struct send_ring {
	const uint8_t *ring;
	volatile uint32_t *doorbell;
	uint32_t depth;			/* a power of two; 0: no queue */
	uint32_t wqe_size;
	uint32_t fetched;		/* counts freely since the reset */
	uint32_t in_flight;		/* fetched and not completed */
	uint32_t last_doorbell;
};

/*
 * Entries that are there to be fetched, or -EPROTO when the doorbell counts
 * more of them than the ring holds beside those in flight, or sets bits
 * above its count. @is_rung: the word changed since it was last read.
 */
int send_ring_pending(struct send_ring *sq, bool *is_rung);

/* The phase bit of the next entry: 0 at first, flipped at each wrap. */
uint8_t send_ring_phase(const struct send_ring *sq);

/*
 * Copies the next entry, of which there must be one, into @wqe (zero beyond
 * a 64-byte entry) and counts it as in flight.
 */
void send_ring_fetch(struct send_ring *sq, struct efa_io_tx_wqe *wqe);

/* As after creation: everything is forgotten, the doorbell word is zero. */
void send_ring_reset(struct send_ring *sq);

#endif /* ENGINE_SEND_RING_H */
