/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/emulated_read.h"

#include <string.h>

#include <rdma/fi_errno.h>

#include "rdm/ep_state.h"
#include "rdm/long_cts.h"
#include "rdm/read_answer.h"
#include "rdm/refusal.h"
#include "rdm/segment_plan.h"
#include "rdm/target_memory.h"
#include "rdm/tx_packet.h"

static size_t rdm_emulated_read_first(const struct rdm_ep *ep)
{
	return rdm_wire_max_payload(ep->mtu, sizeof(struct rdm_wire_readrsp));
}

/* ---- reader ---- */

/* The bytes granted at once; 0: all of them fit in one packet. */
static uint64_t rdm_emulated_read_window(const struct rdm_ep *ep,
					 const struct rdm_op *op)
{
	uint64_t window;

	if (op->length <= rdm_emulated_read_first(ep))
		return 0;
	window = rdm_segment_window(op->length, ep->settings.tx_min_credits,
				    rdm_wire_max_payload(ep->mtu,
						RDM_WIRE_CTSDATA_HEADER));
	return window < UINT32_MAX ? window : UINT32_MAX;
}

static int rdm_emulated_read_start(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_packet *packet = rdm_outbox_packet(ep);
	uint64_t window = rdm_emulated_read_window(ep, op);
	struct rdm_wire_message msg;

	if (!packet)
		return -FI_EAGAIN;
	rdm_tx_message(ep, op, &msg);
	packet->peer = op->peer;
	packet->op = op;
	packet->more = op->is_more;
	packet->len = (uint32_t)rdm_wire_put_rtr(packet->data, &msg, op->id,
						 window);
	/* from now on it is one that bytes come for */
	op->kind = RDM_OP_READING;
	op->protocol = rdm_protocols[RDM_KIND_LONGCTS];
	memset(&op->rx, 0, sizeof(op->rx));
	rdm_reassembly_init(&op->rx.segments, op->length);
	op->rx.window_end = window ? window : op->length;
	rdm_outbox_send(ep, packet);
	return 0;
}

void rdm_emulated_read_begun(struct rdm_ep *ep, struct rdm_peer *peer,
			     const struct rdm_wire_view *view)
{
	struct rdm_op *op = rdm_op_find(ep, peer, RDM_OP_READING,
					view->recv_id);

	if (!op || op->err || view->payload_len > op->rx.window_end) {
		rdm_peer_drop(ep, "it answers no read");
		return;
	}
	if (op->length && !rdm_reassembly_add(&op->rx.segments, 0,
					      view->payload_len)) {
		rdm_read_answer_unplaced(ep, op, true);
		return;
	}
	op->peer_id = view->send_id;
	rdm_op_place(ep, op, 0, view->payload, view->payload_len);
	rdm_long_cts_advance(ep, op);
}

const struct rdm_protocol rdm_emulated_read = {
	.name = "emulated read",
	.start = rdm_emulated_read_start,
};

/* ---- whose memory it is ---- */

static void rdm_emulated_read_refuse(struct rdm_ep *ep, struct rdm_op *op)
{
	rdm_op_fail(ep, op, FI_EACCES,
		    EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_ADDRESS, NULL);
	rdm_refusal_tell(ep, op);
}

/* True: done, in one way or the other; false: no packet is free. */
static bool rdm_emulated_read_answer(struct rdm_ep *ep,
				     struct rdm_deferred *deferred)
{
	struct rdm_op *op = util_list_entry(deferred, struct rdm_op, deferred);
	struct rdm_packet *packet = rdm_outbox_packet(ep);
	uint64_t len = rdm_emulated_read_first(ep);

	if (!packet)
		return false;
	if (len > op->tx.window_end)
		len = op->tx.window_end;
	if (!rdm_tx_put_payload(ep, op, packet,
				rdm_wire_put_readrsp(packet->data,
						     ep->base.address.qkey,
						     op->peer_id, op->id, len),
				0, (size_t)len)) {
		rdm_packet_put(&ep->tx_packets, packet);
		rdm_emulated_read_refuse(ep, op);
		return true;
	}
	packet->op = op;
	packet->more = len < op->tx.window_end;
	op->tx.sent = len;
	op->tx.is_granted = true;
	op->is_answered = len == op->length;
	rdm_outbox_send(ep, packet);
	if (len < op->tx.window_end)
		rdm_long_cts_go_on(ep, op);
	return true;
}

static struct rdm_op *rdm_emulated_read_create(struct rdm_ep *ep,
					       struct rdm_peer *peer,
					       const struct rdm_wire_view *view)
{
	struct rdm_op *op = rdm_op_create(ep, RDM_OP_SERVING);

	if (!op) {
		rdm_peer_drop(ep, "no memory for its read");
		return NULL;
	}
	op->is_target = true;
	op->peer = peer;
	op->peer_id = view->recv_id;
	op->length = view->msg_length;
	op->protocol = rdm_protocols[RDM_KIND_LONGCTS];
	op->tx.window_end = view->kind == RDM_KIND_LONGCTS_RTR ?
			    view->window : view->msg_length;
	op->tx.range_count = view->rma_iov_count;
	memcpy(op->tx.range, view->rma_iov, sizeof(op->tx.range));
	return op;
}

void rdm_emulated_read_serve(struct rdm_ep *ep, struct rdm_peer *peer,
			     const struct rdm_wire_view *view)
{
	struct rdm_op *op = rdm_emulated_read_create(ep, peer, view);
	struct rdm_op_key key[RDM_WIRE_IOV_MAX];

	if (!op)
		return;
	if (!view->rma_iov_count ||
	    !rdm_target_check(ep, view->rma_iov, view->rma_iov_count,
			      FI_REMOTE_READ, key)) {
		rdm_emulated_read_refuse(ep, op);
		return;
	}
	if (rdm_emulated_read_answer(ep, &op->deferred))
		return;
	op->deferred.run = rdm_emulated_read_answer;
	rdm_outbox_defer(ep, &op->deferred);
}
