/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "direct/post.h"

#include "compat/log.h"
#include "fabric/ep_queue.h"

DIRECT_COLD void direct_release_sends(struct fabric_ep *ep)
{
	fabric_ep_lock(ep, &ep->tx_lock);
	atomic_store_explicit(&ep->tx_held, false, memory_order_relaxed);
	hw_sq_ring_doorbell(&ep->sq);
	fabric_ep_unlock(ep, &ep->tx_lock);
}

DIRECT_COLD void direct_release_recvs(struct fabric_ep *ep)
{
	fabric_ep_lock(ep, &ep->rx_lock);
	atomic_store_explicit(&ep->rx_held, false, memory_order_relaxed);
	hw_rq_ring_doorbell(&ep->rq);
	fabric_ep_unlock(ep, &ep->rx_lock);
}

static void direct_release_all(struct fabric_ep *ep)
{
	if (atomic_load(&ep->tx_held))
		direct_release_sends(ep);
	if (atomic_load(&ep->rx_held))
		direct_release_recvs(ep);
}

DIRECT_COLD ssize_t direct_send_refuse(struct fabric_ep *ep, ssize_t error,
				       const char *why)
{
	compat_debug(FI_LOG_EP_DATA, "send or RMA refused: %s", why);
	direct_release_all(ep);
	return error;
}

DIRECT_COLD ssize_t direct_recv_refuse(struct fabric_ep *ep, ssize_t error,
				       const char *why)
{
	compat_debug(FI_LOG_EP_DATA, "receive refused: %s", why);
	direct_release_all(ep);
	return error;
}

DIRECT_COLD bool direct_send_make_room(struct fabric_ep *ep)
{
	if (fabric_ep_queue_grow_tx(ep))
		return true;
	hw_sq_ring_doorbell(&ep->sq);
	return false;
}

DIRECT_COLD bool direct_recv_make_room(struct fabric_ep *ep,
				       uint32_t descriptors)
{
	if (fabric_ep_queue_grow_rx(ep, descriptors))
		return true;
	hw_rq_ring_doorbell(&ep->rq);
	return false;
}

__attribute__((noinline)) ssize_t
direct_recv_publish_locked(struct fabric_ep *ep, uint64_t addr,
			   uint32_t length, uint32_t lkey, void *context,
			   uint64_t flags)
{
	struct hw_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	return direct_recv_publish(ep, true, &sge, 1, length, context, flags);
}

DIRECT_COLD ssize_t
direct_recv_publish_full(struct fabric_ep *ep, uint64_t addr, uint32_t length,
			 uint32_t lkey, void *context, uint64_t flags)
{
	struct hw_sge sge = { .addr = addr, .length = length, .lkey = lkey };

	return direct_recv_publish(ep, false, &sge, 1, length, context, flags);
}
