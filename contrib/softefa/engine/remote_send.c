/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/remote_send.h"

#include <errno.h>
#include <string.h>

#include "engine/engine_qp.h"
#include "engine/payload.h"
#include "engine/rdma_local.h"
#include "engine/responder.h"
#include "engine/trace_point.h"

#define OK		EFA_IO_COMP_STATUS_OK
#define RNR		EFA_IO_COMP_STATUS_REMOTE_ERROR_RNR

static struct engine *engine_of(const struct send_op *op)
{
	return op->qp->ctx->device->engine;
}

static struct engine_host *find_host(const struct send_op *op)
{
	struct engine *engine = engine_of(op);

	if (LIST_EMPTY(&engine->hosts) ||
	    responder_device(engine, op->dgid))
		return NULL;
	return engine->ops->host_of(engine->owner, op->dgid);
}

bool remote_send_is_for(const struct send_op *op)
{
	return op->is_answered || op->host || find_host(op);
}

static void fill(const struct send_op *op, enum packet_type type,
		 struct packet *packet)
{
	struct message message;

	message_of_op(op, &message);
	*packet = (struct packet) {
		.type = type,
		.src_qpn = message.src_qpn,
		.dst_qpn = message.dst_qpn,
		.op_id = op->remote_id,
		.qkey = message.qkey,
		.imm = message.imm,
		.has_imm = message.has_imm,
	};
	memcpy(packet->src_gid, message.src_gid, sizeof(packet->src_gid));
	memcpy(packet->dst_gid, message.dst_gid, sizeof(packet->dst_gid));
	if (type == PACKET_SEND || type == PACKET_DATAGRAM) {
		packet->len_bytes = message.length;
		return;
	}
	packet->is_unsolicited = message.is_unsolicited;
	packet->remote = message.remote;
	packet->target_serial = op->target_serial;
}

/* The payload lies behind the header's place in the bounce buffer. */
static int send_packet(struct send_op *op, struct engine_host *host,
		       const struct packet *packet, uint32_t payload_bytes)
{
	struct engine *engine = engine_of(op);

	packet_encode_header(packet, engine->bounce);
	return engine->ops->packet_send(engine->owner, host->opaque,
					packet->type, engine->bounce,
					PACKET_HEADER_BYTES + payload_bytes);
}

static uint8_t *payload_place(const struct send_op *op)
{
	return (uint8_t *)engine_of(op)->bounce + PACKET_HEADER_BYTES;
}

static void count_message(const struct send_op *op)
{
	struct engine_device_counters *c = &op->qp->ctx->device->counters;

	c->tx_messages++;
	c->tx_bytes += op->request.length;
}

static enum efa_io_comp_status send_datagram(struct send_op *op)
{
	struct engine_host *host = find_host(op);
	enum efa_io_comp_status status;
	struct packet packet;

	status = payload_gather(op->qp, &op->request, payload_place(op));
	if (status != OK)
		return status;
	trace_op(TRACE_SENT, op, payload_place(op), op->request.length);
	count_message(op);
	fill(op, PACKET_DATAGRAM, &packet);
	if (!host || send_packet(op, host, &packet, op->request.length)) {
		op->qp->ctx->device->counters.ud_drops++;
		trace_op(TRACE_DROPPED, op, NULL, op->request.length);
	}
	return OK;
}

static enum send_op_result blocked(struct send_op *op)
{
	remote_op_block(op);
	return SEND_OP_PENDING;
}

static enum send_op_result awaiting(struct send_op *op)
{
	remote_op_await(op);
	return SEND_OP_PENDING;
}

static enum send_op_result send_message(struct send_op *op,
					enum efa_io_comp_status *status)
{
	struct packet packet;

	*status = payload_gather(op->qp, &op->request, payload_place(op));
	if (*status != OK)
		return SEND_OP_DONE;
	fill(op, PACKET_SEND, &packet);
	if (send_packet(op, op->host, &packet, op->request.length))
		return blocked(op);
	trace_op(TRACE_SENT, op, payload_place(op), op->request.length);
	return awaiting(op);
}

/* ---- RDMA ---- */

/* The local side of the next segment; of a read, that it will be writable. */
static enum efa_io_comp_status take_segment(struct send_op *op,
					    uint32_t len_bytes)
{
	struct guest_memory *mem = op->qp->ctx->mem;
	enum efa_io_comp_status status;
	uint64_t guest_addr;
	int err;

	if (op->request.is_inline) {
		memcpy(payload_place(op),
		       op->request.inline_data + op->bytes_sent, len_bytes);
		return OK;
	}
	status = rdma_local_resolve(op, op->bytes_sent, &guest_addr);
	if (status != OK || op->request.op == EFA_IO_RDMA_READ || !len_bytes)
		return status;
	err = mem->read(mem, guest_addr, payload_place(op), len_bytes);
	return err ? rdma_local_fault(op->qp, err) : OK;
}

/* 0 when the segment has left, -EAGAIN; or 0 with a bad @status. */
static int send_segment(struct send_op *op, enum efa_io_comp_status *status,
			uint32_t *moved)
{
	bool is_read = op->request.op == EFA_IO_RDMA_READ;
	uint32_t len_bytes = op->request.length - op->bytes_sent;
	struct packet packet;

	if (len_bytes > PACKET_SEGMENT_BYTES)
		len_bytes = PACKET_SEGMENT_BYTES;
	*status = take_segment(op, len_bytes);
	if (*status != OK)
		return 0;
	fill(op, is_read ? PACKET_READ : PACKET_WRITE, &packet);
	packet.offset = op->bytes_sent;
	packet.len_bytes = len_bytes;
	if (send_packet(op, op->host, &packet, is_read ? 0 : len_bytes))
		return -EAGAIN;
	trace_op(TRACE_SENT, op, is_read ? NULL : payload_place(op),
		 len_bytes);
	op->bytes_sent += len_bytes;
	op->is_all_sent = op->bytes_sent == op->request.length;
	op->unanswered++;
	*moved += len_bytes;
	return 0;
}

