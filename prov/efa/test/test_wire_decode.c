/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What packets say, and each lie that they can tell. */
#include "rdm/wire_type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct rdm_wire_view view;
static uint8_t *packet;
static size_t packet_len;

static void free_packet(void)
{
	free(packet);
	packet = NULL;
}

/* An array of the exact size, so that a sanitizer sees a read beyond. */
static void set_packet(const char *hex)
{
	free_packet();
	packet_len = strlen(hex) / 2;
	packet = malloc(packet_len ? packet_len : 1);
	assert_non_null(packet);
	for (size_t i = 0; i < packet_len; i++) {
		unsigned int byte;

		assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
		packet[i] = (uint8_t)byte;
	}
}

static enum rdm_wire_fault decode_bytes(void)
{
	memset(&view, 0xa5, sizeof(view));
	return rdm_wire_decode(packet, packet_len, &view);
}

static enum rdm_wire_fault decode(const char *hex)
{
	set_packet(hex);
	return decode_bytes();
}

static void expect_fault(const char *hex, enum rdm_wire_fault expected)
{
	assert_string_equal(rdm_wire_fault_text(decode(hex)),
			    rdm_wire_fault_text(expected));
}

/* It is a packet with @header_len bytes of header, and none shorter is. */
static void expect_good(const char *hex, size_t header_len)
{
	assert_string_equal(rdm_wire_fault_text(decode(hex)),
			    rdm_wire_fault_text(RDM_WIRE_OK));
	assert_int_equal(view.payload - packet, header_len);
	assert_int_equal(view.payload_len, packet_len - header_len);
	while (header_len--) {
		uint8_t *cut = malloc(header_len ? header_len : 1);

		assert_non_null(cut);
		memcpy(cut, packet, header_len);
		assert_int_equal(rdm_wire_decode(cut, header_len, &view),
				 RDM_WIRE_SHORT);
		free(cut);
	}
	decode_bytes();
}

#define RAW_ADDR "24000000" "fe800000000000000000000000000001" \
	"0102" "0000" "21436587" "0000000000000000" "00000000"
#define Q0 "0000000000000000"
#define Q1 "0100000000000000"
#define Q2 "0200000000000000"
#define Q3 "0300000000000000"
#define Q4 "0400000000000000"
#define W0 "00000000"
#define W1 "01000000"
#define W2 "02000000"
#define W3 "03000000"
#define WRAP "ffffffffffffffff"

static void test_eager(void **state)
{
	(void)state;
	expect_good("40040500" "07000000" RAW_ADDR "aabb", 48);
	assert_int_equal(view.kind, RDM_KIND_EAGER);
	assert_int_equal(view.msg_id, 7);
	assert_int_equal(view.msg_length, 2);
	assert_int_equal(view.seg_offset, 0);
	assert_false(view.is_tagged || view.has_connid || view.has_cq_data ||
		     view.is_delivery_complete);
	assert_int_equal(view.raw_addr[17], 2);
	expect_good("86040e80" "07000000" "09000000" W0 "8877665544332211"
		    "feca000000000000" "cdab0000", 36);
	assert_true(view.is_tagged && view.has_connid && view.has_cq_data &&
		    view.is_delivery_complete);
	assert_true(view.tag == 0x1122334455667788);
	assert_int_equal(view.cq_data, 0xcafe);
	assert_int_equal(view.connid, 0xabcd);
	assert_int_equal(view.send_id, 9);
	assert_null(view.raw_addr);
	assert_int_equal(view.payload_len, 0);
	/* Both: the document has them together, libfabric's never. */
	expect_good("41040d80" W1 Q1 RAW_ADDR W3 "00", 60);
	assert_non_null(view.raw_addr);
	assert_int_equal(view.connid, 3);
}

