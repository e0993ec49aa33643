/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Remote reads and writes that must not happen: what is refused at once,
 * what the device refuses, and registrations that allow too little; and how
 * counters see all of it.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <rdma/fi_rma.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define WAIT_MS	60000

enum { CTX_OP = 30, CTX_RECV = 31 };
enum { STATUS_INVALID_LKEY = 5, STATUS_BAD_ADDRESS = 7,
       STATUS_UNKNOWN_PEER = 14 };

static struct fab_endpoint a, b;

static uint64_t remote_addr(void)
{
	return (uintptr_t)b.buf;
}

static ssize_t do_write(void *desc, uint64_t addr, uint64_t key)
{
	return fi_write(a.ep, a.buf, 64, desc, a.peer, addr, key,
			&a.contexts[CTX_OP]);
}

static ssize_t do_read(void *desc, uint64_t addr, uint64_t key)
{
	return fi_read(a.ep, a.buf, 64, desc, a.peer, addr, key,
		       &a.contexts[CTX_OP]);
}

static void expect_failure(uint64_t flags, int number, int status)
{
	struct fi_cq_err_entry err = fab_wait_error(&a);
	char text[512] = "";

	EXPECT_EQ(fab_context_number(&a, err.op_context), CTX_OP);
	EXPECT_EQ(err.flags, flags);
	EXPECT_EQ(err.err, number);
	EXPECT_EQ(err.prov_errno, status);
	EXPECT(fi_cq_strerror(a.cq, err.prov_errno, err.err_data, text,
			      sizeof(text)));
	if (!fab_is_in_tree(a.info))
		EXPECT(strstr(text, "fi_addr_efa"));
}

/* The endpoint works after whatever was wrong. */
static void check_alive(void)
{
	struct fab_completion c;

	REQUIRE_EQ(do_write(a.desc, remote_addr(), fi_mr_key(b.mr)), 0);
	c = FAB_EXPECT(&a, CTX_OP);
	EXPECT_EQ(c.flags, FI_RMA | FI_WRITE);
	EXPECT(!fab_poll(&a, &c));
	EXPECT(!fab_poll(&b, &c));
}

/* One region of b's memory with @access. */
static struct fid_mr *region(struct fab_endpoint *e, uint64_t access)
{
	struct fid_mr *mr;

	REQUIRE_EQ(fi_mr_reg(e->domain, e->buf, e->buf_len, access, 0, 0, 0,
			     &mr, NULL), 0);
	return mr;
}

static void check_remote_access(void)
{
	struct fid_mr *reads, *writes, *local;
	uint64_t key;

	expect_stage("remote access rights");
	/* There, regions allow more than was asked for. */
	if (fab_is_in_tree(a.info))
		return;
	reads = region(&b, FI_REMOTE_READ);
	writes = region(&b, FI_REMOTE_WRITE);
	local = region(&b, FI_SEND | FI_RECV);
	key = fi_mr_key(reads);
	REQUIRE_EQ(do_write(a.desc, remote_addr(), key), 0);
	expect_failure(FI_RMA | FI_WRITE, FI_EINVAL, STATUS_BAD_ADDRESS);
	REQUIRE_EQ(do_read(a.desc, remote_addr(), key), 0);
	FAB_EXPECT(&a, CTX_OP);
	key = fi_mr_key(writes);
	REQUIRE_EQ(do_read(a.desc, remote_addr(), key), 0);
	expect_failure(FI_RMA | FI_READ, FI_EINVAL, STATUS_BAD_ADDRESS);
	REQUIRE_EQ(do_write(a.desc, remote_addr(), key), 0);
	FAB_EXPECT(&a, CTX_OP);
	key = fi_mr_key(local);
	REQUIRE_EQ(do_read(a.desc, remote_addr(), key), 0);
	expect_failure(FI_RMA | FI_READ, FI_EINVAL, STATUS_BAD_ADDRESS);
	REQUIRE_EQ(do_write(a.desc, remote_addr(), key), 0);
	expect_failure(FI_RMA | FI_WRITE, FI_EINVAL, STATUS_BAD_ADDRESS);
	EXPECT_EQ(fi_close(&reads->fid), 0);
	EXPECT_EQ(fi_close(&writes->fid), 0);
	EXPECT_EQ(fi_close(&local->fid), 0);
	check_alive();
}

