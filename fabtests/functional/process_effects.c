/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the provider does to the process it is in: nothing before a domain is
 * opened, no descriptor kept, children that may fork and run programs, a log
 * that no storm fills, and limits of the device that are errors.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rdma/fi_rma.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define MANY_CQS	400
#define MANY_REGIONS	100000
#define STORM		20000
#define WRITES		64u

static unsigned open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;

	REQUIRE(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void run_child(const char *program)
{
	int status = -1;
	pid_t pid = fork();

	REQUIRE(pid >= 0);
	if (!pid) {
		if (program)
			execl(program, program, (char *)NULL);
		_exit(0);
	}
	REQUIRE_EQ(waitpid(pid, &status, 0), pid);
	EXPECT(WIFEXITED(status));
}

static void discover(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_info *hints = fab_hints(&wish);

	fi_freeinfo(fab_getinfo(hints));
	fi_freeinfo(hints);
}

static void check_discovery(void)
{
	unsigned before;

	expect_stage("discovery");
	discover();
	before = open_files();
	for (int i = 0; i < 100; i++)
		discover();
	EXPECT_EQ(open_files(), before);
	run_child(NULL);
	run_child("/bin/true");
}

static void transfer(struct fab_endpoint *e)
{
	REQUIRE_EQ(fab_recv(e, 1, 4096, 2048), 0);
	REQUIRE_EQ(fab_send(e, 1, 0, 2048), 0);
	FAB_EXPECT(e, 1);
	FAB_EXPECT(e, 1);
	EXPECT_BYTES(e->buf + 4096, e->buf, 2048);
}

/* The child has its copy of registered memory; the parent's stays the
 * device's. */
static void check_fork(struct fab_endpoint *e)
{
	pid_t pid;

	expect_stage("fork");
	for (unsigned round = 0; round < 3; round++) {
		expect_fill(e->buf, 2048, round);
		transfer(e);
		pid = fork();
		REQUIRE(pid >= 0);
		if (!pid) {
			memset(e->buf, 0xdd, e->buf_len);
			_exit(e->buf[0] == 0xdd ? 0 : 1);
		}
		expect_fill(e->buf, 2048, round + 100);
		transfer(e);
		expect_child(pid);
		EXPECT_FILLED(e->buf, 2048, round + 100);
		transfer(e);
		run_child("/bin/true");
		transfer(e);
	}
}

static void check_queues(struct fab_endpoint *e)
{
	struct fi_cq_attr attr = {
		.format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_FD,
	};
	unsigned before = open_files();
	struct fid_cq *cq;

	expect_stage("queues with descriptors, one after another");
	for (int i = 0; i < MANY_CQS; i++) {
		REQUIRE_EQ(fi_cq_open(e->domain, &attr, &cq, NULL), 0);
		REQUIRE_EQ(fi_close(&cq->fid), 0);
	}
	EXPECT_EQ(open_files(), before);
}

/* A region goes while the device uses it: each write ends once, some of
 * them well and the others with a failure that says so. */
static void check_region_that_goes(struct fab_endpoint *a,
				   struct fab_endpoint *b)
{
	struct fi_cq_data_entry entry;
	unsigned times[WRITES] = { 0 }, ended;
	struct fi_cq_err_entry err;
	struct fid_mr *mr;
	ssize_t ret;

	expect_stage("a region that goes while it is used");
	REQUIRE_EQ(fi_mr_reg(a->domain, a->buf, a->buf_len, FI_WRITE, 0, 0, 0,
			     &mr, NULL), 0);
	for (unsigned i = 0; i < WRITES; i++)
		REQUIRE_EQ(fi_write(a->ep, a->buf, a->buf_len, fi_mr_desc(mr),
				    a->peer, (uintptr_t)b->buf,
				    fi_mr_key(b->mr), &a->contexts[i]), 0);
	EXPECT_EQ(fi_close(&mr->fid), 0);
	for (ended = 0; ended < WRITES;) {
		ret = fi_cq_read(a->cq, &entry, 1);
		if (ret == -FI_EAVAIL) {
			memset(&err, 0, sizeof(err));
			REQUIRE_EQ(fi_cq_readerr(a->cq, &err, 0), 1);
			EXPECT_EQ(err.err, FI_EINVAL);
			EXPECT_EQ(err.prov_errno, 5);
			entry.op_context = err.op_context;
			ret = 1;
		}
		if (ret == -FI_EAGAIN) {
			sched_yield();
			continue;
		}
		REQUIRE_EQ(ret, 1);
		ended++;
		REQUIRE(fab_context_number(a, entry.op_context) < WRITES);
		times[fab_context_number(a, entry.op_context)]++;
	}
	for (unsigned i = 0; i < WRITES; i++)
		EXPECT_EQ(times[i], 1);
	EXPECT_EQ(fi_cq_read(a->cq, &entry, 1), -FI_EAGAIN);
}

/* So many calls are refused, and not one line is written of them. */
static void check_quiet_log(struct fab_endpoint *e)
{
	int log = memfd_create("log", 0), screen = dup(STDERR_FILENO);
	unsigned posted = 0, taken = 0;
	struct fab_completion c;

	expect_stage("the log of a storm");
	REQUIRE(log >= 0 && screen >= 0);
	REQUIRE(dup2(log, STDERR_FILENO) >= 0);
	/* no receive: they are tried again and again */
	for (unsigned i = 0; i < STORM; i++)
		posted += !fab_send(e, 2, 0, 64);
	for (unsigned i = 0; i < STORM; i++)
		fi_send(e->ep, e->buf, 64, e->desc, 12345, NULL);
	REQUIRE(dup2(screen, STDERR_FILENO) >= 0);
	EXPECT_EQ(lseek(log, 0, SEEK_END), 0);
	EXPECT(posted < STORM);
	close(log);
	close(screen);
	for (unsigned i = 0; i < posted; i++) {
		while (fab_recv(e, 3, 4096, 64))
			taken += fab_poll(e, &c);
		taken += fab_poll(e, &c);
	}
	while (taken++ < 2 * posted)
		fab_wait(e);
}

/* Regions until there is no more: an error, after which all works on. */
static void check_many_regions(struct fab_endpoint *e)
{
	struct fid_mr **mr = calloc(MANY_REGIONS, sizeof(struct fid_mr *));
	unsigned count = 0;
	int ret;

	expect_stage("regions until there is no more");
	REQUIRE(mr);
	do {
		ret = fi_mr_reg(e->domain, e->buf, 4096, FI_SEND, 0, 0, 0,
				&mr[count], NULL);
	} while (!ret && ++count < MANY_REGIONS);
	EXPECT_EQ(ret, -FI_ENOMEM);
	transfer(e);
	while (count--)
		REQUIRE_EQ(fi_close(&mr[count]->fid), 0);
	REQUIRE_EQ(fi_mr_reg(e->domain, e->buf, 4096, FI_SEND, 0, 0, 0, mr,
			     NULL), 0);
	EXPECT_EQ(fi_close(&mr[0]->fid), 0);
	free(mr);
}

int main(int argc, char **argv)
{
	struct fab_wish wish;
	struct fab_endpoint a, b;

	(void)argv;
	expect_deadline(120);
	setenv("FI_LOG_LEVEL", "warn", 1);
	check_discovery();
	wish = fab_wish_rma();
	wish.tx_size = 128;
	fab_open(&a, &wish);
	if (fab_is_in_tree(a.info))
		expect_skip("a process that may fork: the in-tree provider ends it");
	fab_open(&b, &wish);
	fab_connect(&b, a.addr);
	fab_connect(&a, b.addr);
	check_region_that_goes(&a, &b);
	fab_connect(&a, a.addr);
	check_fork(&a);
	check_queues(&a);
	check_quiet_log(&a);
	/* a device whose limit is near, or a long time */
	if (argc > 1)
		check_many_regions(&a);
	fab_close(&a);
	fab_close(&b);
	return expect_result();
}
