/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The completion queue: a ring in host memory that the device fills. One
 * thread at a time (the owner's lock).
 *
 *	while ((cqe = hw_cq_peek(cq))) { use *cqe; hw_cq_consume(cq); }
 */
#ifndef HW_COMP_QUEUE_H
#define HW_COMP_QUEUE_H

#include <stdbool.h>
#include <string.h>

#include "hw/efa_io_defs.h"
#include "hw/mmio.h"
#include "hw/work_queue.h"

struct hw_cq {
	const struct efa_io_cdesc *next;	/* the oldest not consumed */
	uint32_t phase;		/* of @next, once it is written */
	uint32_t consumed;	/* entries, free running */
	uint32_t publish_at;	/* value of @consumed to write a doorbell at */
	uint32_t cmd_sn;	/* completion events taken, 2 bits count */
	/* constant after init */
	const uint8_t *ring;
	volatile uint32_t *doorbell;	/* NULL: none */
	uint32_t entry_mask;
	uint32_t phase_shift;	/* log2 of the entries */
	uint32_t publish_step;	/* entries between two doorbells */
};

/*
 * Takes over the ring that @geometry describes, in its initial state. 0 or
 * -EINVAL (an impossible geometry). The memory stays the CQ's.
 */
int hw_cq_init(struct hw_cq *cq, const struct hw_cq_geometry *geometry);

/*
 * The entry at @position, a value that @consumed has or will have, or NULL
 * while the device has not written it. Valid until it is consumed. The phase
 * starts at 1 and flips each time around.
 */
static inline const struct efa_io_cdesc *
hw_cq_peek_at(const struct hw_cq *cq, uint32_t position)
{
	const struct efa_io_cdesc *cqe = (const void *)
		(cq->ring + (size_t)(position & cq->entry_mask) *
			    EFA_IO_CDESC_SIZE);
	uint8_t flags = *(const volatile uint8_t *)&cqe->flags;
	uint8_t phase = ~(position >> cq->phase_shift) & 1;

	if ((flags & EFA_IO_CDESC_PHASE) != phase)
		return NULL;
	hw_order_after_phase();
	return cqe;
}

/* The oldest entry not consumed, or NULL. */
static HW_INLINE const struct efa_io_cdesc *hw_cq_peek(const struct hw_cq *cq)
{
	const struct efa_io_cdesc *cqe = cq->next;
	uint8_t flags = *(const volatile uint8_t *)&cqe->flags;

	if ((flags & EFA_IO_CDESC_PHASE) != cq->phase)
		return NULL;
	hw_order_after_phase();
	return cqe;
}

/*
 * Does it look as if there were nothing to consume? For a thread that does
 * not serialise with the consumer: an entry that was there before the call
 * is seen, unless the consumer takes one meanwhile, and then what the
 * consumer stored before it did is seen by the thread as well. Where it goes
 * on to the beginning of the ring, the entry there may be missed until it
 * has: only who serialises may take it for a reason to sleep.
 */
static HW_INLINE bool hw_cq_looks_empty(const struct hw_cq *cq)
{
	const struct efa_io_cdesc *cqe = __atomic_load_n(&cq->next,
							 __ATOMIC_ACQUIRE);
	uint8_t flags = *(const volatile uint8_t *)&cqe->flags;

	return (flags & EFA_IO_CDESC_PHASE) !=
	       __atomic_load_n(&cq->phase, __ATOMIC_RELAXED);
}

/* Writes the doorbell: @arm asks for an event at the next entry. */
void hw_cq_write_doorbell(struct hw_cq *cq, bool arm);

/* For hw_cq_consume alone: from the end of the ring to its beginning, which
 * it returns. */
const struct efa_io_cdesc *hw_cq_turn(struct hw_cq *cq);

/*
 * Consumes the oldest entry. Tells the device when enough has gathered: it
 * believes in up to an eighth of the ring more than there is, which
 * hw_cq_capacity takes into account.
 */
static HW_INLINE void hw_cq_consume(struct hw_cq *cq)
{
	const struct efa_io_cdesc *next = cq->next + 1;
	uint32_t consumed = cq->consumed + 1;

	cq->consumed = consumed;
	if (__builtin_expect(!(consumed & cq->entry_mask), 0))
		next = hw_cq_turn(cq);
	/* never beyond the ring: hw_cq_looks_empty, with which this pairs,
	 * follows it at any time */
	__atomic_store_n(&cq->next, next, __ATOMIC_RELEASE);
	if (__builtin_expect(consumed == cq->publish_at, 0))
		hw_cq_write_doorbell(cq, false);
}

/* Tells the device now. */
static inline void hw_cq_publish(struct hw_cq *cq)
{
	if (cq->consumed + cq->publish_step != cq->publish_at)
		hw_cq_write_doorbell(cq, false);
}

/* Entries to ask for, so that @outstanding work requests never overrun. */
uint32_t hw_cq_depth(uint32_t outstanding);

/* Work requests that may be outstanding towards a ring of @num_entries. */
uint32_t hw_cq_capacity(uint32_t num_entries);

/* Asks for an event. Entries that were there before give none for sure:
 * the caller polls once more after arming. */
static inline void hw_cq_arm(struct hw_cq *cq)
{
	hw_cq_write_doorbell(cq, true);
}

/* Counts a completion event that was taken from the channel. */
static inline void hw_cq_event_taken(struct hw_cq *cq)
{
	cq->cmd_sn++;
}

/* ---- what an entry says ---- */

static inline bool hw_cqe_is_send(const struct efa_io_cdesc *cqe)
{
	return (cqe->flags & EFA_IO_CDESC_Q_TYPE) ==
	       EFA_IO_SEND_QUEUE << EFA_IO_CDESC_Q_TYPE_SHIFT;
}

static inline uint32_t hw_cqe_op(const struct efa_io_cdesc *cqe)
{
	return (cqe->flags & EFA_IO_CDESC_OP_TYPE) >>
	       EFA_IO_CDESC_OP_TYPE_SHIFT;
}

static inline bool hw_cqe_has_imm(const struct efa_io_cdesc *cqe)
{
	return cqe->flags & EFA_IO_CDESC_HAS_IMM;
}

static inline bool hw_cqe_is_unsolicited(const struct efa_io_cdesc *cqe)
{
	return cqe->flags & EFA_IO_CDESC_UNSOLICITED;
}

/* The request ID of a send completion; @wide: of a 64-bit queue. */
static HW_INLINE uint64_t hw_cqe_tx_id(const struct efa_io_cdesc *cqe,
				       bool wide)
{
	uint64_t id = cqe->req_id, high;

	if (wide) {
		/* its upper 48 bits follow the QP number's 16 */
		static_assert(offsetof(struct efa_io_cdesc, qp_num) + 2 ==
			      offsetof(struct efa_io_cdesc, tx.req_id_ex), "");
		memcpy(&high, (const uint8_t *)cqe +
			      offsetof(struct efa_io_cdesc, qp_num),
		       sizeof(high));
		id |= high & ~(uint64_t)UINT16_MAX;
	}
	return id;
}

/* Bytes received: 32 bits for an RDMA write, 16 for a send. */
static inline uint32_t hw_cqe_rx_length(const struct efa_io_cdesc *cqe)
{
	uint32_t length = cqe->rx.length;

	if (hw_cqe_op(cqe) == EFA_IO_RDMA_WRITE)
		length |= (uint32_t)cqe->rx.length_hi << 16;
	return length;
}

#endif /* HW_COMP_QUEUE_H */