/* A source needs no right at all; a destination the one to be written. */
static void check_local_access(void)
{
	struct fid_mr *sends, *remote, *reads;
	uint64_t key = fi_mr_key(b.mr);

	expect_stage("local access rights");
	if (fab_is_in_tree(a.info))
		return;
	sends = region(&a, FI_SEND | FI_WRITE);
	remote = region(&a, FI_REMOTE_READ);
	reads = region(&a, FI_READ);
	REQUIRE_EQ(do_write(fi_mr_desc(sends), remote_addr(), key), 0);
	FAB_EXPECT(&a, CTX_OP);
	REQUIRE_EQ(do_write(fi_mr_desc(remote), remote_addr(), key), 0);
	FAB_EXPECT(&a, CTX_OP);
	REQUIRE_EQ(do_read(fi_mr_desc(reads), remote_addr(), key), 0);
	FAB_EXPECT(&a, CTX_OP);
	REQUIRE_EQ(do_read(fi_mr_desc(sends), remote_addr(), key), 0);
	expect_failure(FI_RMA | FI_READ, FI_EINVAL, STATUS_INVALID_LKEY);
	EXPECT_EQ(fi_close(&sends->fid), 0);
	EXPECT_EQ(fi_close(&remote->fid), 0);
	EXPECT_EQ(fi_close(&reads->fid), 0);
	check_alive();
}

/* Memory that nobody may write is registered for what only reads it. */
static void check_read_only_memory(void)
{
	static const struct {
		uint64_t access;
		bool allowed;
	} cases[] = {
		{ FI_SEND, true }, { FI_WRITE, true },
		{ FI_REMOTE_READ, true },
		{ FI_SEND | FI_WRITE | FI_REMOTE_READ, true },
		{ FI_RECV, false }, { FI_READ, false },
		{ FI_REMOTE_WRITE, false },
	};
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	struct fid_mr *mr;
	int ret;

	expect_stage("read-only memory");
	REQUIRE(page != MAP_FAILED);
	/* There, it depends on how the page is probed. */
	if (fab_is_in_tree(a.info))
		return;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ret = fi_mr_reg(a.domain, page, 4096, cases[i].access, 0, 0,
				0, &mr, NULL);
		if (!EXPECT_EQ(ret, cases[i].allowed ? 0 : -FI_EFAULT))
			fprintf(stderr, "  access %#llx\n",
				(unsigned long long)cases[i].access);
		if (!ret)
			EXPECT_EQ(fi_close(&mr->fid), 0);
	}
	munmap(page, 4096);
}

static void check_ranges(void)
{
	uint64_t key = fi_mr_key(b.mr), end = remote_addr() + b.buf_len;

	expect_stage("ranges beyond a region");
	REQUIRE_EQ(do_write(a.desc, end - 64, key), 0);
	FAB_EXPECT(&a, CTX_OP);
	REQUIRE_EQ(do_write(a.desc, end - 63, key), 0);
	expect_failure(FI_RMA | FI_WRITE, FI_EINVAL, STATUS_BAD_ADDRESS);
	REQUIRE_EQ(do_read(a.desc, remote_addr() - 1, key), 0);
	expect_failure(FI_RMA | FI_READ, FI_EINVAL, STATUS_BAD_ADDRESS);
	REQUIRE_EQ(do_read(a.desc, UINT64_MAX - 10, key), 0);
	expect_failure(FI_RMA | FI_READ, FI_EINVAL, STATUS_BAD_ADDRESS);
	REQUIRE_EQ(do_read(a.desc, remote_addr(), key ^ 0xffff), 0);
	expect_failure(FI_RMA | FI_READ, FI_EINVAL, STATUS_BAD_ADDRESS);
	check_alive();
}

/* The target's device must know the initiator. */
static void check_unknown_initiator(void)
{
	expect_stage("a target that does not know the initiator");
	/* There, an endpoint always knows its own device, a's as well. */
	if (fab_is_in_tree(a.info))
		return;
	REQUIRE_EQ(fi_av_remove(b.av, &b.peer, 1, 0), 0);
	REQUIRE_EQ(do_write(a.desc, remote_addr(), fi_mr_key(b.mr)), 0);
	expect_failure(FI_RMA | FI_WRITE, FI_ENOTCONN, STATUS_UNKNOWN_PEER);
	fab_connect(&b, a.addr);
	check_alive();
}

