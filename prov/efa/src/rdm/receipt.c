/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/receipt.h"

#include <stdio.h>
#include <stdlib.h>

#include <rdma/fi_errno.h>

#include "rdm/ep_state.h"
#include "rdm/wire_encode.h"

static bool rdm_receipt_send(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_packet *packet = rdm_outbox_packet(ep);

	if (!packet)
		return false;
	packet->peer = op->peer;
	packet->len = (uint32_t)rdm_wire_put_receipt(packet->data,
						     ep->base.address.qkey,
						     op->peer_id, op->msg_id);
	/* nobody waits for it: it counts for no operation */
	rdm_outbox_send(ep, packet);
	return true;
}

static void rdm_receipt_finish(struct rdm_ep *ep, struct rdm_op *op)
{
	char text[128];

	if (op->length > op->room && !op->rx.is_discarded) {
		snprintf(text, sizeof(text),
			 "a message of %zu bytes came to a receive of %zu; post larger buffers",
			 op->length, op->room);
		rdm_op_fail(ep, op, FI_ETRUNC, 0, text);
	}
	op->is_answered = true;
	rdm_op_try_end(ep, op);
}

static bool rdm_receipt_resume(struct rdm_ep *ep,
			       struct rdm_deferred *deferred)
{
	struct rdm_op *op = (struct rdm_op *)
		((char *)deferred - offsetof(struct rdm_op, deferred));

	if (!rdm_receipt_send(ep, op))
		return false;
	rdm_receipt_finish(ep, op);
	return true;
}

void rdm_receipt_end(struct rdm_ep *ep, struct rdm_op *op)
{
	if (op->is_delivery_complete && !rdm_receipt_send(ep, op)) {
		op->deferred.run = rdm_receipt_resume;
		rdm_outbox_defer(ep, &op->deferred);
		return;
	}
	rdm_receipt_finish(ep, op);
}

void rdm_receipt_answer(struct rdm_ep *ep, struct rdm_peer *peer,
			const struct rdm_wire_view *view)
{
	struct rdm_op *op = rdm_op_find(ep, peer, RDM_OP_SEND, view->send_id);

	/* of a write no side has a msg_id */
	if (!op || (!op->is_rma && op->msg_id != view->msg_id) ||
	    !op->is_delivery_complete) {
		rdm_peer_drop(ep, "its receipt is for no message in flight");
		return;
	}
	op->is_answered = true;
	rdm_op_try_end(ep, op);
}
