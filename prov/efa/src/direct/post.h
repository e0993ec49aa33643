/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The last steps of every posting call: room in the queue, the entry, the
 * doorbell; and what a refusal does. One call at a time and queue (the
 * endpoint's tx or rx lock, taken here).
 */
#ifndef DIRECT_POST_H
#define DIRECT_POST_H

#include <endian.h>

#include <rdma/fi_errno.h>

#include "direct/op_slot.h"
#include "fabric/ep_base.h"

#define DIRECT_INLINE	inline __attribute__((always_inline))
#define DIRECT_COLD	__attribute__((noinline, cold))

/*
 * Returns @error, for a call that posts nothing; @why is for the log. What
 * FI_MORE held back goes to the device before: the application may well not
 * come again.
 */
ssize_t direct_send_refuse(struct fabric_ep *ep, ssize_t error,
			   const char *why);
ssize_t direct_recv_refuse(struct fabric_ep *ep, ssize_t error,
			   const char *why);

/* Under the tx or rx lock, without room: false when there is none to be had.
 * What was held back is then rung for. */
bool direct_send_make_room(struct fabric_ep *ep);
bool direct_recv_make_room(struct fabric_ep *ep, uint32_t descriptors);

/* The other queue has requests that FI_MORE held back: they go as well, with
 * the last of a batch and with one that finds no room. */
void direct_release_recvs(struct fabric_ep *ep);
void direct_release_sends(struct fabric_ep *ep);

static DIRECT_INLINE void direct_set_held(_Atomic bool *held, bool more)
{
	if (__builtin_expect(more, 0))
		atomic_store_explicit(held, true, memory_order_relaxed);
}

static DIRECT_INLINE bool direct_is_held(const _Atomic bool *held, bool more)
{
	return __builtin_expect(!more &&
				atomic_load_explicit(held,
						     memory_order_relaxed), 0);
}

/* Posts the entry @wqe, complete but for remote CQ data and the request ID,
 * whose operation is @kind. 0, -FI_EAGAIN. */
static DIRECT_INLINE ssize_t
direct_send_publish(struct fabric_ep *ep, struct hw_send_wqe *wqe,
		    const struct hw_dest *dest, void *context, uint64_t data,
		    uint64_t flags, enum efa_io_send_op_type kind)
{
	ssize_t ret = 0;

	if (flags & FI_REMOTE_CQ_DATA)
		/* big endian, as verbs has it and other providers send it */
		hw_wqe_set_imm(wqe, htobe32((uint32_t)data));
	fabric_ep_lock(ep, &ep->tx_lock);
	if (__builtin_expect(hw_sq_is_full(&ep->sq), 0) &&
	    !direct_send_make_room(ep))
		ret = -FI_EAGAIN;
	else
		hw_sq_post(&ep->sq, wqe, context, direct_peer_pack(dest),
			   direct_op_flags(flags, kind), flags & FI_MORE);
	direct_set_held(&ep->tx_held, flags & FI_MORE);
	fabric_ep_unlock(ep, &ep->tx_lock);
	if (direct_is_held(&ep->rx_held, flags & FI_MORE && !ret))
		direct_release_recvs(ep);
	return ret;
}

/* Posts a receive of @count buffers, @room_bytes together. @locked is what
 * the endpoint says of its data path. 0, -FI_EAGAIN. */
static DIRECT_INLINE ssize_t
direct_recv_publish(struct fabric_ep *ep, bool locked,
		    const struct hw_sge *sge, uint32_t count,
		    uint32_t room_bytes, void *context, uint64_t flags)
{
	ssize_t ret = 0;

	if (locked)
		util_lock_acquire(&ep->rx_lock);
	if (__builtin_expect(!hw_rq_has_room(&ep->rq, count), 0) &&
	    !direct_recv_make_room(ep, count))
		ret = -FI_EAGAIN;
	else
		hw_rq_post(&ep->rq, sge, count, context, room_bytes,
			   direct_op_flags(flags, 0), flags & FI_MORE);
	direct_set_held(&ep->rx_held, flags & FI_MORE);
	if (locked)
		util_lock_release(&ep->rx_lock);
	if (direct_is_held(&ep->tx_held, flags & FI_MORE && !ret))
		direct_release_sends(ep);
	return ret;
}

/*
 * As direct_recv_publish, of one buffer, whose parts come in registers: with
 * a locked data path, and without one where room is to be found. Calls after
 * which nothing else is to be done leave the inline function below without
 * registers to save.
 */
ssize_t direct_recv_publish_locked(struct fabric_ep *ep, uint64_t addr,
				   uint32_t length, uint32_t lkey,
				   void *context, uint64_t flags);
ssize_t direct_recv_publish_full(struct fabric_ep *ep, uint64_t addr,
				 uint32_t length, uint32_t lkey,
				 void *context, uint64_t flags);

static DIRECT_INLINE ssize_t
direct_recv_publish_one(struct fabric_ep *ep, const struct hw_sge *sge,
			void *context, uint64_t flags)
{
	if (ep->lock_data_path)
		return direct_recv_publish_locked(ep, sge->addr, sge->length,
						  sge->lkey, context, flags);
	if (__builtin_expect(!hw_rq_has_room(&ep->rq, 1), 0))
		return direct_recv_publish_full(ep, sge->addr, sge->length,
						sge->lkey, context, flags);
	hw_rq_post(&ep->rq, sge, 1, context, sge->length,
		   direct_op_flags(flags, 0), flags & FI_MORE);
	direct_set_held(&ep->rx_held, flags & FI_MORE);
	if (direct_is_held(&ep->tx_held, flags & FI_MORE))
		direct_release_sends(ep);
	return 0;
}

#endif /* DIRECT_POST_H */