static ssize_t msg_call(bool write, uint64_t flags, size_t count,
			size_t rma_count, size_t rma_len)
{
	struct iovec iov[3] = { { a.buf, 100 }, { a.buf + 200, 100 },
				{ a.buf + 400, 100 } };
	struct fi_rma_iov rma[2] = {
		{ remote_addr(), rma_len, fi_mr_key(b.mr) },
		{ remote_addr() + 4096, rma_len, fi_mr_key(b.mr) },
	};
	void *desc[3] = { a.desc, a.desc, a.desc };
	struct fi_msg_rma msg = {
		.msg_iov = iov, .desc = desc, .iov_count = count,
		.addr = a.peer, .rma_iov = rma, .rma_iov_count = rma_count,
		.context = &a.contexts[CTX_OP],
	};

	return write ? fi_writemsg(a.ep, &msg, flags)
		     : fi_readmsg(a.ep, &msg, flags);
}

static void check_refusals(void)
{
	uint64_t key = fi_mr_key(b.mr);
	size_t most = a.info->ep_attr->max_msg_size;
	void *ctx = &a.contexts[CTX_OP];

	expect_stage("calls that are refused");
	/* The in-tree provider leaves these to debug builds. */
	if (fab_is_in_tree(a.info))
		return;
	EXPECT_EQ(do_write(NULL, remote_addr(), key), -FI_EINVAL);
	EXPECT_EQ(do_read(NULL, remote_addr(), key), -FI_EINVAL);
	EXPECT_EQ(do_write(a.desc, remote_addr(), FI_KEY_NOTAVAIL),
		  -FI_EINVAL);
	EXPECT_EQ(do_read(a.desc, remote_addr(), key | 1ull << 32),
		  -FI_EINVAL);
	EXPECT_EQ(fi_write(a.ep, a.buf, most + 1, a.desc, a.peer,
			   remote_addr(), key, ctx), -FI_EMSGSIZE);
	EXPECT_EQ(fi_read(a.ep, a.buf, SIZE_MAX, a.desc, a.peer,
			  remote_addr(), key, ctx), -FI_EMSGSIZE);
	EXPECT_EQ(fi_write(a.ep, a.buf, 64, a.desc, 12345, remote_addr(), key,
			   ctx), -FI_EADDRNOTAVAIL);
	EXPECT_EQ(fi_inject_write(a.ep, a.buf, 64, FI_ADDR_UNSPEC,
				  remote_addr(), key), -FI_EADDRNOTAVAIL);
	for (int write = 0; write < 2; write++) {
		EXPECT_EQ(msg_call(write, 0, 2, 1, 200), -FI_EINVAL);
		EXPECT_EQ(msg_call(write, 0, 3, 1, 300), -FI_EINVAL);
		EXPECT_EQ(msg_call(write, 0, 1, 2, 100), -FI_EINVAL);
		EXPECT_EQ(msg_call(write, 0, 1, 0, 100), -FI_EINVAL);
		EXPECT_EQ(msg_call(write, 0, 1, 1, 99), -FI_EINVAL);
		EXPECT_EQ(msg_call(write, FI_FENCE, 1, 1, 100),
			  -FI_EOPNOTSUPP);
		EXPECT_EQ(msg_call(write, FI_COMMIT_COMPLETE, 1, 1, 100),
			  -FI_EOPNOTSUPP);
	}
	EXPECT_EQ(msg_call(false, FI_INJECT, 1, 1, 100), -FI_EOPNOTSUPP);
	EXPECT_EQ(msg_call(false, FI_REMOTE_CQ_DATA, 1, 1, 100),
		  -FI_EOPNOTSUPP);
	check_alive();
}

