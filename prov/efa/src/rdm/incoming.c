/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/incoming.h"

#include <stdlib.h>

#include "compat/log.h"
#include "rdm/ep_state.h"
#include "rdm/protocol_table.h"
#include "rdm/supply.h"

struct rdm_match *rdm_message_space(struct rdm_ep *ep, bool is_tagged)
{
	return is_tagged ? &ep->tagged : &ep->msg;
}

/* ---- messages of several packets ---- */

static bool rdm_message_is_chain(enum rdm_wire_kind kind)
{
	return kind == RDM_KIND_MEDIUM || kind == RDM_KIND_RUNTREAD ||
	       /* of one packet, which a long-CTS message may replace */
	       kind == RDM_KIND_LONGREAD ||
	       /* of one packet, whose sender may give it up before a CTS */
	       kind == RDM_KIND_LONGCTS;
}

struct rdm_op *rdm_message_find(const struct rdm_peer *peer, uint32_t msg_id)
{
	struct util_hash_node *node;
	struct rdm_op *op;

	for (node = util_hash_first(&peer->messages,
				    util_hash_mix(msg_id, 0)); node;
	     node = util_hash_next(node)) {
		op = util_list_entry(node, struct rdm_op, rx.by_msg_id);
		if (op->msg_id == msg_id)
			return op;
	}
	return NULL;
}

/* What the first packet says of the message. */
static void rdm_message_describe(struct rdm_op *op, struct rdm_peer *peer,
				 const struct rdm_wire_view *view)
{
	op->peer = peer;
	op->msg_id = view->msg_id;
	op->peer_id = view->send_id;
	op->length = view->msg_length;
	op->tag = view->tag;
	op->is_tagged = view->is_tagged;
	op->is_delivery_complete = view->is_delivery_complete;
	op->has_cq_data = view->has_cq_data;
	op->cq_data = view->cq_data;
	op->protocol = rdm_protocols[view->kind];
	op->comp_flags = FI_RECV | (op->is_tagged ? FI_TAGGED : FI_MSG);
	if (rdm_message_is_chain((enum rdm_wire_kind)view->kind)) {
		util_hash_insert(&peer->messages, &op->rx.by_msg_id,
				 util_hash_mix(op->msg_id, 0));
		op->in_messages = true;
	}
}

/* ---- expected ---- */

/* Gives @op what is left of the multi-receive buffer @parent, of which its
 * @length bytes are then used. True: the buffer is spent. */
static bool rdm_message_cut(struct rdm_ep *ep, struct rdm_op *parent,
			    struct rdm_op *op, size_t length)
{
	size_t left = parent->room - parent->rx.used;

	op->context = parent->context;
	op->report = parent->report;
	op->iov_count = 1;
	op->iov[0].iov_base = (char *)parent->iov[0].iov_base +
			      parent->rx.used;
	op->iov[0].iov_len = left;
	op->key[0] = parent->key[0];
	op->room = left;
	op->rx.parent = parent;
	parent->rx.children++;
	parent->rx.used += length < left ? length : left;
	left = parent->room - parent->rx.used;
	/* answered, of a buffer, is that nothing more goes into it */
	parent->is_answered = !left || left < ep->min_multi_recv;
	return parent->is_answered;
}

static struct rdm_op *rdm_message_claim(struct rdm_ep *ep, struct rdm_op *recv,
					const struct rdm_wire_view *view)
{
	struct rdm_match *match = rdm_message_space(ep, view->is_tagged);
	struct rdm_op *op;

	if (__builtin_expect(!recv->rx.is_multi, 1)) {
		rdm_match_remove_recv(match, &recv->rx.posted);
		return recv;
	}
	op = rdm_op_create(ep, RDM_OP_RECEIVING);
	if (op && rdm_message_cut(ep, recv, op, view->msg_length))
		rdm_match_remove_recv(match, &recv->rx.posted);
	return op;
}

void rdm_message_deliver(struct rdm_ep *ep, struct rdm_op *recv,
			 struct rdm_peer *peer,
			 const struct rdm_wire_view *view)
{
	struct rdm_op *op = rdm_message_claim(ep, recv, view);

	if (!op) {
		rdm_peer_drop(ep, "no memory for its receive");
		return;
	}
	op->kind = RDM_OP_RECEIVING;
	rdm_message_describe(op, peer, view);
	op->protocol->begin(ep, op, view);
}

/* ---- unexpected ---- */

