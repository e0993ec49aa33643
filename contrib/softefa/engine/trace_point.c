/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/trace_point.h"

#include <string.h>

#define FAULT_TEXT_BYTES	4096u	/* several lines */

static void emit_fault(struct engine *engine, const char *line,
		       size_t len_bytes)
{
	const struct trace_event event = {
		.kind = TRACE_FAULT,
		.device = TRACE_NO_DEVICE,
		.body = line,
		.body_bytes = len_bytes,
	};

	engine->ops->trace(engine->owner, &event);
}

/*
 * Tells which faults have struck since it was called last. Called before
 * each other event, so that a fault comes before what it does.
 */
static void emit_faults(struct engine *engine)
{
	char text[FAULT_TEXT_BYTES], *line, *end;
	size_t used;

	while (engine->faults_told != engine->faults.logged) {
		engine->faults_told = fault_plan_log(&engine->faults,
						     engine->faults_told, text,
						     sizeof(text), &used);
		for (line = text; line < text + used; line = end + 1) {
			end = memchr(line, '\n', text + used - line);
			emit_fault(engine, line, end - line);
		}
	}
}

static void emit(const struct engine_device *device, enum trace_kind kind,
		 const void *body, uint32_t body_bytes, const void *tail,
		 uint32_t tail_bytes)
{
	struct engine *engine = device->engine;
	const struct trace_event event = {
		.kind = kind,
		.device = device->index,
		.body = body,
		.body_bytes = body_bytes,
		.tail = tail,
		.tail_bytes = tail_bytes,
	};

	emit_faults(engine);
	engine->ops->trace(engine->owner, &event);
}

void engine_set_traced(struct engine *engine, bool is_traced)
{
	if (engine->is_traced)
		emit_faults(engine);
	engine->is_traced = is_traced && engine->ops->trace;
	engine->faults_told = engine->faults.logged;
}

void engine_trace_text(const struct engine_device *device,
		       enum trace_kind kind, const char *text)
{
	trace_text(device, kind, text);
}

void trace_emit_doorbell(const struct engine_qp *qp, enum trace_queue queue)
{
	bool is_send = queue == TRACE_SQ;
	const struct trace_doorbell body = {
		.qpn = qp->number,
		.queue = queue,
		.value = is_send ? qp->sq.last_doorbell : qp->rq.last_doorbell,
		.taken = is_send ? qp->sq.fetched : qp->rq.consumed,
	};

	emit(qp->ctx->device, TRACE_DOORBELL, &body, sizeof(body), NULL, 0);
}

void trace_emit_wqe(const struct engine_qp *qp,
		    const struct efa_io_tx_wqe *wqe)
{
	const struct trace_wqe body = {
		.qpn = qp->number,
		.index = qp->sq.fetched - 1,
		.flags = qp->limits.req_id_is_64_bit ? TRACE_WQE_REQ_ID_64 : 0,
		.wqe_bytes = qp->sq.wqe_size,
	};

	emit(qp->ctx->device, TRACE_WQE, &body, sizeof(body), wqe,
	     qp->sq.wqe_size);
}

void trace_emit_recv(const struct engine_qp *qp,
		     const struct recv_request *recv)
{
	const struct trace_recv body = {
		.qpn = qp->number,
		.index = qp->rq.consumed - recv->sge_count,
		.req_id = recv->req_id,
		.sge_count = recv->sge_count,
	};

	static_assert(sizeof(struct recv_sge) ==
		      sizeof(struct trace_recv_sge) &&
		      offsetof(struct recv_sge, length) ==
		      offsetof(struct trace_recv_sge, length) &&
		      offsetof(struct recv_sge, lkey) ==
		      offsetof(struct trace_recv_sge, lkey), "same layout");
	emit(qp->ctx->device, TRACE_RECV, &body, sizeof(body), recv->sge,
	     recv->sge_count * sizeof(recv->sge[0]));
}

