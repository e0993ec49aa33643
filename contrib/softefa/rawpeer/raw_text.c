/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rawpeer/raw_text.h"

#include <inttypes.h>

#include "trace/queue_text.h"
#include "trace/rdm_text.h"

static const char *kind_name(enum packet_type type)
{
	switch (type) {
	case PACKET_SEND: return "send";
	case PACKET_WRITE: return "write";
	case PACKET_WRITE_END: return "write_end";
	case PACKET_READ: return "read";
	case PACKET_DATAGRAM: return "datagram";
	case PACKET_STATUS: return "status";
	case PACKET_READ_DATA: return "read_data";
	}
	return "unknown";
}

static void add_end(struct text_line *line, const char *name,
		    const uint8_t gid[16], uint32_t qpn)
{
	text_line_add(line, " %s=", name);
	text_line_add_gid(line, gid);
	text_line_add(line, "/%u", qpn);
}

static void add_payload(struct text_line *line, const struct packet *packet,
			enum payload_text payload)
{
	struct rdm_packet rdm;
	bool is_rdm = payload == PAYLOAD_RDM;

	if (packet->type != PACKET_SEND)
		is_rdm = false;
	else if (payload == PAYLOAD_LIKELY_RDM)
		is_rdm = rdm_packet_is_likely(packet->payload,
					      packet->len_bytes);
	if (!is_rdm) {
		text_line_add(line, " payload=");
		text_line_add_hex(line, packet->payload, packet->len_bytes,
				  packet->len_bytes);
		return;
	}
	rdm_packet_decode(packet->payload, packet->len_bytes,
			  packet->len_bytes, &rdm);
	rdm_text_add(line, &rdm);
}

void raw_text(struct text_line *line, const struct packet *packet,
	      enum payload_text payload)
{
	text_line_clear(line);
	text_line_add(line, "%s", kind_name(packet->type));
	add_end(line, "from", packet->src_gid, packet->src_qpn);
	add_end(line, "to", packet->dst_gid, packet->dst_qpn);
	if (packet->type == PACKET_STATUS) {
		text_line_add(line, " op_id=%u", packet->op_id);
		queue_text_add_status(line, packet->status);
		return;
	}
	text_line_add(line, " qkey=0x%x", packet->qkey);
	if (packet->has_imm)
		text_line_add(line, " imm=0x%x", packet->imm);
	text_line_add(line, " len=%u", packet->len_bytes);
	if (packet->remote.length)
		text_line_add(line, " offset=%u remote={addr=0x%" PRIx64
			      " key=0x%x len=%u}", packet->offset,
			      packet->remote.addr, packet->remote.key,
			      packet->remote.length);
	if (packet->payload && packet->len_bytes)
		add_payload(line, packet, payload);
}
