/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Long-CTS messages, of any length:
 *
 *	sender			receiver
 *	LONGCTS, first data ->
 *			     <-	CTS, a window of bytes
 *	CTSDATA ... ->		the next CTS when the window is full
 *
 * The receiver speaks once there is a buffer for the message, so that it
 * holds no more than the first packet of an unexpected one.
 */
#ifndef RDM_LONG_CTS_H
#define RDM_LONG_CTS_H

#include "rdm/protocol_table.h"

extern const struct rdm_protocol rdm_long_cts;

/* A CTS: bytes of a message being sent may go. */
rdm_answer_fn rdm_long_cts_granted;
/* A CTSDATA: they have come. */
rdm_answer_fn rdm_long_cts_data;

/*
 * Sender: the peer cannot read @op's message. Offers it again, without data,
 * so that it goes this way from op->tx.sent on; a write starts anew. False:
 * no packet is free.
 */
bool rdm_long_cts_fall_back(struct rdm_ep *ep, struct rdm_op *op);

/*
 * Sender: @op, a peer's read that is served, has a new op->tx.window_end:
 * sends up to there. Ends @op, in time, when all of it is sent.
 */
void rdm_long_cts_go_on(struct rdm_ep *ep, struct rdm_op *op);

/* Receiver: bytes of @op have come in another way than rdm_long_cts_data, and
 * are noted and placed: the next step. */
void rdm_long_cts_advance(struct rdm_ep *ep, struct rdm_op *op);

/*
 * Receiver: @view is that offer, for the receive @op, whose op->rx.segments
 * knows the message's length and what has come of it, without a gap.
 */
void rdm_long_cts_take_over(struct rdm_ep *ep, struct rdm_op *op,
			    const struct rdm_wire_view *view);

#endif /* RDM_LONG_CTS_H */
