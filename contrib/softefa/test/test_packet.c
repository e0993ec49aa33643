/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/packet.h"

/* Offsets of the header, counted by hand. */
#define AT_TYPE		0
#define AT_FLAGS	1
#define AT_STATUS	2
#define AT_RESERVED	3
#define AT_SRC_GID	4
#define AT_DST_QPN	40
#define AT_OP_ID	44
#define AT_IMM		52
#define AT_REMOTE_LENGTH	56
#define AT_OFFSET	64
#define AT_LENGTH	68

static struct packet sample(enum packet_type type)
{
	struct packet packet = {
		.type = type,
		.src_qpn = 7,
		.dst_qpn = 0xffff,
		.op_id = type == PACKET_DATAGRAM ? 0 : 0x1234567,
	};

	memset(packet.src_gid, 0xa1, sizeof(packet.src_gid));
	memset(packet.dst_gid, 0xb2, sizeof(packet.dst_gid));
	if (packet_is_answer(type)) {
		packet.target_serial = 99;
		if (type == PACKET_STATUS)
			packet.status = 10;
		else
			packet.len_bytes = 17;
		return packet;
	}
	packet.qkey = 0x80000001;
	packet.has_imm = true;
	packet.imm = 0xcafe;
	packet.len_bytes = 17;
	if (type == PACKET_SEND || type == PACKET_DATAGRAM)
		return packet;
	packet.remote = (struct send_sge) {
		.addr = 0x7000000000ull,
		.length = PACKET_SEGMENT_BYTES + 17,
		.key = 0xabcd,
	};
	packet.target_serial = 5;
	packet.offset = type == PACKET_WRITE_END ? 0 : PACKET_SEGMENT_BYTES;
	packet.len_bytes = type == PACKET_WRITE_END ? 0 : 17;
	return packet;
}

static size_t payload_of(const struct packet *packet)
{
	return packet->type == PACKET_READ || packet->type == PACKET_STATUS ?
		0 : packet->len_bytes;
}

static int decode(const uint8_t *bytes, size_t len, struct packet *packet)
{
	const char *reason = NULL;
	int ret = packet_decode(bytes, len, packet, &reason);

	assert_int_equal(ret != 0, reason != NULL);
	return ret;
}

static const enum packet_type types[] = {
	PACKET_SEND, PACKET_WRITE, PACKET_WRITE_END, PACKET_READ,
	PACKET_DATAGRAM, PACKET_STATUS, PACKET_READ_DATA,
};

static void test_there_and_back(void **state)
{
	uint8_t bytes[PACKET_HEADER_BYTES + 64];
	struct packet packet, back;

	(void)state;
	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		packet = sample(types[i]);
		packet_encode_header(&packet, bytes);
		memset(bytes + PACKET_HEADER_BYTES, 0x5a, 64);
		assert_int_equal(decode(bytes, PACKET_HEADER_BYTES +
					payload_of(&packet), &back), 0);
		if (payload_of(&packet))
			assert_ptr_equal(back.payload,
					 bytes + PACKET_HEADER_BYTES);
		back.payload = NULL;
		assert_memory_equal(&packet, &back, sizeof(packet));
		assert_int_equal(decode(bytes, PACKET_HEADER_BYTES +
					payload_of(&packet) + 1, &back),
				 -EPROTO);
		assert_int_equal(decode(bytes, PACKET_HEADER_BYTES - 1,
					&back), -EPROTO);
	}
}

/* A good packet of @type with byte @at changed to @value must be refused. */
static void refuse(enum packet_type type, unsigned at, uint8_t value)
{
	uint8_t bytes[PACKET_HEADER_BYTES + 64] = { 0 };
	struct packet packet = sample(type), back;

	packet_encode_header(&packet, bytes);
	bytes[at] = value;
	assert_int_equal(decode(bytes, PACKET_HEADER_BYTES +
				payload_of(&packet), &back), -EPROTO);
}

static void test_refused(void **state)
{
	(void)state;
	refuse(PACKET_SEND, AT_TYPE, 0);
	refuse(PACKET_SEND, AT_TYPE, 6);
	refuse(PACKET_STATUS, AT_TYPE, 18);
	refuse(PACKET_SEND, AT_FLAGS, 4);
	refuse(PACKET_SEND, AT_FLAGS, 0);	/* but an immediate */
	refuse(PACKET_SEND, AT_FLAGS, 3);	/* unsolicited is of writes */
	refuse(PACKET_SEND, AT_STATUS, 1);
	refuse(PACKET_STATUS, AT_STATUS, 19);
	refuse(PACKET_READ_DATA, AT_STATUS, 1);
	refuse(PACKET_SEND, AT_RESERVED, 1);
	refuse(PACKET_SEND, AT_DST_QPN + 2, 1);
	refuse(PACKET_DATAGRAM, AT_OP_ID, 1);
	refuse(PACKET_STATUS, AT_IMM, 1);
	refuse(PACKET_SEND, AT_REMOTE_LENGTH, 1);
	refuse(PACKET_SEND, AT_OFFSET + 1, 0x20);
	refuse(PACKET_SEND, AT_LENGTH, 16);
	refuse(PACKET_WRITE, AT_OFFSET, 1);
	refuse(PACKET_WRITE, AT_OFFSET + 3, 0x10);
	refuse(PACKET_READ, AT_LENGTH, 18);
	refuse(PACKET_READ, AT_LENGTH + 1, 0x30);
	refuse(PACKET_WRITE_END, AT_LENGTH, 1);
	refuse(PACKET_WRITE_END, AT_OFFSET + 1, 0x20);
	refuse(PACKET_READ_DATA, AT_OFFSET, 1);
}

static void test_empty_segment(void **state)
{
	struct packet packet = sample(PACKET_WRITE), back;
	uint8_t bytes[PACKET_HEADER_BYTES];

	(void)state;
	packet.remote.length = 0;
	packet.offset = 0;
	packet.len_bytes = 0;
	packet_encode_header(&packet, bytes);
	assert_int_equal(decode(bytes, sizeof(bytes), &back), 0);
	/* Not at the end of one that has bytes. */
	packet.remote.length = PACKET_SEGMENT_BYTES;
	packet.offset = PACKET_SEGMENT_BYTES;
	packet_encode_header(&packet, bytes);
	assert_int_equal(decode(bytes, sizeof(bytes), &back), -EPROTO);
}

static void test_message(void **state)
{
	struct packet packet = sample(PACKET_WRITE);
	struct message message;

	(void)state;
	packet_message(&packet, &message);
	assert_int_equal(message.op, EFA_IO_RDMA_WRITE);
	assert_int_equal(message.length, PACKET_SEGMENT_BYTES + 17);
	assert_int_equal(message.qp_type, ENGINE_QP_SRD);
	packet = sample(PACKET_DATAGRAM);
	packet_message(&packet, &message);
	assert_int_equal(message.op, EFA_IO_SEND);
	assert_int_equal(message.length, 17);
	assert_int_equal(message.qp_type, ENGINE_QP_UD);
	assert_ptr_equal(message.src_gid, packet.src_gid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_empty_segment),
		cmocka_unit_test(test_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