static void test_raw_address_lengths(void **state)
{
	(void)state;
	expect_good("40040100" W1 "20000000" Q0 Q0 Q0 Q0 "cc", 44);
	assert_int_equal(view.payload_len, 1);
	expect_fault("40040100" W1 "1f000000" Q0 Q0 Q0 Q0,
		     RDM_WIRE_BAD_ADDRESS);
	expect_fault("40040100" W1 "21000000" Q0 Q0 Q0 Q0, RDM_WIRE_SHORT);
	expect_fault("40040100" W1 "f0ffffff" Q0 Q0 Q0 Q0, RDM_WIRE_SHORT);
}

static void test_base(void **state)
{
	(void)state;
	expect_fault("", RDM_WIRE_SHORT);
	expect_fault("400404", RDM_WIRE_SHORT);
	expect_fault("40030000" W1, RDM_WIRE_BAD_VERSION);
	expect_fault("40050000" W1, RDM_WIRE_BAD_VERSION);
	expect_fault("00040000" Q0, RDM_WIRE_BAD_TYPE);
	expect_fault("06040000" Q0, RDM_WIRE_BAD_TYPE);
	expect_fault("0d040000" Q0, RDM_WIRE_BAD_TYPE);
	expect_fault("4d040000" Q0, RDM_WIRE_BAD_TYPE);
	expect_fault("84040000" Q0, RDM_WIRE_BAD_TYPE);
	expect_fault("94040000" Q0, RDM_WIRE_BAD_TYPE);
	expect_fault("ff040000" Q0, RDM_WIRE_BAD_TYPE);
	assert_int_equal(view.type, 0xff);
	expect_fault("01040000" Q0, RDM_WIRE_RETIRED_TYPE);
	expect_fault("02040000" Q0, RDM_WIRE_RETIRED_TYPE);
	expect_fault("83040000" Q0, RDM_WIRE_RETIRED_TYPE);
	expect_fault("8e040000" Q0, RDM_WIRE_RETIRED_TYPE);
	expect_fault("93040000" Q0, RDM_WIRE_RETIRED_TYPE);
	expect_fault("40040020" W1, RDM_WIRE_BAD_FLAGS);
	expect_fault("46040020" W0, RDM_WIRE_BAD_FLAGS);
}

static void test_medium(void **state)
{
	(void)state;
	expect_good("42040480" W1 Q4 Q2 W3 "aabb", 28);
	assert_int_equal(view.kind, RDM_KIND_MEDIUM);
	assert_int_equal(view.msg_length, 4);
	assert_int_equal(view.seg_offset, 2);
	expect_good("88040c00" W1 W2 W0 Q4 Q2 Q3 "aabb", 40);
	assert_int_equal(view.send_id, 2);
	assert_int_equal(view.tag, 3);
	expect_fault("42040400" W1 Q4 Q2 "aabbcc", RDM_WIRE_OUT_OF_MESSAGE);
	expect_fault("42040400" W1 Q4 Q4 "aa", RDM_WIRE_OUT_OF_MESSAGE);
	expect_fault("42040400" W1 Q4 WRAP "aa", RDM_WIRE_OUT_OF_MESSAGE);
	expect_fault("42040400" W1 Q4 Q2, RDM_WIRE_BAD_LENGTH);
	expect_fault("42040400" W1 Q0 Q0, RDM_WIRE_BAD_LENGTH);
	expect_fault("42040400" W1 Q0 Q0 "aa", RDM_WIRE_BAD_LENGTH);
}

static void test_longcts(void **state)
{
	(void)state;
	expect_good("45040c80" W1 Q4 W2 "20000000" Q3 W3 "aa", 36);
	assert_int_equal(view.kind, RDM_KIND_LONGCTS);
	assert_int_equal(view.send_id, 2);
	assert_int_equal(view.credit_request, 32);
	assert_int_equal(view.msg_length, 4);
	expect_good("440404a0" W1 Q4 W2 W1 W3, 28);
	assert_true(view.flags & RDM_WIRE_AFTER_NACK);
	assert_int_equal(view.payload_len, 0);
	expect_good("89040400" W1 Q1 W2 W1 "aa", 24);
	assert_true(view.is_delivery_complete);
	expect_fault("44040400" W1 Q1 W2 W1 "aabb", RDM_WIRE_OUT_OF_MESSAGE);
	expect_fault("44040400" W1 Q0 W2 W1, RDM_WIRE_BAD_LENGTH);
}

