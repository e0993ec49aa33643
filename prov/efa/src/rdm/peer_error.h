/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * PEER_ERROR: one side has given up a message that the other still waits for.
 * A message may be named by an id of whom it is told to, or by its msg_id,
 * and then it has its place in the order of messages; of one that no packet
 * arrived of, the receiver only learns not to wait for it.
 */
#ifndef RDM_PEER_ERROR_H
#define RDM_PEER_ERROR_H

#include "rdm/protocol_table.h"

/*
 * The send @op has failed, and the device is done with all its packets. Tells
 * its receiver, if that may be waiting for more of it, is there, and
 * understands; and ends @op.
 */
void rdm_peer_error_tell(struct rdm_ep *ep, struct rdm_op *op);

/* A PEER_ERROR that names an operation by its id. */
rdm_answer_fn rdm_peer_error_answer;

/*
 * The peer has given up @op, which is being sent, received, or unexpected:
 * it fails, and ends when it can; an unexpected one, with the receive that
 * takes it.
 */
void rdm_peer_error_abort(struct rdm_ep *ep, struct rdm_op *op,
			  const struct rdm_wire_view *view);

#endif /* RDM_PEER_ERROR_H */
