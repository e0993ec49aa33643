/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "direct/post.h"

#include "compat/log.h"
#include "fabric/ep_queue.h"

DIRECT_COLD ssize_t direct_send_refuse(struct fabric_ep *ep, ssize_t error,
				       const char *why)
{
	compat_debug(FI_LOG_EP_DATA, "send or RMA refused: %s", why);
	fabric_ep_lock(ep, &ep->tx_lock);
	hw_sq_ring_doorbell(&ep->sq);
	fabric_ep_unlock(ep, &ep->tx_lock);
	return error;
}

DIRECT_COLD ssize_t direct_recv_refuse(struct fabric_ep *ep, ssize_t error,
				       const char *why)
{
	compat_debug(FI_LOG_EP_DATA, "receive refused: %s", why);
	fabric_ep_lock(ep, &ep->rx_lock);
	hw_rq_ring_doorbell(&ep->rq);
	fabric_ep_unlock(ep, &ep->rx_lock);
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
