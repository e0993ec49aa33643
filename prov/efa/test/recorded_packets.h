/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Headers that the efa provider of libfabric 2.1.0 sent over softefa, and what
 * another decoder, that of softefa trace, says of them. Their payload is not
 * here, only its length.
 */
#ifndef TEST_RECORDED_PACKETS_H
#define TEST_RECORDED_PACKETS_H

#include <stdint.h>

struct recorded_fields {
	uint64_t msg_length, seg_offset, tag, cq_data;
	uint64_t window;	/* of CTS and LONGCTS_RTR */
	uint64_t runt_length;
	uint64_t rma_addr, rma_len, rma_key;
	uint64_t read_addr, read_len, read_key;
	uint32_t connid, msg_id, send_id, recv_id;
	uint32_t rma_iov_count, read_iov_count;
};

static const struct recorded_packet {
	const char *type;
	const char *hex;
	uint32_t payload_len;
	struct recorded_fields fields;
} recorded_packets[] = {
	{ "LONGCTS_TAGRTM",
	  "45040f0000000000400d030000000000000000002000000077000000"
	  "0000000024000000fe800000000000003057adfffeff20a200010000"
	  "b4d73c350000000000000000000000003412000000000000",
	  8848, {
	    .msg_id = 0, .send_id = 0, .tag = 0x77, .cq_data = 0x1234,
	    .msg_length = 200000 } },
	{ "HANDSHAKE",
	  "09040280040000007b01000000000000121eba4600000000a3ef0000"
	  "00000000",
	  0, {
	    .connid = 0x46ba1e12 } },
	{ "CTS",
	  "03040080121eba460000000001000000b0ea020000000000",
	  0, {
	    .connid = 0x46ba1e12, .send_id = 0, .recv_id = 1,
	    .window = 191152 } },
	{ "CTSDATA",
	  "0404008001000000c0220000000000009022000000000000b4d73c35"
	  "00000000",
	  8896, {
	    .connid = 0x353cd7b4, .recv_id = 1, .seg_offset = 8848,
	    .msg_length = 8896 } },
	{ "EAGER_MSGRTM",
	  "400405000000000024000000fe80000000000000988869fffe2c8f46"
	  "000100000426532a000000000000000000000000",
	  10, {
	    .msg_id = 0, .msg_length = 10 } },
	{ "EAGER_MSGRTM",
	  "400406800100000034120000000000000426532a",
	  10, {
	    .connid = 0x2a532604, .msg_id = 1, .cq_data = 0x1234,
	    .msg_length = 10 } },
	{ "EAGER_TAGRTM",
	  "41040e8002000000770000000000000034120000000000000426532a",
	  10, {
	    .connid = 0x2a532604, .msg_id = 2, .tag = 0x77,
	    .cq_data = 0x1234, .msg_length = 10 } },
	{ "EAGER_TAGRTM",
	  "41040c800300000077000000000000000426532a",
	  0, {
	    .connid = 0x2a532604, .msg_id = 3, .tag = 0x77,
	    .msg_length = 0 } },
	{ "MEDIUM_MSGRTM",
	  "4204048004000000307500000000000000000000000000000426532a",
	  7496, {
	    .connid = 0x2a532604, .msg_id = 4, .msg_length = 30000,
	    .seg_offset = 0 } },
	{ "MEDIUM_MSGRTM",
	  "42040480040000003075000000000000481d0000000000000426532a",
	  7496, {
	    .connid = 0x2a532604, .msg_id = 4, .msg_length = 30000,
	    .seg_offset = 7496 } },
	{ "MEDIUM_TAGRTM",
	  "43040e80050000003075000000000000000000000000000077000000"
	  "0000000034120000000000000426532a",
	  7496, {
	    .connid = 0x2a532604, .msg_id = 5, .tag = 0x77,
	    .cq_data = 0x1234, .msg_length = 30000, .seg_offset = 0 } },
	{ "MEDIUM_TAGRTM",
	  "43040e80050000003075000000000000481d00000000000077000000"
	  "0000000034120000000000000426532a",
	  7496, {
	    .connid = 0x2a532604, .msg_id = 5, .tag = 0x77,
	    .cq_data = 0x1234, .msg_length = 30000, .seg_offset = 7496 } },
	{ "LONGCTS_TAGRTM",
	  "45040c8006000000400d030000000000010000002000000077000000"
	  "000000000426532a",
	  8892, {
	    .connid = 0x2a532604, .msg_id = 6, .send_id = 1, .tag = 0x77,
	    .msg_length = 200000 } },
	{ "LONGCTS_MSGRTM",
	  "4404048007000000c02709000000000001000000200000000426532a",
	  8900, {
	    .connid = 0x2a532604, .msg_id = 7, .send_id = 1,
	    .msg_length = 600000 } },
	{ "DC_EAGER_MSGRTM",
	  "850404800800000001000000000000000426532a",
	  10, {
	    .connid = 0x2a532604, .msg_id = 8, .send_id = 1,
	    .msg_length = 10 } },
	{ "RECEIPT",
	  "0a0400800100000008000000b8510465",
	  0, {
	    .connid = 0x650451b8, .msg_id = 8, .send_id = 1 } },
	{ "DC_EAGER_TAGRTM",
	  "86040e80090000000100000000000000770000000000000034120000"
	  "000000000426532a",
	  10, {
	    .connid = 0x2a532604, .msg_id = 9, .send_id = 1, .tag = 0x77,
	    .cq_data = 0x1234, .msg_length = 10 } },
	{ "DC_MEDIUM_TAGRTM",
	  "88040c800a0000000100000000000000307500000000000000000000"
	  "0000000077000000000000000426532a",
	  7496, {
	    .connid = 0x2a532604, .msg_id = 10, .send_id = 1,
	    .tag = 0x77, .msg_length = 30000, .seg_offset = 0 } },
	{ "DC_MEDIUM_TAGRTM",
	  "88040c800a00000001000000000000003075000000000000481d0000"
	  "0000000077000000000000000426532a",
	  7496, {
	    .connid = 0x2a532604, .msg_id = 10, .send_id = 1,
	    .tag = 0x77, .msg_length = 30000, .seg_offset = 7496 } },
	{ "DC_LONGCTS_TAGRTM",
	  "8a040c800b000000400d030000000000010000002000000077000000"
	  "000000000426532a",
	  8892, {
	    .connid = 0x2a532604, .msg_id = 11, .send_id = 1,
	    .tag = 0x77, .msg_length = 200000 } },
	{ "LONGREAD_MSGRTM",
	  "800404800c000000000020000000000001000000010000000426532a"
	  "00905042d77f000000002000000000000000080000000000",
	  0, {
	    .connid = 0x2a532604, .msg_id = 12, .send_id = 1,
	    .msg_length = 2097152, .read_iov_count = 1,
	    .read_addr = 0x7fd742509000, .read_len = 2097152,
	    .read_key = 0x80000 } },
	{ "EOR",
	  "070400800100000000000000b8510465",
	  0, {
	    .connid = 0x650451b8, .send_id = 1, .recv_id = 0 } },
	{ "LONGREAD_TAGRTM",
	  "81040e800d0000000000200000000000010000000100000077000000"
	  "0000000034120000000000000426532a00905042d77f000000002000"
	  "000000000000080000000000",
	  0, {
	    .connid = 0x2a532604, .msg_id = 13, .send_id = 1,
	    .tag = 0x77, .cq_data = 0x1234, .msg_length = 2097152,
	    .read_iov_count = 1, .read_addr = 0x7fd742509000,
	    .read_len = 2097152, .read_key = 0x80000 } },
	{ "EAGER_MSGRTM",
	  "400407000100000024000000fe80000000000000b4c4a9fffeca79d6"
	  "000100009a5a82500000000000000000000000003412000000000000",
	  10, {
	    .msg_id = 1, .cq_data = 0x1234, .msg_length = 10 } },
	{ "RUNTREAD_MSGRTM",
	  "910404800c0000000000200000000000010000000100000000000000"
	  "00000000204e0000000000009a5a825000f09537837f000000002000"
	  "000000000000080000000000",
	  6664, {
	    .connid = 0x50825a9a, .msg_id = 12, .send_id = 1,
	    .msg_length = 2097152, .seg_offset = 0, .runt_length = 20000,
	    .read_iov_count = 1, .read_addr = 0x7f833795f000,
	    .read_len = 2097152, .read_key = 0x80000 } },
	{ "RUNTREAD_MSGRTM",
	  "910404800c00000000002000000000000100000001000000081a0000"
	  "00000000204e0000000000009a5a825000f09537837f000000002000"
	  "000000000000080000000000",
	  6664, {
	    .connid = 0x50825a9a, .msg_id = 12, .send_id = 1,
	    .msg_length = 2097152, .seg_offset = 6664,
	    .runt_length = 20000, .read_iov_count = 1,
	    .read_addr = 0x7f833795f000, .read_len = 2097152,
	    .read_key = 0x80000 } },
	{ "RUNTREAD_TAGRTM",
	  "92040e800d0000000000200000000000010000000100000000000000"
	  "00000000204e00000000000077000000000000003412000000000000"
	  "9a5a825000f09537837f000000002000000000000000080000000000",
	  6664, {
	    .connid = 0x50825a9a, .msg_id = 13, .send_id = 1,
	    .tag = 0x77, .cq_data = 0x1234, .msg_length = 2097152,
	    .seg_offset = 0, .runt_length = 20000, .read_iov_count = 1,
	    .read_addr = 0x7f833795f000, .read_len = 2097152,
	    .read_key = 0x80000 } },
	{ "RUNTREAD_TAGRTM",
	  "92040e800d00000000002000000000000100000001000000081a0000"
	  "00000000204e00000000000077000000000000003412000000000000"
	  "9a5a825000f09537837f000000002000000000000000080000000000",
	  6664, {
	    .connid = 0x50825a9a, .msg_id = 13, .send_id = 1,
	    .tag = 0x77, .cq_data = 0x1234, .msg_length = 2097152,
	    .seg_offset = 6664, .runt_length = 20000,
	    .read_iov_count = 1, .read_addr = 0x7f833795f000,
	    .read_len = 2097152, .read_key = 0x80000 } },
	{ "EAGER_RTW",
	  "4604008001000000001014221e7f0000640000000000000001000000"
	  "00000000146a7d6c",
	  100, {
	    .connid = 0x6c7d6a14, .rma_iov_count = 1, .msg_length = 100,
	    .rma_addr = 0x7f1e22141000, .rma_len = 100, .rma_key = 0x1 } },
	{ "DC_EAGER_RTW",
	  "8b04008001000000010000001e7f0000001014221e7f000064000000"
	  "000000000100000000000000146a7d6c",
	  100, {
	    .connid = 0x6c7d6a14, .send_id = 1, .rma_iov_count = 1,
	    .msg_length = 100, .rma_addr = 0x7f1e22141000,
	    .rma_len = 100, .rma_key = 0x1 } },
	{ "EAGER_RTW",
	  "4604028001000000001014221e7f0000640000000000000001000000"
	  "000000009900000000000000146a7d6c",
	  100, {
	    .connid = 0x6c7d6a14, .cq_data = 0x99, .rma_iov_count = 1,
	    .msg_length = 100, .rma_addr = 0x7f1e22141000,
	    .rma_len = 100, .rma_key = 0x1 } },
	{ "LONGCTS_RTW",
	  "4704008001000000400d030000000000010000002000000000101422"
	  "1e7f0000400d0300000000000100000000000000146a7d6c",
	  8876, {
	    .connid = 0x6c7d6a14, .send_id = 1, .msg_length = 200000,
	    .rma_iov_count = 1, .rma_addr = 0x7f1e22141000,
	    .rma_len = 200000, .rma_key = 0x1 } },
	{ "DC_LONGCTS_RTW",
	  "8c04008001000000400d030000000000010000002000000000101422"
	  "1e7f0000400d0300000000000100000000000000146a7d6c",
	  8876, {
	    .connid = 0x6c7d6a14, .send_id = 1, .msg_length = 200000,
	    .rma_iov_count = 1, .rma_addr = 0x7f1e22141000,
	    .rma_len = 200000, .rma_key = 0x1 } },
	{ "SHORT_RTR",
	  "48040080010000006400000000000000010000006400000000101422"
	  "1e7f000064000000000000000100000000000000146a7d6c",
	  0, {
	    .connid = 0x6c7d6a14, .recv_id = 1, .msg_length = 100,
	    .rma_iov_count = 1, .rma_addr = 0x7f1e22141000,
	    .rma_len = 100, .rma_key = 0x1 } },
	{ "READRSP",
	  "0504008027a9060a01000000000000006400000000000000",
	  100, {
	    .connid = 0xa06a927, .send_id = 0, .recv_id = 1,
	    .msg_length = 100 } },
	{ "LONGCTS_RTR",
	  "4904008001000000400d03000000000001000000400d030000101422"
	  "1e7f0000400d0300000000000100000000000000146a7d6c",
	  0, {
	    .connid = 0x6c7d6a14, .recv_id = 1, .msg_length = 200000,
	    .window = 200000, .rma_iov_count = 1,
	    .rma_addr = 0x7f1e22141000, .rma_len = 200000,
	    .rma_key = 0x1 } },
	{ "WRITE_RTA",
	  "4a04208001000000010000000700000002000000400d030000101422"
	  "1e7f000010000000000000000100000000000000146a7d6c",
	  16, {
	    .connid = 0x6c7d6a14, .msg_id = 1, .rma_iov_count = 1,
	    .rma_addr = 0x7f1e22141000, .rma_len = 16, .rma_key = 0x1 } },
	{ "FETCH_RTA",
	  "4b042080020000000100000007000000020000000100000000101422"
	  "1e7f000010000000000000000100000000000000146a7d6c",
	  16, {
	    .connid = 0x6c7d6a14, .msg_id = 2, .recv_id = 1,
	    .rma_iov_count = 1, .rma_addr = 0x7f1e22141000,
	    .rma_len = 16, .rma_key = 0x1 } },
	{ "ATOMRSP",
	  "0804008027a9060ab8100000010000001000000000000000",
	  16, {
	    .connid = 0xa06a927, .recv_id = 1, .msg_length = 16 } },
	{ "COMPARE_RTA",
	  "4c0420800300000001000000070000000c0000000100000000101422"
	  "1e7f000010000000000000000100000000000000146a7d6c",
	  32, {
	    .connid = 0x6c7d6a14, .msg_id = 3, .recv_id = 1,
	    .rma_iov_count = 1, .rma_addr = 0x7f1e22141000,
	    .rma_len = 16, .rma_key = 0x1 } },
	{ "DC_WRITE_RTA",
	  "8d042080040000000100000007000000020000000100000000101422"
	  "1e7f000010000000000000000100000000000000146a7d6c",
	  16, {
	    .connid = 0x6c7d6a14, .msg_id = 4, .send_id = 1,
	    .rma_iov_count = 1, .rma_addr = 0x7f1e22141000,
	    .rma_len = 16, .rma_key = 0x1 } },
};

#endif /* TEST_RECORDED_PACKETS_H */