/* Not yet, and never: an endpoint without FI_RMA. */
static void check_before_enable(void)
{
	struct fi_info *info = fi_dupinfo(a.info);
	uint64_t key = fi_mr_key(b.mr);
	struct fid_ep *ep;

	expect_stage("before fi_enable");
	REQUIRE(info);
	/* The in-tree provider has no table then. */
	for (int i = fab_is_in_tree(a.info) ? 2 : 0; i < 2; i++) {
		const int error = i ? -FI_EOPNOTSUPP : -FI_EOPBADSTATE;

		REQUIRE_EQ(fi_endpoint(a.domain, info, &ep, NULL), 0);
		EXPECT_EQ(fi_write(ep, a.buf, 64, a.desc, a.peer,
				   remote_addr(), key, NULL), error);
		EXPECT_EQ(fi_read(ep, a.buf, 64, a.desc, a.peer,
				  remote_addr(), key, NULL), error);
		EXPECT_EQ(fi_inject_write(ep, a.buf, 8, a.peer, remote_addr(),
					  key), error);
		EXPECT_EQ(fi_send(ep, a.buf, 64, a.desc, a.peer, NULL),
			  -FI_EOPBADSTATE);
		EXPECT_EQ(fi_close(&ep->fid), 0);
		info->caps = FI_MSG;
	}
	fi_freeinfo(info);
}

/* Exactly the longest works, by one region mapped for it. */
static void check_longest(void)
{
	size_t most = a.info->ep_attr->max_msg_size, len = sizeof(most);
	size_t limit = 1 << 20;

	expect_stage("the longest");
	EXPECT(most > a.info->nic->link_attr->mtu);
	if (fab_is_in_tree(a.info))
		return;
	EXPECT_EQ(fi_getopt(&a.ep->fid, FI_OPT_ENDPOINT, FAB_OPT_MAX_RMA_SIZE,
			    &most, &len), 0);
	EXPECT_EQ(most, a.info->ep_attr->max_msg_size);
	EXPECT_EQ(fi_setopt(&a.ep->fid, FI_OPT_ENDPOINT, FAB_OPT_MAX_RMA_SIZE,
			    &limit, sizeof(limit)), 0);
	REQUIRE_EQ(fi_write(a.ep, a.buf, limit, a.desc, a.peer, remote_addr(),
			    fi_mr_key(b.mr), &a.contexts[CTX_OP]), 0);
	FAB_EXPECT(&a, CTX_OP);
	EXPECT_BYTES(b.buf, a.buf, limit);
	EXPECT_EQ(fi_write(a.ep, a.buf, limit + 1, a.desc, a.peer,
			   remote_addr(), fi_mr_key(b.mr),
			   &a.contexts[CTX_OP]), -FI_EMSGSIZE);
	EXPECT_EQ(fi_setopt(&a.ep->fid, FI_OPT_ENDPOINT, FAB_OPT_MAX_RMA_SIZE,
			    &(size_t) { most + 1 }, sizeof(most)), -FI_EINVAL);
	EXPECT_EQ(fi_setopt(&a.ep->fid, FI_OPT_ENDPOINT, FAB_OPT_MAX_RMA_SIZE,
			    &most, sizeof(most)), 0);
}

/* ---- counters, with an endpoint of their own on each side ---- */

struct counted {
	struct fid_ep *ep;
	struct fid_cntr *reads, *writes, *remote;
	fi_addr_t peer;
	uint8_t addr[FAB_ADDR_MAX];
};

