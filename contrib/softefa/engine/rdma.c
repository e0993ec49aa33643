/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/rdma.h"

#include "engine/engine_qp.h"
#include "engine/guest_copy.h"
#include "engine/message.h"
#include "engine/rdma_local.h"
#include "engine/rdma_target.h"
#include "engine/trace_point.h"

#define OK		EFA_IO_COMP_STATUS_OK

static enum efa_io_comp_status write_inline(struct send_op *op,
					    struct engine_qp *target,
					    uint64_t remote_addr)
{
	struct guest_memory *mem = target->ctx->mem;
	int err;

	err = mem->write(mem, remote_addr, op->request.inline_data,
			 op->request.length);
	return err ? rdma_target_fault(target, err) : OK;
}

static enum efa_io_comp_status move(struct send_op *op,
				    struct engine_qp *target,
				    uint64_t local_addr, uint64_t remote_addr,
				    uint32_t len_bytes)
{
	struct engine_qp *qp = op->qp;
	bool is_read = op->request.op == EFA_IO_RDMA_READ;
	void *bounce = qp->ctx->device->engine->bounce;
	enum guest_copy_side side;
	int err;

	if (op->request.is_inline)
		return write_inline(op, target, remote_addr);
	if (is_read)
		side = guest_copy(target->ctx->mem, remote_addr, qp->ctx->mem,
				  local_addr, len_bytes, bounce, &err);
	else
		side = guest_copy(qp->ctx->mem, local_addr, target->ctx->mem,
				  remote_addr, len_bytes, bounce, &err);
	if (side == GUEST_COPY_OK)
		return OK;
	if ((side == GUEST_COPY_SOURCE) == is_read)
		return rdma_target_fault(target, err);
	return rdma_local_fault(qp, err);
}

static void count(const struct send_op *op)
{
	struct engine_device_counters *near = &op->qp->ctx->device->counters;

	if (op->request.op == EFA_IO_RDMA_READ) {
		near->rdma_reads++;
		near->rx_bytes += op->request.length;
	} else {
		near->rdma_writes++;
		near->tx_bytes += op->request.length;
	}
}

static uint32_t slice_bytes(const struct send_op *op)
{
	uint32_t rest = op->request.length - op->bytes_done;

	return rest > RDMA_SLICE_BYTES ? RDMA_SLICE_BYTES : rest;
}

/* Nothing goes out before the local side is known to be good. */
static enum efa_io_comp_status resolve(struct send_op *op,
				       const struct message *message,
				       struct engine_qp **target,
				       uint64_t *local_addr,
				       uint64_t *remote_addr)
{
	enum efa_io_comp_status status = OK;

	if (!op->request.is_inline)
		status = rdma_local_resolve(op, op->bytes_done, local_addr);
	if (status != OK)
		return status;
	trace_op(TRACE_SENT, op, message->inline_data, slice_bytes(op));
	status = rdma_target_find(op->qp->ctx->device->engine, message,
				  op->target_serial, target);
	if (status != OK)
		return status;
	op->target_serial = (*target)->serial;
	return rdma_target_resolve(*target, message, op->bytes_done,
				   remote_addr);
}

/* All bytes are in place. */
static enum send_op_result finish(struct send_op *op,
				  struct engine_qp *target,
				  const struct message *message,
				  enum efa_io_comp_status *status)
{
	if (message->op == EFA_IO_RDMA_WRITE && message->has_imm &&
	    !rdma_target_notify(target, message, status))
		return SEND_OP_NOT_READY;
	if (*status == OK) {
		count(op);
		rdma_target_count(target, message);
	}
	return SEND_OP_DONE;
}

enum send_op_result rdma_step(struct send_op *op,
			      enum efa_io_comp_status *status, uint32_t *moved)
{
	uint32_t slice = slice_bytes(op);
	uint64_t local_addr = 0, remote_addr = 0;
	struct engine_qp *target = NULL;
	struct message message;

	*moved = 0;
	message_of_op(op, &message);
	*status = resolve(op, &message, &target, &local_addr, &remote_addr);
	if (*status != OK)
		return SEND_OP_DONE;
	if (slice)
		*status = move(op, target, local_addr, remote_addr, slice);
	if (*status != OK)
		return SEND_OP_DONE;
	*moved = slice;
	trace_rdma(TRACE_RECEIVED, target, &message, op->bytes_done, slice);
	op->bytes_done += slice;
	if (op->bytes_done < op->request.length)
		return SEND_OP_AGAIN;
	return finish(op, target, &message, status);
}
