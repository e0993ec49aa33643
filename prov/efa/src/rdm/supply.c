/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/supply.h"

#include "compat/log.h"
#include "fabric/ep_queue.h"
#include "rdm/ep_state.h"
#include "rdm/peer_handle.h"

#define RDM_SUPPLY_TX_FIRST	32u
#define RDM_SUPPLY_TX_CHUNK	64u
#define RDM_SUPPLY_RX_FIRST	128u
/* Messages without a receive: the other half of all operations there can be
 * is left to what the application posts. */
#define RDM_SUPPLY_MAX_UNEXPECTED	(UTIL_ID_MAX_OBJECTS / 2)

static uint32_t rdm_supply_min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

int rdm_supply_open(struct rdm_ep *ep)
{
	struct dev_pd *pd = &ep->base.domain->pd;
	struct rdm_packet_chunk *tx, *rx;
	int ret;

	ep->rx_wanted = rdm_supply_min(RDM_SUPPLY_RX_FIRST,
				       ep->rx_packets.limit);
	ret = rdm_packet_chunk_create(pd, rdm_supply_min(RDM_SUPPLY_TX_FIRST,
						ep->tx_packets.limit),
				      ep->mtu, &tx);
	if (ret)
		return ret;
	ret = rdm_packet_chunk_create(pd, ep->rx_wanted, ep->mtu, &rx);
	if (ret) {
		rdm_packet_chunk_destroy(tx);
		return ret;
	}
	rdm_packet_pool_add(&ep->tx_packets, tx);
	rdm_packet_pool_add(&ep->rx_packets, rx);
	return 0;
}

static bool rdm_supply_lacks_tx(const struct rdm_ep *ep)
{
	return ep->outbox.wants_packets &&
	       ep->tx_packets.total < ep->tx_packets.limit;
}

static bool rdm_supply_lacks_rx(const struct rdm_ep *ep)
{
	return ep->rx_packets.total < ep->rx_wanted;
}

bool rdm_supply_lacks(const struct rdm_ep *ep)
{
	return !ep->is_closing &&
	       (rdm_supply_lacks_tx(ep) || rdm_supply_lacks_rx(ep) ||
		!util_list_is_empty(&ep->peers.nameless));
}

bool rdm_supply_begin(struct rdm_ep *ep)
{
	if (ep->is_growing || !rdm_supply_lacks(ep))
		return false;
	ep->is_growing = true;
	pthread_mutex_lock(&ep->pin_lock);
	ep->pins++;
	pthread_mutex_unlock(&ep->pin_lock);
	return true;
}

/* Adds @count packets to @pool. Without memory there are no more than there
 * were: logged, and the endpoint works with those. */
static void rdm_supply_grow(struct rdm_ep *ep, struct rdm_packet_pool *pool,
			    uint32_t count)
{
	struct rdm_packet_chunk *chunk;
	int ret;

	ret = rdm_packet_chunk_create(&ep->base.domain->pd, count, ep->mtu,
				      &chunk);
	rdm_ep_lock(ep);
	if (ret) {
		pool->limit = pool->total;
		if (pool == &ep->rx_packets)
			ep->rx_wanted = pool->total;
	} else {
		rdm_packet_pool_add(pool, chunk);
	}
	rdm_ep_unlock(ep);
}

static void rdm_supply_packets(struct rdm_ep *ep)
{
	uint32_t tx = 0, rx = 0;

	rdm_ep_lock(ep);
	if (rdm_supply_lacks_tx(ep))
		tx = rdm_supply_min(RDM_SUPPLY_TX_CHUNK, ep->tx_packets.limit -
				    ep->tx_packets.total);
	ep->outbox.wants_packets = false;
	if (rdm_supply_lacks_rx(ep))
		rx = ep->rx_wanted - ep->rx_packets.total;
	rdm_ep_unlock(ep);
	if (tx)
		rdm_supply_grow(ep, &ep->tx_packets, tx);
	if (rx)
		rdm_supply_grow(ep, &ep->rx_packets, rx);
}

/* Does something lack that did not at the beginning? */
static bool rdm_supply_round(struct rdm_ep *ep)
{
	bool lacks;

	rdm_supply_packets(ep);
	rdm_peer_handle_resolve(ep);
	rdm_ep_lock(ep);
	rdm_supply_post_receives(ep);
	rdm_outbox_drain(ep);
	/* whoever wished for something meanwhile left it to this thread;
	 * each round adds packets, or lowers the limit to what there is */
	lacks = rdm_supply_lacks(ep);
	ep->is_growing = lacks;
	rdm_ep_unlock(ep);
	return lacks;
}

void rdm_supply_run(struct rdm_ep *ep)
{
	while (rdm_supply_round(ep))
		;
	pthread_mutex_lock(&ep->pin_lock);
	if (!--ep->pins)
		pthread_cond_broadcast(&ep->unpinned);
	pthread_mutex_unlock(&ep->pin_lock);
}

void rdm_supply_wait(struct rdm_ep *ep)
{
	pthread_mutex_lock(&ep->pin_lock);
	while (ep->pins)
		pthread_cond_wait(&ep->unpinned, &ep->pin_lock);
	pthread_mutex_unlock(&ep->pin_lock);
}

/* Senders are told to wait, rather than stored without end. */
static bool rdm_supply_throttle(struct rdm_ep *ep)
{
	ep->is_throttled =
		ep->unexpected_bytes > ep->settings.max_unexpected ||
		ep->unexpected_count > RDM_SUPPLY_MAX_UNEXPECTED;
	if (__builtin_expect(ep->is_throttled, 0))
		compat_warn_once(FI_LOG_EP_DATA,
				 "more than %zu bytes or %u messages have come that no receive was posted for; nothing more is taken in until receives are; see FI_EFA_MAX_UNEXPECTED_BYTES",
				 ep->settings.max_unexpected,
				 RDM_SUPPLY_MAX_UNEXPECTED);
	return ep->is_throttled;
}

void rdm_supply_post_receives(struct rdm_ep *ep)
{
	struct hw_rq *rq = &ep->base.rq;
	struct rdm_packet *packet;
	struct hw_sge sge;

	if (rdm_supply_throttle(ep))
		return;
	while (ep->rx_packets.free_count &&
	       (hw_rq_has_room(rq, 1) ||
		fabric_ep_queue_grow_rx(&ep->base, 1))) {
		packet = rdm_packet_get(&ep->rx_packets);
		sge.addr = (uintptr_t)packet->data;
		sge.length = ep->mtu;
		sge.lkey = packet->lkey;
		hw_rq_post(rq, &sge, 1, packet, ep->mtu, 0, true);
		ep->rx_posted++;
	}
	hw_rq_ring_doorbell(rq);
}
