/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fi_rma of efa-direct endpoints with FI_RMA: one call, one request to the
 * device, which moves the bytes between the two registered ranges. A write
 * of up to the RMA inject size (FI_OPT_INJECT_RMA_SIZE) carries its bytes in
 * the request and needs no registered buffer; one of length 0 needs none
 * either, nor does a read of length 0.
 *
 * Refusals, none of which posts anything; those of direct/msg.h, and:
 *	-FI_EINVAL		a local range in several buffers, a remote
 *				one in several or none, a key that no region
 *				has
 *	-FI_EMSGSIZE		longer than the RMA size
 *	-FI_EOPNOTSUPP		an inject longer than the RMA inject size, or
 *				of a dma-buf; a flag that the device cannot
 *				honour
 */
#ifndef DIRECT_RMA_H
#define DIRECT_RMA_H

#include <rdma/fi_rma.h>

/* For an enabled fabric_ep that has rma, with direct/complete as its CQs'
 * source. */
extern struct fi_ops_rma direct_rma_ops;

#endif /* DIRECT_RMA_H */
