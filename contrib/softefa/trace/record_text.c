/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "trace/record_text.h"

#include <inttypes.h>
#include <string.h>

#include "trace/command_text.h"
#include "trace/queue_text.h"
#include "trace/rdm_text.h"
#include "trace/trace_kind.h"

#define NS_PER_SECOND	1000000000ull
#define PAYLOAD_SHOWN	32u	/* bytes */

static void add_device(struct text_line *line,
		       const struct trace_device *device)
{
	text_line_add(line, " profile=");
	text_line_add_foreign(line, device->profile, sizeof(device->profile));
	text_line_add(line, " mtu=%u caps=0x%x gid=", device->mtu,
		      device->caps);
	text_line_add_gid(line, device->gid);
}

static void add_doorbell(struct text_line *line,
			 const struct trace_doorbell *doorbell)
{
	text_line_add(line, " qp=%u queue=%s value=%u taken=%u",
		      doorbell->qpn, doorbell->queue == TRACE_SQ ? "send" :
		      doorbell->queue == TRACE_RQ ? "recv" : "?",
		      doorbell->value, doorbell->taken);
}

/* The second half of a narrow entry does not exist. */
static void add_wqe(struct text_line *line, const struct trace_wqe *body)
{
	struct efa_io_tx_wqe wqe = { 0 };

	memcpy(&wqe, body + 1, body->wqe_bytes);
	text_line_add(line, " qp=%u index=%u size=%u", body->qpn, body->index,
		      body->wqe_bytes);
	queue_text_add_wqe(line, &wqe, body->wqe_bytes);
}

static void add_recv(struct text_line *line, const struct trace_recv *body)
{
	const struct trace_recv_sge *sge = (const void *)(body + 1);
	unsigned i;

	text_line_add(line, " qp=%u index=%u req_id=0x%x sges=%u", body->qpn,
		      body->index, body->req_id, body->sge_count);
	for (i = 0; i < body->sge_count; i++)
		text_line_add(line, " sge={addr=0x%" PRIx64 " len=%u "
			      "key=0x%x}", sge[i].addr, sge[i].length,
			      sge[i].lkey);
}

static void add_cqe(struct text_line *line, const struct trace_cqe *body)
{
	struct efa_io_cdesc entry;

	memcpy(&entry, body->entry, sizeof(entry));
	text_line_add(line, " cq=%u index=%u", body->cqn, body->index);
	queue_text_add_cqe(line, &entry);
}

/* ---- packets ---- */

static void add_end(struct text_line *line, const struct device_names *names,
		    const uint8_t gid[16], uint32_t qpn)
{
	const char *name = device_names_of_gid(names, gid);

	if (name)
		text_line_add(line, "%s", name);
	else
		text_line_add_gid(line, gid);
	text_line_add(line, "/%u", qpn);
}

static const char *event_name(unsigned event)
{
	switch (event) {
	case TRACE_SENT: return "sent";
	case TRACE_RECEIVED: return "received";
	case TRACE_NOT_READY: return "not_ready";
	case TRACE_DROPPED: return "dropped";
	default: return "?";
	}
}

static void add_rdma(struct text_line *line, const struct trace_packet *body)
{
	text_line_add(line, " segment=%u offset=%u remote={addr=0x%" PRIx64
		      " key=0x%x}", body->segment, body->offset,
		      body->remote_addr, body->rkey);
}

static void add_payload(struct text_line *line,
			const struct trace_packet *body,
			enum payload_text payload)
{
	const uint8_t *bytes = (const uint8_t *)(body + 1);
	struct rdm_packet packet;

	if (!body->payload_bytes)
		return;
	if (body->op == EFA_IO_SEND &&
	    (payload == PAYLOAD_RDM ||
	     (payload == PAYLOAD_LIKELY_RDM && !body->qp_type &&
	      rdm_packet_is_likely(bytes, body->payload_bytes)))) {
		rdm_packet_decode(bytes, body->payload_bytes, body->length,
				  &packet);
		rdm_text_add(line, &packet);
		return;
	}
	text_line_add(line, " payload=");
	text_line_add_hex(line, bytes, body->payload_bytes,
			  payload == PAYLOAD_RAW ? TRACE_MAX_PAYLOAD :
			  PAYLOAD_SHOWN);
}

static void add_packet(struct text_line *line,
		       const struct device_names *names,
		       const struct trace_packet *body,
		       enum payload_text payload)
{
	text_line_add(line, " %s %s", event_name(body->event),
		      body->qp_type ? "ud" : "srd");
	queue_text_add_op(line, body->op);
	text_line_add(line, " ");
	add_end(line, names, body->src_gid, body->src_qpn);
	text_line_add(line, ">");
	add_end(line, names, body->dst_gid, body->dst_qpn);
	text_line_add(line, " req_id=0x%" PRIx64 " qkey=0x%x length=%u",
		      body->req_id, body->qkey, body->length);
	if (body->flags & TRACE_PACKET_HAS_IMM)
		text_line_add(line, " imm=0x%x", body->imm);
	if (body->op != EFA_IO_SEND)
		add_rdma(line, body);
	if (body->event == TRACE_RECEIVED)
		queue_text_add_status(line, body->status);
	add_payload(line, body, payload);
}

/* ---- the line ---- */

static void add_body(struct text_line *line, const struct device_names *names,
		     const struct trace_entry *entry,
		     enum payload_text payload)
{
	switch (entry->record.kind) {
	case TRACE_DEVICE:
		add_device(line, &entry->device);
		return;
	case TRACE_DOORBELL:
		add_doorbell(line, &entry->doorbell);
		return;
	case TRACE_WQE:
		add_wqe(line, &entry->wqe);
		return;
	case TRACE_RECV:
		add_recv(line, &entry->recv);
		return;
	case TRACE_PACKET:
		add_packet(line, names, &entry->packet, payload);
		return;
	case TRACE_CQE:
		add_cqe(line, &entry->cqe);
		return;
	case TRACE_COMMAND:
		command_text_add(line, &entry->command);
		return;
	case TRACE_RULE:
	case TRACE_FAULT:
		text_line_add(line, " ");
		text_line_add_foreign(line, entry->bytes,
				      entry->record.length_bytes);
		return;
	case TRACE_LOST:
		text_line_add(line, " records=%" PRIu64, entry->lost.records);
		return;
	case TRACE_END:
		text_line_add(line, " records=%" PRIu64 " lost=%" PRIu64,
			      entry->end.records, entry->end.lost);
		return;
	default:
		text_line_add(line, " length=%u", entry->record.length_bytes);
	}
}

void record_text(struct text_line *line, const struct device_names *names,
		 const struct trace_entry *entry, uint64_t start_ns,
		 enum payload_text payload)
{
	const struct trace_record *record = &entry->record;
	uint64_t time_ns = record->time_ns - start_ns;
	const char *device = device_names_of(names, record->device);

	if (record->time_ns < start_ns)
		time_ns = 0;
	text_line_clear(line);
	text_line_add(line, "%" PRIu64 ".%09" PRIu64 " ",
		      (uint64_t)(time_ns / NS_PER_SECOND),
		      (uint64_t)(time_ns % NS_PER_SECOND));
	if (device)
		text_line_add(line, "%s ", device);
	else if (record->device == TRACE_NO_DEVICE)
		text_line_add(line, "- ");
	else
		text_line_add(line, "device%u ", record->device);
	if (trace_kind_name(record->kind))
		text_line_add(line, "%s", trace_kind_name(record->kind));
	else
		text_line_add(line, "kind%u", record->kind);
	add_body(line, names, entry, payload);
}
