/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Any datagram on a link: both gates, and what is behind them. Of what the
 * packet gate lets pass, encoding and decoding must give the same again.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/link_frame.h"
#include "engine/packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define REQUIRE(holds) \
	do { if (!(holds)) { \
		fprintf(stderr, "does not hold: %s\n", #holds); \
		abort(); \
	} } while (0)

static void check_packet(const uint8_t *bytes, size_t len_bytes)
{
	uint8_t again[PACKET_HEADER_BYTES];
	struct packet packet;
	struct message message;
	const char *reason;

	if (packet_decode(bytes, len_bytes, &packet, &reason))
		return;
	REQUIRE(packet.len_bytes <= PACKET_MAX_PAYLOAD);
	REQUIRE(!packet.payload ||
		len_bytes == PACKET_HEADER_BYTES + packet.len_bytes);
	REQUIRE(packet.offset + (uint64_t)packet.len_bytes <=
		(packet_is_answer(packet.type) || !packet.remote.length ?
		 UINT64_MAX : packet.remote.length));
	packet_encode_header(&packet, again);
	REQUIRE(!memcmp(again, bytes, sizeof(again)));
	packet_message(&packet, &message);
	REQUIRE(message.length >= packet.len_bytes ||
		packet_is_answer(packet.type));
}

static void check_frame(const uint8_t *bytes, size_t len_bytes)
{
	struct link_stream stream;
	struct link_frame frame;
	const char *reason;

	if (link_frame_decode(bytes, len_bytes, &frame, &reason))
		return;
	REQUIRE(frame.gid_count <= SOFTEFA_MAX_DEVICES);
	REQUIRE(strnlen(frame.name, sizeof(frame.name)) < sizeof(frame.name));
	link_stream_init(&stream);
	link_stream_arrived(&stream, frame.seq);
	REQUIRE(link_stream_acked(&stream, &frame.ack[0], 1) == 0);
	link_stream_fini(&stream);
	if (frame.type == LINK_DATA)
		check_packet(frame.packet, frame.packet_bytes);
}

/* Bytes alone would hardly pass the first check: so also behind a header. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t bytes[LINK_FRAME_MAX_BYTES];
	static uint8_t packet[PACKET_MAX_BYTES];
	struct link_frame frame = {
		.type = LINK_DATA,
		.from = { 1, 1 },
		.packet = packet,
	};
	struct packet header = { 0 };

	check_frame(data, size);
	check_packet(data, size);
	if (size < 12 || size > PACKET_MAX_BYTES - PACKET_HEADER_BYTES)
		return 0;
	header.type = data[0];
	header.has_imm = data[1] & 1;
	header.is_unsolicited = data[1] & 2;
	header.status = data[2] & 31;
	memcpy(&header.remote.length, data + 4, 4);
	header.offset = data[8] * PACKET_SEGMENT_BYTES;
	header.len_bytes = size - 12;
	packet_encode_header(&header, packet);
	memcpy(packet + PACKET_HEADER_BYTES, data + 12, size - 12);
	check_packet(packet, PACKET_HEADER_BYTES + size - 12);
	frame.packet_bytes = PACKET_HEADER_BYTES + size - 12;
	frame.stream = data[3] % 3;
	check_frame(bytes, link_frame_encode(&frame, bytes));
	return 0;
}
