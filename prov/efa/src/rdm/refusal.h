/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The end of an operation that a peer began and that failed here. */
#ifndef RDM_REFUSAL_H
#define RDM_REFUSAL_H

struct rdm_ep;
struct rdm_op;

/* @op, whose peer_id is the peer's operation, has failed: tells the peer by
 * PEER_ERROR, if it understands, and ends @op. Under the endpoint's lock. */
void rdm_refusal_tell(struct rdm_ep *ep, struct rdm_op *op);

#endif /* RDM_REFUSAL_H */
