/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/rdma.h"

#include <errno.h>
#include <string.h>

#include "engine/address_table.h"
#include "engine/guest_copy.h"
#include "engine/memory_table.h"
#include "engine/qp_completion.h"
#include "engine/responder.h"
#include "engine/trace_point.h"

#define OK		EFA_IO_COMP_STATUS_OK
#define INVALID_LKEY	EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_LKEY
#define BAD_ADDRESS	EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_ADDRESS
#define BAD_DEST_QPN	EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_DEST_QPN
#define MISMATCH	EFA_IO_COMP_STATUS_REMOTE_ERROR_FEATURE_MISMATCH
#define UNKNOWN_PEER	EFA_IO_COMP_STATUS_REMOTE_ERROR_UNKNOWN_PEER

static bool has_feature(const struct engine_qp *target,
			const struct send_op *op)
{
	uint32_t caps = target->ctx->device->profile->device_caps;

	if (op->request.op == EFA_IO_RDMA_READ)
		return caps & DEVICE_CAP_RDMA_READ;
	if (!(caps & DEVICE_CAP_RDMA_WRITE))
		return false;
	return !op->request.has_imm ||
		!((target->flags ^ op->qp->flags) &
		  ENGINE_QP_UNSOLICITED_WRITE_RECV);
}

/* The same QP throughout, even if its number is given to another one. */
static enum efa_io_comp_status find_target(struct send_op *op,
					   struct engine_qp **target)
{
	enum efa_io_comp_status status;

	status = responder_find(op->qp, op->dgid, &op->request, target);
	if (status != OK)
		return status;
	if (op->target_serial && op->target_serial != (*target)->serial)
		return BAD_DEST_QPN;
	op->target_serial = (*target)->serial;
	if (!has_feature(*target, op))
		return MISMATCH;
	if (address_number_of((*target)->pd, op->qp->ctx->device->gid) ==
	    EFA_IO_AH_UNKNOWN)
		return UNKNOWN_PEER;
	return OK;
}

/* The rest of the local range; of an inline write there is none. */
static enum efa_io_comp_status resolve_local(const struct send_op *op,
					     uint64_t *guest_addr)
{
	const struct send_sge *sge = &op->request.sge[0];
	uint32_t access = 0;

	if (op->request.is_inline)
		return OK;
	if (op->request.op == EFA_IO_RDMA_READ)
		access = ENGINE_ACCESS_LOCAL_WRITE;
	if (memory_resolve(op->qp->pd, sge->key, sge->addr + op->bytes_done,
			   sge->length - op->bytes_done, access, guest_addr))
		return INVALID_LKEY;
	return OK;
}

static enum efa_io_comp_status resolve_remote(const struct send_op *op,
					      const struct engine_qp *target,
					      uint64_t *guest_addr)
{
	const struct send_sge *remote = &op->request.remote;
	uint32_t access = ENGINE_ACCESS_REMOTE_WRITE;

	if (!remote->length)
		return OK;
	if (op->request.op == EFA_IO_RDMA_READ)
		access = ENGINE_ACCESS_REMOTE_READ;
	if (memory_resolve(target->pd, remote->key,
			   remote->addr + op->bytes_done,
			   remote->length - op->bytes_done, access, guest_addr))
		return BAD_ADDRESS;
	return OK;
}

static enum efa_io_comp_status local_fault(struct engine_qp *qp, int err)
{
	if (err == -ESRCH)
		qp->ctx->dead = true;
	return INVALID_LKEY;
}

static enum efa_io_comp_status remote_fault(struct engine_qp *qp, int err)
{
	if (err != -ESRCH)
		return BAD_ADDRESS;
	qp->ctx->dead = true;
	return BAD_DEST_QPN;
}

static enum efa_io_comp_status write_inline(struct send_op *op,
					    struct engine_qp *target,
					    uint64_t remote_addr)
{
	struct guest_memory *mem = target->ctx->mem;
	int err;

	err = mem->write(mem, remote_addr, op->request.inline_data,
			 op->request.length);
	return err ? remote_fault(target, err) : OK;
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
		return remote_fault(target, err);
	return local_fault(qp, err);
}

