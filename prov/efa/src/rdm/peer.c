/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/peer.h"

#include <stdlib.h>
#include <string.h>

#include <rdma/fi_errno.h>

#include "compat/log.h"
#include "fabric/av.h"
#include "rdm/ep_state.h"
#include "rdm/wire_decode.h"

#define RDM_PEER_FIRST_INDEXES	64u

/* ---- by address ---- */

static uint64_t rdm_peer_hash(const struct fabric_address *address)
{
	uint64_t gid[2];

	memcpy(gid, address->gid, sizeof(gid));
	return util_hash_mix(util_hash_mix(gid[0], gid[1]),
			     (uint64_t)address->qkey << 16 | address->qpn);
}

struct rdm_peer *rdm_peer_find(const struct rdm_peer_table *table,
			       const struct fabric_address *address)
{
	struct util_hash_node *node =
		util_hash_first(&table->by_address, rdm_peer_hash(address));
	struct rdm_peer *peer;

	for (; node; node = util_hash_next(node)) {
		peer = (struct rdm_peer *)((char *)node -
			offsetof(struct rdm_peer, by_address));
		if (fabric_address_equals(&peer->address, address))
			return peer;
	}
	return NULL;
}

static struct rdm_peer *rdm_peer_create(struct rdm_ep *ep,
					const struct fabric_address *address)
{
	struct rdm_peer *peer = calloc(1, sizeof(*peer));

	if (!peer)
		return NULL;
	if (util_hash_init(&peer->messages)) {
		free(peer);
		return NULL;
	}
	peer->addr = FI_ADDR_NOTAVAIL;
	peer->address = *address;
	peer->number = ep->peers.count++;
	peer->features = ep->is_homogeneous ||
			 fabric_address_equals(address, &ep->base.address) ?
			 rdm_feature_set_assumed(&ep->own) :
			 rdm_feature_set_unknown();
	rdm_reorder_window_init(&peer->window, ep->settings.recv_window);
	rdm_rnr_backoff_init(&peer->backoff, ep->settings.timeout_interval_us,
			     ep->settings.max_timeout_us, peer->number);
	util_list_init(&peer->waiting);
	util_list_init(&peer->nameless);
	util_list_init(&peer->parked);
	util_hash_insert(&ep->peers.by_address, &peer->by_address,
			 rdm_peer_hash(address));
	return peer;
}

/* ---- known ones ---- */

static int rdm_peer_grow_index(struct rdm_peer_table *table, fi_addr_t addr)
{
	uint64_t count = table->index_count ? table->index_count
					    : RDM_PEER_FIRST_INDEXES;
	struct rdm_peer **by_index;

	while (count <= addr)
		count *= 2;
	by_index = realloc(table->by_index, count * sizeof(*by_index));
	if (!by_index)
		return -FI_ENOMEM;
	memset(by_index + table->index_count, 0,
	       (count - table->index_count) * sizeof(*by_index));
	table->by_index = by_index;
	table->index_count = (uint32_t)count;
	return 0;
}

/* An unknown peer has a name now, and needs no handle of its own. */
static void rdm_peer_promote(struct rdm_ep *ep, struct rdm_peer *peer)
{
	ep->peers.unknown_count--;
	util_list_remove(&peer->nameless);
	util_list_init(&peer->nameless);
	if (peer->ah)
		dev_ah_put(ep->base.domain->ahs, peer->ah);
	peer->ah = NULL;
}

void rdm_peer_set_dest(struct rdm_ep *ep, struct rdm_peer *peer,
		       const struct hw_dest *dest)
{
	peer->dest = *dest;
	if (!peer->has_dest) {
		peer->has_dest = true;
		if (!peer->is_paused)
			rdm_outbox_release(ep, peer);
	}
}

/* Whoever was at @addr has been removed: rdm/peer_loss is to find it. */
static void rdm_peer_displace(struct rdm_peer_table *table, fi_addr_t addr,
			      const struct rdm_peer *by)
{
	struct rdm_peer *old = table->by_index[addr];

	if (!old || old == by || old->addr != addr)
		return;
	old->addr = FI_ADDR_NOTAVAIL;
	old->is_removed = true;
	/* it may have come back, and been removed again, since it was put
	 * there */
	if (old->is_displaced)
		return;
	old->is_displaced = true;
	old->next_displaced = table->displaced;
	table->displaced = old;
}

