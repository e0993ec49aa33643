/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Packets of the RDM protocol built byte by byte, and what they say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/rdm_text.h"

static uint8_t bytes[512];
static uint32_t used;

static void put(uint64_t value, unsigned count)
{
	while (count--) {
		bytes[used++] = (uint8_t)value;
		value >>= 8;
	}
}

static void p32(uint32_t value)
{
	put(value, 4);
}

static void p64(uint64_t value)
{
	put(value, 8);
}

static void begin(uint8_t type, uint16_t flags)
{
	used = 0;
	put(type, 1);
	put(4, 1);
	put(flags, 2);
}

/* An array of the exact size, so that a sanitizer sees a read beyond. */
static const char *text_of(uint32_t captured, uint32_t length)
{
	static struct text_line line;
	struct rdm_packet packet;
	uint8_t *copy = malloc(captured ? captured : 1);

	assert_non_null(copy);
	memcpy(copy, bytes, captured);
	rdm_packet_decode(copy, captured, length, &packet);
	text_line_clear(&line);
	rdm_text_add(&line, &packet);
	free(copy);
	return line.text;
}

static void expect(const char *text)
{
	assert_string_equal(text_of(used, used), text);
}

#define REQ_MSG		0x0004u
#define REQ_TAGGED	0x000cu
#define CONNID		0x8000u

static void test_eager(void **state)
{
	(void)state;
	begin(64, REQ_MSG | CONNID);
	p32(7);
	p32(0xabcd);
	put(0, 5);
	expect(" rdm=EAGER_MSGRTM flags=MSG|CONNID msg_id=7 connid=0xabcd "
	       "data=5");
	begin(65, REQ_TAGGED);
	p32(0xffffffff);
	p64(0x1122334455667788);
	expect(" rdm=EAGER_TAGRTM flags=MSG|TAGGED msg_id=4294967295 "
	       "tag=0x1122334455667788");
	begin(134, REQ_TAGGED | 2);
	p32(1);
	p32(2);
	p32(0xdead);
	p64(3);
	p64(0xcafe);
	put(0, 1);
	expect(" rdm=DC_EAGER_TAGRTM flags=CQ_DATA|MSG|TAGGED msg_id=1 "
	       "send_id=2 tag=0x3 cq_data=0xcafe data=1");
}

/* What precedes the answer to a first message: the sender's address. */
static void test_raw_address(void **state)
{
	(void)state;
	begin(64, REQ_MSG | 1);
	p32(0);
	p32(36);
	p64(0x00000000000080fe);
	p64(0x0100000000000000);
	put(513, 2);
	put(0, 2);
	p32(0x87654321);
	p64(0);
	p32(0);
	put(0, 10);
	expect(" rdm=EAGER_MSGRTM flags=RAW_ADDR|MSG msg_id=0 "
	       "raw_addr_len=36 raw_qpn=513 raw_qkey=0x87654321 "
	       "raw_gid=fe80::1 data=10");
	/* Too short to hold one: only its length is told. */
	begin(64, REQ_MSG | 1);
	p32(0);
	p32(8);
	p64(1);
	expect(" rdm=EAGER_MSGRTM flags=RAW_ADDR|MSG msg_id=0 "
	       "raw_addr_len=8");
	begin(64, REQ_MSG | 1);
	p32(0);
	p32(0xfffffff0);
	p64(1);
	expect(" rdm=EAGER_MSGRTM flags=RAW_ADDR|MSG msg_id=0 "
	       "problem=\"shorter than its header\"");
}

static void test_medium_and_long(void **state)
{
	(void)state;
	begin(66, REQ_MSG);
	p32(1);
	p64(20000);
	p64(8192);
	put(0, 100);
	expect(" rdm=MEDIUM_MSGRTM flags=MSG msg_id=1 msg_length=20000 "
	       "seg_offset=8192 data=100");
	begin(136, REQ_TAGGED);
	p32(1);
	p32(2);
	p32(0);
	p64(3);
	p64(4);
	p64(5);
	expect(" rdm=DC_MEDIUM_TAGRTM flags=MSG|TAGGED msg_id=1 send_id=2 "
	       "msg_length=3 seg_offset=4 tag=0x5");
	begin(69, REQ_TAGGED | CONNID | 0x2000);
	p32(1);
	p64(1048576);
	p32(2);
	p32(32);
	p64(9);
	p32(0x55);
	expect(" rdm=LONGCTS_TAGRTM flags=MSG|TAGGED|READ_NACK|CONNID "
	       "msg_id=1 msg_length=1048576 send_id=2 credit_request=32 "
	       "tag=0x9 connid=0x55");
	begin(137, REQ_MSG);
	p32(1);
	p64(2);
	p32(3);
	p32(4);
	expect(" rdm=DC_LONGCTS_MSGRTM flags=MSG msg_id=1 msg_length=2 "
	       "send_id=3 credit_request=4");
}

