/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a receiver answers to a message that it was to read out of the
 * sender's memory: EOR when it has read all of it, READ_NACK when it cannot,
 * or PEER_ERROR when it tried and failed; the latter also of other messages
 * whose sender waits. Under the endpoint's lock.
 */
#ifndef RDM_READ_ANSWER_H
#define RDM_READ_ANSWER_H

#include <stdbool.h>

struct rdm_ep;
struct rdm_op;

/* All is read: sends EOR and ends the receive @op. */
void rdm_read_answer_done(struct rdm_ep *ep, struct rdm_op *op);

/*
 * @op cannot be read: sends READ_NACK, and the sender offers the message
 * again as a long-CTS one, from the bytes on that have come. A sender that
 * does not know this answer gets none: then @op fails and is ended.
 */
void rdm_read_answer_refuse(struct rdm_ep *ep, struct rdm_op *op);

/* Reading has failed, and so has @op: tells the sender, if it understands,
 * and ends @op. */
void rdm_read_answer_failed(struct rdm_ep *ep, struct rdm_op *op);

/*
 * A segment of @op was refused by its reassembly: the packet was here before,
 * and is dropped; or, for want of memory, some of the message is lost: @op
 * fails, a sender that waits is told, and @op ends.
 */
void rdm_read_answer_unplaced(struct rdm_ep *ep, struct rdm_op *op,
			      bool sender_waits);

#endif /* RDM_READ_ANSWER_H */
