/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Remote reads and writes of every kind and length, with what the peer and
 * the own completion queue say of them.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/fi_rma.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define AT	4096u		/* where ranges begin in both buffers */
#define GUARD	64u

enum { CTX_OP = 20, CTX_RECV = 21, CTX_SEND = 22 };

/* @a acts, @b is acted on. */
static struct fab_endpoint a, b;
static bool takes_receives;	/* a write with data takes one of b's */

static void open_two(const struct fab_wish *wish)
{
	fab_open(&a, wish);
	fab_open(&b, wish);
	fab_connect(&a, b.addr);
	fab_connect(&b, a.addr);
	takes_receives = a.info->mode & FI_RX_CQ_DATA;
}

static void close_two(void)
{
	fab_close(&a);
	fab_close(&b);
}

static uint64_t remote_addr(void)
{
	return (uintptr_t)(b.buf + AT);
}

static uint64_t remote_key(void)
{
	return fi_mr_key(b.mr);
}

static void prepare(size_t len)
{
	expect_fill(a.buf + AT - GUARD, len + 2 * GUARD, (unsigned)len + 1);
	expect_fill(b.buf + AT - GUARD, len + 2 * GUARD, (unsigned)len + 2);
}

/* The @len bytes at AT of @to are those of @from, and no byte beside. */
static void check_moved(const struct fab_endpoint *from,
			const struct fab_endpoint *to, size_t len)
{
	static uint8_t before[GUARD * 2 + (1 << 20)];

	EXPECT_BYTES(to->buf + AT, from->buf + AT, len);
	expect_fill(before, len + 2 * GUARD,
		    (unsigned)len + (to == &b ? 2 : 1));
	EXPECT_BYTES(to->buf + AT - GUARD, before, GUARD);
	EXPECT_BYTES(to->buf + AT + len, before + GUARD + len, GUARD);
}

static void expect_done(uint64_t flags)
{
	struct fab_completion c = FAB_EXPECT(&a, CTX_OP);

	EXPECT_EQ(c.flags, flags);
}

/* What b is told of a write with @data. */
static void expect_data(size_t len, uint64_t data)
{
	struct fi_cq_data_entry entry = {};
	fi_addr_t source = FI_ADDR_NOTAVAIL;
	ssize_t ret;

	while ((ret = fi_cq_readfrom(b.cq, &entry, 1, &source)) == -FI_EAGAIN)
		sched_yield();
	REQUIRE_EQ(ret, 1);
	EXPECT_EQ(entry.flags, FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA);
	EXPECT_EQ(entry.len, len);
	EXPECT_EQ(entry.data, data);
	EXPECT_EQ(source, b.peer);
	if (takes_receives)
		EXPECT_EQ(fab_context_number(&b, entry.op_context), CTX_RECV);
	else
		EXPECT(!entry.op_context);
}

/* The receive that a write with data uses up where it does. */
static void give_receive(void)
{
	if (takes_receives)
		REQUIRE_EQ(fab_recv(&b, CTX_RECV, 0, 64), 0);
}

static const size_t lengths[] = {
	0, 1, 31, 32, 33, 79, 80, 81, 4096, 8928, 8929, 65536, 300001,
};

static void check_lengths(void)
{
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		size_t len = lengths[i];

		expect_stage("fi_write");
		prepare(len);
		REQUIRE_EQ(fi_write(a.ep, a.buf + AT, len, a.desc, a.peer,
				    remote_addr(), remote_key(),
				    &a.contexts[CTX_OP]), 0);
		expect_done(FI_RMA | FI_WRITE);
		check_moved(&a, &b, len);

		expect_stage("fi_read");
		prepare(len);
		REQUIRE_EQ(fi_read(a.ep, a.buf + AT, len, a.desc, a.peer,
				   remote_addr(), remote_key(),
				   &a.contexts[CTX_OP]), 0);
		expect_done(FI_RMA | FI_READ);
		check_moved(&b, &a, len);

		expect_stage("fi_writedata");
		prepare(len);
		give_receive();
		REQUIRE_EQ(fi_writedata(a.ep, a.buf + AT, len, a.desc,
					0x89abcdef - len, a.peer,
					remote_addr(), remote_key(),
					&a.contexts[CTX_OP]), 0);
		expect_done(FI_RMA | FI_WRITE);
		expect_data(len, 0x89abcdef - len);
		check_moved(&a, &b, len);
	}
}

