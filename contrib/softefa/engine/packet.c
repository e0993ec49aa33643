/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/packet.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#define FLAG_HAS_IMM		1u
#define FLAG_IS_UNSOLICITED	2u

struct packet_wire {
	uint8_t type;
	uint8_t flags;
	uint8_t status;
	uint8_t reserved;
	uint8_t src_gid[16], dst_gid[16];
	uint32_t src_qpn, dst_qpn;
	uint32_t op_id;
	uint32_t qkey;
	uint32_t imm;
	uint32_t remote_length;
	uint32_t remote_key;
	uint32_t offset;
	uint32_t len_bytes;
	uint32_t reserved2;
	uint64_t remote_addr;
	uint64_t target_serial;
	uint32_t reserved3[2];
} __attribute__((packed));

static_assert(sizeof(struct packet_wire) == PACKET_HEADER_BYTES,
	      "packet header size");

static bool is_rdma(enum packet_type type)
{
	return type == PACKET_WRITE || type == PACKET_WRITE_END ||
		type == PACKET_READ;
}

static bool has_payload(enum packet_type type)
{
	return type == PACKET_SEND || type == PACKET_DATAGRAM ||
		type == PACKET_WRITE || type == PACKET_READ_DATA;
}

void packet_encode_header(const struct packet *packet, uint8_t *bytes)
{
	struct packet_wire wire = {
		.type = packet->type,
		.status = packet->status,
		.src_qpn = htole32(packet->src_qpn),
		.dst_qpn = htole32(packet->dst_qpn),
		.op_id = htole32(packet->op_id),
		.qkey = htole32(packet->qkey),
		.imm = htole32(packet->imm),
		.remote_length = htole32(packet->remote.length),
		.remote_key = htole32(packet->remote.key),
		.remote_addr = htole64(packet->remote.addr),
		.offset = htole32(packet->offset),
		.len_bytes = htole32(packet->len_bytes),
		.target_serial = htole64(packet->target_serial),
	};

	if (packet->has_imm)
		wire.flags |= FLAG_HAS_IMM;
	if (packet->is_unsolicited)
		wire.flags |= FLAG_IS_UNSOLICITED;
	memcpy(wire.src_gid, packet->src_gid, sizeof(wire.src_gid));
	memcpy(wire.dst_gid, packet->dst_gid, sizeof(wire.dst_gid));
	memcpy(bytes, &wire, sizeof(wire));
}

static const char *check_segment(const struct packet *packet)
{
	uint32_t left;

	if (packet->type == PACKET_WRITE_END)
		return packet->offset || packet->len_bytes ?
			"an end with a segment" : NULL;
	if (packet->offset % PACKET_SEGMENT_BYTES ||
	    packet->offset > packet->remote.length)
		return "a segment beyond its operation";
	left = packet->remote.length - packet->offset;
	if (left > PACKET_SEGMENT_BYTES)
		left = PACKET_SEGMENT_BYTES;
	if (packet->len_bytes != left || (!left && packet->offset))
		return "a segment of another length than it has";
	return NULL;
}

static const char *check_answer(const struct packet *packet)
{
	if (packet->qkey || packet->imm || packet->has_imm ||
	    packet->is_unsolicited || packet->remote.addr ||
	    packet->remote.key || packet->remote.length)
		return "an answer with fields of a request";
	if (packet->type == PACKET_STATUS && packet->len_bytes)
		return "a status with bytes";
	if (packet->type == PACKET_READ_DATA &&
	    (packet->status || packet->len_bytes > PACKET_SEGMENT_BYTES ||
	     packet->offset % PACKET_SEGMENT_BYTES))
		return "data that are no segment";
	return NULL;
}