/* The peer at @addr is another one than before, or the first. */
static struct rdm_peer * __attribute__((noinline))
rdm_peer_learn(struct rdm_ep *ep, fi_addr_t addr, const struct hw_dest *dest)
{
	struct rdm_peer_table *table = &ep->peers;
	struct fabric_address address;
	struct rdm_peer *peer;

	if (addr >= table->index_count && rdm_peer_grow_index(table, addr))
		return NULL;
	if (!fabric_av_address(ep->base.av, addr, &address))
		return NULL;
	peer = rdm_peer_find(table, &address);
	if (peer && peer->is_unknown)
		rdm_peer_promote(ep, peer);
	if (!peer)
		peer = rdm_peer_create(ep, &address);
	if (!peer)
		return NULL;
	rdm_peer_displace(table, addr, peer);
	peer->is_unknown = false;
	peer->is_removed = false;
	peer->addr = addr;
	table->by_index[addr] = peer;
	rdm_peer_set_dest(ep, peer, dest);
	return peer;
}

struct rdm_peer *rdm_peer_of_addr(struct rdm_ep *ep, fi_addr_t addr)
{
	struct rdm_peer *peer;
	struct hw_dest dest;

	if (!fabric_av_resolve(ep->base.av, addr, &dest))
		return NULL;
	if (addr < ep->peers.index_count) {
		peer = ep->peers.by_index[addr];
		if (peer && peer->addr == addr &&
		    !memcmp(&peer->dest, &dest, sizeof(dest)))
			return peer;
	}
	return rdm_peer_learn(ep, addr, &dest);
}

fi_addr_t rdm_peer_addr(const struct rdm_ep *ep, const struct rdm_peer *peer)
{
	struct hw_dest dest;

	/* it may have been removed since */
	if (peer->addr == FI_ADDR_NOTAVAIL ||
	    !fabric_av_resolve(ep->base.av, peer->addr, &dest) ||
	    memcmp(&peer->dest, &dest, sizeof(dest)))
		return FI_ADDR_NOTAVAIL;
	return peer->addr;
}

/* ---- senders ---- */

/* What a packet says of its sender, as far as it does. */
static bool rdm_peer_is_sender(const struct rdm_peer *peer, uint16_t qpn,
			       const struct rdm_wire_view *view)
{
	struct fabric_address raw;

	if (view->raw_addr) {
		memcpy(&raw, view->raw_addr, sizeof(raw));
		return fabric_address_equals(&raw, &peer->address);
	}
	/* releases before 2.0 carry neither */
	return peer->address.qpn == qpn &&
	       (!view->has_connid || view->connid == peer->address.qkey);
}

struct rdm_peer *rdm_peer_drop(struct rdm_ep *ep, const char *why)
{
	if (!ep->dropped++)
		compat_info(FI_LOG_EP_DATA, "dropped a packet: %s; further ones are counted only",
			    why);
	return NULL;
}

/* The GID a packet came from, as the device tells: it has no handle for the
 * sender, or this process made the one it names. */
static bool rdm_peer_sender_gid(const struct rdm_ep *ep,
				const struct efa_io_cdesc *cqe,
				union ibv_gid *gid)
{
	if (cqe->rx.ah != EFA_IO_AH_UNKNOWN)
		return dev_ah_gid(ep->base.domain->ahs, cqe->rx.ah, gid);
	if (!ep->base.rx_cq->dev.with_sgid)
		return false;
	memcpy(gid->raw, cqe->rx.src_gid, sizeof(gid->raw));
	return true;
}

/*
 * What the packet says its sender is. It may be a lie, or a mistake; but
 * where the device knows a handle and not a GID it is believed, since that
 * handle's number may have become another's while the packet waited to be
 * looked at.
 */
static bool rdm_peer_raw_address(const struct rdm_ep *ep,
				 const struct efa_io_cdesc *cqe,
				 const struct rdm_wire_view *view,
				 struct fabric_address *address)
{
	memcpy(address, view->raw_addr, sizeof(*address));
	address->reserved1 = 0;
	address->reserved2 = 0;
	if (address->qpn != cqe->rx.src_qp_num ||
	    !fabric_address_has_gid(address))
		return false;
	return cqe->rx.ah != EFA_IO_AH_UNKNOWN ||
	       !ep->base.rx_cq->dev.with_sgid ||
	       !memcmp(address->gid, cqe->rx.src_gid, sizeof(address->gid));
}

