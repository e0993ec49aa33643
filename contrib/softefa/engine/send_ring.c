/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/send_ring.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/ring_memory.h"

int send_ring_init(struct send_ring *sq, const void *ring,
		   volatile uint32_t *doorbell, uint32_t depth,
		   uint32_t wqe_size)
{
	*sq = (struct send_ring) {
		.ring = ring,
		.doorbell = doorbell,
		.depth = depth,
		.wqe_size = wqe_size,
	};
	if (depth) {
		sq->kept = malloc((size_t)depth * wqe_size);
		if (!sq->kept)
			return -ENOMEM;
	}
	send_ring_reset(sq);
	return 0;
}

void send_ring_fini(struct send_ring *sq)
{
	free(sq->kept);
	sq->kept = NULL;
}

static size_t slot_offset(const struct send_ring *sq, uint32_t index)
{
	return (size_t)(index & (sq->depth - 1)) * sq->wqe_size;
}

/* The phase bit of entry @index since the reset. */
static uint8_t phase_of(const struct send_ring *sq, uint32_t index)
{
	return index & sq->depth ? EFA_IO_TX_META_PHASE : 0;
}

int send_ring_pending(struct send_ring *sq, bool *is_rung)
{
	uint32_t doorbell, owned, more;

	*is_rung = false;
	if (!sq->depth)
		return 0;
	doorbell = doorbell_read(sq->doorbell);
	*is_rung = doorbell != sq->last_doorbell;
	sq->last_doorbell = doorbell;
	more = (doorbell - sq->good_doorbell) & EFA_IO_DB_PROD_MASK;
	owned = ((sq->good_doorbell - sq->fetched) & EFA_IO_DB_PROD_MASK) +
		sq->in_flight;
	if ((doorbell & ~EFA_IO_DB_PROD_MASK) || more > sq->depth - owned)
		return -EPROTO;
	sq->good_doorbell = doorbell;
	return (doorbell - sq->fetched) & EFA_IO_DB_PROD_MASK;
}

uint8_t send_ring_phase(const struct send_ring *sq)
{
	return phase_of(sq, sq->fetched);
}

bool send_ring_fetch(struct send_ring *sq, struct efa_io_tx_wqe *wqe)
{
	size_t offset = slot_offset(sq, sq->fetched);
	bool is_new;

	assert(sq->in_flight < sq->depth && sq->wqe_size <= sizeof(*wqe));
	memset(wqe, 0, sizeof(*wqe));
	ring_entry_copy(wqe, sq->ring + offset, sq->wqe_size);
	is_new = memcmp(sq->kept + offset, wqe, sq->wqe_size);
	memcpy(sq->kept + offset, wqe, sq->wqe_size);
	sq->fetched++;
	sq->in_flight++;
	return is_new;
}

enum send_ring_slot send_ring_give_back(struct send_ring *sq, uint32_t *index)
{
	struct efa_io_tx_wqe now;
	size_t offset;

	assert(sq->in_flight);
	*index = sq->fetched - sq->in_flight--;
	offset = slot_offset(sq, *index);
	ring_entry_copy(&now, sq->ring + offset, sq->wqe_size);
	if (!memcmp(&now, sq->kept + offset, sq->wqe_size))
		return SEND_RING_INTACT;
	return (now.meta.ctrl2 & EFA_IO_TX_META_PHASE) == phase_of(sq, *index) ?
		SEND_RING_CHANGED : SEND_RING_OVERWRITTEN;
}

/*
 * A doorbell that was stored before an entry is seen when the entry is. In
 * the ring's first round old slots have the right phase as well: but they
 * still hold what they held at the reset.
 */
bool send_ring_is_overstaged(const struct send_ring *sq, uint32_t pending)
{
	uint32_t index = sq->fetched + pending + sq->max_batch;
	struct efa_io_tx_meta_desc meta;
	size_t offset;
	uint64_t word;

	if (!sq->max_batch || sq->max_batch >= sq->depth)
		return false;
	offset = slot_offset(sq, index);
	word = __atomic_load_n((const uint64_t *)(sq->ring + offset),
			       __ATOMIC_ACQUIRE);
	if (!memcmp(&word, sq->kept + offset, sizeof(word)))
		return false;
	memcpy(&meta, &word, sizeof(word));
	return (meta.ctrl1 & EFA_IO_TX_META_META_DESC) &&
		(meta.ctrl2 & EFA_IO_TX_META_PHASE) == phase_of(sq, index) &&
		doorbell_read(sq->doorbell) == sq->last_doorbell;
}

void send_ring_reset(struct send_ring *sq)
{
	sq->fetched = 0;
	sq->in_flight = 0;
	sq->last_doorbell = 0;
	sq->good_doorbell = 0;
	if (sq->depth)
		ring_entry_copy(sq->kept, sq->ring,
				(size_t)sq->depth * sq->wqe_size);
	if (sq->doorbell)
		__atomic_store_n(sq->doorbell, 0, __ATOMIC_RELEASE);
}