static const char *check_request(const struct packet *packet)
{
	if (packet->status)
		return "a request with a status";
	if (is_rdma(packet->type))
		return check_segment(packet);
	if (packet->offset || packet->target_serial || packet->remote.addr ||
	    packet->remote.key || packet->remote.length ||
	    packet->is_unsolicited)
		return "a message with fields of RDMA";
	if (packet->type == PACKET_DATAGRAM && packet->op_id)
		return "a datagram that wants an answer";
	return NULL;
}

static const char *check(const struct packet *packet, uint32_t flags,
			 uint32_t reserved, size_t payload_bytes)
{
	if (!is_rdma(packet->type) && !has_payload(packet->type) &&
	    packet->type != PACKET_STATUS)
		return "an unknown type";
	if (flags & ~(FLAG_HAS_IMM | FLAG_IS_UNSOLICITED) || reserved)
		return "unknown flags or reserved bits";
	if (packet->src_qpn > UINT16_MAX || packet->dst_qpn > UINT16_MAX)
		return "a QPN of more than 16 bits";
	if (packet->status > EFA_IO_COMP_STATUS_REMOTE_ERROR_FEATURE_MISMATCH)
		return "an unknown status";
	if (!packet->has_imm && packet->imm)
		return "an immediate that it does not have";
	if (payload_bytes !=
	    (has_payload(packet->type) ? packet->len_bytes : 0))
		return "another length than it says";
	return packet_is_answer(packet->type) ? check_answer(packet) :
		check_request(packet);
}

int packet_decode(const uint8_t *bytes, size_t len_bytes,
		  struct packet *packet, const char **reason)
{
	struct packet_wire wire;

	if (len_bytes < sizeof(wire) || len_bytes > PACKET_MAX_BYTES) {
		*reason = "shorter than a header or longer than any packet";
		return -EPROTO;
	}
	memcpy(&wire, bytes, sizeof(wire));
	*packet = (struct packet) {
		.type = wire.type,
		.src_qpn = le32toh(wire.src_qpn),
		.dst_qpn = le32toh(wire.dst_qpn),
		.op_id = le32toh(wire.op_id),
		.qkey = le32toh(wire.qkey),
		.imm = le32toh(wire.imm),
		.has_imm = wire.flags & FLAG_HAS_IMM,
		.is_unsolicited = wire.flags & FLAG_IS_UNSOLICITED,
		.remote.addr = le64toh(wire.remote_addr),
		.remote.length = le32toh(wire.remote_length),
		.remote.key = le32toh(wire.remote_key),
		.offset = le32toh(wire.offset),
		.target_serial = le64toh(wire.target_serial),
		.status = wire.status,
		.len_bytes = le32toh(wire.len_bytes),
	};
	memcpy(packet->src_gid, wire.src_gid, sizeof(packet->src_gid));
	memcpy(packet->dst_gid, wire.dst_gid, sizeof(packet->dst_gid));
	*reason = check(packet, wire.flags, wire.reserved | wire.reserved2 |
			wire.reserved3[0] | wire.reserved3[1],
			len_bytes - sizeof(wire));
	if (*reason)
		return -EPROTO;
	if (has_payload(packet->type))
		packet->payload = bytes + sizeof(wire);
	return 0;
}

void packet_message(const struct packet *packet, struct message *message)
{
	*message = (struct message) {
		.op = EFA_IO_SEND,
		.qp_type = packet->type == PACKET_DATAGRAM ? ENGINE_QP_UD :
			ENGINE_QP_SRD,
		.src_gid = packet->src_gid,
		.dst_gid = packet->dst_gid,
		.src_qpn = packet->src_qpn,
		.dst_qpn = packet->dst_qpn,
		.qkey = packet->qkey,
		.imm = packet->imm,
		.length = packet->len_bytes,
		.has_imm = packet->has_imm,
		.is_unsolicited = packet->is_unsolicited,
		.remote = packet->remote,
	};
	if (!is_rdma(packet->type))
		return;
	message->op = packet->type == PACKET_READ ? EFA_IO_RDMA_READ :
		EFA_IO_RDMA_WRITE;
	message->length = packet->remote.length;
}