static void test_read_messages(void **state)
{
	(void)state;
	begin(129, REQ_TAGGED | CONNID);
	p32(1);
	p64(2000000);
	p32(3);
	p32(2);
	p64(0x77);
	p32(0x99);
	for (unsigned i = 0; i < 2; i++) {
		p64(0x1000 + i);
		p64(1000000);
		p64(5 + i);
	}
	expect(" rdm=LONGREAD_TAGRTM flags=MSG|TAGGED|CONNID msg_id=1 "
	       "msg_length=2000000 send_id=3 read_iov_count=2 tag=0x77 "
	       "connid=0x99 read_addr[0]=0x1000 read_len[0]=1000000 "
	       "read_key[0]=0x5 read_addr[1]=0x1001 read_len[1]=1000000 "
	       "read_key[1]=0x6");
	begin(145, REQ_MSG);
	p32(1);
	p64(2);
	p32(3);
	p32(1);
	p64(4);
	p64(5);
	p64(6);
	p64(7);
	p64(8);
	put(0, 9);
	expect(" rdm=RUNTREAD_MSGRTM flags=MSG msg_id=1 msg_length=2 "
	       "send_id=3 read_iov_count=1 seg_offset=4 runt_length=5 "
	       "read_addr[0]=0x6 read_len[0]=7 read_key[0]=0x8 data=9");
	begin(130, CONNID);
	p32(1);
	p64(2);
	p32(3);
	p32(1);
	p64(0xa);
	p64(0xb);
	p64(0xc);
	p32(0xd);
	p64(0xe);
	p64(0xf);
	p64(0x10);
	expect(" rdm=LONGREAD_RTW flags=CONNID rma_iov_count=1 msg_length=2 "
	       "send_id=3 read_iov_count=1 rma_addr[0]=0xa rma_len[0]=11 "
	       "rma_key[0]=0xc connid=0xd read_addr[0]=0xe read_len[0]=15 "
	       "read_key[0]=0x10");
}

static void test_emulated_rma(void **state)
{
	(void)state;
	begin(70, 0);
	p32(0);
	expect(" rdm=EAGER_RTW flags=0 rma_iov_count=0");
	begin(139, 0);
	p32(1);
	p32(2);
	p32(0);
	p64(3);
	p64(4);
	p64(5);
	put(0, 4);
	expect(" rdm=DC_EAGER_RTW flags=0 rma_iov_count=1 send_id=2 "
	       "rma_addr[0]=0x3 rma_len[0]=4 rma_key[0]=0x5 data=4");
	begin(140, 0);
	p32(0);
	p64(1);
	p32(2);
	p32(3);
	expect(" rdm=DC_LONGCTS_RTW flags=0 rma_iov_count=0 msg_length=1 "
	       "send_id=2 credit_request=3");
	begin(73, CONNID);
	p32(0);
	p64(1);
	p32(2);
	p32(3);
	p32(4);
	expect(" rdm=LONGCTS_RTR flags=CONNID rma_iov_count=0 msg_length=1 "
	       "recv_id=2 recv_length=3 connid=0x4");
	begin(76, 0x20);
	p32(1);
	p32(0);
	p32(5);
	p32(6);
	p32(7);
	put(0, 16);
	expect(" rdm=COMPARE_RTA flags=ATOMIC msg_id=1 rma_iov_count=0 "
	       "datatype=5 op=6 recv_id=7 data=16");
	begin(141, 0x20);
	p32(1);
	p32(0);
	p32(5);
	p32(6);
	p32(7);
	expect(" rdm=DC_WRITE_RTA flags=ATOMIC msg_id=1 rma_iov_count=0 "
	       "datatype=5 op=6 send_id=7");
}

static void test_answers(void **state)
{
	(void)state;
	begin(3, 0x80);
	p32(0x10);
	p32(1);
	p32(2);
	p64(3);
	expect(" rdm=CTS flags=READ connid=0x10 send_id=1 recv_id=2 "
	       "recv_length=3");
	begin(4, 0);
	p32(1);
	p64(2);
	p64(3);
	put(0, 2);
	expect(" rdm=CTSDATA flags=0 recv_id=1 seg_length=2 seg_offset=3 "
	       "data=2");
	begin(4, CONNID);
	p32(1);
	p64(2);
	p64(3);
	p32(0x44);
	p32(0x55);
	put(0, 2);
	expect(" rdm=CTSDATA flags=CONNID recv_id=1 seg_length=2 "
	       "seg_offset=3 connid=0x44 data=2");
	begin(5, 0);
	p32(0x11);
	p32(1);
	p32(2);
	p64(3);
	put(0, 3);
	expect(" rdm=READRSP flags=0 connid=0x11 recv_id=1 send_id=2 "
	       "seg_length=3 data=3");
	begin(7, 0);
	p32(1);
	p32(2);
	p32(3);
	expect(" rdm=EOR flags=0 send_id=1 recv_id=2 connid=0x3");
	begin(8, 0);
	p32(0x11);
	p32(0);
	p32(2);
	p64(8);
	p64(0);
	expect(" rdm=ATOMRSP flags=0 connid=0x11 recv_id=2 seg_length=8 "
	       "data=8");
	begin(10, 0);
	p32(1);
	p32(2);
	p32(3);
	expect(" rdm=RECEIPT flags=0 tx_id=1 msg_id=2 connid=0x3");
	begin(11, 0);
	p32(1);
	p32(2);
	p32(3);
	expect(" rdm=READ_NACK flags=0 send_id=1 recv_id=2 connid=0x3");
	begin(12, 0);
	p32(1);
	p32(2);
	p32(3);
	p32(4);
	expect(" rdm=PEER_ERROR flags=0 op_id=1 ref_kind=2 prov_errno=3 "
	       "connid=0x4");
}