/* Of length 0, without a buffer and without its registration. */
static void check_empty(void)
{
	expect_stage("length 0 without a buffer");
	/* There, a desc is looked into whatever the length. */
	if (fab_is_in_tree(a.info))
		return;
	REQUIRE_EQ(fi_write(a.ep, NULL, 0, NULL, a.peer, remote_addr(),
			    remote_key(), &a.contexts[CTX_OP]), 0);
	expect_done(FI_RMA | FI_WRITE);
	REQUIRE_EQ(fi_read(a.ep, NULL, 0, NULL, a.peer, remote_addr(),
			   remote_key(), &a.contexts[CTX_OP]), 0);
	expect_done(FI_RMA | FI_READ);
	give_receive();
	REQUIRE_EQ(fi_writedata(a.ep, NULL, 0, NULL, 7, a.peer, remote_addr(),
				remote_key(), &a.contexts[CTX_OP]), 0);
	expect_done(FI_RMA | FI_WRITE);
	expect_data(0, 7);
}

static ssize_t writemsg(const void *buf, size_t len, uint64_t flags,
			uint64_t data)
{
	struct iovec iov = { (void *)(uintptr_t)buf, len };
	struct fi_rma_iov rma = { remote_addr(), len, remote_key() };
	struct fi_msg_rma msg = {
		.msg_iov = &iov, .desc = &a.desc, .iov_count = 1,
		.addr = a.peer, .rma_iov = &rma, .rma_iov_count = 1,
		.context = &a.contexts[CTX_OP], .data = data,
	};

	return fi_writemsg(a.ep, &msg, flags);
}

static ssize_t readmsg(void *buf, size_t len, uint64_t flags)
{
	struct iovec iov = { buf, len };
	struct fi_rma_iov rma = { remote_addr(), len, remote_key() };
	struct fi_msg_rma msg = {
		.msg_iov = &iov, .desc = &a.desc, .iov_count = 1,
		.addr = a.peer, .rma_iov = &rma, .rma_iov_count = 1,
		.context = &a.contexts[CTX_OP],
	};

	return fi_readmsg(a.ep, &msg, flags);
}

static void check_msg_calls(void)
{
	static const uint64_t flags[] = {
		0, FI_COMPLETION, FI_DELIVERY_COMPLETE, FI_TRANSMIT_COMPLETE,
		FAB_EFA_WR_HIGH_PPS,
	};
	const size_t len = 5000;

	expect_stage("fi_writemsg and fi_readmsg");
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		prepare(len);
		REQUIRE_EQ(writemsg(a.buf + AT, len, flags[i], 0), 0);
		expect_done(FI_RMA | FI_WRITE);
		check_moved(&a, &b, len);
	}
	prepare(len);
	give_receive();
	REQUIRE_EQ(writemsg(a.buf + AT, len, FI_REMOTE_CQ_DATA, 0xfffffffe),
		   0);
	expect_done(FI_RMA | FI_WRITE);
	expect_data(len, 0xfffffffe);
	check_moved(&a, &b, len);
	prepare(len);
	REQUIRE_EQ(readmsg(a.buf + AT, len, FI_COMPLETION), 0);
	expect_done(FI_RMA | FI_READ);
	check_moved(&b, &a, len);
}

