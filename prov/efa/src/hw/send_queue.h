/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The send queue: entries go to write-combining device memory, then the
 * producer counter to the doorbell.
 *
 *	poster:		hw_sq_is_full -> -EAGAIN  |  build a WQE  |
 *			hw_sq_post(more) ... hw_sq_ring_doorbell
 *	completer:	hw_sq_find(id) -> context, flags -> hw_sq_put
 *
 * Posters serialise among themselves, and so do completers; the two sides
 * need no lock between them (hw/req_id.h).
 */
#ifndef HW_SEND_QUEUE_H
#define HW_SEND_QUEUE_H

#include "hw/mmio.h"
#include "hw/req_id.h"
#include "hw/send_wqe.h"
#include "hw/work_queue.h"

struct hw_sq {
	/* the poster's */
	uint32_t produced;	/* entries, free running */
	uint32_t rung;		/* value of the last doorbell */
	/* constant after init */
	uint8_t *ring;
	volatile uint32_t *doorbell;
	uint32_t entry_mask;
	uint32_t entry_size;	/* bytes */
	uint32_t entry_shift;	/* log2 of them */
	uint32_t phase_shift;	/* log2 of the entries */
	uint32_t max_batch;
	bool wide_ids;
	/* both sides' */
	struct hw_req_table ids;
	/* cold: for the log and for tests */
	uint64_t doorbells;
};

/*
 * Takes over the ring that @geometry describes, in its initial state. The
 * memory stays the QP's. 0, -EINVAL (an impossible geometry), -ENOMEM.
 */
int hw_sq_init(struct hw_sq *sq, const struct hw_wq_geometry *geometry,
	       uint64_t first_generation);
/* Requests still in flight are forgotten. */
void hw_sq_fini(struct hw_sq *sq);

static inline bool hw_sq_is_full(const struct hw_sq *sq)
{
	return hw_req_is_full(&sq->ids);
}

static HW_INLINE void hw_sq_ring_for(struct hw_sq *sq, uint32_t produced)
{
	hw_flush_before_doorbell();
	hw_doorbell_write(sq->doorbell, produced & EFA_IO_DB_PROD_MASK);
	sq->rung = produced;
	sq->doorbells++;
}

/* Tells the device of every entry posted so far. */
static inline void hw_sq_ring_doorbell(struct hw_sq *sq)
{
	if (sq->rung != sq->produced)
		hw_sq_ring_for(sq, sq->produced);
}

/*
 * Posts @wqe, giving it the request ID and the phase. Assumes that the
 * queue is not full. @more: another post follows at once, or the caller rings the
 * doorbell; a full batch is rung anyway. @context, @peer and @flags come
 * back from hw_sq_find.
 */
static HW_INLINE void hw_sq_post(struct hw_sq *sq, struct hw_send_wqe *wqe,
				 void *context, uint32_t peer, uint16_t flags,
				 bool more)
{
	uint64_t id = hw_req_get(&sq->ids, context, peer, flags, 1);
	uint32_t produced = sq->produced;
	/* starts at 0 and flips each time around */
	uint64_t phase = produced >> sq->phase_shift & EFA_IO_TX_META_PHASE;

	wqe->words[0] |= (uint16_t)id | phase << HW_WQE_CTRL2_SHIFT;
	/* req_id_ex, with nothing but reserved bytes before it */
	wqe->words[3] = id & ~(uint64_t)UINT16_MAX;
	hw_wc_store(sq->ring + ((size_t)(produced & sq->entry_mask) <<
				sq->entry_shift), wqe->words,
		    sq->entry_size > EFA_IO_TX_WQE_SIZE);
	sq->produced = ++produced;
	if (__builtin_expect(!more, 1) ||
	    produced - sq->rung >= sq->max_batch)
		hw_sq_ring_for(sq, produced);
}

/* The request in flight with @id, or NULL: the completion is stale. */
static HW_INLINE struct hw_req_slot *hw_sq_find(const struct hw_sq *sq,
					     uint64_t id)
{
	return hw_req_find(&sq->ids, id);
}

static HW_INLINE void hw_sq_put(struct hw_sq *sq, struct hw_req_slot *slot)
{
	hw_req_put(&sq->ids, slot);
}

#endif /* HW_SEND_QUEUE_H */
