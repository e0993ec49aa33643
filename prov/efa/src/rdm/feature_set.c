/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/feature_set.h"

#include "rdm/wire_decode.h"

/* Its RDMA read cannot be served by, nor serve, that of later ones. */
#define FIRST_DEVICE_VERSION	0xefa0u

struct rdm_feature_set
rdm_feature_set_own(const struct rdm_device_traits *traits)
{
	struct rdm_feature_set own = {
		.bits = RDM_FEATURE_DELIVERY_COMPLETE | RDM_REQUEST_CONNID |
			RDM_FEATURE_RUNT | RDM_FEATURE_READ_NACK |
			RDM_FEATURE_PEER_ERROR,
		.device_version = traits->device_version,
		.is_known = true,
		.has_p2p = traits->p2p,
	};

	if (traits->rdma_read)
		own.bits |= RDM_FEATURE_RDMA_READ;
	if (traits->rdma_write)
		own.bits |= RDM_FEATURE_RDMA_WRITE;
	if (traits->unsolicited_write)
		own.bits |= RDM_FEATURE_UNSOLICITED_WRITE;
	return own;
}

struct rdm_feature_set
rdm_feature_set_of(const struct rdm_handshake_view *handshake)
{
	return (struct rdm_feature_set) {
		.bits = handshake->extra_info[0],
		.device_version = handshake->device_version,
		.is_known = true,
		.has_p2p = handshake->has_p2p,
	};
}

struct rdm_feature_set rdm_feature_set_unknown(void)
{
	return (struct rdm_feature_set) { .has_p2p = true };
}

struct rdm_feature_set
rdm_feature_set_assumed(const struct rdm_feature_set *own)
{
	struct rdm_feature_set set = *own;

	set.is_assumed = true;
	return set;
}

static bool has(const struct rdm_feature_set *set, uint64_t bit)
{
	return set->is_known && (set->bits & bit);
}

static bool both_have(const struct rdm_feature_set *own,
		      const struct rdm_feature_set *peer, uint64_t bit)
{
	return has(own, bit) && has(peer, bit);
}

bool rdm_feature_wants_raw_addr(const struct rdm_feature_set *peer)
{
	return !peer->is_known || peer->is_assumed ||
	       has(peer, RDM_REQUEST_CONSTANT_HEADER);
}

bool rdm_feature_may_read(const struct rdm_feature_set *own,
			  const struct rdm_feature_set *peer)
{
	return both_have(own, peer, RDM_FEATURE_RDMA_READ) &&
		(own->device_version == FIRST_DEVICE_VERSION) ==
		(peer->device_version == FIRST_DEVICE_VERSION);
}

bool rdm_feature_may_write(const struct rdm_feature_set *own,
			   const struct rdm_feature_set *peer)
{
	return both_have(own, peer, RDM_FEATURE_RDMA_WRITE);
}

bool rdm_feature_may_write_data(const struct rdm_feature_set *own,
				const struct rdm_feature_set *peer)
{
	return rdm_feature_may_write(own, peer) &&
		has(own, RDM_FEATURE_UNSOLICITED_WRITE) ==
		has(peer, RDM_FEATURE_UNSOLICITED_WRITE);
}

bool rdm_feature_may_runt(const struct rdm_feature_set *own,
			  const struct rdm_feature_set *peer)
{
	return rdm_feature_may_read(own, peer) &&
		has(peer, RDM_FEATURE_RUNT);
}

bool rdm_feature_may_deliver_complete(const struct rdm_feature_set *peer)
{
	return !peer->is_known || has(peer, RDM_FEATURE_DELIVERY_COMPLETE);
}

bool rdm_feature_may_read_nack(const struct rdm_feature_set *peer)
{
	/* of one that is not known yet: who asks to be read is of a release
	 * that may say so, and its handshake is under way */
	return !peer->is_known || has(peer, RDM_FEATURE_READ_NACK);
}

bool rdm_feature_may_peer_error(const struct rdm_feature_set *peer)
{
	return has(peer, RDM_FEATURE_PEER_ERROR);
}
