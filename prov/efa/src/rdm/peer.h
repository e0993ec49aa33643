/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Peers: who was sent to, who sent, or whose messages are asked for. A peer
 * is (GID, QP number, connection ID), so that a process that died and its
 * successor with the same QP number are two.
 *
 * Known ones are found by their index in the address vector. One that sends
 * without being in it is unknown: it is found by its address alone, and
 * there are only so many (FI_EFA_IMPLICIT_AV_SIZE); when the application
 * inserts it, it becomes a known one with all it has sent. A peer lives until
 * the endpoint is closed.
 *
 * All under the endpoint's lock.
 */
#ifndef RDM_PEER_H
#define RDM_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include <rdma/fabric.h>

#include "dev/addr_handle.h"
#include "fabric/address.h"
#include "hw/work_queue.h"
#include "rdm/feature_set.h"
#include "rdm/outbox.h"
#include "rdm/reorder_window.h"
#include "rdm/rnr_backoff.h"
#include "util/hash_table.h"
#include "util/list.h"

struct efa_io_cdesc;
struct rdm_ep;
struct rdm_wire_view;

struct rdm_peer {
	/* where to: valid with has_dest */
	struct hw_dest dest;
	fi_addr_t addr;		/* FI_ADDR_NOTAVAIL: not in the vector */
	bool has_dest;
	bool is_unknown;	/* not in the address vector */
	bool handshake_sent;
	bool is_paused;		/* it has no receive buffers */
	bool was_paused;	/* and nothing has got through since */
	bool is_removed;	/* from the vector, which was seen */
	bool is_displaced;	/* in the table's list of those */
	struct rdm_feature_set features;	/* is_known: it came */
	uint32_t next_msg_id;	/* of what is sent to it */
	uint32_t number;	/* in the order of their appearance */
	uint64_t runt_bytes;	/* in flight to it, of runt_read */
	struct rdm_reorder_window window;
	struct util_hash_table messages;	/* by msg_id, being received */
	struct util_list waiting;	/* packets, while it is paused */
	struct util_list paused;	/* in the outbox's list */
	uint64_t resume_at_ns;
	struct rdm_rnr_backoff backoff;
	struct util_list parked;	/* RMA that waits for its handshake */
	struct rdm_deferred hello;	/* the handshake, without a packet */
	/* cold */
	struct util_hash_node by_address;
	struct fabric_address address;
	const struct dev_ah *ah;	/* of an unknown one, or NULL */
	struct util_list nameless;	/* waits for its handle */
	struct rdm_peer *next_displaced;
};

struct rdm_peer_table {
	struct rdm_peer **by_index;	/* of the address vector */
	uint32_t index_count;
	uint32_t count;
	uint32_t unknown_count;
	struct util_hash_table by_address;	/* all */
	struct util_list nameless;	/* of which a handle is wanted */
	/* removed ones whose index another got, before that was seen */
	struct rdm_peer *displaced;
};

/* 0, -FI_ENOMEM. */
int rdm_peer_table_init(struct rdm_peer_table *table);
/* Frees all peers, with the packets they hold. */
void rdm_peer_table_fini(struct rdm_ep *ep);

/*
 * Whom the application calls @addr, made if it is new. NULL: the address
 * vector has no such address, or there is no memory.
 */
struct rdm_peer *rdm_peer_of_addr(struct rdm_ep *ep, fi_addr_t addr);

/* What the application calls @peer; FI_ADDR_NOTAVAIL when it does not. */
fi_addr_t rdm_peer_addr(const struct rdm_ep *ep, const struct rdm_peer *peer);

/* The sender of a packet, made if it is new: NULL when it cannot be told, it
 * lies about its GID, or there are too many (counted, logged once). @cqe is
 * the packet's. */
struct rdm_peer *rdm_peer_of_packet(struct rdm_ep *ep,
				    const struct efa_io_cdesc *cqe,
				    const struct rdm_wire_view *view);

/* Counts a packet that is dropped for the reason @why, and logs the first.
 * Returns NULL. */
struct rdm_peer *rdm_peer_drop(struct rdm_ep *ep, const char *why);

/* The peer with @address; NULL: there is none. */
struct rdm_peer *rdm_peer_find(const struct rdm_peer_table *table,
			       const struct fabric_address *address);

/* Where @peer is from now on; lets go what waited for that. */
void rdm_peer_set_dest(struct rdm_ep *ep, struct rdm_peer *peer,
		       const struct hw_dest *dest);

#endif /* RDM_PEER_H */