static void test_reads(void **state)
{
	(void)state;
	expect_good("81040c80" W1 Q4 W2 W2 Q3 W3 Q1 Q1 Q1 Q2 Q3 Q4, 84);
	assert_int_equal(view.kind, RDM_KIND_LONGREAD);
	assert_int_equal(view.read_iov_count, 2);
	assert_int_equal(view.read_iov[1].addr, 2);
	assert_int_equal(view.read_iov[1].len, 3);
	assert_int_equal(view.read_iov[1].key, 4);
	expect_fault("80040400" W1 Q4 W2 W1 Q1 Q3 Q1, RDM_WIRE_BAD_IOV);
	expect_fault("80040400" W1 Q4 W2 W0, RDM_WIRE_BAD_IOV);
	expect_fault("80040400" W1 Q0 W2 W0, RDM_WIRE_BAD_LENGTH);
	expect_fault("80040400" W1 Q4 W2 W3 Q1 Q3 Q1 Q1 Q3 Q1 Q1 Q3 Q1,
		     RDM_WIRE_BAD_COUNT);
	/* 256 and 2^32-1 are no 0 and no 255. */
	expect_fault("80040400" W1 Q4 W2 "00010000" Q1 Q4 Q1,
		     RDM_WIRE_BAD_COUNT);
	expect_fault("80040400" W1 Q4 W2 "ffffffff" Q1 Q4 Q1,
		     RDM_WIRE_BAD_COUNT);
	/* Areas that wrap: the address, the sum. */
	expect_fault("80040400" W1 Q4 W2 W1 WRAP Q4 Q1, RDM_WIRE_BAD_IOV);
	expect_fault("80040400" W1 Q4 W2 W2 Q0 WRAP Q1 Q0
		     "0500000000000000" Q1, RDM_WIRE_BAD_IOV);
	expect_good("91040400" W1 Q4 W2 W1 Q1 Q3 Q1 Q4 Q1 "aabb", 64);
	assert_int_equal(view.kind, RDM_KIND_RUNTREAD);
	assert_int_equal(view.runt_length, 3);
	assert_int_equal(view.seg_offset, 1);
	expect_fault("91040400" W1 Q4 W2 W1 Q2 Q3 Q1 Q4 Q1 "aabb",
		     RDM_WIRE_OUT_OF_MESSAGE);
	expect_fault("91040400" W1 Q2 W2 W1 Q0 Q3 Q1 Q2 Q1 "aabb",
		     RDM_WIRE_BAD_LENGTH);
	expect_fault("91040400" W1 Q4 W2 W1 Q0 Q3 Q1 Q3 Q1 "aabb",
		     RDM_WIRE_BAD_IOV);
	expect_fault("91040400" W1 Q4 W2 W1 Q0 Q3 Q1 Q4 Q1,
		     RDM_WIRE_BAD_LENGTH);
	expect_fault("91040400" W1 Q4 W2 W1 Q0 Q0 Q1 Q4 Q1,
		     RDM_WIRE_BAD_LENGTH);
}

