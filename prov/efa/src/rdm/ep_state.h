/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An endpoint of the fabric efa, FI_EP_RDM: what all of this layer works on.
 * One lock guards all of it that is not constant; calls of the application
 * and progress take it, after the CQ's lock and before the done list's.
 */
#ifndef RDM_EP_STATE_H
#define RDM_EP_STATE_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/ep_base.h"
#include "rdm/feature_set.h"
#include "rdm/op.h"
#include "rdm/outbox.h"
#include "rdm/packet_pool.h"
#include "rdm/peer.h"
#include "rdm/rights.h"
#include "rdm/settings.h"
#include "rdm/tag_match.h"
#include "util/id_table.h"
#include "util/pool.h"

struct rdm_ep {
	struct fabric_ep base;
	struct util_lock lock;
	/* constant after enable */
	uint32_t mtu;
	uint32_t copy_max;	/* bytes of payload rather copied than read
				 * from the application's memory */
	struct rdm_feature_set own;
	uint64_t host_id;
	bool is_homogeneous;	/* peers can do what this one can */
	bool is_directed;	/* FI_DIRECTED_RECV: receives have a source */
	bool rnr_fails;		/* FI_RM_DISABLED: nothing is sent twice */
	struct rdm_settings settings;
	/* under the lock */
	struct rdm_packet_pool tx_packets, rx_packets;
	struct rdm_outbox outbox;
	struct rdm_peer_table peers;
	struct util_pool ops;
	struct util_id_table ids;
	struct rdm_rights tx_rights, rx_rights;
	uint32_t tx_ops, tx_ops_max;	/* sends that have not ended */
	struct rdm_match msg, tagged;
	struct util_list claimed;	/* unexpected ones, by FI_CLAIM */
	/* memory of messages without a receive, and of early packets */
	uint64_t unexpected_bytes;
	uint32_t unexpected_count;	/* of messages */
	bool is_throttled;		/* of those there are too many */
	size_t min_multi_recv;
	/* receive buffers with the device, and how many there should be */
	uint32_t rx_posted, rx_wanted;
	uint32_t rx_taken;		/* since its CQ's ring was empty */
	uint32_t rx_burst;		/* which time that was */
	/* counted, told once */
	uint64_t dropped;
	bool is_joined;			/* its CQs know of it */
	bool is_closing;		/* its queues are about to go: nobody
					 * is to begin anything */
	/* under the tx CQ's lock: in its list of endpoints with pauses */
	struct util_list paused;
	bool is_paused_listed;
	/* the same: of all its endpoints, with is_joined */
	struct util_list joined;
	/* somebody adds packets or address handles, without a lock; close
	 * waits for it */
	bool is_growing;		/* under the endpoint's lock */
	struct rdm_ep *next_growing;
	pthread_mutex_t pin_lock;
	pthread_cond_t unpinned;
	uint32_t pins;
};

static inline struct rdm_ep *rdm_ep_of(struct fid_ep *fid)
{
	return (struct rdm_ep *)
		((char *)fid - offsetof(struct rdm_ep, base.fid));
}

static inline struct rdm_ep *rdm_ep_of_base(void *base)
{
	return (struct rdm_ep *)
		((char *)base - offsetof(struct rdm_ep, base));
}

static inline void rdm_ep_lock(struct rdm_ep *ep)
{
	fabric_ep_lock(&ep->base, &ep->lock);
}

static inline void rdm_ep_unlock(struct rdm_ep *ep)
{
	fabric_ep_unlock(&ep->base, &ep->lock);
}

#endif /* RDM_EP_STATE_H */
