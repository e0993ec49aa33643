/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/client_memory.h"

#define BYTES	(4u << 12)

static struct client_process *self;
static struct client_memory memory;
static int fd;

static int set_up(void **state)
{
	client_memory_init(&memory, self, false);
	fd = memfd_create("buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd < 0 || ftruncate(fd, BYTES) ||
		client_process_open_sender(&self, getpid(), -1);
}

static int tear_down(void **state)
{
	client_memory_fini(&memory);
	client_process_close(self);
	close(fd);
	return 0;
}

static int check(uint64_t addr, uint64_t len_bytes, bool for_write)
{
	return memory.mem.check(&memory.mem, addr, len_bytes, for_write);
}

static int put(uint64_t addr, const void *src, size_t len_bytes)
{
	return memory.mem.write(&memory.mem, addr, src, len_bytes);
}

static int get(uint64_t addr, void *dst, size_t len_bytes)
{
	return memory.mem.read(&memory.mem, addr, dst, len_bytes);
}

static void try_window(bool is_ordered)
{
	uint8_t bytes[64], back[64];
	uint64_t addr;

	client_memory_init(&memory, self, is_ordered);
	assert_int_equal(client_memory_open_window(&memory, fd, 5000, 3000,
						   true, &addr), 0);
	assert_int_equal(addr % 4096, 5000 % 4096);
	assert_int_equal(check(addr, 3000, true), 0);
	assert_int_equal(check(addr, 3001, false), -EFAULT);
	assert_int_equal(check(addr - 1, 2, false), -EFAULT);
	assert_int_equal(check(addr + 3000, 1, false), -EFAULT);
	assert_int_equal(check(addr + CLIENT_WINDOW_BYTES, 1, false), -EFAULT);
	assert_int_equal(check(UINT64_MAX - 7, 8, false), -EFAULT);
	memset(bytes, 0x5a, sizeof(bytes));
	assert_int_equal(put(addr + 2936, bytes, 64), 0);
	assert_int_equal(put(addr + 2937, bytes, 64), -EFAULT);
	assert_int_equal(pread(fd, back, 64, 5000 + 2936), 64);
	assert_memory_equal(back, bytes, 64);
	memset(back, 0, sizeof(back));
	assert_int_equal(get(addr + 2936, back, 64), 0);
	assert_memory_equal(back, bytes, 64);
	/* The process itself is there as well. */
	assert_int_equal(put((uintptr_t)back, "xy", 2), 0);
	assert_memory_equal(back, "xy", 2);
	client_memory_close_window(&memory, addr);
	assert_int_equal(get(addr, back, 1), -EFAULT);
}

static void test_window(void **state)
{
	try_window(false);
}

static void test_ordered_window(void **state)
{
	try_window(true);
}

/* Cut off under the daemon: an error instead of a signal. */
static void test_truncated(void **state)
{
	uint64_t addr;
	uint8_t byte = 1;

	client_memory_init(&memory, self, false);
	assert_int_equal(client_memory_open_window(&memory, fd, 0, BYTES, true,
						   &addr), 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(put(addr + 4095, &byte, 1), 0);
	assert_int_equal(put(addr + 4096, &byte, 1), -EFAULT);
	assert_int_equal(get(addr + 4096, &byte, 1), -EFAULT);
}

static void test_read_only(void **state)
{
	uint64_t addr;
	uint8_t byte;

	client_memory_init(&memory, self, false);
	assert_int_equal(client_memory_open_window(&memory, fd, 0, 1, false,
						   &addr), 0);
	assert_int_equal(check(addr, 1, false), 0);
	assert_int_equal(check(addr, 1, true), -EFAULT);
	assert_int_equal(put(addr, "x", 1), -EFAULT);
	assert_int_equal(get(addr, &byte, 1), 0);
}

static void test_refused(void **state)
{
	uint64_t addr;
	int pipe_fd[2];

	client_memory_init(&memory, self, false);
#define OPEN(fd, offset, length) \
	client_memory_open_window(&memory, fd, offset, length, true, &addr)
	assert_int_equal(OPEN(fd, 0, BYTES + 1), -EINVAL);
	assert_int_equal(OPEN(fd, BYTES, 1), -EINVAL);
	assert_int_equal(OPEN(fd, UINT64_MAX, 2), -EINVAL);
	assert_int_equal(OPEN(fd, 0, 0), -EINVAL);
	assert_int_equal(OPEN(fd, 0, UINT64_MAX), -EINVAL);
	assert_int_equal(pipe(pipe_fd), 0);
	assert_int_equal(OPEN(pipe_fd[1], 0, 1), -EINVAL);
	assert_false(dmabuf_map_is_fixed(pipe_fd[1]));
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	for (unsigned i = 0; i < CLIENT_MAX_WINDOWS; i++)
		assert_int_equal(OPEN(fd, 0, 1), 0);
	assert_int_equal(OPEN(fd, 0, 1), -ENOMEM);
	client_memory_close_window(&memory, addr);
	assert_int_equal(OPEN(fd, 0, 1), 0);
}

static void test_fixed(void **state)
{
	assert_true(dmabuf_map_is_fixed(fd));
	assert_true(ftruncate(fd, 4096) < 0);
}

static unsigned calls_of_many;
static int (*read_many)(struct guest_memory *mem,
			const struct guest_range *range, unsigned count);

static int count_many(struct guest_memory *mem,
		      const struct guest_range *range, unsigned count)
{
	calls_of_many++;
	return read_many(mem, range, count);
}

/* Many pieces of the process are one call; with a window among them, not. */
static void test_read_many(void **state)
{
	char first[] = "first", second[] = "second", back[3][8];
	struct guest_range range[] = {
		{ (uintptr_t)second, 7, back[0] },
		{ (uintptr_t)first, 6, back[1] },
		{ .len_bytes = 6, .dst = back[2] },
	};

	client_memory_init(&memory, self, false);
	calls_of_many = 0;
	read_many = self->mem.read_many;
	self->mem.read_many = count_many;
	assert_int_equal(memory.mem.read_many(&memory.mem, range, 2), 0);
	assert_string_equal(back[0], "second");
	assert_string_equal(back[1], "first");
	assert_int_equal(calls_of_many, 1);
	assert_int_equal(client_memory_open_window(&memory, fd, 0, BYTES, true,
						   &range[2].addr), 0);
	assert_int_equal(put(range[2].addr, "third", 6), 0);
	memset(back, 0, sizeof(back));
	assert_int_equal(memory.mem.read_many(&memory.mem, range, 3), 0);
	assert_string_equal(back[0], "second");
	assert_string_equal(back[1], "first");
	assert_string_equal(back[2], "third");
	assert_int_equal(calls_of_many, 1);
	range[2].addr += BYTES;
	assert_int_equal(memory.mem.read_many(&memory.mem, range, 3), -EFAULT);
	range[1].addr = 0;
	assert_int_equal(memory.mem.read_many(&memory.mem, range, 2), -EFAULT);
	assert_int_equal(calls_of_many, 2);
}

static void test_which_are_windows(void **state)
{
	assert_false(client_memory_is_window(0, 1));
	assert_false(client_memory_is_window(CLIENT_WINDOW_BASE - 8, 8));
	assert_true(client_memory_is_window(CLIENT_WINDOW_BASE - 8, 9));
	assert_true(client_memory_is_window(CLIENT_WINDOW_BASE, 0));
	assert_true(client_memory_is_window(4096, UINT64_MAX));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_window),
		TEST(test_ordered_window),
		TEST(test_truncated),
		TEST(test_read_only),
		TEST(test_refused),
		TEST(test_fixed),
		TEST(test_read_many),
		cmocka_unit_test(test_which_are_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
