/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A message on its way in, and the receive it goes to: the two may come in
 * either order.
 */
#ifndef RDM_INCOMING_H
#define RDM_INCOMING_H

#include <stdbool.h>
#include <stdint.h>

#include "rdm/op.h"
#include "rdm/wire_decode.h"

struct rdm_ep;
struct rdm_peer;

/* The space that plain or tagged messages are matched in. */
struct rdm_match *rdm_message_space(struct rdm_ep *ep, bool is_tagged);

/* The message of several packets that is being received, or waits, with
 * this msg_id; NULL: none. */
struct rdm_op *rdm_message_find(const struct rdm_peer *peer, uint32_t msg_id);

/* @view, of @peer, is the first packet of a message that @recv takes, which
 * is posted: takes it out, unless it has room for more. */
void rdm_message_deliver(struct rdm_ep *ep, struct rdm_op *recv,
			 struct rdm_peer *peer,
			 const struct rdm_wire_view *view);

/* The same without a receive: it is unexpected, and waits with @stored, its
 * first packet, which is the operation's from now on. */
void rdm_message_hold(struct rdm_ep *ep, struct rdm_peer *peer,
		      const struct rdm_wire_view *view,
		      struct rdm_stored_packet *stored);

/* One more packet of the message @op. @stored: it is in memory of its own,
 * which is then the callee's; NULL: it is not. */
void rdm_message_continue(struct rdm_ep *ep, struct rdm_op *op,
			  const struct rdm_wire_view *view,
			  const void *bytes, uint32_t len,
			  struct rdm_stored_packet *stored);

/* Takes the unexpected message @op out of its space: it is the caller's. */
void rdm_message_remove(struct rdm_ep *ep, struct rdm_op *op);

/* The unexpected message @op, which is in no space any more, has got its
 * buffers, context and flags: receives what has come of it. */
void rdm_message_take(struct rdm_ep *ep, struct rdm_op *op);

/* Receives the unexpected message @op into the multi-receive @buffer. True:
 * that is spent, and must not be touched any more. */
bool rdm_message_move(struct rdm_ep *ep, struct rdm_op *buffer,
		      struct rdm_op *op);

#endif /* RDM_INCOMING_H */