static bool needs_receive(const struct send_op *op)
{
	return op->request.op == EFA_IO_RDMA_WRITE && op->request.has_imm &&
		!(op->qp->flags & ENGINE_QP_UNSOLICITED_WRITE_RECV);
}

/* The immediate of a write, once all of its bytes are in place. */
static enum send_op_result notify(struct send_op *op, struct engine_qp *target,
				  enum efa_io_comp_status *status)
{
	struct recv_completion comp = {
		.op = EFA_IO_RDMA_WRITE,
		.has_imm = true,
		.imm = op->request.imm,
		.length = op->request.length,
		.sender = op->qp,
		.is_unsolicited = !needs_receive(op),
	};
	struct recv_request recv;
	int ret;

	if (needs_receive(op)) {
		ret = qp_peek_recv(target, &recv);
		if (!ret) {
			trace_rdma(TRACE_NOT_READY, op, target, 0);
			return SEND_OP_NOT_READY;
		}
		if (ret < 0) {
			*status = BAD_DEST_QPN;
			return SEND_OP_DONE;
		}
		recv_ring_take(&target->rq, &recv);
		trace_recv(target, &recv);
		comp.req_id = recv.req_id;
	}
	qp_complete_recv(target, &comp);
	return SEND_OP_DONE;
}

static void count(const struct send_op *op, struct engine_qp *target)
{
	struct engine_device_counters *near = &op->qp->ctx->device->counters;
	struct engine_device_counters *far = &target->ctx->device->counters;

	if (op->request.op == EFA_IO_RDMA_READ) {
		near->rdma_reads++;
		near->rx_bytes += op->request.length;
		far->tx_bytes += op->request.length;
	} else {
		near->rdma_writes++;
		near->tx_bytes += op->request.length;
		far->rx_bytes += op->request.length;
	}
}

/* Checks both sides, in the order in which the packet meets them. */
static uint32_t slice_bytes(const struct send_op *op)
{
	uint32_t rest = op->request.length - op->bytes_done;

	return rest > RDMA_SLICE_BYTES ? RDMA_SLICE_BYTES : rest;
}

/* Nothing goes out before the local side is known to be good. */
static enum efa_io_comp_status resolve(struct send_op *op,
				       struct engine_qp **target,
				       uint64_t *local_addr,
				       uint64_t *remote_addr)
{
	enum efa_io_comp_status status;

	status = resolve_local(op, local_addr);
	if (status != OK)
		return status;
	trace_op(TRACE_SENT, op, op->request.is_inline ?
		 op->request.inline_data : NULL, slice_bytes(op));
	status = find_target(op, target);
	if (status == OK)
		status = resolve_remote(op, *target, remote_addr);
	return status;
}

enum send_op_result rdma_step(struct send_op *op,
			      enum efa_io_comp_status *status, uint32_t *moved)
{
	uint32_t slice = slice_bytes(op);
	uint64_t local_addr = 0, remote_addr = 0;
	enum send_op_result result = SEND_OP_DONE;
	struct engine_qp *target = NULL;

	*moved = 0;
	*status = resolve(op, &target, &local_addr, &remote_addr);
	if (*status != OK)
		return SEND_OP_DONE;
	if (slice)
		*status = move(op, target, local_addr, remote_addr, slice);
	if (*status != OK)
		return SEND_OP_DONE;
	*moved = slice;
	op->bytes_done += slice;
	trace_rdma(TRACE_RECEIVED, op, target, slice);
	if (op->bytes_done < op->request.length)
		return SEND_OP_AGAIN;
	if (op->request.op == EFA_IO_RDMA_WRITE && op->request.has_imm)
		result = notify(op, target, status);
	if (result == SEND_OP_DONE && *status == OK)
		count(op, target);
	return result;
}
