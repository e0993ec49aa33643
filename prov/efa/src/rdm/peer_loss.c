/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/peer_loss.h"

#include <string.h>

#include <rdma/fi_errno.h>

#include "fabric/av.h"
#include "hw/efa_io_defs.h"
#include "rdm/ep_state.h"
#include "rdm/packet_done.h"

static const char removed_text[] =
	"the peer's address was removed from the address vector (fi_av_remove) while it still had to answer; remove it after its operations";

/* Packets that wait go nowhere. */
static void rdm_peer_loss_drop_waiting(struct rdm_ep *ep,
				       struct rdm_peer *peer, int err,
				       const char *why)
{
	struct rdm_packet *packet;

	while (!util_list_is_empty(&peer->waiting)) {
		packet = util_list_entry(util_list_pop(&peer->waiting),
					 struct rdm_packet, node);
		if (packet->op)
			rdm_op_fail(ep, packet->op, err,
				    EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_AH,
				    why);
		rdm_packet_done(ep, packet,
				EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_AH);
	}
}

void rdm_peer_loss_of_handle(struct rdm_ep *ep, struct rdm_peer *peer,
			     const char *why)
{
	rdm_peer_loss_drop_waiting(ep, peer, FI_EHOSTUNREACH, why);
}

/* ---- removed addresses ---- */

static bool rdm_peer_loss_is_removed(const struct rdm_ep *ep, fi_addr_t addr,
				     const struct rdm_peer *peer)
{
	struct hw_dest dest;

	/* it may have another index by now, or another peer this one */
	return peer->addr == addr &&
	       (!fabric_av_resolve(ep->base.av, addr, &dest) ||
		memcmp(&peer->dest, &dest, sizeof(dest)));
}

static bool rdm_peer_loss_find(struct rdm_ep *ep)
{
	struct rdm_peer *peer;
	bool any = false;

	while ((peer = ep->peers.displaced)) {
		ep->peers.displaced = peer->next_displaced;
		peer->is_displaced = false;
		/* it may have been inserted again since, elsewhere */
		if (!peer->is_removed)
			continue;
		any = true;
		rdm_peer_loss_drop_waiting(ep, peer, FI_ECANCELED,
					   removed_text);
	}
	for (uint32_t i = 0; i < ep->peers.index_count; i++) {
		peer = ep->peers.by_index[i];
		if (!peer || !rdm_peer_loss_is_removed(ep, i, peer))
			continue;
		/* whoever names it again learns it anew */
		peer->addr = FI_ADDR_NOTAVAIL;
		peer->is_removed = true;
		any = true;
		rdm_peer_loss_drop_waiting(ep, peer, FI_ECANCELED,
					   removed_text);
	}
	return any;
}

/* Does it wait for something that only its peer can bring? */
static bool rdm_peer_loss_concerns(const struct rdm_op *op)
{
	return op->kind != RDM_OP_POSTED && op->kind != RDM_OP_UNEXPECTED &&
	       op->peer && op->peer->is_removed && !op->is_answered;
}

void rdm_peer_loss_of_removed(struct rdm_ep *ep)
{
	struct rdm_op *op;
	uint32_t at = 0;

	if (!rdm_peer_loss_find(ep))
		return;
	while ((op = util_id_table_next(&ep->ids, &at))) {
		if (!rdm_peer_loss_concerns(op))
			continue;
		rdm_op_fail(ep, op, FI_ECANCELED,
			    EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_AH,
			    removed_text);
		rdm_op_try_end(ep, op);
	}
}
