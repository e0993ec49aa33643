/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/long_cts.h"

#include <rdma/fi_errno.h>

#include "rdm/ep_state.h"
#include "rdm/read_answer.h"
#include "rdm/receipt.h"
#include "rdm/refusal.h"
#include "rdm/segment_plan.h"
#include "rdm/tx_packet.h"

/* Packets that one message sends before others that wait for packets have
 * their turn. */
#define TURN_PACKETS	32u

static size_t rdm_long_cts_max_data(const struct rdm_ep *ep)
{
	return rdm_wire_max_payload(ep->mtu, RDM_WIRE_CTSDATA_HEADER);
}

static struct rdm_op *rdm_long_cts_op_of(struct rdm_deferred *deferred)
{
	return util_list_entry(deferred, struct rdm_op, deferred);
}

/* ---- sender ---- */

static int rdm_long_cts_start(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_packet *packet = rdm_outbox_packet(ep);
	struct rdm_wire_message msg;
	size_t header_len, len;

	if (!packet)
		return -FI_EAGAIN;
	rdm_tx_message(ep, op, &msg);
	header_len = rdm_wire_put_longcts(packet->data, &msg,
					  ep->settings.tx_min_credits, false);
	len = rdm_wire_max_payload(ep->mtu, header_len);
	if (len > op->length)
		len = op->length;
	rdm_tx_put_payload(ep, op, packet, header_len, 0, len);
	packet->op = op;
	op->tx.sent = len;
	op->tx.window_end = len;
	op->is_answered = len == op->length && !op->is_delivery_complete;
	rdm_outbox_send(ep, packet);
	return 0;
}

/* The same message again, without data. */
static bool rdm_long_cts_offer(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_packet *packet = rdm_outbox_packet(ep);
	struct rdm_wire_message msg;

	if (!packet)
		return false;
	rdm_tx_message(ep, op, &msg);
	packet->peer = op->peer;
	packet->op = op;
	packet->len = (uint32_t)rdm_wire_put_longcts(packet->data, &msg,
		ep->settings.tx_min_credits, true);
	op->protocol = &rdm_long_cts;
	op->tx.window_end = op->tx.sent;
	rdm_outbox_send(ep, packet);
	return true;
}

/* A write is begun anew: it has no msg_id to tell what it replaces. */
static bool rdm_long_cts_start_again(struct rdm_ep *ep, struct rdm_op *op)
{
	op->protocol = &rdm_long_cts;
	return !rdm_long_cts_start(ep, op);
}

bool rdm_long_cts_fall_back(struct rdm_ep *ep, struct rdm_op *op)
{
	if (op->is_rma)
		return rdm_long_cts_start_again(ep, op);
	return rdm_long_cts_offer(ep, op);
}

static bool rdm_long_cts_send_packet(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_packet *packet = rdm_outbox_packet(ep);
	uint64_t left = op->tx.window_end - op->tx.sent;
	size_t len = rdm_long_cts_max_data(ep);

	if (!packet)
		return false;
	if (len > left)
		len = (size_t)left;
	if (!rdm_tx_put_payload(ep, op, packet,
				rdm_wire_put_ctsdata(packet->data,
						     ep->base.address.qkey,
						     op->peer_id, op->tx.sent,
						     len),
				op->tx.sent, len)) {
		rdm_packet_put(&ep->tx_packets, packet);
		rdm_op_fail(ep, op, FI_EACCES,
			    EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_ADDRESS, NULL);
		return true;
	}
	packet->op = op;
	packet->more = len < left;
	op->tx.sent += len;
	rdm_outbox_send(ep, packet);
	return true;
}

/* What was granted, as far as packets go and this turn lasts. False: packets
 * lack. */
static bool rdm_long_cts_send_window(struct rdm_ep *ep, struct rdm_op *op)
{
	for (uint32_t i = 0; !op->err && op->tx.sent < op->tx.window_end; i++)
		if (i == TURN_PACKETS || !rdm_long_cts_send_packet(ep, op)) {
			rdm_outbox_flush(ep);
			return i == TURN_PACKETS;
		}
	if (op->tx.sent == op->length && !op->is_delivery_complete)
		op->is_answered = true;
	return true;
}

static bool rdm_long_cts_resume(struct rdm_ep *ep,
				struct rdm_deferred *deferred)
{
	struct rdm_op *op = rdm_long_cts_op_of(deferred);

	if (op->err)
		return true;
	if (!rdm_long_cts_send_window(ep, op))
		return false;
	if (__builtin_expect(op->err, 0))
		rdm_refusal_tell(ep, op);
	else if (op->tx.sent < op->tx.window_end)
		rdm_outbox_defer(ep, deferred);
	return true;
}

