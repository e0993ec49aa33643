/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/remote_target.h"

#include <string.h>

#include "engine/comp_cntr.h"
#include "engine/rdma_target.h"
#include "engine/remote_op.h"
#include "engine/responder.h"
#include "engine/trace_point.h"
#include "engine/ud.h"

#define OK		EFA_IO_COMP_STATUS_OK
#define RNR		EFA_IO_COMP_STATUS_REMOTE_ERROR_RNR

static void answer(struct engine_host *host, const struct packet *request,
		   const struct packet *what, uint32_t payload_bytes)
{
	struct engine *engine = host->engine;
	struct packet packet = *what;

	memcpy(packet.src_gid, request->dst_gid, sizeof(packet.src_gid));
	memcpy(packet.dst_gid, request->src_gid, sizeof(packet.dst_gid));
	packet.src_qpn = request->dst_qpn;
	packet.dst_qpn = request->src_qpn;
	packet.op_id = request->op_id;
	packet_encode_header(&packet, engine->bounce);
	engine->ops->packet_send(engine->owner, host->opaque, packet.type,
				 engine->bounce,
				 PACKET_HEADER_BYTES + payload_bytes);
}

static void answer_status(struct engine_host *host,
			  const struct packet *request,
			  enum efa_io_comp_status status, uint64_t serial)
{
	const struct packet packet = {
		.type = PACKET_STATUS,
		.status = status,
		.target_serial = serial,
	};

	answer(host, request, &packet, 0);
}

static void serve_datagram(struct engine_host *host,
			   const struct packet *packet)
{
	struct engine *engine = host->engine;
	struct engine_device *device;
	struct message message;

	packet_message(packet, &message);
	memcpy((uint8_t *)engine->bounce + UD_HEADER_BYTES, packet->payload,
	       packet->len_bytes);
	if (ud_arrive(engine, &message) == OK)
		return;
	device = responder_device(engine, packet->dst_gid);
	if (device)
		device->counters.ud_drops++;
}

static void serve_send(struct engine_host *host, const struct packet *packet)
{
	enum efa_io_comp_status status;
	struct engine_qp *receiver;
	struct message message;

	packet_message(packet, &message);
	status = responder_find(host->engine, &message, &receiver);
	if (status == OK &&
	    !responder_deliver(receiver, &message, packet->payload,
			       packet->len_bytes, &status))
		status = RNR;
	answer_status(host, packet, status, 0);
}

/* Who is meant and where in its memory; the answer of all but OK is given. */
static enum efa_io_comp_status find(struct engine_host *host,
				    const struct packet *packet,
				    struct engine_qp **target,
				    uint64_t *guest_addr)
{
	enum efa_io_comp_status status;
	struct message message;

	packet_message(packet, &message);
	status = rdma_target_find(host->engine, &message,
				  packet->target_serial, target);
	if (status == OK && packet->type != PACKET_WRITE_END)
		status = rdma_target_resolve(*target, &message,
					     packet->offset, guest_addr);
	if (status != OK)
		answer_status(host, packet, status, 0);
	return status;
}

static void note_segment(struct engine_qp *target,
			 const struct packet *packet, uint64_t *counter)
{
	struct message message;

	packet_message(packet, &message);
	trace_rdma(TRACE_RECEIVED, target, &message, packet->offset,
		   packet->len_bytes);
	*counter += packet->len_bytes;
}

/* The last segment has come, after all others, and was carried out. */
static void note_end(struct engine_qp *target, const struct packet *packet,
		     unsigned op)
{
	if (!packet->has_imm &&
	    packet->offset + packet->len_bytes == packet->remote.length)
		comp_cntr_count(target, op, true);
}

static void serve_write(struct engine_host *host, const struct packet *packet)
{
	enum efa_io_comp_status status = OK;
	struct guest_memory *mem;
	struct engine_qp *target;
	uint64_t guest_addr = 0;
	int err;

	if (find(host, packet, &target, &guest_addr) != OK)
		return;
	mem = target->ctx->mem;
	if (packet->len_bytes) {
		err = mem->write(mem, guest_addr, packet->payload,
				 packet->len_bytes);
		if (err)
			status = rdma_target_fault(target, err);
	}
	if (status == OK) {
		note_segment(target, packet,
			     &target->ctx->device->counters.rx_bytes);
		note_end(target, packet, ENGINE_CNTR_REMOTE_WRITE);
	}
	answer_status(host, packet, status, target->serial);
}

static void serve_write_end(struct engine_host *host,
			    const struct packet *packet)
{
	enum efa_io_comp_status status;
	struct engine_qp *target;
	struct message message;

	if (find(host, packet, &target, NULL) != OK)
		return;
	packet_message(packet, &message);
	if (!rdma_target_notify(target, &message, &status))
		status = RNR;
	if (status == OK)
		comp_cntr_count(target, ENGINE_CNTR_REMOTE_WRITE, true);
	answer_status(host, packet, status, 0);
}

static void serve_read(struct engine_host *host, const struct packet *packet)
{
	uint8_t *payload = (uint8_t *)host->engine->bounce +
		PACKET_HEADER_BYTES;
	struct packet data = {
		.type = PACKET_READ_DATA,
		.offset = packet->offset,
		.len_bytes = packet->len_bytes,
	};
	struct guest_memory *mem;
	struct engine_qp *target;
	uint64_t guest_addr = 0;
	int err = 0;

	if (find(host, packet, &target, &guest_addr) != OK)
		return;
	mem = target->ctx->mem;
	if (packet->len_bytes)
		err = mem->read(mem, guest_addr, payload, packet->len_bytes);
	if (err) {
		answer_status(host, packet, rdma_target_fault(target, err), 0);
		return;
	}
	note_segment(target, packet, &target->ctx->device->counters.tx_bytes);
	note_end(target, packet, ENGINE_CNTR_REMOTE_READ);
	data.target_serial = target->serial;
	answer(host, packet, &data, packet->len_bytes);
}

void remote_target_serve(struct engine_host *host,
			 const struct packet *packet)
{
	switch (packet->type) {
	case PACKET_SEND:
		serve_send(host, packet);
		break;
	case PACKET_DATAGRAM:
		serve_datagram(host, packet);
		break;
	case PACKET_WRITE:
		serve_write(host, packet);
		break;
	case PACKET_WRITE_END:
		serve_write_end(host, packet);
		break;
	case PACKET_READ:
		serve_read(host, packet);
		break;
	case PACKET_STATUS:
	case PACKET_READ_DATA:
		break;
	}
}