static void check_vector_calls(void)
{
	struct iovec iov[2] = { { a.buf + AT, 777 }, { NULL, 0 } };
	void *desc[2] = { a.desc, NULL };

	expect_stage("fi_writev and fi_readv");
	prepare(777);
	REQUIRE_EQ(fi_writev(a.ep, iov, desc, 1, a.peer, remote_addr(),
			     remote_key(), &a.contexts[CTX_OP]), 0);
	expect_done(FI_RMA | FI_WRITE);
	check_moved(&a, &b, 777);
	prepare(777);
	REQUIRE_EQ(fi_readv(a.ep, iov, desc, 1, a.peer, remote_addr(),
			    remote_key(), &a.contexts[CTX_OP]), 0);
	expect_done(FI_RMA | FI_READ);
	check_moved(&b, &a, 777);
	/* Empty buffers, which the in-tree provider hands to the device. */
	if (fab_is_in_tree(a.info))
		return;
	prepare(777);
	REQUIRE_EQ(fi_writev(a.ep, iov, desc, 2, a.peer, remote_addr(),
			     remote_key(), &a.contexts[CTX_OP]), 0);
	expect_done(FI_RMA | FI_WRITE);
	check_moved(&a, &b, 777);
}

static size_t inject_rma_size(void)
{
	size_t size = 0, len = sizeof(size);

	REQUIRE_EQ(fi_getopt(&a.ep->fid, FI_OPT_ENDPOINT,
			     FAB_OPT_INJECT_RMA_SIZE, &size, &len), 0);
	return size;
}

/* The buffer is the caller's again when the call returns, and no completion
 * tells of it; a write that does ask for one shows that it is over. */
static void check_inject(void)
{
	size_t most = inject_rma_size(), len;
	uint8_t sent[128];

	expect_stage("fi_inject_write");
	REQUIRE(most <= sizeof(sent));
	for (len = 1; len <= most; len++) {
		prepare(len);
		memcpy(sent, a.buf + AT, len);
		REQUIRE_EQ(fi_inject_write(a.ep, sent, len, a.peer,
					   remote_addr(), remote_key()), 0);
		memset(sent, 0xee, sizeof(sent));
		while (memcmp(b.buf + AT, a.buf + AT, len)) {
			EXPECT(!fab_poll(&a, &(struct fab_completion) {}));
			sched_yield();
		}
		check_moved(&a, &b, len);
		give_receive();
		REQUIRE_EQ(fi_inject_writedata(a.ep, a.buf + AT, len, len,
					       a.peer, remote_addr(),
					       remote_key()), 0);
		expect_data(len, len);
		memcpy(sent, a.buf + AT, len);
		prepare(len);
		REQUIRE_EQ(writemsg(sent, len, FI_INJECT | FI_COMPLETION, 0),
			   0);
		memset(sent, 0xee, sizeof(sent));
		expect_done(FI_RMA | FI_WRITE);
		check_moved(&a, &b, len);
	}
	if (fab_is_in_tree(a.info))
		return;
	EXPECT_EQ(fi_inject_write(a.ep, a.buf + AT, most + 1, a.peer,
				  remote_addr(), remote_key()),
		  -FI_EOPNOTSUPP);
	EXPECT_EQ(writemsg(a.buf + AT, most + 1, FI_INJECT, 0),
		  -FI_EOPNOTSUPP);
	/* Length 0 always fits. */
	give_receive();
	EXPECT_EQ(fi_inject_writedata(a.ep, NULL, 0, 9, a.peer, remote_addr(),
				      remote_key()), 0);
	expect_data(0, 9);
	if (most < 2)
		return;
	expect_stage("small writes of two buffers");
	prepare(most);
	REQUIRE_EQ(fi_writev(a.ep, (struct iovec[]) {
				{ a.buf + AT, 1 },
				{ a.buf + AT + 1, most - 1 } }, NULL, 2,
			     a.peer, remote_addr(), remote_key(),
			     &a.contexts[CTX_OP]), 0);
	expect_done(FI_RMA | FI_WRITE);
	check_moved(&a, &b, most);
}

