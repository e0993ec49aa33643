/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/client_process.h"

#define PAGE_BYTES	4096u
#define CLIENT_BYTES	(4 * PAGE_BYTES)

/* The client is a fork, so its memory lies where this process's does. */
static uint8_t *memory;
static pid_t child;
static struct client_process *client;
static struct poll_loop loop;

static int set_up(void **state)
{
	unsigned i;

	memory = mmap(NULL, CLIENT_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(memory != MAP_FAILED);
	for (i = 0; i < CLIENT_BYTES; i++)
		memory[i] = (uint8_t)(i * 7 + i / 256);
	child = fork();
	if (!child)
		for (;;)
			pause();
	assert_true(child > 0);
	assert_int_equal(poll_loop_init(&loop), 0);
	assert_int_equal(client_process_open_sender(&client, child, -1), 0);
	return 0;
}

static int tear_down(void **state)
{
	client_process_close(client);
	poll_loop_fini(&loop);
	if (child) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	munmap(memory, CLIENT_BYTES);
	return 0;
}

static uint64_t at(unsigned offset)
{
	return (uintptr_t)memory + offset;
}

static void kill_client(void)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	child = 0;
}

static void test_read_and_write(void **state)
{
	struct guest_memory *mem = &client->mem;
	uint8_t copy[100], other[100];

	assert_int_equal(mem->read(mem, at(50), copy, sizeof(copy)), 0);
	assert_memory_equal(copy, memory + 50, sizeof(copy));
	memset(other, 0xe1, sizeof(other));
	assert_int_equal(mem->write(mem, at(50), other, sizeof(other)), 0);
	assert_int_equal(mem->read(mem, at(50), copy, sizeof(copy)), 0);
	assert_memory_equal(copy, other, sizeof(copy));
	assert_int_equal(mem->read(mem, at(CLIENT_BYTES) - 1, copy, 1), 0);
}

static void test_read_many(void **state)
{
	struct guest_memory *mem = &client->mem;
	uint8_t copy[3][300];
	struct guest_range range[] = {
		{ at(3), 1, copy[0] },
		{ at(PAGE_BYTES - 10), 300, copy[1] },
		{ at(3 * PAGE_BYTES), 299, copy[2] },
	};

	assert_int_equal(mem->read_many(mem, range, 3), 0);
	assert_int_equal(copy[0][0], memory[3]);
	assert_memory_equal(copy[1], memory + PAGE_BYTES - 10, 300);
	assert_memory_equal(copy[2], memory + 3 * PAGE_BYTES, 299);
	/* All of it or nothing to rely on, wherever the bad page is. */
	range[2].addr = 1;
	assert_int_equal(mem->read_many(mem, range, 3), -EFAULT);
	range[2].addr = at(0);
	range[0].addr = 1;
	assert_int_equal(mem->read_many(mem, range, 3), -EFAULT);
}

static void test_unwatched_end(void **state)
{
	struct guest_memory *mem = &client->mem;
	struct guest_range range = { at(0), 1, &(uint8_t){ 0 } };

	assert_true(client_process_is_alive(client));
	kill_client();
	assert_false(client_process_is_alive(client));
	assert_int_equal(mem->read(mem, at(0), range.dst, 1), -ESRCH);
	assert_int_equal(mem->read_many(mem, &range, 1), -ESRCH);
	assert_int_equal(mem->write(mem, at(0), range.dst, 1), -ESRCH);
}

static void test_watched_end(void **state)
{
	struct guest_memory *mem = &client->mem;
	uint8_t byte;

	assert_int_equal(client_process_watch(client, &loop), 0);
	assert_int_equal(poll_loop_run(&loop, 0, 16), 0);
	assert_true(client_process_is_alive(client));
	assert_int_equal(mem->read(mem, at(0), &byte, 1), 0);
	kill_client();
	assert_int_equal(poll_loop_run(&loop, UINT64_MAX, 16), 1);
	assert_false(client_process_is_alive(client));
	assert_int_equal(mem->read(mem, at(0), &byte, 1), -ESRCH);
	/* Told once, although the descriptor stays ready. */
	assert_int_equal(poll_loop_run(&loop, 0, 16), 0);
}

/* Closed before its end: the loop forgets it. */
static void test_watched_and_closed(void **state)
{
	assert_int_equal(client_process_watch(client, &loop), 0);
	client_process_close(client);
	client = NULL;
	kill_client();
	assert_int_equal(poll_loop_run(&loop, 0, 16), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_read_and_write),
		TEST(test_read_many),
		TEST(test_unwatched_end),
		TEST(test_watched_end),
		TEST(test_watched_and_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
