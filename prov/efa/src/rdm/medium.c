/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/medium.h"

#include <rdma/fi_errno.h>

#include "rdm/ep_state.h"
#include "rdm/read_answer.h"
#include "rdm/receipt.h"
#include "rdm/segment_plan.h"
#include "rdm/tx_packet.h"

/* ---- sender ---- */

/* How what has not been sent is cut. */
static struct rdm_segment_plan
rdm_medium_plan(const struct rdm_ep *ep, const struct rdm_op *op,
		const struct rdm_wire_message *msg)
{
	size_t header_len = rdm_wire_header_len(rdm_wire_medium_type(msg),
						msg, 0);

	return rdm_segment_plan(op->length - op->tx.sent,
				rdm_wire_max_payload(ep->mtu, header_len));
}

static bool rdm_medium_send_segment(struct rdm_ep *ep, struct rdm_op *op,
				    const struct rdm_wire_message *msg,
				    size_t len)
{
	struct rdm_packet *packet = rdm_outbox_packet(ep);
	uint64_t offset = op->tx.sent;

	if (!packet)
		return false;
	rdm_tx_put_payload(ep, op, packet,
			   rdm_wire_put_medium(packet->data, msg, offset),
			   offset, len);
	packet->op = op;
	packet->more = offset + len < op->length;
	op->tx.sent += len;
	rdm_outbox_send(ep, packet);
	return true;
}

/* False: packets lack; what was sent counts. */
static bool rdm_medium_send(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_segment_plan plan;
	struct rdm_wire_message msg;

	rdm_tx_message(ep, op, &msg);
	plan = rdm_medium_plan(ep, op, &msg);
	for (uint64_t i = 0; i < plan.count; i++)
		if (!rdm_medium_send_segment(ep, op, &msg,
					     rdm_segment_len(&plan, i))) {
			rdm_outbox_flush(ep);
			return false;
		}
	op->is_answered = !op->is_delivery_complete;
	return true;
}

static bool rdm_medium_resume(struct rdm_ep *ep,
			      struct rdm_deferred *deferred)
{
	struct rdm_op *op = util_list_entry(deferred, struct rdm_op, deferred);

	return op->err || rdm_medium_send(ep, op);
}

/*
 * All segments or none, because one that is half sent holds up those behind
 * it at the receiver; but for a message of more packets than there can be.
 */
static int rdm_medium_start(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_segment_plan plan;
	struct rdm_wire_message msg;
	uint64_t wanted = ep->tx_packets.limit;

	rdm_tx_message(ep, op, &msg);
	plan = rdm_medium_plan(ep, op, &msg);
	if (plan.count < wanted)
		wanted = plan.count;
	if (!rdm_outbox_has_packets(ep, (uint32_t)wanted))
		return -FI_EAGAIN;
	if (!rdm_medium_send(ep, op)) {
		op->deferred.run = rdm_medium_resume;
		rdm_outbox_defer(ep, &op->deferred);
	}
	return 0;
}

/* ---- receiver ---- */

static void rdm_medium_take(struct rdm_ep *ep, struct rdm_op *op,
			    const struct rdm_wire_view *view)
{
	if (op->err || view->msg_length != op->length) {
		rdm_peer_drop(ep, "its segment is of a message of another length");
		return;
	}
	if (!rdm_reassembly_add(&op->rx.segments, view->seg_offset,
				view->payload_len)) {
		rdm_read_answer_unplaced(ep, op, op->is_delivery_complete);
		return;
	}
	rdm_op_place(ep, op, view->seg_offset, view->payload, view->payload_len);
	if (rdm_reassembly_is_whole(&op->rx.segments))
		rdm_receipt_end(ep, op);
}

static void rdm_medium_begin(struct rdm_ep *ep, struct rdm_op *op,
			     const struct rdm_wire_view *view)
{
	rdm_reassembly_init(&op->rx.segments, op->length);
	rdm_medium_take(ep, op, view);
}

const struct rdm_protocol rdm_medium = {
	.name = "medium",
	.start = rdm_medium_start,
	.begin = rdm_medium_begin,
	.segment = rdm_medium_take,
};