static void test_emulated_writes(void **state)
{
	(void)state;
	expect_good("46040100" W0 RAW_ADDR, 48);
	assert_int_equal(view.kind, RDM_KIND_EAGER_RTW);
	assert_int_equal(view.rma_iov_count, 0);
	expect_good("46040000" W1 Q1 Q2 Q3 "aabb", 32);
	assert_int_equal(view.rma_iov[0].key, 3);
	assert_int_equal(view.msg_length, 2);
	expect_fault("46040000" W1 Q1 Q2 Q3 "aa", RDM_WIRE_BAD_IOV);
	expect_fault("46040000" W0 "aa", RDM_WIRE_BAD_IOV);
	expect_fault("46040000" W3 Q1 Q0 Q3 Q1 Q0 Q3 Q1 Q0 Q3,
		     RDM_WIRE_BAD_COUNT);
	expect_good("8b040000" W1 W2 W0 Q1 Q2 Q3 "aabb", 40);
	assert_int_equal(view.send_id, 2);
	assert_true(view.is_delivery_complete);
	expect_good("47040080" W1 Q4 W2 W1 Q1 Q4 Q3 W3 "aabb", 52);
	assert_int_equal(view.kind, RDM_KIND_LONGCTS_RTW);
	expect_good("8c0400a0" W1 Q4 W2 W1 Q1 Q4 Q3 W3, 52);
	expect_fault("47040000" W1 Q4 W2 W1 Q1 Q3 Q3, RDM_WIRE_BAD_IOV);
	expect_fault("47040000" W1 Q1 W2 W1 Q1 Q1 Q3 "aabb",
		     RDM_WIRE_OUT_OF_MESSAGE);
	expect_good("82040080" W1 Q4 W2 W1 Q1 Q4 Q3 W3 Q2 Q4 Q1, 76);
	assert_int_equal(view.kind, RDM_KIND_LONGREAD_RTW);
	assert_int_equal(view.read_iov[0].addr, 2);
	expect_fault("82040000" W1 Q4 W2 W1 Q1 Q3 Q3 Q2 Q4 Q1,
		     RDM_WIRE_BAD_IOV);
	expect_fault("82040000" W1 Q4 W2 W1 Q1 Q4 Q3 Q2 Q3 Q1,
		     RDM_WIRE_BAD_IOV);
}

static void test_emulated_reads(void **state)
{
	(void)state;
	expect_good("48040080" W1 Q4 W2 "04000000" Q1 Q4 Q3 W3, 52);
	assert_int_equal(view.kind, RDM_KIND_SHORT_RTR);
	assert_int_equal(view.recv_id, 2);
	assert_int_equal(view.msg_length, 4);
	expect_fault("48040000" W1 Q4 W2 W0 Q1 Q3 Q3, RDM_WIRE_BAD_IOV);
	expect_good("49040000" W1 Q4 W2 W3 Q1 Q4 Q3, 48);
	assert_int_equal(view.kind, RDM_KIND_LONGCTS_RTR);
	assert_int_equal(view.window, 3);
	expect_fault("49040000" W1 Q4 W2 W0 Q1 Q4 Q3, RDM_WIRE_BAD_LENGTH);
	expect_fault("49040000" W1 Q2 W2 W3 Q1 Q2 Q3, RDM_WIRE_BAD_LENGTH);
	expect_good("05040080" W1 W2 W3 Q2 "aabb", 24);
	assert_int_equal(view.kind, RDM_KIND_READRSP);
	assert_int_equal(view.recv_id, 2);
	assert_int_equal(view.send_id, 3);
	expect_fault("05040080" W1 W2 W3 Q2 "aa", RDM_WIRE_BAD_LENGTH);
}

