/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/send_ring.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "engine/ring_memory.h"

int send_ring_pending(struct send_ring *sq, bool *is_rung)
{
	uint32_t doorbell, pending;

	*is_rung = false;
	if (!sq->depth)
		return 0;
	doorbell = doorbell_read(sq->doorbell);
	*is_rung = doorbell != sq->last_doorbell;
	sq->last_doorbell = doorbell;
	pending = (doorbell - sq->fetched) & EFA_IO_DB_PROD_MASK;
	if ((doorbell & ~EFA_IO_DB_PROD_MASK) ||
	    pending > sq->depth - sq->in_flight)
		return -EPROTO;
	return pending;
}

uint8_t send_ring_phase(const struct send_ring *sq)
{
	return sq->fetched & sq->depth ? EFA_IO_TX_META_PHASE : 0;
}

void send_ring_fetch(struct send_ring *sq, struct efa_io_tx_wqe *wqe)
{
	const uint8_t *entry;

	assert(sq->in_flight < sq->depth && sq->wqe_size <= sizeof(*wqe));
	entry = sq->ring +
		(size_t)(sq->fetched & (sq->depth - 1)) * sq->wqe_size;
	memset(wqe, 0, sizeof(*wqe));
	ring_entry_copy(wqe, entry, sq->wqe_size);
	sq->fetched++;
	sq->in_flight++;
}

void send_ring_reset(struct send_ring *sq)
{
	sq->fetched = 0;
	sq->in_flight = 0;
	sq->last_doorbell = 0;
	if (sq->doorbell)
		__atomic_store_n(sq->doorbell, 0, __ATOMIC_RELEASE);
}
