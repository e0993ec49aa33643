/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What one side of a conversation can do, as HANDSHAKE tells it, and what may
 * be used between two of them. Pure.
 *
 * Before its handshake a peer is only known to speak the baseline: eager,
 * medium and long-CTS messages, their delivery-complete forms, emulated RMA
 * and atomics. Peers go back to libfabric 2.0.
 */
#ifndef RDM_FEATURE_SET_H
#define RDM_FEATURE_SET_H

#include <stdbool.h>
#include <stdint.h>

struct rdm_handshake_view;

/* Bits of extra_info[0]; table 2.1 of efa_rdm_protocol_v4.md. */
#define RDM_FEATURE_RDMA_READ		(1u << 0)
#define RDM_FEATURE_DELIVERY_COMPLETE	(1u << 1)
#define RDM_REQUEST_CONSTANT_HEADER	(1u << 2)
#define RDM_REQUEST_CONNID		(1u << 3)
#define RDM_FEATURE_RUNT		(1u << 4)
#define RDM_FEATURE_RDMA_WRITE		(1u << 5)
#define RDM_FEATURE_READ_NACK		(1u << 6)
#define RDM_REQUEST_USER_RECV_QP	(1u << 7)
#define RDM_FEATURE_UNSOLICITED_WRITE	(1u << 8)
#define RDM_FEATURE_PEER_ERROR		(1u << 9)

struct rdm_feature_set {
	uint64_t bits;
	uint32_t device_version;	/* 0: not told */
	bool is_known;			/* the handshake was there */
	bool has_p2p;			/* RDMA reaches its device memory */
	bool is_assumed;		/* it has not said so itself */
};

/* What the device and its settings give an endpoint. */
struct rdm_device_traits {
	bool rdma_read;
	bool rdma_write;
	bool unsolicited_write;		/* and it is in use */
	bool p2p;
	uint32_t device_version;	/* vendor_part_id */
};

/* What this endpoint says of itself. */
struct rdm_feature_set
rdm_feature_set_own(const struct rdm_device_traits *traits);

/* What a peer said. */
struct rdm_feature_set
rdm_feature_set_of(const struct rdm_handshake_view *handshake);

/* A peer of which nothing is known. */
struct rdm_feature_set rdm_feature_set_unknown(void);

/* A peer that is this endpoint itself, or of which the application says that
 * it is of the same kind (FI_OPT_EFA_HOMOGENEOUS_PEERS): @own from the start,
 * though it has not met this endpoint. */
struct rdm_feature_set
rdm_feature_set_assumed(const struct rdm_feature_set *own);

/* Requests to the peer carry the raw address, because it may not know this
 * endpoint, or because it wants headers of one length; else the connid. */
bool rdm_feature_wants_raw_addr(const struct rdm_feature_set *peer);

/* Reads of the one out of the other's memory, in both directions: the
 * first generation of devices reads only from its own kind. */
bool rdm_feature_may_read(const struct rdm_feature_set *own,
			  const struct rdm_feature_set *peer);
bool rdm_feature_may_write(const struct rdm_feature_set *own,
			   const struct rdm_feature_set *peer);
/* A write that brings CQ data: both must expect it the same way. */
bool rdm_feature_may_write_data(const struct rdm_feature_set *own,
				const struct rdm_feature_set *peer);
bool rdm_feature_may_runt(const struct rdm_feature_set *own,
			  const struct rdm_feature_set *peer);

/* Baseline, unless the peer said otherwise. */
bool rdm_feature_may_deliver_complete(const struct rdm_feature_set *peer);
/* The peer, which sent a message to be read, understands the refusal; one
 * whose handshake is still under way does. */
bool rdm_feature_may_read_nack(const struct rdm_feature_set *peer);
bool rdm_feature_may_peer_error(const struct rdm_feature_set *peer);

#endif /* RDM_FEATURE_SET_H */
