/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/runt_read.h"

#include <rdma/fi_errno.h>

#include "rdm/ep_state.h"
#include "rdm/long_read.h"
#include "rdm/read_answer.h"
#include "rdm/receipt.h"
#include "rdm/remote_read.h"
#include "rdm/segment_plan.h"
#include "rdm/tx_packet.h"

/* ---- sender ---- */

/* How long the runt of @op may be. */
static uint64_t rdm_runt_read_length(const struct rdm_ep *ep,
				     const struct rdm_op *op)
{
	uint64_t runt = ep->settings.runt, flying = op->peer->runt_bytes;

	if (flying >= runt)
		return 0;
	runt -= flying;
	if (runt > op->length)
		runt = op->length;
	return runt - runt % RDM_SEGMENT_ALIGN;
}

static void rdm_runt_read_send(struct rdm_ep *ep, struct rdm_op *op,
			       const struct rdm_segment_plan *plan)
{
	struct rdm_wire_iov iov[RDM_WIRE_IOV_MAX];
	unsigned int count = rdm_long_read_ranges(op, iov);
	struct rdm_wire_message msg;
	struct rdm_packet *packet;
	uint64_t offset;

	rdm_tx_message(ep, op, &msg);
	for (uint64_t i = 0; i < plan->count; i++) {
		offset = rdm_segment_offset(plan, i);
		packet = rdm_outbox_packet(ep);
		rdm_tx_put_payload(ep, op, packet,
				   rdm_wire_put_runtread(packet->data, &msg,
							 iov, count, offset,
							 plan->total),
				   offset, rdm_segment_len(plan, i));
		packet->op = op;
		packet->more = i + 1 < plan->count || op->is_more;
		rdm_outbox_send(ep, packet);
	}
}

static int rdm_runt_read_start(struct rdm_ep *ep, struct rdm_op *op)
{
	uint64_t runt = rdm_runt_read_length(ep, op);
	struct rdm_wire_iov iov[RDM_WIRE_IOV_MAX];
	struct rdm_segment_plan plan;
	struct rdm_wire_message msg;
	size_t header_len;

	rdm_tx_message(ep, op, &msg);
	header_len = rdm_wire_header_len(rdm_wire_runtread_type(&msg), &msg,
					 rdm_long_read_ranges(op, iov));
	if (runt)
		plan = rdm_segment_plan(runt, rdm_wire_max_payload(ep->mtu,
								header_len));
	if (!runt || plan.count > ep->tx_packets.limit) {
		op->protocol = &rdm_long_read;
		return rdm_long_read.start(ep, op);
	}
	if (!rdm_outbox_has_packets(ep, (uint32_t)plan.count))
		return -FI_EAGAIN;
	rdm_runt_read_send(ep, op, &plan);
	op->tx.sent = runt;
	op->tx.is_read = runt < op->length;
	op->tx.runt = runt;
	op->peer->runt_bytes += runt;
	op->is_answered = runt == op->length;
	return 0;
}

/* ---- receiver ---- */

/* The next step, now that bytes have come or been read. */
static void rdm_runt_read_advance(struct rdm_ep *ep, struct rdm_op *op)
{
	const struct rdm_reassembly *segments = &op->rx.segments;

	if (segments->received < op->rx.window_end)
		return;
	if (op->rx.window_end == op->length)
		rdm_receipt_end(ep, op);
	else if (!op->rx.read)
		rdm_read_answer_refuse(ep, op);
	else if (rdm_remote_read_is_done(op))
		rdm_read_answer_done(ep, op);
}

static void rdm_runt_read_take(struct rdm_ep *ep, struct rdm_op *op,
			       const struct rdm_wire_view *view)
{
	if (rdm_long_read_is_offer(ep, op, view))
		return;
	if (op->err || view->kind != RDM_KIND_RUNTREAD ||
	    view->msg_length != op->length ||
	    view->runt_length != op->rx.window_end) {
		rdm_peer_drop(ep, "its segment is of another message");
		return;
	}
	if (!rdm_reassembly_add(&op->rx.segments, view->seg_offset,
				view->payload_len)) {
		rdm_read_answer_unplaced(ep, op, true);
		return;
	}
	rdm_op_place(ep, op, view->seg_offset, view->payload, view->payload_len);
	rdm_runt_read_advance(ep, op);
}

static void rdm_runt_read_begin(struct rdm_ep *ep, struct rdm_op *op,
				const struct rdm_wire_view *view)
{
	rdm_reassembly_init(&op->rx.segments, op->length);
	op->rx.window_end = view->runt_length;
	/* where it cannot, the runt is waited for: the NACK is for the rest */
	if (view->runt_length < op->length)
		rdm_remote_read_begin(ep, op, view, view->runt_length);
	rdm_runt_read_take(ep, op, view);
}

static bool rdm_runt_read_completed(struct rdm_ep *ep, struct rdm_op *op,
				    const struct rdm_packet *packet,
				    uint8_t status)
{
	if (packet->work != RDM_WORK_READ)
		return false;
	if (!rdm_remote_read_completed(ep, op, packet, status))
		rdm_read_answer_failed(ep, op);
	else if (!op->err && rdm_remote_read_is_done(op))
		rdm_runt_read_advance(ep, op);
	return true;
}

const struct rdm_protocol rdm_runt_read = {
	.name = "runting read",
	.start = rdm_runt_read_start,
	.begin = rdm_runt_read_begin,
	.segment = rdm_runt_read_take,
	.completed = rdm_runt_read_completed,
};
