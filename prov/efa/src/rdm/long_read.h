/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Long-read messages, of registered memory:
 *
 *	sender				receiver
 *	LONGREAD, where it lies ->
 *				     <-	reads (the device of the receiver's)
 *				     <-	EOR, or
 *				     <-	READ_NACK: it cannot read
 *	LONGCTS after READ_NACK ->	and so on: rdm/long_cts.h
 *
 * They are delivery complete by nature: the EOR comes when all is in place.
 */
#ifndef RDM_LONG_READ_H
#define RDM_LONG_READ_H

#include "rdm/protocol_table.h"

struct rdm_wire_iov;

extern const struct rdm_protocol rdm_long_read;

/* Where the message of @op lies, for its receiver; returns the number of
 * entries in @iov, which has room for RDM_WIRE_IOV_MAX. All its buffers are
 * registered, and it is not empty. */
unsigned int rdm_long_read_ranges(const struct rdm_op *op,
				  struct rdm_wire_iov *iov);

/*
 * Receiver: @view, a packet of the message @op that is not its first, is the
 * offer that follows a READ_NACK. True: it was, and has been taken up.
 */
bool rdm_long_read_is_offer(struct rdm_ep *ep, struct rdm_op *op,
			    const struct rdm_wire_view *view);

/* An EOR: the peer has read all of a message. */
rdm_answer_fn rdm_long_read_answered;
/* A READ_NACK: it cannot. Also of runting reads. */
rdm_answer_fn rdm_long_read_refused;

#endif /* RDM_LONG_READ_H */