static void rdm_message_store(struct rdm_ep *ep, struct rdm_op *op,
			      struct rdm_stored_packet *stored)
{
	ep->unexpected_bytes += rdm_stored_packet_size(stored);
	rdm_stored_queue_append(&op->rx.stored, stored);
}

void rdm_message_hold(struct rdm_ep *ep, struct rdm_peer *peer,
		      const struct rdm_wire_view *view,
		      struct rdm_stored_packet *stored)
{
	struct rdm_op *op = rdm_op_create(ep, RDM_OP_UNEXPECTED);

	if (!op) {
		free(stored);
		rdm_peer_drop(ep, "no memory for an unexpected message");
		return;
	}
	rdm_message_describe(op, peer, view);
	ep->unexpected_bytes += sizeof(*op);
	ep->unexpected_count++;
	rdm_message_store(ep, op, stored);
	op->rx.unexpected.source = peer->number;
	op->rx.unexpected.tag = op->tag;
	rdm_match_add_message(rdm_message_space(ep, op->is_tagged),
			      &op->rx.unexpected);
}

void rdm_message_continue(struct rdm_ep *ep, struct rdm_op *op,
			  const struct rdm_wire_view *view,
			  const void *bytes, uint32_t len,
			  struct rdm_stored_packet *stored)
{
	if (op->kind == RDM_OP_RECEIVING) {
		if (op->protocol->segment)
			op->protocol->segment(ep, op, view);
		else
			rdm_peer_drop(ep, "its message has one packet only");
		free(stored);
		return;
	}
	if (!stored)
		stored = rdm_stored_packet_create(bytes, len);
	if (stored)
		rdm_message_store(ep, op, stored);
	else	/* it will not be whole: so fails the receive that takes it */
		rdm_op_fail(ep, op, FI_ENOMEM, 0,
			    "no memory for all of this message, which came before its receive; post receives earlier");
}

void rdm_message_remove(struct rdm_ep *ep, struct rdm_op *op)
{
	rdm_match_remove_message(rdm_message_space(ep, op->is_tagged),
				 &op->rx.unexpected);
}

/* ---- from the one to the other ---- */

static void rdm_message_replay(struct rdm_ep *ep, struct rdm_op *op,
			       const struct rdm_stored_packet *stored,
			       bool is_first)
{
	struct rdm_wire_view view;

	/* it has passed the gate once */
	if (rdm_wire_decode(stored->bytes, stored->len, &view))
		return;
	if (is_first)
		op->protocol->begin(ep, op, &view);
	else
		op->protocol->segment(ep, op, &view);
}

static void rdm_message_end_throttle(struct rdm_ep *ep)
{
	if (__builtin_expect(ep->is_throttled, 0))
		rdm_supply_post_receives(ep);
}

/* Its sender has given it up: so fails the receive that takes it. */
static void rdm_message_take_failed(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_stored_packet *stored;

	while ((stored = rdm_stored_queue_pop(&op->rx.stored))) {
		ep->unexpected_bytes -= rdm_stored_packet_size(stored);
		free(stored);
	}
	op->kind = RDM_OP_RECEIVING;
	rdm_op_try_end(ep, op);
	rdm_message_end_throttle(ep);
}

void rdm_message_take(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_stored_queue queue = op->rx.stored;
	const struct rdm_peer *peer = op->peer;
	struct rdm_stored_packet *stored;
	uint32_t id = op->id;
	bool is_first = true;

	ep->unexpected_bytes -= sizeof(*op);
	ep->unexpected_count--;
	if (__builtin_expect(op->err, 0)) {
		rdm_message_take_failed(ep, op);
		return;
	}
	op->rx.stored = (struct rdm_stored_queue) {0};
	op->kind = RDM_OP_RECEIVING;
	while ((stored = rdm_stored_queue_pop(&queue))) {
		ep->unexpected_bytes -= rdm_stored_packet_size(stored);
		/* what a packet brings may end the operation */
		op = rdm_op_find(ep, peer, RDM_OP_RECEIVING, id);
		if (op && (is_first || op->protocol->segment))
			rdm_message_replay(ep, op, stored, is_first);
		is_first = false;
		free(stored);
	}
	rdm_message_end_throttle(ep);
}

bool rdm_message_move(struct rdm_ep *ep, struct rdm_op *buffer,
		      struct rdm_op *op)
{
	bool is_spent;

	rdm_message_remove(ep, op);
	is_spent = rdm_message_cut(ep, buffer, op, op->length);
	rdm_message_take(ep, op);
	return is_spent;
}
