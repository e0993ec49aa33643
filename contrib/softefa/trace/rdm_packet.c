/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "trace/rdm_packet.h"

#include <stddef.h>
#include <string.h>

#define FLAG_CONNID	0x8000u
#define FLAG_CTS_READ	0x0080u

/* of requests */
#define FLAG_RAW_ADDR	0x0001u
#define FLAG_CQ_DATA	0x0002u
#define REQ_FLAGS	0xa03fu
#define REQ_FIRST_TYPE	64u

#define HANDSHAKE_FLAGS	0x800fu
#define HANDSHAKE_TYPE	9u
#define EXTRA_INFO_MORE	3u	/* the count on the wire has this added */

#define RAW_ADDR_BYTES	32u	/* what is known of one */
#define IOV_BYTES	24u

/* What a field is beside its bytes. */
enum field_use {
	NUMBER = 0,
	HEX,
	PAD,
	RMA_IOV_COUNT,		/* that many rma_iov follow the fields */
	READ_IOV_COUNT,		/* that many read_iov end the header */
};

struct field_spec {
	const char *name;	/* NULL: the end */
	uint8_t bytes;
	uint8_t use;		/* enum field_use */
};

struct packet_spec {
	const char *name;
	const struct field_spec *fields;
	uint16_t flags;		/* those it may have */
	bool has_data;		/* bytes may follow the header */
};

#define FIELDS(...)	((const struct field_spec[]) { __VA_ARGS__, { 0 } })
#define U32(n)		{ n, 4, NUMBER }
#define U64(n)		{ n, 8, NUMBER }
#define X32(n)		{ n, 4, HEX }
#define PAD32		{ "pad", 4, PAD }
#define TAG		{ "tag", 8, HEX }
#define RMA_IOVS	{ "rma_iov_count", 4, RMA_IOV_COUNT }
#define READ_IOVS	{ "read_iov_count", 4, READ_IOV_COUNT }

#define EAGER		U32("msg_id")
#define MEDIUM		U32("msg_id"), U64("msg_length"), U64("seg_offset")
#define LONGCTS		U32("msg_id"), U64("msg_length"), U32("send_id"), \
			U32("credit_request")
#define LONGREAD	U32("msg_id"), U64("msg_length"), U32("send_id"), \
			READ_IOVS
#define RUNTREAD	LONGREAD, U64("seg_offset"), U64("runt_length")
#define DC_EAGER	U32("msg_id"), U32("send_id"), PAD32
#define DC_MEDIUM	DC_EAGER, U64("msg_length"), U64("seg_offset")
#define LONGCTS_RTW	RMA_IOVS, U64("msg_length"), U32("send_id"), \
			U32("credit_request")
#define RTR		RMA_IOVS, U64("msg_length"), U32("recv_id"), \
			U32("recv_length")
#define RTA(last)	U32("msg_id"), RMA_IOVS, U32("datatype"), U32("op"), \
			last

#define REQ(n, ...)	{ n, FIELDS(__VA_ARGS__), REQ_FLAGS, true }
#define NO_FIELDS	FIELDS({ 0 })