void rdm_long_cts_go_on(struct rdm_ep *ep, struct rdm_op *op)
{
	bool lacks = !rdm_long_cts_send_window(ep, op);

	if (__builtin_expect(op->err, 0)) {
		rdm_refusal_tell(ep, op);
		return;
	}
	if (!lacks && op->tx.sent == op->tx.window_end)
		return;
	op->deferred.run = rdm_long_cts_resume;
	rdm_outbox_defer(ep, &op->deferred);
}

void rdm_long_cts_granted(struct rdm_ep *ep, struct rdm_peer *peer,
			  const struct rdm_wire_view *view)
{
	enum rdm_op_kind kind = view->flags & RDM_WIRE_CTS_READ ?
				RDM_OP_SERVING : RDM_OP_SEND;
	struct rdm_op *op = rdm_op_find(ep, peer, kind, view->send_id);
	uint64_t not_granted;

	if (!op || op->err || op->protocol != &rdm_long_cts ||
	    op->tx.window_end == op->length) {
		rdm_peer_drop(ep, "its CTS is for no message that waits for one");
		return;
	}
	not_granted = op->length - op->tx.window_end;
	op->tx.window_end += view->window < not_granted ? view->window
							: not_granted;
	op->peer_id = view->recv_id;
	op->tx.is_granted = true;
	rdm_long_cts_go_on(ep, op);
}

/* ---- receiver ---- */

/* Sends the next CTS. It counts for the receive: should it not arrive, no
 * data would come, and its failure ends the receive. */
static bool rdm_long_cts_grant(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_packet *packet = rdm_outbox_packet(ep);
	uint64_t window = rdm_segment_window(op->length - op->rx.window_end,
					     ep->settings.tx_min_credits,
					     rdm_long_cts_max_data(ep));

	if (!packet)
		return false;
	packet->peer = op->peer;
	packet->op = op;
	packet->len = (uint32_t)(op->kind == RDM_OP_READING ?
				 rdm_wire_put_read_cts : rdm_wire_put_cts)
		(packet->data, ep->base.address.qkey, op->peer_id, op->id,
		 window);
	op->rx.window_end += window;
	rdm_outbox_send(ep, packet);
	return true;
}

static bool rdm_long_cts_resume_grant(struct rdm_ep *ep,
				      struct rdm_deferred *deferred)
{
	struct rdm_op *op = rdm_long_cts_op_of(deferred);

	return op->err || rdm_long_cts_grant(ep, op);
}

void rdm_long_cts_advance(struct rdm_ep *ep, struct rdm_op *op)
{
	if (__builtin_expect(op->err, 0)) {
		rdm_refusal_tell(ep, op);
		return;
	}
	if (rdm_reassembly_is_whole(&op->rx.segments)) {
		rdm_receipt_end(ep, op);
		return;
	}
	if (op->rx.segments.received < op->rx.window_end ||
	    rdm_long_cts_grant(ep, op))
		return;
	op->deferred.run = rdm_long_cts_resume_grant;
	rdm_outbox_defer(ep, &op->deferred);
}

static void rdm_long_cts_begin(struct rdm_ep *ep, struct rdm_op *op,
			       const struct rdm_wire_view *view)
{
	rdm_reassembly_init(&op->rx.segments, op->length);
	if (view->payload_len)
		rdm_reassembly_add(&op->rx.segments, 0, view->payload_len);
	op->rx.window_end = view->payload_len;
	rdm_op_place(ep, op, 0, view->payload, view->payload_len);
	rdm_long_cts_advance(ep, op);
}

void rdm_long_cts_take_over(struct rdm_ep *ep, struct rdm_op *op,
			    const struct rdm_wire_view *view)
{
	op->protocol = &rdm_long_cts;
	op->peer_id = view->send_id;
	op->is_delivery_complete = view->is_delivery_complete;
	op->rx.window_end = op->rx.segments.received;
	rdm_long_cts_advance(ep, op);
}

void rdm_long_cts_data(struct rdm_ep *ep, struct rdm_peer *peer,
		       const struct rdm_wire_view *view)
{
	struct rdm_op *op = rdm_op_find(ep, peer, RDM_OP_RECEIVING,
					view->recv_id);

	if (!op)
		op = rdm_op_find(ep, peer, RDM_OP_READING, view->recv_id);
	/* Sums do not wrap: the gate has seen to it. */
	if (!op || op->err || op->protocol != &rdm_long_cts ||
	    view->seg_offset + view->payload_len > op->rx.window_end) {
		rdm_peer_drop(ep, "its data are for no message that waits for them");
		return;
	}
	if (!rdm_reassembly_add(&op->rx.segments, view->seg_offset,
				view->payload_len)) {
		rdm_read_answer_unplaced(ep, op, true);
		return;
	}
	rdm_op_place(ep, op, view->seg_offset, view->payload, view->payload_len);
	rdm_long_cts_advance(ep, op);
}

const struct rdm_protocol rdm_long_cts = {
	.name = "long-CTS",
	.start = rdm_long_cts_start,
	.begin = rdm_long_cts_begin,
};