static void test_atomics(void **state)
{
	(void)state;
	expect_good("4a042080" W1 W1 W2 W3 W2 Q1 Q2 Q3 W3 "aabb", 52);
	assert_int_equal(view.kind, RDM_KIND_WRITE_RTA);
	assert_int_equal(view.msg_id, 1);
	assert_int_equal(view.atomic.datatype, 2);
	assert_int_equal(view.atomic.op, 3);
	assert_int_equal(view.send_id, 0);
	assert_int_equal(view.recv_id, 0);
	expect_good("4b042000" W1 W1 W2 W3 W2 Q1 Q2 Q3 "aabb", 48);
	assert_int_equal(view.recv_id, 2);
	expect_good("4c042000" W1 W1 W2 W3 W2 Q1 Q1 Q3 "aabb", 48);
	assert_int_equal(view.kind, RDM_KIND_COMPARE_RTA);
	expect_good("8d042000" W1 W1 W2 W3 W2 Q1 Q2 Q3 "aabb", 48);
	assert_int_equal(view.send_id, 2);
	expect_fault("4a042000" W1 W1 W2 W3 W2 Q1 Q2 Q3 "aa",
		     RDM_WIRE_BAD_LENGTH);
	expect_fault("4c042000" W1 W1 W2 W3 W2 Q1 Q2 Q3 "aabb",
		     RDM_WIRE_BAD_LENGTH);
	expect_fault("4c042000" W1 W1 W2 W3 W2 Q0 "0100000000000080" Q3
		     "aabb", RDM_WIRE_BAD_LENGTH);
	expect_fault("4a042000" W1 W0 W2 W3 W2, RDM_WIRE_BAD_LENGTH);
	expect_fault("4a042000" W1 W1 W2 W3 W2 WRAP Q2 Q3 "aabb",
		     RDM_WIRE_BAD_IOV);
	expect_good("08040080" W1 W0 W2 Q2 "aabb", 24);
	assert_int_equal(view.kind, RDM_KIND_ATOMRSP);
	assert_int_equal(view.recv_id, 2);
	expect_fault("08040080" W1 W0 W2 Q3 "aabb", RDM_WIRE_BAD_LENGTH);
}

static void test_answers(void **state)
{
	(void)state;
	expect_good("03040080" W3 W1 W2 Q4, 24);
	assert_int_equal(view.kind, RDM_KIND_CTS);
	assert_int_equal(view.connid, 3);
	assert_int_equal(view.send_id, 1);
	assert_int_equal(view.recv_id, 2);
	assert_int_equal(view.window, 4);
	expect_fault("03040080" W3 W1 W2 Q0, RDM_WIRE_BAD_LENGTH);
	expect_good("04040080" W1 Q2 Q3 W3 W0 "aabb", 32);
	assert_int_equal(view.recv_id, 1);
	assert_int_equal(view.seg_offset, 3);
	assert_int_equal(view.connid, 3);
	expect_good("04040000" W1 Q2 Q3 "aabb", 24);
	assert_false(view.has_connid);
	expect_fault("04040000" W1 Q2 Q3 "aa", RDM_WIRE_BAD_LENGTH);
	expect_fault("04040000" W1 Q0 Q3, RDM_WIRE_BAD_LENGTH);
	expect_fault("04040000" W1 Q2 WRAP "aabb", RDM_WIRE_OUT_OF_MESSAGE);
	expect_good("07040080" W1 W2 W3, 16);
	assert_int_equal(view.kind, RDM_KIND_EOR);
	assert_int_equal(view.send_id, 1);
	assert_int_equal(view.recv_id, 2);
	assert_int_equal(view.connid, 3);
	expect_good("0b040080" W1 W2 W3, 16);
	assert_int_equal(view.kind, RDM_KIND_READ_NACK);
	expect_good("0a040080" W1 W2 W3, 16);
	assert_int_equal(view.kind, RDM_KIND_RECEIPT);
	assert_int_equal(view.send_id, 1);
	assert_int_equal(view.msg_id, 2);
	expect_good("0c040080" W1 W2 W3 W2, 20);
	assert_int_equal(view.error.op_id, 1);
	assert_int_equal(view.error.ref_kind, 2);
	assert_int_equal(view.error.prov_errno, 3);
	assert_int_equal(view.connid, 2);
	expect_fault("0c040080" W1 W3 W3 W2, RDM_WIRE_BAD_REF);
}

