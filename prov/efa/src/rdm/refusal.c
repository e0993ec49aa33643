/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/refusal.h"

#include "rdm/ep_state.h"
#include "rdm/wire_encode.h"

static bool rdm_refusal_send(struct rdm_ep *ep, struct rdm_deferred *deferred)
{
	struct rdm_op *op = util_list_entry(deferred, struct rdm_op, deferred);
	struct rdm_packet *packet = rdm_outbox_packet(ep);

	if (!packet)
		return false;
	packet->peer = op->peer;
	packet->len = (uint32_t)rdm_wire_put_peer_error(packet->data,
		ep->base.address.qkey, RDM_WIRE_REF_OP, op->peer_id,
		(uint32_t)op->prov_errno);
	rdm_outbox_send(ep, packet);
	rdm_op_try_end(ep, op);
	return true;
}

/* A reader learns what the other side calls it with the first bytes. */
static bool rdm_refusal_has_name(const struct rdm_op *op)
{
	return op->kind != RDM_OP_READING || op->rx.segments.in_order;
}

void rdm_refusal_tell(struct rdm_ep *ep, struct rdm_op *op)
{
	if (!rdm_refusal_has_name(op) ||
	    !rdm_feature_may_peer_error(&op->peer->features)) {
		rdm_op_try_end(ep, op);
		return;
	}
	if (rdm_refusal_send(ep, &op->deferred))
		return;
	op->deferred.run = rdm_refusal_send;
	rdm_outbox_defer(ep, &op->deferred);
}
