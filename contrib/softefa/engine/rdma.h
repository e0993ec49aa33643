/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * RDMA read and write, in slices, so that a long transfer shares the engine
 * with all others. Each slice looks everything up again: an MR, AH or QP
 * that goes away on either side ends the transfer with an error, as on the
 * device, and what was moved before stays moved.
 *
 * What the target demands is said in rdma_target.h. Of an empty transfer the
 * local key is checked and the remote one is not.
 */
#ifndef ENGINE_RDMA_H
#define ENGINE_RDMA_H

#include "engine/send_op.h"

#define RDMA_SLICE_BYTES	(256u * 1024)

/*
 * The next slice of @op, a read or write. SEND_OP_DONE sets @status. @moved:
 * the bytes it took.
 */
enum send_op_result rdma_step(struct send_op *op,
			      enum efa_io_comp_status *status, uint32_t *moved);

#endif /* ENGINE_RDMA_H */
