/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fi_msg of efa-direct and datagram endpoints: one call, one work request.
 * A send of up to inject_size bytes carries its payload in the request, and
 * then needs no registered buffer. One that comes with the desc of a dma-buf
 * does not: the CPU may have no way to it.
 *
 * Refusals, none of which posts anything (what FI_MORE held back before is
 * given to the device):
 *	-FI_EAGAIN		the queue is full; read the CQ and try again
 *	-FI_EADDRNOTAVAIL	not an address of the vector
 *	-FI_EINVAL		no desc where one is needed, more buffers than
 *				iov_limit, a datagram's buffer without prefix
 *	-FI_EMSGSIZE		longer than max_msg_size
 *	-FI_EOPNOTSUPP		FI_INJECT longer than inject_size, or of a
 *				dma-buf; a flag that the device cannot honour
 */
#ifndef DIRECT_MSG_H
#define DIRECT_MSG_H

#include <rdma/fi_endpoint.h>

/* For an enabled fabric_ep with direct/complete as its CQs' source. */
extern struct fi_ops_msg direct_msg_ops;

#endif /* DIRECT_MSG_H */
