/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Headers written, compared byte by byte, and read back by the gate. */
#include "rdm/wire_encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rdm/wire_type.h"

/* The room a header may need, and what must stay as it was. */
static union {
	uint64_t aligned;
	uint8_t byte[RDM_WIRE_HEADER_MAX + 64];
} packet;

static const struct fabric_address own = {
	.gid = { 0xfe, 0x80, [15] = 1 }, .qpn = 0x201, .qkey = 0x87654321,
};

static void clear(void)
{
	memset(&packet, 0xa5, sizeof(packet));
}

/* The header is @hex, and nothing behind it was touched. */
static void expect(size_t len, const char *hex)
{
	char text[2 * sizeof(packet) + 1];

	assert_true(len <= RDM_WIRE_HEADER_MAX);
	for (size_t i = 0; i < len; i++)
		snprintf(text + 2 * i, 3, "%02x", packet.byte[i]);
	assert_string_equal(text, hex);
	for (size_t i = len; i < sizeof(packet.byte); i++)
		assert_int_equal(packet.byte[i], 0xa5);
	clear();
}

#define RAW_ADDR "24000000" "fe800000000000000000000000000001" \
	"0102" "0000" "21436587" "0000000000000000" "00000000"

static void test_eager(void **state)
{
	struct rdm_wire_message msg = { .msg_id = 7, .send_id = 9 };

	(void)state;
	clear();
	msg.raw_addr = &own;
	expect(rdm_wire_put_eager(&packet, &msg),
	       "40040500" "07000000" RAW_ADDR);
	msg.raw_addr = NULL;
	msg.has_connid = true;
	msg.connid = 0xabcd;
	msg.is_tagged = true;
	msg.tag = 0x1122334455667788;
	expect(rdm_wire_put_eager(&packet, &msg),
	       "41040c80" "07000000" "8877665544332211" "cdab0000");
	msg.is_delivery_complete = true;
	msg.has_cq_data = true;
	msg.cq_data = 0xcafe;
	expect(rdm_wire_put_eager(&packet, &msg),
	       "86040e80" "07000000" "09000000" "00000000"
	       "8877665544332211" "feca000000000000" "cdab0000");
}

static void test_medium_and_longcts(void **state)
{
	struct rdm_wire_message msg = {
		.msg_id = 1, .msg_length = 20000, .send_id = 3,
		.has_connid = true, .connid = 5,
	};

	(void)state;
	clear();
	expect(rdm_wire_put_medium(&packet, &msg, 8192),
	       "42040480" "01000000" "204e000000000000" "0020000000000000"
	       "05000000");
	expect(rdm_wire_put_longcts(&packet, &msg, 32, false),
	       "44040480" "01000000" "204e000000000000" "03000000" "20000000"
	       "05000000");
	expect(rdm_wire_put_longcts(&packet, &msg, 32, true),
	       "440404a0" "01000000" "204e000000000000" "03000000" "20000000"
	       "05000000");
	msg.is_delivery_complete = true;
	msg.is_tagged = true;
	msg.tag = 2;
	expect(rdm_wire_put_medium(&packet, &msg, 8192),
	       "88040c80" "01000000" "03000000" "00000000" "204e000000000000"
	       "0020000000000000" "0200000000000000" "05000000");
	expect(rdm_wire_put_longcts(&packet, &msg, 32, false),
	       "8a040c80" "01000000" "204e000000000000" "03000000" "20000000"
	       "0200000000000000" "05000000");
}

static void test_reads(void **state)
{
	const struct rdm_wire_iov iov[2] = { { 1, 2, 3 }, { 4, 5, 6 } };
	struct rdm_wire_message msg = {
		.msg_id = 1, .msg_length = 7, .send_id = 3,
		.has_connid = true, .connid = 5, .is_tagged = true, .tag = 2,
	};

	(void)state;
	clear();
	expect(rdm_wire_put_longread(&packet, &msg, iov, 1),
	       "81040c80" "01000000" "0700000000000000" "03000000" "01000000"
	       "0200000000000000" "05000000"
	       "0100000000000000" "0200000000000000" "0300000000000000");
	msg.is_tagged = false;
	expect(rdm_wire_put_runtread(&packet, &msg, iov, 2, 16, 64),
	       "91040480" "01000000" "0700000000000000" "03000000" "02000000"
	       "1000000000000000" "4000000000000000" "05000000"
	       "0100000000000000" "0200000000000000" "0300000000000000"
	       "0400000000000000" "0500000000000000" "0600000000000000");
}

