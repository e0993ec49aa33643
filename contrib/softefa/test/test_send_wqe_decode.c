/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/send_wqe_decode.h"

#define STATUS(name)	EFA_IO_COMP_STATUS_##name
#define MALFORMED	STATUS(LOCAL_ERROR_QP_INTERNAL_ERROR)

static const struct send_wqe_limits narrow = {
	.wqe_size = 64,
	.max_sge = 2,
	.max_inline = 32,
	.mtu = 8928,
	.max_rdma_size = 1 << 30,
	.has_rdma_read = true,
	.has_rdma_write = true,
};

static const struct send_wqe_limits wide = {
	.wqe_size = 128,
	.max_sge = 2,
	.max_inline = 80,
	.mtu = 8928,
	.max_rdma_size = 1 << 30,
	.has_rdma_read = true,
	.has_rdma_write = true,
	.req_id_is_64_bit = true,
};

static struct efa_io_tx_wqe good(enum efa_io_send_op_type op)
{
	struct efa_io_tx_wqe wqe = {
		.meta = {
			.req_id = 0xabcd,
			.ctrl1 = op | EFA_IO_TX_META_META_DESC,
			.ctrl2 = EFA_IO_TX_META_FIRST | EFA_IO_TX_META_LAST |
				EFA_IO_TX_META_COMP_REQ,
			.dest_qp_num = 0xf00d,
			.length = 1,
			.ah = 0x77,
			.qkey = 0xdeadbeef,
		},
	};
	struct efa_io_tx_buf_desc sge = {
		.length = 100, .lkey = 0xabcdef, .buf_addr_lo = 0x89abcdef,
		.buf_addr_hi = 0x1234567,
	};

	if (op == EFA_IO_SEND) {
		wqe.data.sgl[0] = sge;
		return wqe;
	}
	wqe.data.rdma_req.local_mem[0] = sge;
	wqe.data.rdma_req.remote_mem.length = 100;
	wqe.data.rdma_req.remote_mem.rkey = 0x654321;
	wqe.data.rdma_req.remote_mem.buf_addr_lo = 1;
	wqe.data.rdma_req.remote_mem.buf_addr_hi = 2;
	return wqe;
}

static struct send_request request;

static void expect(const struct efa_io_tx_wqe *wqe,
		   const struct send_wqe_limits *limits,
		   enum efa_io_comp_status status)
{
	struct send_wqe_finding finding;

	assert_int_equal(send_wqe_decode(wqe, 0, limits, &request, &finding),
			 status);
	assert_int_equal(finding.text != NULL, status == MALFORMED);
	assert_int_equal(request.req_id & 0xffff, 0xabcd);
	assert_true(request.comp_requested);
}

static void test_fields(void **state)
{
	struct efa_io_tx_wqe wqe = good(EFA_IO_SEND);

	expect(&wqe, &narrow, STATUS(OK));
	assert_int_equal(request.op, EFA_IO_SEND);
	assert_int_equal(request.dest_qpn, 0xf00d);
	assert_int_equal(request.ah, 0x77);
	assert_int_equal(request.qkey, 0xdeadbeef);
	assert_int_equal(request.length, 100);
	assert_int_equal(request.sge_count, 1);
	assert_int_equal(request.sge[0].key, 0xabcdef);
	assert_true(request.sge[0].addr == 0x0123456789abcdefull);
	assert_false(request.has_imm || request.is_inline);

	wqe = good(EFA_IO_RDMA_WRITE);
	wqe.meta.ctrl1 |= EFA_IO_TX_META_HAS_IMM;
	wqe.meta.immediate_data = 5;
	expect(&wqe, &narrow, STATUS(OK));
	assert_int_equal(request.op, EFA_IO_RDMA_WRITE);
	assert_true(request.has_imm);
	assert_int_equal(request.imm, 5);
	assert_int_equal(request.remote.key, 0x654321);
	assert_true(request.remote.addr == 0x200000001ull);
	assert_int_equal(request.length, 100);
	assert_true(request.sge[0].addr == 0x0123456789abcdefull);
}