/* The sender's whole address: from the packet, or from the device and the
 * connection ID. */
static bool rdm_peer_sender_address(struct rdm_ep *ep,
				    const struct efa_io_cdesc *cqe,
				    const struct rdm_wire_view *view,
				    struct fabric_address *address)
{
	union ibv_gid gid;

	if (view->raw_addr)
		return rdm_peer_raw_address(ep, cqe, view, address);
	if (!view->has_connid || !rdm_peer_sender_gid(ep, cqe, &gid))
		return false;
	*address = (struct fabric_address) { .qpn = cqe->rx.src_qp_num,
					     .qkey = view->connid };
	memcpy(address->gid, gid.raw, sizeof(address->gid));
	return true;
}

static struct rdm_peer *rdm_peer_add_unknown(struct rdm_ep *ep,
					const struct fabric_address *address)
{
	struct rdm_peer_table *table = &ep->peers;
	struct rdm_peer *peer;

	if (table->unknown_count >= ep->settings.max_unknown) {
		compat_warn_once(FI_LOG_EP_DATA,
				 "messages of new senders are lost: %u peers that are not in the address vector have sent already; insert them, or set FI_EFA_IMPLICIT_AV_SIZE higher",
				 table->unknown_count);
		return rdm_peer_drop(ep, "too many senders are not in the address vector");
	}
	peer = rdm_peer_create(ep, address);
	if (!peer)
		return rdm_peer_drop(ep, "no memory for its sender");
	peer->is_unknown = true;
	table->unknown_count++;
	util_list_append(&table->nameless, &peer->nameless);
	return peer;
}

static struct rdm_peer * __attribute__((noinline))
rdm_peer_of_stranger(struct rdm_ep *ep, const struct efa_io_cdesc *cqe,
		     const struct rdm_wire_view *view)
{
	struct fabric_address address;
	struct rdm_peer *peer;

	if (!rdm_peer_sender_address(ep, cqe, view, &address))
		return rdm_peer_drop(ep, "nothing tells whom it is from, or it lies about that");
	peer = rdm_peer_find(&ep->peers, &address);
	if (!peer)
		return rdm_peer_add_unknown(ep, &address);
	/* one that the device had no handle for may get one now */
	if (peer->is_unknown && !peer->has_dest &&
	    util_list_is_empty(&peer->nameless))
		util_list_append(&ep->peers.nameless, &peer->nameless);
	return peer;
}

struct rdm_peer *rdm_peer_of_packet(struct rdm_ep *ep,
				    const struct efa_io_cdesc *cqe,
				    const struct rdm_wire_view *view)
{
	uint16_t qpn = cqe->rx.src_qp_num;
	fi_addr_t addr = fabric_av_sender(ep->base.av, cqe->rx.ah, qpn);
	struct rdm_peer *peer;

	if (__builtin_expect(addr != FI_ADDR_NOTAVAIL, 1)) {
		peer = rdm_peer_of_addr(ep, addr);
		if (peer && rdm_peer_is_sender(peer, qpn, view))
			return peer;
	}
	return rdm_peer_of_stranger(ep, cqe, view);
}

/* ---- the table ---- */

int rdm_peer_table_init(struct rdm_peer_table *table)
{
	*table = (struct rdm_peer_table) {0};
	util_list_init(&table->nameless);
	return util_hash_init(&table->by_address) ? -FI_ENOMEM : 0;
}

static void rdm_peer_destroy(struct rdm_ep *ep, struct rdm_peer *peer)
{
	rdm_reorder_window_fini(&peer->window);
	util_hash_fini(&peer->messages);
	if (peer->ah)
		dev_ah_put(ep->base.domain->ahs, peer->ah);
	free(peer);
}

void rdm_peer_table_fini(struct rdm_ep *ep)
{
	struct rdm_peer_table *table = &ep->peers;
	struct util_hash_node *node;

	for (uint32_t i = 0; table->count && i <= table->by_address.mask;
	     i++) {
		while ((node = table->by_address.bucket[i])) {
			util_hash_remove(&table->by_address, node);
			rdm_peer_destroy(ep, (struct rdm_peer *)
				((char *)node -
				 offsetof(struct rdm_peer, by_address)));
		}
	}
	util_hash_fini(&table->by_address);
	free(table->by_index);
}
