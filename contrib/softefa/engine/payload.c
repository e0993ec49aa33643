/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/payload.h"

#include <errno.h>
#include <string.h>

#include "engine/memory_table.h"
#include "engine/payload_stage.h"

#define INVALID_LKEY	EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_LKEY

enum efa_io_comp_status payload_gather(struct engine_qp *qp,
				       const struct send_request *request,
				       uint8_t *buffer)
{
	struct guest_memory *mem = qp->ctx->mem;
	const struct send_sge *sge;
	const uint8_t *staged;
	uint64_t guest_addr;
	uint32_t i;
	int err;

	if (request->is_inline) {
		memcpy(buffer, request->inline_data, request->length);
		return EFA_IO_COMP_STATUS_OK;
	}
	staged = payload_staged(qp->ctx->device->engine, request);
	for (i = 0; i < request->sge_count; i++) {
		sge = &request->sge[i];
		if (memory_resolve(qp->pd, sge->key, sge->addr, sge->length, 0,
				   &guest_addr))
			return INVALID_LKEY;
		if (!sge->length || staged)
			continue;
		err = mem->read(mem, guest_addr, buffer, sge->length);
		if (err == -ESRCH)
			qp->ctx->dead = true;
		if (err)
			return INVALID_LKEY;
		buffer += sge->length;
	}
	if (staged)
		memcpy(buffer, staged, request->length);
	return EFA_IO_COMP_STATUS_OK;
}

/*
 * Between the staging of a message and its turn no command runs, so its keys
 * are as good as they were; a fault alone can take a region away.
 */
static const uint8_t *ready_bytes(const struct engine_qp *qp,
				  const struct send_request *request)
{
	const struct engine *engine = qp->ctx->device->engine;

	if (request->is_inline)
		return request->inline_data;
	return fault_plan_watches(&engine->faults,
				  FAULT_BIT(FAULT_INVALIDATE_MR)) ?
		NULL : payload_staged(engine, request);
}

enum efa_io_comp_status payload_locate(struct engine_qp *qp,
				       const struct send_request *request,
				       uint8_t *buffer, const uint8_t **data)
{
	*data = ready_bytes(qp, request);
	if (*data)
		return EFA_IO_COMP_STATUS_OK;
	*data = buffer;
	return payload_gather(qp, request, buffer);
}
