/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/responder.h"

#include <errno.h>
#include <string.h>

#include "engine/memory_table.h"
#include "engine/qp_completion.h"
#include "engine/queue_rules.h"
#include "engine/trace_point.h"

#define OK		EFA_IO_COMP_STATUS_OK
#define BAD_DEST_QPN	EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_DEST_QPN
#define UNREACHABLE	EFA_IO_COMP_STATUS_LOCAL_ERROR_UNREACH_REMOTE
#define INVALID_LKEY	EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_LKEY
#define TOO_SHORT	EFA_IO_COMP_STATUS_LOCAL_ERROR_BAD_LENGTH

static bool can_receive(const struct engine_qp *qp)
{
	return !qp->ctx->dead && (qp->state == ENGINE_QP_RTR ||
				  qp->state == ENGINE_QP_RTS ||
				  qp->state == ENGINE_QP_SQD);
}

struct engine_device *responder_device(const struct engine *engine,
				       const uint8_t gid[16])
{
	struct engine_device *device;

	LIST_FOREACH(device, &engine->devices, link)
		if (!memcmp(device->gid, gid, sizeof(device->gid)))
			return device;
	return NULL;
}

enum efa_io_comp_status responder_find(const struct engine *engine,
				       const struct message *message,
				       struct engine_qp **receiver)
{
	struct engine_device *device;
	struct engine_qp *qp;

	device = responder_device(engine, message->dst_gid);
	if (!device)
		return UNREACHABLE;
	qp = engine_qp_find(device, message->dst_qpn);
	if (!qp || !can_receive(qp) || qp->type != message->qp_type ||
	    qp->qkey != message->qkey)
		return BAD_DEST_QPN;
	*receiver = qp;
	return OK;
}

/* Where the message goes; nothing is written before all of it is known. */
static enum efa_io_comp_status place(const struct engine_qp *qp,
				     const struct recv_request *recv,
				     uint32_t len_bytes, uint64_t *guest_addr)
{
	const struct recv_sge *sge;
	uint64_t room = 0;
	uint32_t i;

	for (i = 0; i < recv->sge_count; i++) {
		sge = &recv->sge[i];
		room += sge->length;
		if (memory_resolve(qp->pd, sge->lkey, sge->addr, sge->length,
				   ENGINE_ACCESS_LOCAL_WRITE, &guest_addr[i]))
			return INVALID_LKEY;
	}
	return room < len_bytes ? TOO_SHORT : OK;
}

static enum efa_io_comp_status scatter(struct engine_qp *qp,
				       const struct recv_request *recv,
				       const uint8_t *message,
				       uint32_t len_bytes)
{
	struct guest_memory *mem = qp->ctx->mem;
	uint64_t guest_addr[RECV_MAX_SGE];
	enum efa_io_comp_status status;
	uint32_t part, i;
	int err;

	status = place(qp, recv, len_bytes, guest_addr);
	if (status)
		return status;
	for (i = 0; len_bytes; i++) {
		part = recv->sge[i].length;
		if (part > len_bytes)
			part = len_bytes;
		if (!part)
			continue;
		err = mem->write(mem, guest_addr[i], message, part);
		if (err == -ESRCH)
			qp->ctx->dead = true;
		if (err)
			return INVALID_LKEY;
		message += part;
		len_bytes -= part;
	}
	return OK;
}

static enum efa_io_comp_status sender_status(const struct engine_qp *receiver,
					     enum efa_io_comp_status status)
{
	if (receiver->ctx->dead)
		return BAD_DEST_QPN;
	switch (status) {
	case OK:
		return OK;
	case TOO_SHORT:
		return EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_LENGTH;
	default:
		return EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_STATUS;
	}
}

int responder_deliver(struct engine_qp *receiver,
		      const struct message *message, const uint8_t *data,
		      uint32_t len_bytes, enum efa_io_comp_status *status)
{
	struct engine_device_counters *counters;
	struct recv_completion comp = {
		.op = EFA_IO_SEND,
		.has_imm = message->has_imm,
		.imm = message->imm,
		.sender_gid = message->src_gid,
		.sender_qpn = message->src_qpn,
	};
	struct recv_request recv;
	int ret;

	ret = qp_peek_recv(receiver, &recv);
	if (ret < 0)
		*status = BAD_DEST_QPN;
	if (!ret)
		trace_message(TRACE_NOT_READY, receiver, message, NULL, OK);
	if (ret <= 0)
		return ret ? 1 : 0;
	queue_rules_rq_take(receiver, &recv);
	trace_recv(receiver, &recv);
	comp.req_id = recv.req_id;
	comp.status = scatter(receiver, &recv, data, len_bytes);
	if (comp.status == INVALID_LKEY)
		queue_rules_rq_lkey(receiver, &recv);
	comp.length = comp.status == OK ? len_bytes : 0;
	trace_message(TRACE_RECEIVED, receiver, message,
		      data + len_bytes - message->length, comp.status);
	*status = sender_status(receiver, comp.status);
	if (*status == OK) {
		counters = &receiver->ctx->device->counters;
		counters->rx_messages++;
		counters->rx_bytes += message->length;
	}
	qp_complete_recv(receiver, &comp);
	return 1;
}
