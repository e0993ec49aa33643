/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Byte by byte, from the layout of the device, not from the structs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "hw/send_wqe.h"

static const struct hw_dest test_dest = {
	.ahn = 0x1122, .qpn = 0x3344, .qkey = 0x55667788,
};

static const uint8_t *test_bytes(const struct hw_send_wqe *wqe)
{
	return (const uint8_t *)wqe;
}

static uint32_t test_u32(const struct hw_send_wqe *wqe, size_t offset)
{
	uint32_t value;

	memcpy(&value, test_bytes(wqe) + offset, 4);
	return value;
}

static void test_zero(const struct hw_send_wqe *wqe, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		assert_int_equal(test_bytes(wqe)[i], 0);
}

static void test_send_of_two_buffers(void **state)
{
	const struct hw_sge sge[] = {
		{ .addr = 0x0123456789abcdef, .length = 40, .lkey = 0xaabbccdd },
		{ .addr = 0x1000, .length = 0x12345, .lkey = 7 },
	};
	struct hw_send_wqe wqe;

	memset(&wqe, 0xee, sizeof(wqe));
	hw_wqe_init(&wqe, 64, EFA_IO_SEND, &test_dest);
	hw_wqe_set_sgl(&wqe, sge, 2);
	assert_int_equal(test_bytes(&wqe)[2], 0x80);
	assert_int_equal(test_bytes(&wqe)[3], 0x1c);
	assert_int_equal(test_u32(&wqe, 4), 0x00023344);
	assert_int_equal(test_u32(&wqe, 8), 0);
	assert_int_equal(test_u32(&wqe, 12), 0x1122);
	assert_int_equal(test_u32(&wqe, 16), 0x55667788);
	test_zero(&wqe, 20, 32);
	assert_int_equal(test_u32(&wqe, 32), 40);
	assert_int_equal(test_u32(&wqe, 36), 0xbbccdd);
	assert_int_equal(test_u32(&wqe, 40), 0x89abcdef);
	assert_int_equal(test_u32(&wqe, 44), 0x01234567);
	assert_int_equal(test_u32(&wqe, 48), 0x12345);
	assert_int_equal(test_u32(&wqe, 52), 7);
	assert_int_equal(test_u32(&wqe, 56), 0x1000);
	assert_int_equal(test_u32(&wqe, 60), 0);
	/* the second half is not part of a 64-byte entry */
	assert_int_equal(test_bytes(&wqe)[64], 0xee);
}

static void test_inline_with_immediate(void **state)
{
	struct hw_send_wqe wqe;

	hw_wqe_init(&wqe, 64, EFA_IO_SEND, &test_dest);
	memcpy(hw_wqe_inline(&wqe, 5), "hello", 5);
	hw_wqe_set_imm(&wqe, 0xcafebabe);
	assert_int_equal(test_bytes(&wqe)[2], 0x80 | 0x10 | 0x20);
	assert_int_equal(test_u32(&wqe, 4), 0x00053344);
	assert_int_equal(test_u32(&wqe, 8), 0xcafebabe);
	assert_memory_equal(test_bytes(&wqe) + 32, "hello", 5);
	test_zero(&wqe, 37, 64);
}

static void test_wide_inline_leaves_no_stack_bytes(void **state)
{
	struct hw_send_wqe wqe;

	memset(&wqe, 0xee, sizeof(wqe));
	hw_wqe_init(&wqe, 128, EFA_IO_SEND, &test_dest);
	memset(hw_wqe_inline(&wqe, 80), 0x5a, 80);
	assert_int_equal(test_u32(&wqe, 4), 0x00503344);
	for (size_t i = 32; i < 112; i++)
		assert_int_equal(test_bytes(&wqe)[i], 0x5a);
	test_zero(&wqe, 112, 128);
}

static void test_rdma_ranges(void **state)
{
	const struct hw_sge local = {
		.addr = 0x2000, .length = 0x1000000, .lkey = 0xff000009,
	};
	struct hw_send_wqe wqe;

	hw_wqe_init(&wqe, 64, EFA_IO_RDMA_WRITE, &test_dest);
	hw_wqe_set_rdma(&wqe, &local, 0xfedcba9876543210, 0x89abcdef);
	hw_wqe_set_high_rate(&wqe);
	assert_int_equal(test_bytes(&wqe)[2], 0x82);
	assert_int_equal(test_bytes(&wqe)[14], 1);
	assert_int_equal(test_u32(&wqe, 4), 0x00013344);
	assert_int_equal(test_u32(&wqe, 32), 0x1000000);
	assert_int_equal(test_u32(&wqe, 36), 0x89abcdef);
	assert_int_equal(test_u32(&wqe, 40), 0x76543210);
	assert_int_equal(test_u32(&wqe, 44), 0xfedcba98);
	assert_int_equal(test_u32(&wqe, 48), 0x1000000);
	assert_int_equal(test_u32(&wqe, 52), 9);
	assert_int_equal(test_u32(&wqe, 56), 0x2000);
}

static void test_inline_write(void **state)
{
	struct hw_send_wqe wqe;

	hw_wqe_init(&wqe, 128, EFA_IO_RDMA_WRITE, &test_dest);
	memset(hw_wqe_rdma_inline(&wqe, 80, 0xfedcba9876543210, 0x89abcdef),
	       0x5a, 80);
	assert_int_equal(test_bytes(&wqe)[2], 0x80 | 0x20 | 0x02);
	assert_int_equal(test_u32(&wqe, 4), 0x00503344);
	assert_int_equal(test_u32(&wqe, 32), 80);
	assert_int_equal(test_u32(&wqe, 36), 0x89abcdef);
	assert_int_equal(test_u32(&wqe, 40), 0x76543210);
	assert_int_equal(test_u32(&wqe, 44), 0xfedcba98);
	for (size_t i = 48; i < 128; i++)
		assert_int_equal(test_bytes(&wqe)[i], 0x5a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_send_of_two_buffers),
		cmocka_unit_test(test_inline_with_immediate),
		cmocka_unit_test(test_wide_inline_leaves_no_stack_bytes),
		cmocka_unit_test(test_rdma_ranges),
		cmocka_unit_test(test_inline_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