static void test_wide_request_id(void **state)
{
	struct efa_io_tx_wqe wqe = good(EFA_IO_SEND);

	wqe.meta.req_id_ex[0] = 0x1111;
	wqe.meta.req_id_ex[1] = 0x2222;
	wqe.meta.req_id_ex[2] = 0x3333;
	expect(&wqe, &wide, STATUS(OK));
	assert_true(request.req_id == 0x333322221111abcdull);
	expect(&wqe, &narrow, MALFORMED);
}

static void test_phase(void **state)
{
	struct efa_io_tx_wqe wqe = good(EFA_IO_SEND);
	struct send_wqe_finding finding;

	assert_int_equal(send_wqe_decode(&wqe, 1, &narrow, &request, &finding),
			 MALFORMED);
	wqe.meta.ctrl2 |= EFA_IO_TX_META_PHASE;
	assert_int_equal(send_wqe_decode(&wqe, 1, &narrow, &request, &finding),
			 STATUS(OK));
	expect(&wqe, &narrow, MALFORMED);
}

/* Flipping any bit of the entry's frame but those with a meaning is seen. */
static void test_fixed_and_reserved_bits(void **state)
{
	static const struct {
		uint8_t byte, bits;
	} frame[] = {
		{ 2, 0xc0 }, { 3, 0xef }, { 14, 0xfc }, { 15, 0xff },
		{ 20, 0xff }, { 21, 0xff }, { 22, 0xff }, { 23, 0xff },
		{ 24, 0xff }, { 25, 0xff }, { 26, 0xff }, { 31, 0xff },
		{ 39, 0xff },		/* above the lkey */
	};
	struct efa_io_tx_wqe wqe;
	size_t i;
	int bit;

	for (i = 0; i < sizeof(frame) / sizeof(frame[0]); i++) {
		for (bit = 0; bit < 8; bit++) {
			if (!(frame[i].bits & 1 << bit))
				continue;
			wqe = good(EFA_IO_SEND);
			((uint8_t *)&wqe)[frame[i].byte] ^= 1 << bit;
			expect(&wqe, &narrow, MALFORMED);
		}
	}
	wqe = good(EFA_IO_SEND);
	wqe.meta.ctrl3 = 3;
	expect(&wqe, &narrow, STATUS(OK));
}

static void test_operations(void **state)
{
	struct send_wqe_limits none = narrow;
	struct efa_io_tx_wqe wqe;
	int op;

	for (op = 3; op < 16; op++) {
		wqe = good(op);
		expect(&wqe, &narrow, STATUS(LOCAL_ERROR_UNSUPPORTED_OP));
	}
	none.has_rdma_read = false;
	wqe = good(EFA_IO_RDMA_READ);
	expect(&wqe, &none, STATUS(LOCAL_ERROR_UNSUPPORTED_OP));
	expect(&wqe, &narrow, STATUS(OK));
	wqe.meta.ctrl1 |= EFA_IO_TX_META_HAS_IMM;
	expect(&wqe, &narrow, STATUS(LOCAL_ERROR_UNSUPPORTED_OP));
	none.has_rdma_write = false;
	wqe = good(EFA_IO_RDMA_WRITE);
	expect(&wqe, &none, STATUS(LOCAL_ERROR_UNSUPPORTED_OP));
	expect(&wqe, &narrow, STATUS(OK));
	wqe.meta.ctrl1 |= EFA_IO_TX_META_INLINE_MSG;
	expect(&wqe, &narrow, STATUS(LOCAL_ERROR_UNSUPPORTED_OP));
	wqe = good(EFA_IO_RDMA_READ);
	wqe.meta.ctrl1 |= EFA_IO_TX_META_INLINE_MSG;
	expect(&wqe, &wide, STATUS(LOCAL_ERROR_UNSUPPORTED_OP));
}

