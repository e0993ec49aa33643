/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "daemon/text_page.h"

static const char text[] = "one\ntwo\n\nthree\nfour\n";
#define TEXT_BYTES	(sizeof(text) - 1)

/* That page @line is @expected and the next one @next, in pages of @bytes. */
static void expect_page(uint64_t line, size_t bytes, const char *expected,
			uint64_t next)
{
	char page[64];
	size_t len;

	memset(page, '#', sizeof(page));
	len = text_page_write(text, TEXT_BYTES, &line, page, bytes);
	assert_int_equal(len, strlen(expected));
	assert_memory_equal(page, expected, len);
	assert_int_equal(page[len], '#');
	assert_int_equal(line, next);
}

static void test_all_fits(void **state)
{
	(void)state;
	expect_page(0, TEXT_BYTES, text, 0);
	expect_page(3, TEXT_BYTES, "three\nfour\n", 0);
}

static void test_whole_lines(void **state)
{
	(void)state;
	expect_page(0, TEXT_BYTES - 1, "one\ntwo\n\nthree\n", 4);
	expect_page(0, 8, "one\ntwo\n", 2);
	expect_page(2, 8, "\nthree\n", 4);
	expect_page(4, 8, "four\n", 0);
	expect_page(0, 7, "one\n", 1);
}

/* A client can ask for any line, and the text have become shorter. */
static void test_past_the_end(void **state)
{
	uint64_t line = 0;
	char page[8];

	(void)state;
	expect_page(5, 8, "", 0);
	expect_page(UINT64_MAX, 8, "", 0);
	assert_int_equal(text_page_write("", 0, &line, page, sizeof(page)), 0);
	assert_int_equal(line, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_fits),
		cmocka_unit_test(test_whole_lines),
		cmocka_unit_test(test_past_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
