/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/link_frame.h"

#include <assert.h>
#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#define MAGIC		0x4b4e4c53u	/* "SLNK" */
#define VERSION		1u
#define FLAG_IS_REPLY	1u
#define FLAG_IS_UP	2u

struct frame_wire {
	uint32_t magic;
	uint8_t version;
	uint8_t type;
	uint8_t flags;
	uint8_t stream;
	uint64_t from_host, to_host;
	uint32_t from_incarnation, to_incarnation;
	uint32_t seq;
	uint32_t packet_bytes;
	uint32_t ack_next[LINK_STREAMS];
	uint64_t ack_bits[LINK_STREAMS];
	uint32_t reserved[2];
} __attribute__((packed));

static_assert(sizeof(struct frame_wire) == LINK_FRAME_HEADER_BYTES,
	      "frame header size");

struct hello_wire {
	char name[LINK_HOST_NAME_BYTES];
	uint32_t gid_count;
	uint32_t reserved;
	uint8_t gid[SOFTEFA_MAX_DEVICES][16];
} __attribute__((packed));

static size_t encode_hello(const struct link_frame *frame, uint8_t *bytes)
{
	struct hello_wire hello = { .gid_count = htole32(frame->gid_count) };

	assert(frame->gid_count <= SOFTEFA_MAX_DEVICES);
	memcpy(hello.name, frame->name,
	       strnlen(frame->name, sizeof(hello.name) - 1));
	memcpy(hello.gid, frame->gid, frame->gid_count * sizeof(hello.gid[0]));
	memcpy(bytes, &hello, sizeof(hello));
	return sizeof(hello);
}

size_t link_frame_encode(const struct link_frame *frame, uint8_t *bytes)
{
	struct frame_wire wire = {
		.magic = htole32(MAGIC),
		.version = VERSION,
		.type = frame->type,
		.from_host = htole64(frame->from.host),
		.from_incarnation = htole32(frame->from.incarnation),
		.to_host = htole64(frame->to.host),
		.to_incarnation = htole32(frame->to.incarnation),
	};
	size_t len_bytes = sizeof(wire);

	if (frame->type == LINK_HELLO) {
		wire.flags = (frame->is_reply ? FLAG_IS_REPLY : 0) |
			(frame->is_up ? FLAG_IS_UP : 0);
		len_bytes += encode_hello(frame, bytes + len_bytes);
	}
	if (frame->type == LINK_DATA) {
		assert(frame->packet_bytes <= PACKET_MAX_BYTES);
		wire.stream = frame->stream;
		wire.seq = htole32(frame->seq);
		wire.packet_bytes = htole32(frame->packet_bytes);
		memcpy(bytes + len_bytes, frame->packet, frame->packet_bytes);
		len_bytes += frame->packet_bytes;
	}
	for (unsigned i = 0; i < LINK_STREAMS; i++) {
		if (frame->type != LINK_DATA && frame->type != LINK_ACK)
			break;
		wire.ack_next[i] = htole32(frame->ack[i].next);
		wire.ack_bits[i] = htole64(frame->ack[i].bits);
	}
	memcpy(bytes, &wire, sizeof(wire));
	return len_bytes;
}

static const char *decode_hello(const uint8_t *bytes, size_t len_bytes,
				struct link_frame *frame)
{
	struct hello_wire hello;

	if (len_bytes != sizeof(hello))
		return "a hello of another length";
	memcpy(&hello, bytes, sizeof(hello));
	frame->gid_count = le32toh(hello.gid_count);
	if (frame->gid_count > SOFTEFA_MAX_DEVICES || hello.reserved)
		return "a hello with more GIDs than a host has";
	/* It is shown to people, so nothing but characters. */
	for (size_t i = 0; i < sizeof(hello.name) - 1 && hello.name[i]; i++)
		frame->name[i] = isgraph((unsigned char)hello.name[i]) ?
			hello.name[i] : '?';
	memcpy(frame->gid, hello.gid, frame->gid_count * sizeof(hello.gid[0]));
	return NULL;
}

static const char *decode_body(const struct frame_wire *wire,
			       const uint8_t *bytes, size_t len_bytes,
			       struct link_frame *frame)
{
	switch (frame->type) {
	case LINK_HELLO:
		return decode_hello(bytes, len_bytes, frame);
	case LINK_DATA:
		if (wire->stream > LINK_DATAGRAMS)
			return "an unknown stream";
		if (le32toh(wire->packet_bytes) != len_bytes || !len_bytes)
			return "data of another length than it says";
		frame->packet = bytes;
		frame->packet_bytes = len_bytes;
		return NULL;
	case LINK_ACK:
	case LINK_BYE:
		return len_bytes ? "bytes behind the frame" : NULL;
	default:
		return "an unknown type";
	}
}

int link_frame_decode(const uint8_t *bytes, size_t len_bytes,
		      struct link_frame *frame, const char **reason)
{
	struct frame_wire wire;

	*reason = "no frame of a softefa host";
	if (len_bytes < sizeof(wire) || len_bytes > LINK_FRAME_MAX_BYTES)
		return -EPROTO;
	memcpy(&wire, bytes, sizeof(wire));
	if (le32toh(wire.magic) != MAGIC)
		return -EPROTO;
	if (wire.version != VERSION) {
		*reason = "another version: all hosts have to run the same";
		return -EPROTO;
	}
	memset(frame, 0, sizeof(*frame));
	frame->type = wire.type;
	frame->from.host = le64toh(wire.from_host);
	frame->from.incarnation = le32toh(wire.from_incarnation);
	frame->to.host = le64toh(wire.to_host);
	frame->to.incarnation = le32toh(wire.to_incarnation);
	frame->is_reply = wire.flags & FLAG_IS_REPLY;
	frame->is_up = wire.flags & FLAG_IS_UP;
	frame->stream = wire.stream;
	frame->seq = le32toh(wire.seq);
	for (unsigned i = 0; i < LINK_STREAMS; i++) {
		frame->ack[i].next = le32toh(wire.ack_next[i]);
		frame->ack[i].bits = le64toh(wire.ack_bits[i]);
	}
	*reason = decode_body(&wire, bytes + sizeof(wire),
			      len_bytes - sizeof(wire), frame);
	if (!*reason && !frame->from.host)
		*reason = "a host without an ID";
	return *reason ? -EPROTO : 0;
}