static const struct packet_spec specs[] = {
	[1] = { "RTS", NO_FIELDS, 0xffff, true },
	[2] = { "CONNACK", NO_FIELDS, 0xffff, true },
	[3] = { "CTS", FIELDS(X32("connid"), U32("send_id"), U32("recv_id"),
			      U64("recv_length")),
		FLAG_CTS_READ | FLAG_CONNID, false },
	/* A connid may follow these fields, as behind a request's. */
	[4] = { "CTSDATA", FIELDS(U32("recv_id"), U64("seg_length"),
				  U64("seg_offset")), FLAG_CONNID, true },
	[5] = { "READRSP", FIELDS(X32("connid"), U32("recv_id"),
				  U32("send_id"), U64("seg_length")),
		FLAG_CONNID, true },
	[7] = { "EOR", FIELDS(U32("send_id"), U32("recv_id"),
			      X32("connid")), FLAG_CONNID, false },
	[8] = { "ATOMRSP", FIELDS(X32("connid"), PAD32, U32("recv_id"),
				  U64("seg_length")), FLAG_CONNID, true },
	[HANDSHAKE_TYPE] = { "HANDSHAKE", NO_FIELDS, HANDSHAKE_FLAGS, false },
	[10] = { "RECEIPT", FIELDS(U32("tx_id"), U32("msg_id"),
				   X32("connid")), FLAG_CONNID, false },
	[11] = { "READ_NACK", FIELDS(U32("send_id"), U32("recv_id"),
				     X32("connid")), FLAG_CONNID, false },
	[12] = { "PEER_ERROR", FIELDS(U32("op_id"), U32("ref_kind"),
				      U32("prov_errno"), X32("connid")),
		 FLAG_CONNID, false },
	[64] = REQ("EAGER_MSGRTM", EAGER),
	[65] = REQ("EAGER_TAGRTM", EAGER, TAG),
	[66] = REQ("MEDIUM_MSGRTM", MEDIUM),
	[67] = REQ("MEDIUM_TAGRTM", MEDIUM, TAG),
	[68] = REQ("LONGCTS_MSGRTM", LONGCTS),
	[69] = REQ("LONGCTS_TAGRTM", LONGCTS, TAG),
	[70] = REQ("EAGER_RTW", RMA_IOVS),
	[71] = REQ("LONGCTS_RTW", LONGCTS_RTW),
	[72] = REQ("SHORT_RTR", RTR),
	[73] = REQ("LONGCTS_RTR", RTR),
	[74] = REQ("WRITE_RTA", RTA(PAD32)),
	[75] = REQ("FETCH_RTA", RTA(U32("recv_id"))),
	[76] = REQ("COMPARE_RTA", RTA(U32("recv_id"))),
	[128] = REQ("LONGREAD_MSGRTM", LONGREAD),
	[129] = REQ("LONGREAD_TAGRTM", LONGREAD, TAG),
	[130] = REQ("LONGREAD_RTW", RMA_IOVS, U64("msg_length"),
		    U32("send_id"), READ_IOVS),
	[131] = { "READ_RTR", NO_FIELDS, REQ_FLAGS, true },
	[133] = REQ("DC_EAGER_MSGRTM", DC_EAGER),
	[134] = REQ("DC_EAGER_TAGRTM", DC_EAGER, TAG),
	[135] = REQ("DC_MEDIUM_MSGRTM", DC_MEDIUM),
	[136] = REQ("DC_MEDIUM_TAGRTM", DC_MEDIUM, TAG),
	[137] = REQ("DC_LONGCTS_MSGRTM", LONGCTS),
	[138] = REQ("DC_LONGCTS_TAGRTM", LONGCTS, TAG),
	[139] = REQ("DC_EAGER_RTW", RMA_IOVS, U32("send_id"), PAD32),
	[140] = REQ("DC_LONGCTS_RTW", LONGCTS_RTW),
	[141] = REQ("DC_WRITE_RTA", RTA(U32("send_id"))),
	[142] = { "RUNTCTS_MSGRTM", NO_FIELDS, REQ_FLAGS, true },
	[143] = { "RUNTCTS_TAGRTM", NO_FIELDS, REQ_FLAGS, true },
	[144] = { "RUNTCTS_RTW", NO_FIELDS, REQ_FLAGS, true },
	[145] = REQ("RUNTREAD_MSGRTM", RUNTREAD),
	[146] = REQ("RUNTREAD_TAGRTM", RUNTREAD, TAG),
	[147] = { "RUNTREAD_RTW", NO_FIELDS, REQ_FLAGS, true },
};

/* Retired, or reserved and sent by nobody: nothing is known of the rest. */
static bool is_opaque(uint8_t type)
{
	return type == 1 || type == 2 || type == 131 ||
		(type >= 142 && type <= 144) || type == 147;
}

static const struct packet_spec *spec_of(uint8_t type)
{
	if (type >= sizeof(specs) / sizeof(specs[0]) || !specs[type].name)
		return NULL;
	return &specs[type];
}

bool rdm_packet_is_likely(const void *bytes, uint32_t captured)
{
	const uint8_t *byte = bytes;

	return captured >= 4 && byte[1] == RDM_VERSION && spec_of(byte[0]);
}

/* ---- the one place where bytes are read ---- */

struct cursor {
	const uint8_t *bytes;
	uint32_t at, captured, length;
	const char *problem;
};

/* The next @count bytes, or NULL and a problem. */
static const uint8_t *take(struct cursor *from, uint32_t count)
{
	const uint8_t *bytes = from->bytes + from->at;

	if (from->problem)
		return NULL;
	if (count > from->length - from->at) {
		from->problem = "shorter than its header";
		return NULL;
	}
	if (from->at > from->captured ||
	    count > from->captured - from->at) {
		from->problem = "its header goes on behind the traced bytes";
		return NULL;
	}
	from->at += count;
	return bytes;
}

