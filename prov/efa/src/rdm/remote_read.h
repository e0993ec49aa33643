/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A receive that fetches its message out of the sender's memory, by RDMA
 * reads: what LONGREAD and RUNTREAD messages have in common at the receiver.
 *
 * The reads go into the application's buffers, which must be registered. A
 * read begins with the first packet of the message, ends with the last read
 * or the first that fails, and belongs to its receive all the time.
 */
#ifndef RDM_REMOTE_READ_H
#define RDM_REMOTE_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "rdm/wire.h"

struct rdm_ep;
struct rdm_op;
struct rdm_packet;
struct rdm_wire_view;

struct rdm_remote_read {
	struct rdm_wire_iov from[RDM_WIRE_IOV_MAX];
	uint8_t count;
	/* bytes of the message: reads are posted below @at, go up to @end */
	uint64_t at, end;
	uint32_t in_flight;
};

/*
 * Begins to read the message of @op, which @view describes, from @start on,
 * as far as the receive has room. False: its buffers are not registered, this
 * endpoint does not read, or there is no memory; nothing has been done.
 */
bool rdm_remote_read_begin(struct rdm_ep *ep, struct rdm_op *op,
			   const struct rdm_wire_view *view, uint64_t start);

/* All that was to be read is there, or there was nothing to read. */
bool rdm_remote_read_is_done(const struct rdm_op *op);

/*
 * The device is done with @packet of @op, one of the reads, with @status.
 * False: it failed, and no other one is in flight any more: the receive, which
 * has failed, is to be ended. True otherwise.
 */
bool rdm_remote_read_completed(struct rdm_ep *ep, struct rdm_op *op,
			       const struct rdm_packet *packet,
			       uint8_t status);

#endif /* RDM_REMOTE_READ_H */