static void counted_open(struct counted *c, struct fab_endpoint *e)
{
	struct fi_cntr_attr attr = { .wait_obj = FI_WAIT_UNSPEC };
	size_t len = sizeof(c->addr);

	REQUIRE_EQ(fi_cntr_open(e->domain, &attr, &c->reads, NULL), 0);
	REQUIRE_EQ(fi_cntr_open(e->domain, &attr, &c->writes, NULL), 0);
	REQUIRE_EQ(fi_cntr_open(e->domain, &attr, &c->remote, NULL), 0);
	REQUIRE_EQ(fi_endpoint(e->domain, e->info, &c->ep, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(c->ep, &e->av->fid, 0), 0);
	REQUIRE_EQ(fi_ep_bind(c->ep, &e->cq->fid, FI_TRANSMIT | FI_RECV |
			      FI_SELECTIVE_COMPLETION), 0);
	REQUIRE_EQ(fi_ep_bind(c->ep, &c->reads->fid, FI_READ), 0);
	REQUIRE_EQ(fi_ep_bind(c->ep, &c->writes->fid, FI_WRITE), 0);
	REQUIRE_EQ(fi_ep_bind(c->ep, &c->remote->fid, FI_REMOTE_WRITE), 0);
	REQUIRE_EQ(fi_enable(c->ep), 0);
	REQUIRE_EQ(fi_getname(&c->ep->fid, c->addr, &len), 0);
}

static void counted_close(struct counted *c)
{
	EXPECT_EQ(fi_close(&c->ep->fid), 0);
	EXPECT_EQ(fi_close(&c->reads->fid), 0);
	EXPECT_EQ(fi_close(&c->writes->fid), 0);
	EXPECT_EQ(fi_close(&c->remote->fid), 0);
}

static void check_counters(void)
{
	uint64_t key = fi_mr_key(b.mr), bad = key ^ 0xffff;
	struct fi_cq_err_entry err = {};
	struct fi_cq_data_entry entry;
	struct counted near, far;
	int told = 0;

	expect_stage("counters");
	/* There, one endpoint to an AV. */
	if (fab_is_in_tree(a.info))
		return;
	counted_open(&near, &a);
	counted_open(&far, &b);
	REQUIRE_EQ(fi_av_insert(a.av, far.addr, 1, &near.peer, 0, NULL), 1);
	REQUIRE_EQ(fi_av_insert(b.av, near.addr, 1, &far.peer, 0, NULL), 1);
	for (int i = 0; i < 30; i++) {
		REQUIRE_EQ(fi_write(near.ep, a.buf, 64, a.desc, near.peer,
				    remote_addr(), key, NULL), 0);
		if (i % 3 == 0)
			REQUIRE_EQ(fi_read(near.ep, a.buf, 64, a.desc,
					   near.peer, remote_addr(), key,
					   NULL), 0);
		REQUIRE_EQ(fi_recv(far.ep, b.buf, 64, b.desc, FI_ADDR_UNSPEC,
				   &b.contexts[CTX_RECV]), 0);
		REQUIRE_EQ(fi_writedata(near.ep, a.buf, 64, a.desc, i,
					near.peer, remote_addr(), key, NULL),
			   0);
	}
	EXPECT_EQ(fi_cntr_wait(near.writes, 60, WAIT_MS), 0);
	EXPECT_EQ(fi_cntr_wait(near.reads, 10, WAIT_MS), 0);
	EXPECT_EQ(fi_cntr_wait(far.remote, 30, WAIT_MS), 0);
	EXPECT_EQ(fi_cntr_read(near.writes), 60);
	EXPECT_EQ(fi_cntr_read(near.reads), 10);
	EXPECT_EQ(fi_cntr_read(near.remote), 0);
	EXPECT_EQ(fi_cntr_read(far.remote), 30);
	EXPECT_EQ(fi_cntr_read(far.writes), 0);
	REQUIRE_EQ(fi_read(near.ep, a.buf, 64, a.desc, near.peer,
			   remote_addr(), bad, &a.contexts[CTX_OP]), 0);
	EXPECT_EQ(fi_cntr_wait(near.reads, 11, WAIT_MS), -FI_EAVAIL);
	EXPECT_EQ(fi_cntr_readerr(near.reads), 1);
	REQUIRE_EQ(fi_cq_readerr(a.cq, &err, 0), 1);
	EXPECT_EQ(err.prov_errno, STATUS_BAD_ADDRESS);
	/* Data that took no receive is told of, whatever receives ask. */
	while (fi_cq_read(b.cq, &entry, 1) == 1)
		told++;
	EXPECT_EQ(told, b.info->mode & FI_RX_CQ_DATA ? 0 : 30);
	counted_close(&near);
	counted_close(&far);
}

int main(void)
{
	struct fab_wish wish;

	expect_deadline(120);
	wish = fab_wish_rma();
	wish.buf_len = 2 << 20;
	fab_open(&a, &wish);
	fab_open(&b, &wish);
	fab_connect(&a, b.addr);
	fab_connect(&b, a.addr);
	check_remote_access();
	check_local_access();
	check_read_only_memory();
	check_ranges();
	check_unknown_initiator();
	check_refusals();
	check_before_enable();
	check_longest();
	check_counters();
	check_alive();
	fab_close(&a);
	fab_close(&b);
	return expect_result();
}