/* @count: at most 8. 0 with a problem. */
static uint64_t take_number(struct cursor *from, uint32_t count)
{
	const uint8_t *bytes = take(from, count);
	uint64_t value = 0;

	while (bytes && count--)
		value = value << 8 | bytes[count];
	return value;
}

static void add(struct rdm_packet *packet, const char *name, unsigned index,
		uint64_t value, bool is_hex)
{
	if (packet->field_count == RDM_MAX_FIELDS)
		return;
	packet->field[packet->field_count++] = (struct rdm_field) {
		.name = name,
		.value = value,
		.index = index,
		.is_hex = is_hex,
	};
}

static void take_field(struct cursor *from, struct rdm_packet *packet,
		       const char *name, uint32_t bytes, bool is_hex)
{
	uint64_t value = take_number(from, bytes);

	if (!from->problem)
		add(packet, name, 0, value, is_hex);
}

/* ---- parts of a header ---- */

static void take_iovs(struct cursor *from, struct rdm_packet *packet,
		      uint32_t count, const char *const name[3])
{
	uint64_t value;
	uint32_t i, part;

	if (count > (from->length - from->at) / IOV_BYTES) {
		from->problem = "counts more ranges than it has";
		return;
	}
	for (i = 0; i < count && !from->problem; i++) {
		for (part = 0; part < 3; part++) {
			value = take_number(from, 8);
			if (!from->problem && i < RDM_MAX_IOV)
				add(packet, name[part], i + 1, value,
				    part != 1);
		}
	}
}

static void take_rma_iovs(struct cursor *from, struct rdm_packet *packet,
			  uint32_t count)
{
	static const char *const name[] = {
		"rma_addr", "rma_len", "rma_key",
	};

	take_iovs(from, packet, count, name);
}

static void take_read_iovs(struct cursor *from, struct rdm_packet *packet,
			   uint32_t count)
{
	static const char *const name[] = {
		"read_addr", "read_len", "read_key",
	};

	take_iovs(from, packet, count, name);
}

/* Its length is on the wire: releases differ in what they pad it to. */
static void take_raw_address(struct cursor *from, struct rdm_packet *packet)
{
	uint32_t length = (uint32_t)take_number(from, 4);
	const uint8_t *address = take(from, length);

	if (!address)
		return;
	add(packet, "raw_addr_len", 0, length, false);
	if (length < RAW_ADDR_BYTES)
		return;
	packet->gid = address;
	add(packet, "raw_qpn", 0, address[16] | address[17] << 8, false);
	add(packet, "raw_qkey", 0, address[20] | address[21] << 8 |
	    address[22] << 16 | (uint32_t)address[23] << 24, true);
}

/* What the flags of a request tell, and what its fields counted. */
static void take_options(struct cursor *from, struct rdm_packet *packet,
			 uint32_t rma_iovs, uint32_t read_iovs)
{
	if (rma_iovs)
		take_rma_iovs(from, packet, rma_iovs);
	if (packet->flags & FLAG_RAW_ADDR)
		take_raw_address(from, packet);
	if (packet->flags & FLAG_CQ_DATA)
		take_field(from, packet, "cq_data", 8, true);
	if (packet->flags & FLAG_CONNID)
		take_field(from, packet, "connid", 4, true);
	if (read_iovs)
		take_read_iovs(from, packet, read_iovs);
}

static void take_fields(struct cursor *from, struct rdm_packet *packet,
			const struct field_spec *field)
{
	uint32_t rma_iovs = 0, read_iovs = 0;

	for (; field->name && !from->problem; field++) {
		if (field->use == PAD)
			take(from, field->bytes);
		else
			take_field(from, packet, field->name, field->bytes,
				   field->use == HEX);
		if (from->problem)
			return;
		if (field->use == RMA_IOV_COUNT)
			rma_iovs = packet->field[packet->field_count - 1].value;
		if (field->use == READ_IOV_COUNT)
			read_iovs = packet->field[packet->field_count - 1].value;
	}
	if (packet->type >= REQ_FIRST_TYPE && !from->problem)
		take_options(from, packet, rma_iovs, read_iovs);
}

