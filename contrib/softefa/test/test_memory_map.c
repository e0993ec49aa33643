/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "daemon/memory_map.h"

static size_t page;

static int check(const void *addr, size_t len, bool for_write)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	int ret;

	assert_true(fd >= 0);
	ret = memory_map_check(fd, (uintptr_t)addr, len, for_write);
	close(fd);
	return ret;
}

static int check_text(const char *text, uint64_t addr, uint64_t len,
		      bool for_write)
{
	int fd = memfd_create("maps", MFD_CLOEXEC);
	int ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	lseek(fd, 0, SEEK_SET);
	ret = memory_map_check(fd, addr, len, for_write);
	close(fd);
	return ret;
}

static void test_own_memory(void **state)
{
	static char data[4];
	char *base = mmap(NULL, 8 * page, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(base, MAP_FAILED);
	assert_int_equal(check(data, sizeof(data), true), 0);
	assert_int_equal(check(test_own_memory, 1, false), 0);
	assert_int_equal(check(test_own_memory, 1, true), -EFAULT);
	assert_int_equal(check(base, 8 * page, true), 0);
	mprotect(base + 3 * page, page, PROT_READ);
	assert_int_equal(check(base, 8 * page, true), -EFAULT);
	assert_int_equal(check(base, 8 * page, false), 0);
	assert_int_equal(check(base, 3 * page, true), 0);
	assert_int_equal(check(base, 3 * page + 1, true), -EFAULT);
	mprotect(base + 3 * page, page, PROT_NONE);
	assert_int_equal(check(base, 8 * page, false), -EFAULT);
	munmap(base + 5 * page, page);
	assert_int_equal(check(base + 4 * page, 2 * page, false), -EFAULT);
	assert_int_equal(check(base + 4 * page, page, false), 0);
	assert_int_equal(check(NULL, 1, false), -EFAULT);
	munmap(base, 8 * page);
}

/* The text, which grows with all that a process has mapped, is not read. */
static void test_text_is_not_read(void **state)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	unsigned major, minor;
	struct utsname kernel;
	static char data[4];

	assert_int_equal(uname(&kernel), 0);
	if (sscanf(kernel.release, "%u.%u", &major, &minor) != 2 ||
	    major < 6 || (major == 6 && minor < 11))
		skip();
	assert_int_equal(memory_map_check(fd, (uintptr_t)data, sizeof(data),
					  true), 0);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 0);
	close(fd);
}

static void test_ranges_of_a_text(void **state)
{
	static const char text[] =
		"1000-3000 r--p 00000000 00:00 0   /a b-c\n"
		"3000-4000 rw-p 00000000 00:00 0\n"
		"5000-6000 rw-p 00000000 00:00 0 [heap]\n";

	assert_int_equal(check_text(text, 0x1000, 0x3000, false), 0);
	assert_int_equal(check_text(text, 0x1000, 0x3000, true), -EFAULT);
	assert_int_equal(check_text(text, 0x3000, 0x1000, true), 0);
	assert_int_equal(check_text(text, 0x3fff, 2, true), -EFAULT);
	assert_int_equal(check_text(text, 0x5fff, 1, true), 0);
	assert_int_equal(check_text(text, 0x5fff, 2, true), -EFAULT);
	assert_int_equal(check_text(text, 0xfff, 2, false), -EFAULT);
	assert_int_equal(check_text(text, UINT64_MAX, 2, false), -EFAULT);
	assert_int_equal(check_text("", 0x1000, 1, false), -EFAULT);
	assert_int_equal(check_text("nonsense\n", 0x1000, 1, false), -EFAULT);
}

/* More text than one read takes, so that lines are split. */
static void test_long_text(void **state)
{
	enum { LINES = 3000 };
	char *text = malloc(LINES * 64), *at = text;

	assert_non_null(text);
	for (unsigned i = 1; i <= LINES; i++)
		at += sprintf(at, "%x000-%x000 rw-p 00000000 00:00 %u  x\n",
			      i, i + 1, i);
	assert_int_equal(check_text(text, 0x1000, LINES * 0x1000ull, true),
			 0);
	assert_int_equal(check_text(text, 0x1000, LINES * 0x1000ull + 1,
				    true), -EFAULT);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_memory),
		cmocka_unit_test(test_text_is_not_read),
		cmocka_unit_test(test_ranges_of_a_text),
		cmocka_unit_test(test_long_text),
	};

	page = sysconf(_SC_PAGESIZE);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
