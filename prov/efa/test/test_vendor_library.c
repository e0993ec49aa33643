/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The C library stands in for a vendor's. */
#include "hmem/vendor_library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rdma/fi_errno.h>

static size_t (*length_of)(const char *text);
static void (*no_such)(void);

static const struct hmem_symbol symbols[] = {
	{ "strnlen_of_no_vendor", &no_such },
	{ "strlen", &length_of },
};

static void sets_the_symbols_there_are(void **state)
{
	static const char *const files[] = {
		"libno-such-vendor.so.1", "libc.so.6", NULL,
	};
	struct hmem_library library = {
		.files = files, .symbols = symbols, .symbol_count = 2,
	};
	char reason[HMEM_REASON_SIZE] = "";

	no_such = abort;
	assert_int_equal(hmem_library_open(&library, reason), 0);
	assert_null(no_such);
	assert_non_null(length_of);
	assert_int_equal(length_of("four"), 4);
	assert_int_equal(hmem_library_open(&library, reason), 0);
	hmem_library_lacks(&library, "cuSomething", reason);
	assert_non_null(strstr(reason, "libno-such-vendor.so.1 (/"));
	assert_non_null(strstr(reason, ") has no cuSomething"));
}

static void says_what_the_loader_said(void **state)
{
	static const char *const files[] = {
		"libno-such-vendor.so.1", "libnor-this.so", NULL,
	};
	struct hmem_library library = { .files = files };
	char reason[HMEM_REASON_SIZE] = "";

	for (int i = 0; i < 2; i++) {
		assert_int_equal(hmem_library_open(&library, reason),
				 -FI_ENOSYS);
		assert_non_null(strstr(reason, "libno-such-vendor.so.1 cannot "
				       "be loaded: "));
		assert_non_null(strstr(reason, "No such file"));
		assert_null(strstr(reason, "nor-this"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_the_symbols_there_are),
		cmocka_unit_test(says_what_the_loader_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
