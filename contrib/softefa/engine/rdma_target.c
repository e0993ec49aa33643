/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/rdma_target.h"

#include <errno.h>

#include "engine/address_table.h"
#include "engine/comp_cntr.h"
#include "engine/memory_table.h"
#include "engine/qp_completion.h"
#include "engine/queue_rules.h"
#include "engine/responder.h"
#include "engine/trace_point.h"

#define OK		EFA_IO_COMP_STATUS_OK
#define BAD_ADDRESS	EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_ADDRESS
#define BAD_DEST_QPN	EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_DEST_QPN
#define MISMATCH	EFA_IO_COMP_STATUS_REMOTE_ERROR_FEATURE_MISMATCH
#define UNKNOWN_PEER	EFA_IO_COMP_STATUS_REMOTE_ERROR_UNKNOWN_PEER

static bool has_feature(const struct engine_qp *target,
			const struct message *message)
{
	uint32_t caps = target->ctx->device->profile->device_caps;
	bool takes_no_receive;

	if (message->op == EFA_IO_RDMA_READ)
		return caps & DEVICE_CAP_RDMA_READ;
	if (!(caps & DEVICE_CAP_RDMA_WRITE))
		return false;
	takes_no_receive = target->flags & ENGINE_QP_UNSOLICITED_WRITE_RECV;
	return !message->has_imm ||
		takes_no_receive == message->is_unsolicited;
}

static bool knows_initiator(const struct engine_qp *target,
			    const struct message *message)
{
	return target->ctx->device->profile->rdma_without_ah ||
		address_number_of(target->pd, message->src_gid) !=
		EFA_IO_AH_UNKNOWN;
}

enum efa_io_comp_status rdma_target_find(const struct engine *engine,
					 const struct message *message,
					 uint64_t serial,
					 struct engine_qp **target)
{
	enum efa_io_comp_status status;
	struct engine_qp *qp;

	status = responder_find(engine, message, &qp);
	if (status != OK)
		return status;
	if (serial && serial != qp->serial)
		return BAD_DEST_QPN;
	*target = qp;
	if (!has_feature(qp, message))
		return MISMATCH;
	if (!knows_initiator(qp, message))
		return UNKNOWN_PEER;
	return OK;
}

enum efa_io_comp_status rdma_target_resolve(const struct engine_qp *target,
					    const struct message *message,
					    uint32_t offset,
					    uint64_t *guest_addr)
{
	const struct send_sge *remote = &message->remote;
	uint32_t access = ENGINE_ACCESS_REMOTE_WRITE;

	if (!remote->length)
		return OK;
	if (message->op == EFA_IO_RDMA_READ)
		access = ENGINE_ACCESS_REMOTE_READ;
	if (memory_resolve(target->pd, remote->key, remote->addr + offset,
			   remote->length - offset, access, guest_addr))
		return BAD_ADDRESS;
	return OK;
}

enum efa_io_comp_status rdma_target_fault(struct engine_qp *target, int err)
{
	if (err != -ESRCH)
		return BAD_ADDRESS;
	target->ctx->dead = true;
	return BAD_DEST_QPN;
}

bool rdma_target_notify(struct engine_qp *target,
			const struct message *message,
			enum efa_io_comp_status *status)
{
	struct recv_completion comp = {
		.op = EFA_IO_RDMA_WRITE,
		.has_imm = true,
		.imm = message->imm,
		.length = message->length,
		.sender_gid = message->src_gid,
		.sender_qpn = message->src_qpn,
		.is_unsolicited = message->is_unsolicited,
	};
	struct recv_request recv;
	int ret;

	*status = OK;
	if (!message->is_unsolicited) {
		ret = qp_peek_recv(target, &recv);
		if (!ret) {
			trace_rdma(TRACE_NOT_READY, target, message,
				   message->length, 0);
			return false;
		}
		if (ret < 0) {
			*status = BAD_DEST_QPN;
			return true;
		}
		queue_rules_rq_take(target, &recv);
		trace_recv(target, &recv);
		comp.req_id = recv.req_id;
	}
	qp_complete_recv(target, &comp);
	return true;
}

void rdma_target_count(struct engine_qp *target,
		       const struct message *message)
{
	struct engine_device_counters *far = &target->ctx->device->counters;

	if (message->op == EFA_IO_RDMA_READ) {
		far->tx_bytes += message->length;
		comp_cntr_count(target, ENGINE_CNTR_REMOTE_READ, true);
	} else {
		far->rx_bytes += message->length;
		comp_cntr_count(target, ENGINE_CNTR_REMOTE_WRITE, true);
	}
}