static void check_own_address(void)
{
	fi_addr_t self;

	expect_stage("its own memory");
	REQUIRE_EQ(fi_av_insert(a.av, a.addr, 1, &self, 0, NULL), 1);
	prepare(1000);
	REQUIRE_EQ(fi_write(a.ep, a.buf + AT, 1000, a.desc, self,
			    (uintptr_t)(a.buf + 65536), fi_mr_key(a.mr),
			    &a.contexts[CTX_OP]), 0);
	expect_done(FI_RMA | FI_WRITE);
	EXPECT_BYTES(a.buf + 65536, a.buf + AT, 1000);
}

/* Sends, writes and reads with FI_MORE go with the last one. */
static void check_more(void)
{
	struct iovec iov = { a.buf + AT, 64 };
	struct fi_msg msg = {
		.msg_iov = &iov, .desc = &a.desc, .iov_count = 1,
		.addr = a.peer, .context = &a.contexts[CTX_SEND],
	};
	struct fab_completion c;
	unsigned ops, sends;

	expect_stage("FI_MORE over sends, writes and reads");
	for (int round = 0; round < 50; round++) {
		for (int i = 0; i < 4; i++)
			REQUIRE_EQ(fab_recv(&b, CTX_RECV, 0, 64), 0);
		for (int i = 0; i < 4; i++) {
			REQUIRE_EQ(writemsg(a.buf + AT, 64, FI_MORE, 0), 0);
			REQUIRE_EQ(fi_sendmsg(a.ep, &msg, FI_MORE), 0);
			REQUIRE_EQ(readmsg(a.buf + 65536, 64,
					   i < 3 ? FI_MORE : 0), 0);
		}
		for (ops = sends = 0; ops + sends < 12;) {
			c = fab_wait(&a);
			ops += c.ctx == CTX_OP;
			sends += c.ctx == CTX_SEND;
		}
		EXPECT_EQ(sends, 4);
		for (int i = 0; i < 4; i++)
			FAB_EXPECT(&b, CTX_RECV);
	}
}

/* As many as were promised, then -FI_EAGAIN until one is read. */
static void check_full_queue(void)
{
	size_t size = a.info->tx_attr->size, posted = 0;
	struct fab_completion c;
	ssize_t ret;

	expect_stage("a full queue");
	for (int round = 0; round < 3; round++) {
		while (!(ret = writemsg(a.buf + AT, 64, 0, 0)))
			REQUIRE(++posted < 100000);
		EXPECT_EQ(ret, -FI_EAGAIN);
		if (!round)
			EXPECT(posted >= size);
		c = fab_wait(&a);
		EXPECT_EQ(c.ctx, CTX_OP);
		posted--;
		EXPECT_EQ(readmsg(a.buf + AT, 64, 0), 0);
		posted++;
	}
	for (; posted; posted--)
		FAB_EXPECT(&a, CTX_OP);
	EXPECT(!fab_poll(&a, &c));
}

static void check_all(const struct fab_wish *wish)
{
	open_two(wish);
	EXPECT_EQ(a.info->caps & (FI_READ | FI_WRITE | FI_REMOTE_READ |
				  FI_REMOTE_WRITE),
		  FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE);
	EXPECT_EQ(a.info->tx_attr->rma_iov_limit, 1);
	check_lengths();
	check_empty();
	check_msg_calls();
	check_vector_calls();
	check_inject();
	check_own_address();
	check_more();
	check_full_queue();
	close_two();
}

int main(void)
{
	struct fab_wish wish;

	expect_deadline(120);
	wish = fab_wish_rma();
	/* The in-tree provider overruns a CQ smaller than its queues. */
	wish.cq_size = 16384;
	check_all(&wish);
	wish.tx_size = 64;
	wish.threading = FI_THREAD_DOMAIN;
	wish.inject_size = 80;
	if (fab_wish_is_there(&wish))
		check_all(&wish);
	/* Writes with data may always take receives, if that is asked. */
	wish = fab_wish_rma();
	wish.mode = FI_RX_CQ_DATA;
	open_two(&wish);
	/* The in-tree provider of libfabric 2.1 does not have the choice. */
	if (!fab_is_in_tree(a.info))
		EXPECT(takes_receives);
	check_lengths();
	check_empty();
	close_two();
	return expect_result();
}
