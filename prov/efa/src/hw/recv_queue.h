/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The receive queue: descriptors in host memory, one for each buffer of a
 * receive, then the count of descriptors to the doorbell. Request IDs are
 * always 16 bit. Posters and completers as in hw/send_queue.h.
 */
#ifndef HW_RECV_QUEUE_H
#define HW_RECV_QUEUE_H

#include "hw/efa_io_defs.h"
#include "hw/mmio.h"
#include "hw/req_id.h"
#include "hw/work_queue.h"

/* Bytes one descriptor can describe. */
#define HW_RQ_MAX_SGE_LEN	UINT16_MAX

struct hw_rq {
	/* the poster's */
	uint32_t produced;	/* descriptors, free running */
	uint32_t rung;
	uint32_t limit;		/* descriptors that may be out: the ring's,
				 * or fewer if the owner says so */
	/* constant after init */
	struct efa_io_rx_desc *ring;
	volatile uint32_t *doorbell;
	uint32_t entry_mask;
	/* both sides' */
	struct hw_req_table ids;
	/* the completer's: descriptors of finished receives, free running */
	uint32_t completed;
	/* cold */
	uint64_t doorbells;
};

/* As hw_sq_init, for a ring of 16-byte descriptors. */
int hw_rq_init(struct hw_rq *rq, const struct hw_wq_geometry *geometry,
	       uint64_t first_generation);
void hw_rq_fini(struct hw_rq *rq);

/* Poster: does a receive of @sge_count >= 1 buffers find room? */
static HW_INLINE bool hw_rq_has_room(const struct hw_rq *rq, uint32_t sge_count)
{
	/* pairs with hw_rq_put, whose ID came back before the count */
	uint32_t completed = __atomic_load_n(&rq->completed,
					     __ATOMIC_ACQUIRE);

	return rq->produced - completed + sge_count <= rq->limit;
}

static HW_INLINE void hw_rq_ring_doorbell(struct hw_rq *rq)
{
	if (rq->rung == rq->produced)
		return;
	hw_order_before_doorbell();
	hw_doorbell_write(rq->doorbell, rq->produced & EFA_IO_DB_PROD_MASK);
	rq->rung = rq->produced;
	rq->doorbells++;
}

/*
 * Posts a receive of @sge_count >= 1 buffers of at most HW_RQ_MAX_SGE_LEN
 * bytes each, @room_bytes together; assumes that it finds room. @more as in
 * hw_sq_post; @context, @room_bytes (as the slot's peer) and @flags come
 * back from hw_rq_find.
 */
static HW_INLINE void hw_rq_post(struct hw_rq *rq, const struct hw_sge *sge,
			      uint32_t sge_count, void *context,
			      uint32_t room_bytes, uint16_t flags, bool more)
{
	uint16_t id = (uint16_t)hw_req_get(&rq->ids, context, room_bytes,
					   flags, (uint16_t)sge_count);
	uint32_t bits = EFA_IO_RX_FIRST;

	for (uint32_t i = 0; i < sge_count; i++) {
		struct efa_io_rx_desc *desc =
			&rq->ring[(rq->produced + i) & rq->entry_mask];

		if (i == sge_count - 1)
			bits |= EFA_IO_RX_LAST;
		desc->buf_addr_lo = (uint32_t)sge[i].addr;
		desc->buf_addr_hi = (uint32_t)(sge[i].addr >> 32);
		desc->req_id = id;
		desc->length = (uint16_t)sge[i].length;
		desc->lkey_ctrl = (sge[i].lkey & EFA_IO_LKEY_MASK) | bits;
		bits = 0;
	}
	rq->produced += sge_count;
	if (__builtin_expect(!more, 1))
		hw_rq_ring_doorbell(rq);
}

/* Completer: the receive in flight with @id; NULL: the completion is stale. */
static HW_INLINE struct hw_req_slot *hw_rq_find(const struct hw_rq *rq,
					     uint64_t id)
{
	return hw_req_find(&rq->ids, id);
}

static HW_INLINE void hw_rq_put(struct hw_rq *rq, struct hw_req_slot *slot)
{
	uint32_t units = slot->units;

	hw_req_put(&rq->ids, slot);
	__atomic_store_n(&rq->completed, rq->completed + units,
			 __ATOMIC_RELEASE);
}

#endif /* HW_RECV_QUEUE_H */