static void expect_inline(enum efa_io_send_op_type op,
			  const struct send_wqe_limits *limits,
			  uint16_t len_bytes, enum efa_io_comp_status status)
{
	struct efa_io_tx_wqe wqe = good(op);
	uint8_t *data = op == EFA_IO_SEND ? wqe.data.inline_data :
		wqe.data.rdma_req.inline_data;
	uint16_t i;

	wqe.meta.ctrl1 |= EFA_IO_TX_META_INLINE_MSG;
	wqe.meta.length = len_bytes;
	if (op != EFA_IO_SEND)
		wqe.data.rdma_req.remote_mem.length = len_bytes;
	for (i = 0; i < len_bytes && i < 80; i++)
		data[i] = i;
	expect(&wqe, limits, status);
	if (status != STATUS(OK))
		return;
	assert_int_equal(request.length, len_bytes);
	assert_int_equal(request.sge_count, 0);
	for (i = 0; i < len_bytes; i++)
		assert_int_equal(request.inline_data[i], i);
}

static void test_inline_limits(void **state)
{
	expect_inline(EFA_IO_SEND, &narrow, 0, STATUS(OK));
	expect_inline(EFA_IO_SEND, &narrow, 32, STATUS(OK));
	expect_inline(EFA_IO_SEND, &narrow, 33, STATUS(LOCAL_ERROR_BAD_LENGTH));
	expect_inline(EFA_IO_SEND, &narrow, 65535,
		      STATUS(LOCAL_ERROR_BAD_LENGTH));
	expect_inline(EFA_IO_SEND, &wide, 80, STATUS(OK));
	expect_inline(EFA_IO_SEND, &wide, 81, STATUS(LOCAL_ERROR_BAD_LENGTH));
	expect_inline(EFA_IO_RDMA_WRITE, &wide, 80, STATUS(OK));
	expect_inline(EFA_IO_RDMA_WRITE, &wide, 0, STATUS(OK));
	expect_inline(EFA_IO_RDMA_WRITE, &wide, 81,
		      STATUS(LOCAL_ERROR_BAD_LENGTH));
}

static void test_lengths(void **state)
{
	struct efa_io_tx_wqe wqe = good(EFA_IO_SEND);
	struct send_wqe_limits one = narrow;

	wqe.meta.length = 0;
	expect(&wqe, &narrow, STATUS(OK));
	assert_int_equal(request.length, 0);
	wqe.meta.length = 2;
	wqe.data.sgl[1] = wqe.data.sgl[0];
	expect(&wqe, &narrow, STATUS(OK));
	assert_int_equal(request.length, 200);
	one.max_sge = 1;
	expect(&wqe, &one, STATUS(LOCAL_ERROR_BAD_LENGTH));
	/* The sum does not wrap. */
	wqe.data.sgl[0].length = 0xffffffff;
	wqe.data.sgl[1].length = 2;
	expect(&wqe, &narrow, STATUS(LOCAL_ERROR_BAD_LENGTH));
	wqe.data.sgl[0].length = 8000;
	wqe.data.sgl[1].length = 928;
	expect(&wqe, &narrow, STATUS(OK));
	wqe.data.sgl[1].length++;
	expect(&wqe, &narrow, STATUS(LOCAL_ERROR_BAD_LENGTH));
	wqe.meta.length = 3;
	expect(&wqe, &narrow, MALFORMED);

	wqe = good(EFA_IO_RDMA_READ);
	wqe.meta.length = 2;
	expect(&wqe, &narrow, STATUS(LOCAL_ERROR_BAD_LENGTH));
	wqe = good(EFA_IO_RDMA_READ);
	wqe.data.rdma_req.remote_mem.length++;
	expect(&wqe, &narrow, STATUS(LOCAL_ERROR_BAD_LENGTH));
	wqe.data.rdma_req.local_mem[0].length = (1 << 30) + 1;
	wqe.data.rdma_req.remote_mem.length = (1 << 30) + 1;
	expect(&wqe, &narrow, STATUS(LOCAL_ERROR_BAD_LENGTH));
	wqe = good(EFA_IO_RDMA_READ);
	wqe.data.rdma_req.local_mem[0].lkey |= 1u << 24;
	expect(&wqe, &narrow, MALFORMED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_wide_request_id),
		cmocka_unit_test(test_phase),
		cmocka_unit_test(test_fixed_and_reserved_bits),
		cmocka_unit_test(test_operations),
		cmocka_unit_test(test_inline_limits),
		cmocka_unit_test(test_lengths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
