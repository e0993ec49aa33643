/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Once an endpoint is enabled, sending, receiving, RMA and reading
 * completions, failed ones too, make no system call and allocate nothing: a
 * child process forbids itself both, and goes on.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rdma/fi_rma.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define ROUNDS	500

static unsigned long allocations;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/* The sanitizer allocates and makes system calls of its own wherever it
 * likes: under it this shows only that the operations are sound. */
#define INSTRUMENTED	1
#else
#define INSTRUMENTED	0

/* The C library's own, under names that no program replaces. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *ptr, size_t size);

void *malloc(size_t size)
{
	allocations++;
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	allocations++;
	return __libc_calloc(count, size);
}

void *realloc(void *ptr, size_t size)
{
	allocations++;
	return __libc_realloc(ptr, size);
}
#endif

static struct fab_endpoint e;
static struct fi_cq_data_entry entries[16];

static void forbidden(int signal, siginfo_t *info, void *context)
{
	static const char text[] = "a system call that was not to be made\n";

	(void)!write(STDERR_FILENO, text, sizeof(text) - 1);
	_exit(1);
}

/* All but those this program makes itself: to let an emulated device, which
 * is a process of this machine, run, and to end. */
static void forbid_system_calls(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_yield, 4, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(*filter), .filter = filter,
	};
	struct sigaction action = { .sa_sigaction = forbidden,
				    .sa_flags = SA_SIGINFO };

	REQUIRE_EQ(sigaction(SIGSYS, &action, NULL), 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		expect_skip("a kernel with seccomp filters: %s",
			    strerror(errno));
}

static void read_completions(unsigned count)
{
	fi_addr_t sources[16];
	ssize_t ret;

	while (count) {
		ret = fi_cq_readfrom(e.cq, entries, 16, sources);
		if (ret == -FI_EAGAIN) {
			sched_yield();
			continue;
		}
		REQUIRE(ret > 0 && (size_t)ret <= count);
		count -= (unsigned)ret;
	}
}

static void read_failure(void)
{
	struct fi_cq_err_entry err = {};

	while (fi_cq_read(e.cq, entries, 1) == -FI_EAGAIN)
		sched_yield();
	REQUIRE_EQ(fi_cq_readerr(e.cq, &err, 0), 1);
	REQUIRE_EQ(err.err, FI_EINVAL);
}

static void go_on(void)
{
	uint64_t addr = (uintptr_t)(e.buf + 65536), key = fi_mr_key(e.mr);
	void *context = &e.contexts[0];
	unsigned posted = 0;

	for (int i = 0; i < ROUNDS; i++) {
		REQUIRE_EQ(fab_recv(&e, 0, 4096, 4096), 0);
		REQUIRE_EQ(fab_recv(&e, 0, 4096, 4096), 0);
		REQUIRE_EQ(fab_send(&e, 0, 0, 4000), 0);
		REQUIRE_EQ(fi_inject(e.ep, e.buf, 8, e.peer), 0);
		REQUIRE_EQ(fi_write(e.ep, e.buf, 4000, e.desc, e.peer, addr,
				    key, context), 0);
		REQUIRE_EQ(fi_read(e.ep, e.buf, 4000, e.desc, e.peer, addr,
				   key, context), 0);
		REQUIRE_EQ(fi_write(e.ep, NULL, 0, NULL, e.peer, addr, key,
				    context), 0);
		read_completions(6);
		REQUIRE_EQ(fi_write(e.ep, e.buf, 64, e.desc, e.peer, 0, key,
				    context), 0);
		read_failure();
	}
	/* A full queue, and the growth up to it. */
	while (!fi_read(e.ep, e.buf, 8, e.desc, e.peer, addr, key, context))
		posted++;
	read_completions(posted);
}

static void child(void)
{
	struct fab_wish wish;

	expect_deadline(100);
	wish = fab_wish_rma();
	fab_open(&e, &wish);
	fab_connect(&e, e.addr);
	if (fab_is_in_tree(e.info))
		expect_skip("this provider: the in-tree one promises no such thing");
	setvbuf(stdout, NULL, _IONBF, 0);
	if (!INSTRUMENTED)
		forbid_system_calls();
	allocations = 0;
	go_on();
	EXPECT_EQ(allocations, 0);
	/* Nothing can be closed any more. */
	_exit(expect_result());
}

int main(void)
{
	int status;
	pid_t pid;

	pid = fork();
	REQUIRE(pid >= 0);
	if (!pid)
		child();
	REQUIRE_EQ(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	fprintf(stderr, "the child ended by signal %d\n", WTERMSIG(status));
	return 1;
}
