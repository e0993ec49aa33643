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
