/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The end of a message at its receiver, and the receipt that tells a sender
 * who asked for it (FI_DELIVERY_COMPLETE). */
#ifndef RDM_RECEIPT_H
#define RDM_RECEIPT_H

#include "rdm/protocol_table.h"

/*
 * All of the message is in its place: ends the receive @op, with FI_ETRUNC if
 * its buffer was too small, and sends a receipt if one is wanted.
 */
void rdm_receipt_end(struct rdm_ep *ep, struct rdm_op *op);

/* A RECEIPT: the peer has all of a message. */
rdm_answer_fn rdm_receipt_answer;

#endif /* RDM_RECEIPT_H */
