/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "util/iov_copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "random_steps.h"

enum { BYTES = 64 };

static void total_is_the_sum(void **state)
{
	struct iovec iov[3] = {
		{ .iov_len = 3 }, { .iov_len = 0 }, { .iov_len = 4 },
	};

	assert_int_equal(util_iov_total(iov, 3), 7);
	assert_int_equal(util_iov_total(iov, 0), 0);
	iov[1].iov_len = SIZE_MAX;
	assert_true(util_iov_total(iov, 3) == UINT64_MAX);
}

static void nothing_to_copy(void **state)
{
	char byte = 'x';
	struct iovec iov = { &byte, 1 }, none = { NULL, 0 };

	assert_int_equal(util_iov_copy_to(NULL, 0, 0, "abc", 3), 0);
	assert_int_equal(util_iov_copy_from(&byte, NULL, 0, 0, 3), 0);
	assert_int_equal(util_iov_copy_to(&iov, 1, 1, "abc", 3), 0);
	assert_int_equal(util_iov_copy_to(&iov, 1, UINT64_MAX, "abc", 3), 0);
	assert_int_equal(util_iov_copy_from(&byte, &iov, 1, 7, 1), 0);
	assert_int_equal(util_iov_copy_to(&none, 1, 0, NULL, 0), 0);
	assert_int_equal(util_iov_copy_from(NULL, &none, 1, 0, 0), 0);
	assert_int_equal(byte, 'x');
}

/* Buffers that lie apart in one memory, and the bytes of it in order. */
struct layout {
	struct iovec iov[4];
	size_t count;
	size_t place[BYTES];	/* of each byte of the message */
	uint64_t total;
};

static void make_layout(struct layout *layout, char *memory,
			struct random_source *random)
{
	size_t at = 0;

	memset(layout, 0, sizeof(*layout));
	layout->count = random_below(random, 5);
	for (size_t i = 0; i < layout->count; i++) {
		size_t len = random_below(random, 12);

		at += random_below(random, 4);
		layout->iov[i] = (struct iovec) { memory + at, len };
		for (size_t k = 0; k < len; k++)
			layout->place[layout->total++] = at++;
	}
}

static void random_against_bytes(void **state)
{
	unsigned long steps = random_steps(200000);
	struct random_source random = { .state = 5 };
	char memory[BYTES], expected[BYTES], bytes[BYTES], got[BYTES];

	for (unsigned long step = 0; step < steps; step++) {
		struct layout layout;
		uint64_t offset = random_below(&random, BYTES / 2);
		size_t len = random_below(&random, BYTES / 2), fits = 0;

		make_layout(&layout, memory, &random);
		for (size_t i = 0; i < BYTES; i++)
			bytes[i] = (char)random_next(&random);
		memset(memory, '.', BYTES);
		memset(expected, '.', BYTES);
		while (fits < len && offset + fits < layout.total) {
			expected[layout.place[offset + fits]] = bytes[fits];
			fits++;
		}
		assert_int_equal(util_iov_copy_to(layout.iov, layout.count,
						  offset, bytes, len), fits);
		assert_memory_equal(memory, expected, BYTES);
		memset(got, '.', BYTES);
		assert_int_equal(util_iov_copy_from(got, layout.iov,
						    layout.count, offset, len),
				 fits);
		assert_memory_equal(got, bytes, fits);
		for (size_t i = fits; i < BYTES; i++)
			assert_int_equal(got[i], '.');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(total_is_the_sum),
		cmocka_unit_test(nothing_to_copy),
		cmocka_unit_test(random_against_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