/* The padded connid of data that follows a CTS. */
static void take_ctsdata(struct cursor *from, struct rdm_packet *packet)
{
	if (!(packet->flags & FLAG_CONNID))
		return;
	take_field(from, packet, "connid", 4, true);
	take(from, 4);
}

static void take_handshake(struct cursor *from, struct rdm_packet *packet)
{
	uint32_t count = (uint32_t)take_number(from, 4), i;
	uint64_t word;

	if (from->problem)
		return;
	if (count < EXTRA_INFO_MORE ||
	    (count -= EXTRA_INFO_MORE) > (from->length - from->at) / 8) {
		from->problem = "counts more feature words than it has";
		return;
	}
	for (i = 0; i < count && !from->problem; i++) {
		word = take_number(from, 8);
		if (!from->problem && i < RDM_MAX_IOV)
			add(packet, "extra_info", i + 1, word, true);
	}
	if (packet->flags & FLAG_CONNID) {
		take_field(from, packet, "connid", 4, true);
		take(from, 4);
	}
	if (packet->flags & 0x1)
		take_field(from, packet, "host_id", 8, true);
	if (packet->flags & 0x2) {
		take_field(from, packet, "device_version", 4, true);
		take(from, 4);
	}
	if (packet->flags & 0x4) {
		take_field(from, packet, "user_recv_qpn", 4, false);
		take_field(from, packet, "user_recv_qkey", 4, true);
	}
	if (packet->flags & 0x8) {
		take_field(from, packet, "p2p_supported", 1, false);
		take(from, 7);
	}
}

/* ---- the packet ---- */

static void take_header(struct cursor *from, struct rdm_packet *packet,
			const struct packet_spec *spec)
{
	if (packet->type == HANDSHAKE_TYPE) {
		take_handshake(from, packet);
		return;
	}
	if (is_opaque(packet->type))
		return;
	take_fields(from, packet, spec->fields);
	if (packet->type == 4)
		take_ctsdata(from, packet);
}

void rdm_packet_decode(const void *bytes, uint32_t captured, uint32_t length,
		       struct rdm_packet *packet)
{
	struct cursor from = {
		.bytes = bytes,
		.captured = captured < length ? captured : length,
		.length = length,
	};
	const struct packet_spec *spec;

	memset(packet, 0, sizeof(*packet));
	packet->type = (uint8_t)take_number(&from, 1);
	packet->version = (uint8_t)take_number(&from, 1);
	packet->flags = (uint16_t)take_number(&from, 2);
	spec = from.problem ? NULL : spec_of(packet->type);
	if (spec) {
		packet->name = spec->name;
		packet->unknown_flags = packet->flags & ~spec->flags;
		if (packet->version == RDM_VERSION)
			take_header(&from, packet, spec);
		else
			from.problem = "of another version";
	} else if (!from.problem) {
		from.problem = "of an unknown type";
	}
	packet->header_bytes = from.at;
	if (!from.problem)
		packet->data_bytes = length - from.at;
	if (!from.problem && packet->data_bytes && !spec->has_data)
		from.problem = "bytes behind its header that mean nothing";
	packet->problem = from.problem;
}

const char *rdm_flag_name(uint8_t type, unsigned bit)
{
	static const char *const request[16] = {
		[0] = "RAW_ADDR", [1] = "CQ_DATA", [2] = "MSG",
		[3] = "TAGGED", [4] = "RMA", [5] = "ATOMIC",
		[13] = "READ_NACK", [15] = "CONNID",
	};
	static const char *const handshake[16] = {
		[0] = "HOST_ID", [1] = "DEVICE_VERSION",
		[2] = "USER_RECV_QP", [3] = "HMEM", [15] = "CONNID",
	};

	if (bit > 15)
		return NULL;
	if (type >= REQ_FIRST_TYPE)
		return request[bit];
	if (type == HANDSHAKE_TYPE)
		return handshake[bit];
	if (type == 3 && bit == 7)
		return "READ";
	return bit == 15 ? "CONNID" : NULL;
}

const char *rdm_feature_name(unsigned bit)
{
	static const char *const name[] = {
		"rdma-read", "delivery-complete", "constant-header",
		"connid", "runt", "rdma-write", "read-nack",
		"user-recv-qp", "unsolicited-write-recv", "peer-error",
	};

	return bit < sizeof(name) / sizeof(name[0]) ? name[bit] : NULL;
}