static struct trace_packet packet_of(enum trace_packet_event event,
				     const struct message *message)
{
	struct trace_packet body = {
		.event = event,
		.op = message->op,
		.qp_type = message->qp_type,
		.flags = (message->has_imm ? TRACE_PACKET_HAS_IMM : 0) |
			(message->inline_data ? TRACE_PACKET_INLINE : 0),
		.src_qpn = message->src_qpn,
		.dst_qpn = message->dst_qpn,
		.qkey = message->qkey,
		.imm = message->imm,
		.req_id = message->req_id,
		.length = message->length,
		.rkey = message->remote.key,
		.remote_addr = message->remote.addr,
	};

	memcpy(body.src_gid, message->src_gid, sizeof(body.src_gid));
	memcpy(body.dst_gid, message->dst_gid, sizeof(body.dst_gid));
	return body;
}

static void emit_packet(const struct engine_device *device,
			struct trace_packet *body, const void *payload)
{
	if (payload)
		body->payload_bytes = body->segment < TRACE_MAX_PAYLOAD ?
			body->segment : TRACE_MAX_PAYLOAD;
	emit(device, TRACE_PACKET, body, sizeof(*body), payload,
	     body->payload_bytes);
}

void trace_emit_op(enum trace_packet_event event, const struct send_op *op,
		   const void *payload, uint32_t segment)
{
	struct trace_packet body;
	struct message message;

	message_of_op(op, &message);
	body = packet_of(event, &message);
	body.offset = op->host ? op->bytes_sent : op->bytes_done;
	body.segment = segment;
	emit_packet(op->qp->ctx->device, &body, payload);
}

void trace_emit_message(enum trace_packet_event event,
			const struct engine_qp *receiver,
			const struct message *message, const void *payload,
			enum efa_io_comp_status status)
{
	struct trace_packet body = packet_of(event, message);

	body.segment = message->length;
	body.status = status;
	emit_packet(receiver->ctx->device, &body, payload);
}

void trace_emit_rdma(enum trace_packet_event event,
		     const struct engine_qp *target,
		     const struct message *message, uint32_t offset,
		     uint32_t segment)
{
	struct trace_packet body = packet_of(event, message);

	body.segment = segment;
	body.offset = offset;
	emit_packet(target->ctx->device, &body, message->inline_data);
}

void trace_emit_cqe(const struct engine_cq *cq,
		    const struct efa_io_cdesc *entry)
{
	struct trace_cqe body = {
		.cqn = cq->number,
		.index = cq->produced - 1,
	};

	static_assert(sizeof(body.entry) == sizeof(*entry), "");
	memcpy(body.entry, entry, sizeof(body.entry));
	emit(cq->ctx->device, TRACE_CQE, &body, sizeof(body), NULL, 0);
}

void trace_emit_command(const struct engine_device *device,
			enum trace_command_type command, uint32_t number,
			const uint64_t *arg)
{
	struct trace_command body = { .command = command, .number = number };

	memcpy(body.arg, arg, sizeof(body.arg));
	emit(device, TRACE_COMMAND, &body, sizeof(body), NULL, 0);
}

void trace_emit_ah(const struct engine_pd *pd, uint32_t number,
		   const uint8_t gid[16])
{
	uint64_t arg[TRACE_COMMAND_ARGS] = { pd->number };

	memcpy(&arg[1], gid, 16);
	trace_emit_command(pd->ctx->device, TRACE_CREATE_AH, number, arg);
}

void trace_emit_qp_created(const struct engine_qp *qp)
{
	const uint64_t arg[TRACE_COMMAND_ARGS] = {
		qp->type, qp->pd->number, qp->send_cq->number,
		qp->recv_cq->number,
		qp->sq.depth | (uint64_t)qp->rq.depth << 32, qp->flags,
	};

	trace_emit_command(qp->ctx->device, TRACE_CREATE_QP, qp->number, arg);
}

void trace_emit_text(const struct engine_device *device, enum trace_kind kind,
		     const char *text)
{
	emit(device, kind, text, strnlen(text, TRACE_MAX_BODY), NULL, 0);
}
