/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/rx.h"

#include <stdlib.h>

#include "rdm/ep_state.h"
#include "rdm/handshake.h"
#include "rdm/incoming.h"
#include "rdm/peer_error.h"
#include "rdm/protocol_table.h"

/* A packet, in its receive buffer or, with @stored, in memory of its own. */
struct rdm_arrival {
	const void *bytes;
	uint32_t len;
	struct rdm_stored_packet *stored;
	struct rdm_peer *peer;
	struct rdm_wire_view view;
};

/* The arrival's bytes in memory of their own, which leaves it. NULL: there is
 * no memory, and the packet is dropped. */
static struct rdm_stored_packet *rdm_rx_keep(struct rdm_ep *ep,
					     struct rdm_arrival *arrival)
{
	struct rdm_stored_packet *stored = arrival->stored;

	arrival->stored = NULL;
	if (!stored)
		stored = rdm_stored_packet_create(arrival->bytes,
						  arrival->len);
	if (!stored)
		rdm_peer_drop(ep, "no memory for it");
	return stored;
}

/* ---- messages in their turn ---- */

static void rdm_rx_match(struct rdm_ep *ep, struct rdm_arrival *arrival)
{
	const struct rdm_wire_view *view = &arrival->view;
	struct rdm_match *match = rdm_message_space(ep, view->is_tagged);
	struct rdm_stored_packet *stored;
	struct rdm_match_recv *recv;

	recv = rdm_match_find_recv(match, arrival->peer->number, view->tag);
	if (recv) {
		rdm_message_deliver(ep, util_list_entry(recv, struct rdm_op,
							rx.posted),
				    arrival->peer, view);
		return;
	}
	stored = rdm_rx_keep(ep, arrival);
	if (stored)
		rdm_message_hold(ep, arrival->peer, view, stored);
}

static void rdm_rx_continue(struct rdm_ep *ep, struct rdm_op *op,
			    struct rdm_arrival *arrival)
{
	struct rdm_stored_packet *stored = arrival->stored;

	arrival->stored = NULL;
	rdm_message_continue(ep, op, &arrival->view, arrival->bytes,
			     arrival->len, stored);
}

/* The first packet of a message whose turn it is. */
static void rdm_rx_in_turn(struct rdm_ep *ep, struct rdm_arrival *arrival)
{
	if (__builtin_expect(rdm_protocols[arrival->view.kind] != NULL, 1))
		rdm_rx_match(ep, arrival);
	/* else nothing of the message comes: it has had its turn */
	else if (arrival->view.kind != RDM_KIND_PEER_ERROR)
		rdm_peer_drop(ep, "this provider has no atomics");
}

/* More of a message whose first packet has been here. */
static void rdm_rx_late(struct rdm_ep *ep, struct rdm_arrival *arrival)
{
	struct rdm_op *op = rdm_message_find(arrival->peer,
					     arrival->view.msg_id);

	if (!op)
		rdm_peer_drop(ep, "its message has been here before");
	else if (__builtin_expect(arrival->view.kind == RDM_KIND_PEER_ERROR,
				  0))
		rdm_peer_error_abort(ep, op, &arrival->view);
	else
		rdm_rx_continue(ep, op, arrival);
}

/* An error that names its message by msg_id comes in the order of messages. */
static bool rdm_rx_is_error_in_order(const struct rdm_wire_view *view)
{
	return __builtin_expect(view->kind == RDM_KIND_PEER_ERROR, 0) &&
	       view->error.ref_kind != RDM_WIRE_REF_OP;
}

static enum rdm_wire_fault rdm_rx_decode(struct rdm_arrival *arrival)
{
	enum rdm_wire_fault fault;

	fault = rdm_wire_decode(arrival->bytes, arrival->len, &arrival->view);
	if (fault == RDM_WIRE_OK && rdm_rx_is_error_in_order(&arrival->view))
		arrival->view.msg_id = arrival->view.error.op_id;
	return fault;
}

/* What was early, now that the messages before it are there. */
static void rdm_rx_early(struct rdm_ep *ep, struct rdm_peer *peer)
{
	struct rdm_arrival arrival = { .peer = peer };
	struct rdm_stored_packet *stored;
	bool is_first;

	while ((stored = rdm_reorder_window_pop(&peer->window, &is_first))) {
		ep->unexpected_bytes -= rdm_stored_packet_size(stored);
		arrival.stored = stored;
		arrival.bytes = stored->bytes;
		arrival.len = stored->len;
		/* it has passed the gate once */
		if (rdm_rx_decode(&arrival) == RDM_WIRE_OK) {
			if (is_first)
				rdm_rx_in_turn(ep, &arrival);
			else
				rdm_rx_late(ep, &arrival);
		}
		free(arrival.stored);
	}
}

static void rdm_rx_park(struct rdm_ep *ep, struct rdm_arrival *arrival)
{
	struct rdm_stored_packet *stored = rdm_rx_keep(ep, arrival);

	if (!stored)
		return;
	if (rdm_reorder_window_park(&arrival->peer->window,
				    arrival->view.msg_id, stored)) {
		free(stored);
		rdm_peer_drop(ep, "too many messages are early");
		return;
	}
	ep->unexpected_bytes += rdm_stored_packet_size(stored);
}

/* A packet that carries a msg_id. */
static void rdm_rx_request(struct rdm_ep *ep, struct rdm_arrival *arrival)
{
	struct rdm_peer *peer = arrival->peer;

	switch (rdm_reorder_window_judge(&peer->window,
					 arrival->view.msg_id)) {
	case RDM_REORDER_NEXT:
		rdm_reorder_window_advance(&peer->window);
		rdm_rx_in_turn(ep, arrival);
		rdm_rx_early(ep, peer);
		break;
	case RDM_REORDER_EARLY:
		rdm_rx_park(ep, arrival);
		break;
	default:
		rdm_rx_late(ep, arrival);
		break;
	}
}

/* ---- any packet ---- */

/* Messages and atomics share one order; emulated RMA has none. */
static bool rdm_rx_has_msg_id(uint8_t kind)
{
	return (kind >= RDM_KIND_EAGER && kind <= RDM_KIND_RUNTREAD) ||
	       (kind >= RDM_KIND_WRITE_RTA && kind <= RDM_KIND_COMPARE_RTA);
}

static void rdm_rx_dispatch(struct rdm_ep *ep, struct rdm_arrival *arrival)
{
	const struct rdm_wire_view *view = &arrival->view;

	if (rdm_rx_is_error_in_order(view))
		rdm_rx_request(ep, arrival);
	else if (rdm_answers[view->kind])
		rdm_answers[view->kind](ep, arrival->peer, view);
	else if (rdm_rx_has_msg_id(view->kind))
		rdm_rx_request(ep, arrival);
	else
		rdm_peer_drop(ep, "this provider has no atomics");
}

void rdm_rx_packet(struct rdm_ep *ep, const struct efa_io_cdesc *cqe,
		   const void *bytes, uint32_t len)
{
	struct rdm_arrival arrival = { .bytes = bytes, .len = len };
	enum rdm_wire_fault fault;

	fault = rdm_rx_decode(&arrival);
	if (__builtin_expect(fault != RDM_WIRE_OK, 0)) {
		rdm_peer_drop(ep, rdm_wire_fault_text(fault));
		return;
	}
	arrival.peer = rdm_peer_of_packet(ep, cqe, &arrival.view);
	if (__builtin_expect(!arrival.peer, 0))
		return;
	rdm_handshake_offer(ep, arrival.peer);
	rdm_rx_dispatch(ep, &arrival);
}