/* As libfabric's own provider was seen to send them. */
static void test_rma(void **state)
{
	const struct rdm_wire_iov at = {
		.addr = 0x7f1e22141000, .len = 200000, .key = 1,
	};
	struct rdm_wire_message msg = {
		.has_connid = true, .connid = 0x6c7d6a14, .send_id = 1,
		.msg_length = 200000, .rma_iov = &at, .rma_iov_count = 1,
	};

	(void)state;
	clear();
#define AT	"001014221e7f0000" "400d030000000000" "0100000000000000"
	expect(rdm_wire_put_eager(&packet, &msg),
	       "46040080" "01000000" AT "146a7d6c");
	expect(rdm_wire_put_longcts(&packet, &msg, 32, false),
	       "47040080" "01000000" "400d030000000000" "01000000"
	       "20000000" AT "146a7d6c");
	expect(rdm_wire_put_longread(&packet, &msg, &at, 1),
	       "82040080" "01000000" "400d030000000000" "01000000"
	       "01000000" AT "146a7d6c" AT);
	expect(rdm_wire_put_rtr(&packet, &msg, 1, 200000),
	       "49040080" "01000000" "400d030000000000" "01000000"
	       "400d0300" AT "146a7d6c");
	expect(rdm_wire_put_rtr(&packet, &msg, 2, 0),
	       "48040080" "01000000" "400d030000000000" "02000000"
	       "400d0300" AT "146a7d6c");
	msg.is_delivery_complete = true;
	msg.has_cq_data = true;
	msg.cq_data = 0x99;
	expect(rdm_wire_put_eager(&packet, &msg),
	       "8b040280" "01000000" "01000000" "00000000" AT
	       "9900000000000000" "146a7d6c");
	expect(rdm_wire_put_longcts(&packet, &msg, 32, true),
	       "8c040280" "01000000" "400d030000000000" "01000000"
	       "20000000" AT "9900000000000000" "146a7d6c");
	expect(rdm_wire_put_readrsp(&packet, 0xa06a927, 1, 3, 100),
	       "05040080" "27a9060a" "01000000" "03000000"
	       "6400000000000000");
	expect(rdm_wire_put_read_cts(&packet, 5, 1, 2, 100),
	       "03048080" "05000000" "01000000" "02000000"
	       "6400000000000000");
}

static void test_answers(void **state)
{
	(void)state;
	clear();
	expect(rdm_wire_put_greeting(&packet, &own),
	       "46040100" "00000000" RAW_ADDR);
	expect(rdm_wire_put_cts(&packet, 5, 1, 2, 0x40000),
	       "03040080" "05000000" "01000000" "02000000"
	       "0000040000000000");
	expect(rdm_wire_put_ctsdata(&packet, 5, 1, 0x100000, 8160),
	       "04040080" "01000000" "e01f000000000000" "0000100000000000"
	       "05000000" "00000000");
	expect(rdm_wire_put_eor(&packet, 5, 1, 2),
	       "07040080" "01000000" "02000000" "05000000");
	expect(rdm_wire_put_read_nack(&packet, 5, 1, 2),
	       "0b040080" "01000000" "02000000" "05000000");
	expect(rdm_wire_put_receipt(&packet, 5, 1, 2),
	       "0a040080" "01000000" "02000000" "05000000");
	expect(rdm_wire_put_peer_error(&packet, 5, RDM_WIRE_REF_MSG, 9, 7),
	       "0c040080" "09000000" "01000000" "07000000" "05000000");
}

static void test_handshake(void **state)
{
	struct rdm_wire_hello hello = {
		.features = 0x37b, .connid = 5, .has_p2p = true,
	};

	(void)state;
	clear();
	expect(rdm_wire_put_handshake(&packet, &hello),
	       "09040880" "04000000" "7b03000000000000" "0500000000000000"
	       "0100000000000000");
	hello.host_id = 0x1122334455667788;
	hello.device_version = 0xefa2;
	hello.has_p2p = false;
	expect(rdm_wire_put_handshake(&packet, &hello),
	       "09040b80" "04000000" "7b03000000000000" "0500000000000000"
	       "8877665544332211" "a2ef000000000000" "0000000000000000");
}