static void test_handshake(void **state)
{
	const struct rdm_handshake_view *hello = &view.handshake;

	(void)state;
	expect_good("09040f80" "04000000" "7b03000000000000" W3 W0
		    "8877665544332211" "a2ef0000" W0 W1 W2 Q0, 56);
	assert_int_equal(hello->extra_info[0], 0x37b);
	assert_int_equal(hello->extra_info[1], 0);
	assert_int_equal(view.connid, 3);
	assert_true(hello->host_id == 0x1122334455667788);
	assert_int_equal(hello->device_version, 0xefa2);
	assert_true(hello->has_user_qp);
	assert_int_equal(hello->user_qpn, 1);
	assert_int_equal(hello->user_qkey, 2);
	assert_false(hello->has_p2p);
	/* None of the optional parts, and no word. */
	expect_good("09040000" "03000000", 8);
	assert_int_equal(hello->extra_info[0], 0);
	assert_true(hello->has_p2p);
	assert_false(view.has_connid);
	/* More words than are known. */
	expect_good("09040080" "08000000" Q1 Q2 Q3 Q4 WRAP W3 W0, 56);
	assert_int_equal(hello->extra_info[3], 4);
	assert_int_equal(view.connid, 3);
	expect_fault("09040000" "02000000" Q1, RDM_WIRE_BAD_COUNT);
	expect_fault("09040000" "00000000" Q1, RDM_WIRE_BAD_COUNT);
	expect_fault("09040000" "05000000" Q1, RDM_WIRE_SHORT);
	expect_fault("09040000" "ffffffff" Q1, RDM_WIRE_SHORT);
	expect_fault("09040000" "03000020" Q1, RDM_WIRE_SHORT);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(rdm_wire_type_name(65), "EAGER_TAGRTM");
	assert_string_equal(rdm_wire_type_name(136), "DC_MEDIUM_TAGRTM");
	assert_string_equal(rdm_wire_type_name(1), "RTS");
	assert_string_equal(rdm_wire_type_name(6), "unknown");
	assert_string_equal(rdm_wire_type_name(255), "unknown");
	assert_int_equal(rdm_wire_kind_of(69), RDM_KIND_LONGCTS);
	assert_int_equal(rdm_wire_kind_of(1), RDM_KIND_NONE);
	assert_int_equal(rdm_wire_kind_of(200), RDM_KIND_NONE);
}

static void test_what_has_a_msg_id(void **state)
{
	static const uint8_t ordered[] = {
		RDM_WIRE_EAGER_MSGRTM, RDM_WIRE_DC_MEDIUM_TAGRTM,
		RDM_WIRE_LONGCTS_TAGRTM, RDM_WIRE_LONGREAD_MSGRTM,
		RDM_WIRE_RUNTREAD_TAGRTM, RDM_WIRE_WRITE_RTA,
		RDM_WIRE_FETCH_RTA, RDM_WIRE_DC_WRITE_RTA,
	};
	static const uint8_t unordered[] = {
		RDM_WIRE_EAGER_RTW, RDM_WIRE_LONGREAD_RTW, RDM_WIRE_SHORT_RTR,
		RDM_WIRE_LONGCTS_RTR, RDM_WIRE_CTS, RDM_WIRE_RECEIPT,
		RDM_WIRE_HANDSHAKE, RDM_WIRE_RTS,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ordered); i++)
		assert_true(rdm_wire_has_msg_id(rdm_wire_kind_of(ordered[i])));
	for (size_t i = 0; i < sizeof(unordered); i++)
		assert_false(rdm_wire_has_msg_id(
			rdm_wire_kind_of(unordered[i])));
}

static int teardown(void **state)
{
	(void)state;
	free_packet();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_eager),
		cmocka_unit_test(test_raw_address_lengths),
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_medium),
		cmocka_unit_test(test_longcts),
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_emulated_writes),
		cmocka_unit_test(test_emulated_reads),
		cmocka_unit_test(test_atomics),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_handshake),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_what_has_a_msg_id),
	};

	return cmocka_run_group_tests(tests, NULL, teardown);
}
