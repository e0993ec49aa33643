/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/rdma_local.h"

#include <errno.h>

#include "engine/memory_table.h"

#define OK		EFA_IO_COMP_STATUS_OK
#define INVALID_LKEY	EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_LKEY

enum efa_io_comp_status rdma_local_resolve(const struct send_op *op,
					   uint32_t offset,
					   uint64_t *guest_addr)
{
	const struct send_sge *sge = &op->request.sge[0];
	uint32_t access = 0;

	if (op->request.op == EFA_IO_RDMA_READ)
		access = ENGINE_ACCESS_LOCAL_WRITE;
	if (memory_resolve(op->qp->pd, sge->key, sge->addr + offset,
			   sge->length - offset, access, guest_addr))
		return INVALID_LKEY;
	return OK;
}

enum efa_io_comp_status rdma_local_fault(struct engine_qp *qp, int err)
{
	if (err == -ESRCH)
		qp->ctx->dead = true;
	return INVALID_LKEY;
}
