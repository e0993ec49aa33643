/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/ordered_write.h"

static uint8_t from[3 * 4096 + 64];

/* Aligned pieces, in order, that leave nothing out. */
static void test_pieces(void **state)
{
	struct iovec piece[ORDERED_MAX_PIECES];
	size_t covered, at, start, len;
	unsigned count, i;

	for (start = 0; start < 16; start++) {
		for (len = 0; len < 64; len++) {
			count = ordered_pieces(0x1000 + start, from, len,
					       piece, &covered);
			assert_int_equal(covered, len);
			for (i = 0, at = 0; i < count; i++) {
				assert_ptr_equal(piece[i].iov_base, from + at);
				assert_true(piece[i].iov_len > 0);
				assert_true((start + at) / 8 ==
					    (start + at + piece[i].iov_len -
					     1) / 8);
				at += piece[i].iov_len;
			}
			assert_int_equal(at, len);
			assert_true(count <= len / 8 + 2);
		}
	}
	count = ordered_pieces(0, from, sizeof(from), piece, &covered);
	assert_int_equal(count, ORDERED_MAX_PIECES);
	assert_int_equal(covered, 8 * ORDERED_MAX_PIECES);
}

static void test_write(void **state)
{
	static uint8_t to[sizeof(from) + 8];
	uint8_t *page;
	size_t i;

	for (i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i * 7 + 1);
	for (i = 0; i < 8; i++) {
		memset(to, 0, sizeof(to));
		assert_int_equal(ordered_write(getpid(), (uintptr_t)to + i,
					       from, sizeof(from)), 0);
		assert_memory_equal(to + i, from, sizeof(from));
		assert_int_equal(i ? to[i - 1] : 0, 0);
	}
	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(page != MAP_FAILED);
	assert_int_equal(munmap(page + 4096, 4096), 0);
	assert_int_equal(ordered_write(getpid(), (uintptr_t)page, from, 4097),
			 -EFAULT);
	assert_memory_equal(page, from, 4096);
	munmap(page, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
