/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/client_process.h"
#include "daemon/copy_watch.h"
#include "daemon/fault_log.h"

#define PAGE_BYTES	4096u
#define LIMIT_MS	100u
#define DEADLINE_S	60

/* A child whose memory at `memory` answers to whoever holds `uffd`. */
static uint8_t *memory;
static pid_t child;
static struct client_process *client;
static struct poll_loop loop;

/* -1: the kernel has none, or gives none to this user. */
static int uffd_open(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { (uintptr_t)memory, PAGE_BYTES },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd >= 0 && (ioctl(fd, UFFDIO_API, &api) ||
			ioctl(fd, UFFDIO_REGISTER, &range))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Which tells by a byte whether its memory is as wanted. */
static void child_run(int fd, bool silent)
{
	char there = !silent || uffd_open() >= 0;

	if (write(fd, &there, 1) == 1)
		for (;;)
			pause();
	_exit(1);
}

/* Whether there could be a client of that kind. */
static bool client_start(bool silent)
{
	char there = 0;
	int fd[2];

	memory = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(memory != MAP_FAILED);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	child = fork();
	if (!child)
		child_run(fd[1], silent);
	assert_true(child > 0);
	close(fd[1]);
	assert_int_equal(read(fd[0], &there, 1), 1);
	close(fd[0]);
	assert_int_equal(client_process_open_sender(&client, child, -1), 0);
	return there;
}

static int set_up(void **state)
{
	/* A copy that nobody ends would hang. */
	alarm(DEADLINE_S);
	fault_log_init(false, -1);
	assert_int_equal(poll_loop_init(&loop), 0);
	assert_int_equal(copy_watch_start(LIMIT_MS), 0);
	return 0;
}

static int tear_down(void **state)
{
	copy_watch_stop();
	client_process_close(client);
	poll_loop_fini(&loop);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	munmap(memory, PAGE_BYTES);
	alarm(0);
	return 0;
}

/* Its memory answers before it is gone. */
static void expect_child_killed(void)
{
	int status = 0;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void test_silent_memory(void **state)
{
	char process[32];
	uint8_t byte;

	if (!client_start(true)) {
		print_message("skipped: userfaultfd(2): run as root\n");
		skip();
	}
	/* That it returns at all is what is tested. */
	client->mem.read(&client->mem, (uintptr_t)memory, &byte, 1);
	expect_child_killed();
	assert_int_equal(fault_log_count(), 1);
	assert_non_null(strstr(fault_log_line(0), "userfaultfd"));
	snprintf(process, sizeof(process), "(process %d)", (int)child);
	assert_non_null(strstr(fault_log_line(0), process));
	assert_int_equal(client->mem.read(&client->mem, (uintptr_t)memory,
					  &byte, 1), -ESRCH);
}

static void test_silent_memory_written(void **state)
{
	if (!client_start(true)) {
		print_message("skipped: userfaultfd(2): run as root\n");
		skip();
	}
	client->mem.write(&client->mem, (uintptr_t)memory, "x", 1);
	expect_child_killed();
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Copies that end are many looks' worth of time, and no reason. */
static void test_many_copies(void **state)
{
	uint64_t begin = now_ms();
	uint8_t byte;

	assert_true(client_start(false));
	while (now_ms() - begin < 5 * LIMIT_MS)
		assert_int_equal(client->mem.read(&client->mem,
						  (uintptr_t)memory, &byte, 1),
				 0);
	assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
	assert_int_equal(fault_log_count(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_silent_memory, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_silent_memory_written,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_many_copies, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
