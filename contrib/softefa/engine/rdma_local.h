/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The initiator's side of an RDMA operation, wherever its target is: the
 * memory that its queue entry names.
 */
#ifndef ENGINE_RDMA_LOCAL_H
#define ENGINE_RDMA_LOCAL_H

#include "engine/engine_qp.h"
#include "engine/send_op.h"

/*
 * Where the range of @op is from @offset <= its length on, in the client's
 * memory; not for an inline write, which has none. INVALID_LKEY when the
 * rest of it is not registered with the QP's PD, for writing if @op reads.
 */
enum efa_io_comp_status rdma_local_resolve(const struct send_op *op,
					   uint32_t offset,
					   uint64_t *guest_addr);

/* The status when that memory could not be accessed: @err is its error. A
 * client that has gone marks its context dead. */
enum efa_io_comp_status rdma_local_fault(struct engine_qp *qp, int err);

#endif /* ENGINE_RDMA_LOCAL_H */