/* Every combination of what a message may carry. */
static struct rdm_wire_message message_of(unsigned int choice)
{
	return (struct rdm_wire_message) {
		.raw_addr = choice & 1 ? &own : NULL,
		.has_connid = choice & 2, .connid = 0x1234,
		.has_cq_data = choice & 4, .cq_data = 0x5678,
		.is_tagged = choice & 8, .tag = 0x9abc,
		.is_delivery_complete = choice & 16,
		.msg_id = 0xdef0, .send_id = 0x1111, .msg_length = 1000,
	};
}

static void expect_message(const struct rdm_wire_message *msg, size_t len,
			   enum rdm_wire_type type, unsigned int iov_count,
			   enum rdm_wire_kind kind)
{
	const size_t payload = 100;
	struct rdm_wire_view view;

	assert_true(len == rdm_wire_header_len(type, msg, iov_count));
	assert_int_equal(rdm_wire_decode(&packet, len + payload, &view),
			 RDM_WIRE_OK);
	assert_int_equal(view.type, type);
	assert_int_equal(view.kind, kind);
	assert_ptr_equal(view.payload, packet.byte + len);
	assert_int_equal(view.payload_len, payload);
	assert_int_equal(view.msg_id, 0xdef0);
	assert_int_equal(view.is_tagged, msg->is_tagged);
	assert_int_equal(view.tag, msg->is_tagged ? 0x9abc : 0);
	assert_int_equal(view.has_cq_data, msg->has_cq_data);
	assert_int_equal(view.cq_data, msg->has_cq_data ? 0x5678 : 0);
	assert_int_equal(view.has_connid, msg->has_connid);
	assert_int_equal(view.connid, msg->has_connid ? 0x1234 : 0);
	assert_int_equal(!view.raw_addr, !msg->raw_addr);
	if (view.raw_addr)
		assert_memory_equal(view.raw_addr, &own, sizeof(own));
}

static void expect_length(const struct rdm_wire_message *msg, size_t len)
{
	struct rdm_wire_view view;

	assert_int_equal(rdm_wire_decode(&packet, len + 100, &view),
			 RDM_WIRE_OK);
	assert_int_equal(view.msg_length, 1000);
	assert_int_equal(view.is_delivery_complete,
			 msg->is_delivery_complete);
}

static void test_all_messages_come_back(void **state)
{
	const struct rdm_wire_iov iov[2] = { { 1, 600, 3 }, { 4, 400, 6 } };

	(void)state;
	for (unsigned int choice = 0; choice < 32; choice++) {
		struct rdm_wire_message msg = message_of(choice);
		size_t len;

		len = rdm_wire_put_eager(&packet, &msg);
		expect_message(&msg, len, rdm_wire_eager_type(&msg), 0,
			       RDM_KIND_EAGER);
		len = rdm_wire_put_medium(&packet, &msg, 900);
		expect_message(&msg, len, rdm_wire_medium_type(&msg), 0,
			       RDM_KIND_MEDIUM);
		expect_length(&msg, len);
		len = rdm_wire_put_longcts(&packet, &msg, 1, false);
		expect_message(&msg, len, rdm_wire_longcts_type(&msg), 0,
			       RDM_KIND_LONGCTS);
		expect_length(&msg, len);
		msg.is_delivery_complete = false;
		len = rdm_wire_put_longread(&packet, &msg, iov, 2);
		expect_message(&msg, len, rdm_wire_longread_type(&msg), 2,
			       RDM_KIND_LONGREAD);
		expect_length(&msg, len);
		len = rdm_wire_put_runtread(&packet, &msg, iov, 2, 400, 512);
		expect_message(&msg, len, rdm_wire_runtread_type(&msg), 2,
			       RDM_KIND_RUNTREAD);
		expect_length(&msg, len);
	}
}

static void test_max_payload(void **state)
{
	(void)state;
	assert_int_equal(rdm_wire_max_payload(8192, 32), 8160);
	assert_int_equal(rdm_wire_max_payload(32, 32), 0);
	assert_int_equal(rdm_wire_max_payload(16, 32), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_eager),
		cmocka_unit_test(test_medium_and_longcts),
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_rma),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_handshake),
		cmocka_unit_test(test_all_messages_come_back),
		cmocka_unit_test(test_max_payload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