static void test_handshake(void **state)
{
	(void)state;
	begin(9, 0x800f);
	p32(4);
	p64(0x8000000000000223);
	p32(0x77);
	p32(0);
	p64(0x1234);
	p32(0xefa3);
	p32(0);
	p32(12);
	p32(0x88);
	p64(1);
	expect(" rdm=HANDSHAKE flags=HOST_ID|DEVICE_VERSION|USER_RECV_QP|HMEM"
	       "|CONNID extra_info[0]=0x8000000000000223(rdma-read,"
	       "delivery-complete,rdma-write,peer-error,unknown63) "
	       "connid=0x77 host_id=0x1234 device_version=0xefa3 "
	       "user_recv_qpn=12 user_recv_qkey=0x88 p2p_supported=1");
	begin(9, 0);
	p32(3);
	expect(" rdm=HANDSHAKE flags=0");
	begin(9, 0);
	p32(2);
	expect(" rdm=HANDSHAKE flags=0 "
	       "problem=\"counts more feature words than it has\"");
	begin(9, 0);
	p32(0xffffffff);
	p64(0);
	expect(" rdm=HANDSHAKE flags=0 "
	       "problem=\"counts more feature words than it has\"");
}

static void test_foreign_bytes(void **state)
{
	(void)state;
	assert_string_equal(text_of(0, 0), " rdm=unknown type=0 version=0 "
			    "flags=0 problem=\"shorter than its header\"");
	begin(6, 0);
	expect(" rdm=unknown type=6 flags=0 problem=\"of an unknown type\"");
	begin(255, 0x8001);
	expect(" rdm=unknown type=255 flags=RAW_ADDR|CONNID "
	       "problem=\"of an unknown type\"");
	begin(64, 0);
	bytes[1] = 5;
	expect(" rdm=EAGER_MSGRTM version=5 flags=0 "
	       "problem=\"of another version\"");
	begin(7, 0x4001);
	p32(1);
	p32(2);
	p32(3);
	put(9, 1);
	expect(" rdm=EOR flags=0 unknown_flags=0x4001 send_id=1 recv_id=2 "
	       "connid=0x3 data=1 "
	       "problem=\"bytes behind its header that mean nothing\"");
	begin(142, REQ_MSG);
	put(0, 36);
	expect(" rdm=RUNTCTS_MSGRTM flags=MSG data=36");
}

/* Every cut of a packet that has all parts: a problem, never a read beyond. */
static void test_every_cut(void **state)
{
	uint32_t length, whole;

	(void)state;
	begin(130, CONNID | 3);
	p32(1);
	p64(2);
	p32(3);
	p32(1);
	p64(4);
	p64(5);
	p64(6);
	p32(32);
	put(0, 32);
	p64(7);
	p32(8);
	p64(9);
	p64(10);
	p64(11);
	whole = used;
	assert_null(strstr(text_of(whole, whole), "problem"));
	for (length = 0; length < whole; length++) {
		assert_non_null(strstr(text_of(length, length), "problem="));
		/* There is more of it, but it was not traced. */
		if (length >= 4)
			assert_non_null(strstr(text_of(length, 8000),
					       "behind the traced bytes"));
	}
}

static void test_counts_that_lie(void **state)
{
	(void)state;
	begin(71, 0);
	p32(0x80000000);
	p64(0);
	p32(0);
	p32(0);
	p64(0);
	expect(" rdm=LONGCTS_RTW flags=0 rma_iov_count=2147483648 "
	       "msg_length=0 send_id=0 credit_request=0 "
	       "problem=\"counts more ranges than it has\"");
	/* More than are kept: the rest is walked over. */
	begin(70, CONNID);
	p32(RDM_MAX_IOV + 2);
	for (unsigned i = 0; i < 3 * (RDM_MAX_IOV + 2); i++)
		p64(i);
	p32(0x99);
	assert_non_null(strstr(text_of(used, used), " connid=0x99"));
	assert_null(strstr(text_of(used, used), "[4]"));
}

static void test_likely(void **state)
{
	(void)state;
	begin(64, 0);
	assert_true(rdm_packet_is_likely(bytes, 4));
	assert_false(rdm_packet_is_likely(bytes, 3));
	bytes[1] = 3;
	assert_false(rdm_packet_is_likely(bytes, 4));
	begin(63, 0);
	assert_false(rdm_packet_is_likely(bytes, 4));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_eager),
		cmocka_unit_test(test_raw_address),
		cmocka_unit_test(test_medium_and_long),
		cmocka_unit_test(test_read_messages),
		cmocka_unit_test(test_emulated_rma),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_handshake),
		cmocka_unit_test(test_foreign_bytes),
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_counts_that_lie),
		cmocka_unit_test(test_likely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
