/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/read_answer.h"

#include <rdma/fi_errno.h>

#include "rdm/ep_state.h"
#include "rdm/receipt.h"
#include "rdm/refusal.h"
#include "rdm/wire_encode.h"

static struct rdm_op *rdm_read_answer_op(struct rdm_deferred *deferred)
{
	return util_list_entry(deferred, struct rdm_op, deferred);
}

/* Sends an answer now, or when a packet is free. */
static void rdm_read_answer_give(struct rdm_ep *ep, struct rdm_op *op,
				 bool (*send)(struct rdm_ep *ep,
					      struct rdm_deferred *deferred))
{
	if (send(ep, &op->deferred))
		return;
	op->deferred.run = send;
	rdm_outbox_defer(ep, &op->deferred);
}

static bool rdm_read_answer_send_eor(struct rdm_ep *ep,
				     struct rdm_deferred *deferred)
{
	struct rdm_op *op = rdm_read_answer_op(deferred);
	struct rdm_packet *packet = rdm_outbox_packet(ep);

	if (!packet)
		return false;
	packet->peer = op->peer;
	packet->len = (uint32_t)rdm_wire_put_eor(packet->data,
						 ep->base.address.qkey,
						 op->peer_id, op->id);
	/* nobody waits for it: it counts for no operation */
	rdm_outbox_send(ep, packet);
	rdm_receipt_end(ep, op);
	return true;
}

void rdm_read_answer_done(struct rdm_ep *ep, struct rdm_op *op)
{
	rdm_read_answer_give(ep, op, rdm_read_answer_send_eor);
}

static bool rdm_read_answer_send_nack(struct rdm_ep *ep,
				      struct rdm_deferred *deferred)
{
	struct rdm_op *op = rdm_read_answer_op(deferred);
	struct rdm_packet *packet = rdm_outbox_packet(ep);

	if (!packet)
		return false;
	packet->peer = op->peer;
	/* without it, the message would never come: its failure ends @op */
	packet->op = op;
	packet->len = (uint32_t)rdm_wire_put_read_nack(packet->data,
						       ep->base.address.qkey,
						       op->peer_id, op->id);
	rdm_outbox_send(ep, packet);
	/* a write comes again as one of its own, not as this one's heir */
	if (op->is_target) {
		op->has_cq_data = false;
		op->is_answered = true;
	}
	return true;
}

void rdm_read_answer_refuse(struct rdm_ep *ep, struct rdm_op *op)
{
	if (rdm_feature_may_read_nack(&op->peer->features)) {
		rdm_read_answer_give(ep, op, rdm_read_answer_send_nack);
		return;
	}
	rdm_op_fail(ep, op, FI_EOPNOTSUPP, 0,
		    "the sender wants its message read from its memory, and this receive cannot: give it registered buffers, or send with FI_EFA_USE_DEVICE_RDMA=0");
	rdm_op_try_end(ep, op);
}

void rdm_read_answer_failed(struct rdm_ep *ep, struct rdm_op *op)
{
	rdm_refusal_tell(ep, op);
}

void rdm_read_answer_unplaced(struct rdm_ep *ep, struct rdm_op *op,
			      bool sender_waits)
{
	if (!op->rx.segments.has_lost) {
		rdm_peer_drop(ep, "its segment has been here");
		return;
	}
	rdm_op_fail(ep, op, FI_ENOMEM, 0,
		    "no memory, or more than 4096 gaps, in what has come of this message: it cannot be put together");
	if (sender_waits)
		rdm_read_answer_failed(ep, op);
	else
		rdm_op_try_end(ep, op);
}