static enum send_op_result finish(struct send_op *op,
				  enum efa_io_comp_status *status)
{
	struct engine_device_counters *c = &op->qp->ctx->device->counters;
	bool is_read = op->request.op == EFA_IO_RDMA_READ;
	struct packet packet;

	if (!is_read && op->request.has_imm && !op->is_end_sent) {
		fill(op, PACKET_WRITE_END, &packet);
		if (send_packet(op, op->host, &packet, 0))
			return blocked(op);
		op->is_end_sent = true;
		op->unanswered++;
		return awaiting(op);
	}
	if (is_read) {
		c->rdma_reads++;
		c->rx_bytes += op->request.length;
	} else {
		c->rdma_writes++;
		c->tx_bytes += op->request.length;
	}
	*status = OK;
	return SEND_OP_DONE;
}

/* The last segment tells the target that the operation is over, hence leaves
 * when the others are there; of an immediate, WRITE_END does. */
static bool must_be_last(const struct send_op *op)
{
	return !op->request.has_imm && op->bytes_sent && op->unanswered &&
	       op->request.length - op->bytes_sent <= PACKET_SEGMENT_BYTES;
}

static enum send_op_result rdma(struct send_op *op,
				enum efa_io_comp_status *status,
				uint32_t *moved)
{
	unsigned turn;

	for (turn = 0; !op->is_all_sent && turn < REMOTE_TURN_SEGMENTS &&
	     op->unanswered < REMOTE_MAX_SEGMENTS; turn++) {
		if (must_be_last(op))
			return awaiting(op);
		if (send_segment(op, status, moved))
			return blocked(op);
		if (*status != OK)
			return SEND_OP_DONE;
	}
	if (!op->is_all_sent && op->unanswered < REMOTE_MAX_SEGMENTS)
		return SEND_OP_AGAIN;
	return op->unanswered ? awaiting(op) : finish(op, status);
}

/* ---- answers ---- */

static enum send_op_result conclude(struct send_op *op,
				    enum efa_io_comp_status *status)
{
	op->is_answered = false;
	*status = op->answer;
	if (op->answer == RNR) {
		op->is_end_sent = false;
		return SEND_OP_NOT_READY;
	}
	if (op->answer == OK)
		count_message(op);
	return SEND_OP_DONE;
}

enum send_op_result remote_send_step(struct send_op *op,
				     enum efa_io_comp_status *status,
				     uint32_t *moved)
{
	*moved = 0;
	*status = OK;
	if (op->is_answered)
		return conclude(op, status);
	if (op->qp->type == ENGINE_QP_UD) {
		*moved = op->request.length;
		*status = send_datagram(op);
		return SEND_OP_DONE;
	}
	if (!op->host && remote_op_start(op, find_host(op)))
		return SEND_OP_AGAIN;
	if (op->request.op != EFA_IO_SEND)
		return rdma(op, status, moved);
	*moved = op->request.length;
	return send_message(op, status);
}

static enum efa_io_comp_status store(struct send_op *op,
				     const struct packet *packet)
{
	struct guest_memory *mem = op->qp->ctx->mem;
	enum efa_io_comp_status status;
	uint64_t guest_addr;
	int err;

	status = rdma_local_resolve(op, packet->offset, &guest_addr);
	if (status != OK || !packet->len_bytes)
		return status;
	err = mem->write(mem, guest_addr, packet->payload, packet->len_bytes);
	return err ? rdma_local_fault(op->qp, err) : OK;
}

/* One that can be for what is out of @op; the host may lie. */
static bool is_expected(const struct send_op *op, const struct packet *packet)
{
	uint32_t left;

	if (op->is_answered)
		return false;
	if (op->request.op == EFA_IO_SEND)
		return packet->type == PACKET_STATUS &&
			op->remote_state == REMOTE_AWAITING;
	if (!op->unanswered)
		return false;
	if (packet->type == PACKET_STATUS)
		return op->request.op == EFA_IO_RDMA_WRITE || packet->status;
	if (op->request.op != EFA_IO_RDMA_READ ||
	    packet->offset > op->request.length)
		return false;
	left = op->request.length - packet->offset;
	if (left > PACKET_SEGMENT_BYTES)
		left = PACKET_SEGMENT_BYTES;
	return packet->len_bytes == left;
}

void remote_send_answered(struct engine_host *host,
			  const struct packet *packet)
{
	struct send_op *op = remote_op_find(host, packet->op_id);
	enum efa_io_comp_status status = packet->status;

	if (!op || !is_expected(op, packet))
		return;
	if (packet->type == PACKET_READ_DATA)
		status = store(op, packet);
	if (!op->target_serial)
		op->target_serial = packet->target_serial;
	if (op->unanswered)
		op->unanswered--;
	if (op->request.op == EFA_IO_SEND || status != OK) {
		op->is_answered = true;
		op->answer = status;
	} else if (op->remote_state == REMOTE_BLOCKED) {
		return;
	}
	remote_op_wake(op);
}
