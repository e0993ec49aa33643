/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a receive of the fabric efa can be besides one buffer for one message:
 * cancelled, too small, looked at first, claimed, discarded, for many
 * messages, from one sender alone; and messages of a sender that nobody has
 * inserted. Two endpoints of one process, which sends to itself as well. And
 * who sleeps for a completion is woken by a thread whose call made it.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rdma/fi_tagged.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define BUF_LEN		((size_t)1 << 20)
#define RECV_AT		(BUF_LEN / 2)
#define LONG_LEN	((size_t)300000)

enum { CTX_SEND = 1, CTX_RECV, CTX_PROBE };

static struct fab_endpoint a, b;	/* a sends, b receives */
static fi_addr_t a_of_b, b_of_b;	/* what b calls them */

/* ---- helpers ---- */

/* Manual progress: whoever waits for the one moves the other as well. */
static void move_on(void)
{
	REQUIRE(fi_cq_read(a.cq, NULL, 0) != -FI_EAVAIL);
	sched_yield();
}

static struct fab_completion await(struct fab_endpoint *e, unsigned ctx)
{
	struct fab_completion c;

	while (!fab_poll_cq(e, &c))
		move_on();
	EXPECT_EQ(c.ctx, ctx);
	return c;
}

static struct fi_cq_err_entry await_error(unsigned ctx)
{
	struct fi_cq_err_entry err;

	while (!fab_poll_error(&b, &err))
		move_on();
	EXPECT_EQ(fab_context_number(&b, err.op_context), ctx);
	return err;
}

static void send_tagged(uint64_t tag, size_t len, unsigned seed)
{
	expect_fill(a.buf, len, seed);
	REQUIRE_EQ(fi_tsend(a.ep, a.buf, len, a.desc, a.peer, tag,
			    &a.contexts[CTX_SEND]), 0);
}

static ssize_t recv_tagged(fi_addr_t from, uint64_t tag, size_t len)
{
	return fi_trecv(b.ep, b.buf + RECV_AT, len, b.desc, from, tag, 0,
			&b.contexts[CTX_RECV]);
}

static ssize_t probe(uint64_t tag, size_t len, uint64_t flags)
{
	struct iovec iov = { b.buf + RECV_AT, len };
	struct fi_msg_tagged msg = {
		.msg_iov = &iov, .desc = &b.desc, .iov_count = len ? 1 : 0,
		.addr = FI_ADDR_UNSPEC, .tag = tag,
		.context = &b.contexts[CTX_PROBE],
	};

	return fi_trecvmsg(b.ep, &msg, flags | FI_COMPLETION);
}

/* Looks until the message is there. */
static struct fab_completion find(uint64_t tag, uint64_t flags)
{
	struct fi_cq_err_entry err = {0};
	struct fab_completion c;

	for (;;) {
		/* what it finds, it tells before it returns */
		REQUIRE_EQ(probe(tag, 0, FI_PEEK | flags), 0);
		if (fi_cq_readerr(b.cq, &err, 0) != 1) {
			REQUIRE(fab_poll_cq(&b, &c));
			EXPECT_EQ(c.ctx, CTX_PROBE);
			return c;
		}
		EXPECT_EQ(err.err, FI_ENOMSG);
		move_on();
	}
}

static void expect_received(size_t len, unsigned seed)
{
	EXPECT_FILLED(b.buf + RECV_AT, len, seed);
}

/* ---- the cases ---- */

static void cancel(void)
{
	expect_stage("cancelling");
	REQUIRE_EQ(recv_tagged(FI_ADDR_UNSPEC, 1, 64), 0);
	EXPECT_EQ(fi_cancel(&b.ep->fid, &b.contexts[CTX_RECV]), 0);
	EXPECT_EQ(await_error(CTX_RECV).err, FI_ECANCELED);
	EXPECT_EQ(fi_cancel(&b.ep->fid, &b.contexts[CTX_RECV]), -FI_ENOENT);
}

static void truncate(size_t len)
{
	struct fi_cq_err_entry err;

	expect_stage("a message too long");
	REQUIRE_EQ(recv_tagged(FI_ADDR_UNSPEC, 2, 8), 0);
	b.buf[RECV_AT + 8] = 0x5a;
	send_tagged(2, len, 2);
	err = await_error(CTX_RECV);
	EXPECT_EQ(err.err, FI_ETRUNC);
	EXPECT_EQ(err.len, 8);
	EXPECT_EQ(err.olen, len - 8);
	EXPECT_EQ(err.tag, 2);
	EXPECT_EQ(b.buf[RECV_AT + 8], 0x5a);
	await(&a, CTX_SEND);
}

static void peek_and_claim(size_t len)
{
	expect_stage("looking and claiming");
	REQUIRE_EQ(probe(3, 0, FI_PEEK), 0);
	EXPECT_EQ(await_error(CTX_PROBE).err, FI_ENOMSG);
	send_tagged(3, len, 3);
	EXPECT_EQ(find(3, 0).len, len);
	EXPECT_EQ(find(3, FI_CLAIM).len, len);
	/* it is taken: nobody else sees it */
	REQUIRE_EQ(probe(3, 0, FI_PEEK), 0);
	EXPECT_EQ(await_error(CTX_PROBE).err, FI_ENOMSG);
	REQUIRE_EQ(probe(3, len, FI_CLAIM), 0);
	EXPECT_EQ(await(&b, CTX_PROBE).len, len);
	expect_received(len, 3);
	await(&a, CTX_SEND);
}

static void discard(size_t len)
{
	expect_stage("discarding");
	send_tagged(4, len, 4);
	EXPECT_EQ(find(4, FI_DISCARD).len, len);
	REQUIRE_EQ(probe(4, 0, FI_PEEK), 0);
	EXPECT_EQ(await_error(CTX_PROBE).err, FI_ENOMSG);
	while (!fab_poll_cq(&a, &(struct fab_completion) {0}))
		fi_cq_read(b.cq, NULL, 0);
}

static void post_buffer(size_t len)
{
	struct iovec iov = { b.buf + RECV_AT, len };
	const struct fi_msg msg = {
		.msg_iov = &iov, .desc = &b.desc, .iov_count = 1,
		.addr = FI_ADDR_UNSPEC, .context = &b.contexts[CTX_RECV],
	};

	REQUIRE_EQ(fi_recvmsg(b.ep, &msg, FI_MULTI_RECV | FI_COMPLETION), 0);
}

/* Of 512 bytes each; the first two may come before the buffer. */
static void many_to_one_buffer(bool is_early)
{
	struct fab_completion c;
	size_t least = 600;

	expect_stage("one buffer for many");
	REQUIRE_EQ(fi_setopt(&b.ep->fid, FI_OPT_ENDPOINT,
			     FI_OPT_MIN_MULTI_RECV, &least, sizeof(least)),
		   0);
	if (!is_early)
		post_buffer(2048);
	for (unsigned i = 0; i < 3; i++) {
		expect_fill(a.buf, 512, 10 + i);
		REQUIRE_EQ(fi_send(a.ep, a.buf, 512, a.desc, a.peer,
				   &a.contexts[CTX_SEND]), 0);
		await(&a, CTX_SEND);
		fi_cq_read(b.cq, NULL, 0);
	}
	if (is_early)
		post_buffer(2048);
	for (unsigned i = 0; i < 3; i++) {
		c = await(&b, CTX_RECV);
		EXPECT_EQ(c.len, 512);
		EXPECT_EQ(!!(c.flags & FI_MULTI_RECV), i == 2);
		EXPECT_FILLED(b.buf + RECV_AT + i * 512, 512, 10 + i);
	}
}

/* Its data are on their way: it ends as it would, then the buffer does. */
static void cancel_under_a_message(void)
{
	struct fi_cq_err_entry err = {0};
	unsigned received = 0;

	expect_stage("cancelling a buffer for many under a message");
	expect_fill(a.buf, LONG_LEN, 20);
	b.buf[RECV_AT] = (uint8_t)~a.buf[0];
	post_buffer(BUF_LEN - RECV_AT);
	REQUIRE_EQ(fi_send(a.ep, a.buf, LONG_LEN, a.desc, a.peer,
			   &a.contexts[CTX_SEND]), 0);
	/* It has begun, and without a it does not go on. */
	while (b.buf[RECV_AT] != a.buf[0]) {
		move_on();
		fi_cq_read(b.cq, NULL, 0);
	}
	EXPECT_EQ(fi_cancel(&b.ep->fid, &b.contexts[CTX_RECV]), 0);
	while (!err.err) {
		struct fi_cq_data_entry entry;
		ssize_t ret = fi_cq_read(b.cq, &entry, 1);

		move_on();
		if (ret == 1) {
			EXPECT_EQ(entry.len, LONG_LEN);
			EXPECT(!(entry.flags & FI_MULTI_RECV));
			received++;
		} else if (ret == -FI_EAVAIL) {
			REQUIRE_EQ(fi_cq_readerr(b.cq, &err, 0), 1);
		}
	}
	EXPECT_EQ(received, 1);
	EXPECT_EQ(err.err, FI_ECANCELED);
	EXPECT(err.flags & FI_MULTI_RECV);
	EXPECT(err.op_context == &b.contexts[CTX_RECV]);
	EXPECT_FILLED(b.buf + RECV_AT, LONG_LEN, 20);
	await(&a, CTX_SEND);
}

/* Its buffer is free at once, and yet it is not complete before b has it. */
static void inject_until_delivered(void)
{
	struct iovec iov = { a.buf, 64 };
	const struct fi_msg_tagged msg = {
		.msg_iov = &iov, .desc = &a.desc, .iov_count = 1,
		.addr = a.peer, .tag = 9, .context = &a.contexts[CTX_SEND],
	};
	struct fab_completion c;

	expect_stage("injecting until delivered");
	expect_fill(a.buf, 64, 21);
	REQUIRE_EQ(fi_tsendmsg(a.ep, &msg, FI_INJECT | FI_COMPLETION |
			       FI_DELIVERY_COMPLETE), 0);
	memset(a.buf, 0, 64);
	/* it has arrived, and no receive was posted for it */
	find(9, 0);
	for (unsigned i = 0; i < 1000; i++) {
		EXPECT(!fab_poll_cq(&a, &c));
		fi_cq_read(b.cq, NULL, 0);
	}
	REQUIRE_EQ(recv_tagged(FI_ADDR_UNSPEC, 9, 64), 0);
	await(&b, CTX_RECV);
	expect_received(64, 21);
	await(&a, CTX_SEND);
}

static void from_one_alone(void)
{
	expect_stage("from one sender alone");
	REQUIRE_EQ(recv_tagged(a_of_b, 5, 64), 0);
	expect_fill(b.buf, 64, 6);
	REQUIRE_EQ(fi_tinject(b.ep, b.buf, 64, b_of_b, 5), 0);
	send_tagged(5, 64, 5);
	EXPECT_EQ(await(&b, CTX_RECV).source, a_of_b);
	expect_received(64, 5);
	await(&a, CTX_SEND);
	REQUIRE_EQ(recv_tagged(b_of_b, 5, 64), 0);
	EXPECT_EQ(await(&b, CTX_RECV).source, b_of_b);
	expect_received(64, 6);
}

/* Before b inserts a. A long message needs answers, too. */
static void from_a_stranger(size_t len)
{
	expect_stage("from a sender that nobody inserted");
	REQUIRE_EQ(recv_tagged(FI_ADDR_UNSPEC, 7, len), 0);
	send_tagged(7, len, 7);
	EXPECT_EQ(await(&b, CTX_RECV).source, FI_ADDR_NOTAVAIL);
	expect_received(len, 7);
	await(&a, CTX_SEND);
}

/* A message that came before its sender was inserted is the sender's. */
static void insert_the_stranger(void)
{
	send_tagged(8, 64, 8);
	await(&a, CTX_SEND);
	while (!fi_cq_read(b.cq, NULL, 0))
		sched_yield();
	REQUIRE_EQ(fi_av_insert(b.av, a.addr, 1, &a_of_b, 0, NULL), 1);
	REQUIRE_EQ(fi_av_insert(b.av, b.addr, 1, &b_of_b, 0, NULL), 1);
	REQUIRE_EQ(recv_tagged(a_of_b, 8, 64), 0);
	EXPECT_EQ(await(&b, CTX_RECV).source, a_of_b);
	expect_received(64, 8);
}

static void *sleep_for_one(void *arg)
{
	struct fab_endpoint *e = arg;
	struct fi_cq_data_entry entry;

	EXPECT_EQ(fi_cq_sread(e->cq, &entry, 1, NULL, 30000), -FI_EAVAIL);
	return NULL;
}

/* A cancelled receive is over at once, without the device. */
static void wake_a_sleeper(const struct fab_wish *like)
{
	struct fab_wish wish = *like;
	struct fi_cq_err_entry err;
	struct fab_endpoint e;
	pthread_t sleeper;

	expect_stage("waking who sleeps");
	wish.wait_obj = FI_WAIT_FD;
	wish.threading = FI_THREAD_SAFE;
	fab_open(&e, &wish);
	REQUIRE_EQ(fi_trecv(e.ep, e.buf, 64, e.desc, FI_ADDR_UNSPEC, 1, 0,
			    &e.contexts[CTX_RECV]), 0);
	REQUIRE_EQ(pthread_create(&sleeper, NULL, sleep_for_one, &e), 0);
	/* either order is right; this one is to be seen mostly */
	nanosleep(&(struct timespec) { .tv_nsec = 50000000 }, NULL);
	EXPECT_EQ(fi_cancel(&e.ep->fid, &e.contexts[CTX_RECV]), 0);
	REQUIRE_EQ(pthread_join(sleeper, NULL), 0);
	REQUIRE(fab_poll_error(&e, &err));
	EXPECT_EQ(err.err, FI_ECANCELED);
	fab_close(&e);
}

/* What is open when the endpoints are closed leaves nothing behind. */
static void leave_things_open(void)
{
	expect_stage("closing with work outstanding");
	REQUIRE_EQ(recv_tagged(FI_ADDR_UNSPEC, 1000, 64), 0);
	post_buffer(4096);
	send_tagged(1001, 64, 1);
	send_tagged(1002, LONG_LEN, 1);
	fi_cq_read(b.cq, NULL, 0);
}

/* A buffer for many messages is what was asked for, and of untagged ones. */
static void default_flags(const struct fab_wish *like)
{
	struct fi_info *hints = fab_hints(like), *info;
	struct fab_wish wish = *like;
	struct fab_completion c;

	expect_stage("default flags of receives");
	free(hints->rx_attr);
	hints->rx_attr = NULL;
	info = fab_getinfo(hints);
	if (!fab_is_in_tree(info))
		EXPECT_EQ(info->rx_attr->op_flags, FI_COMPLETION);
	fi_freeinfo(info);
	fi_freeinfo(hints);
	wish.rx_flags = FI_COMPLETION | FI_MULTI_RECV;
	fab_open(&a, &wish);
	fab_open(&b, &wish);
	fab_connect(&a, b.addr);
	fab_connect(&b, a.addr);
	for (int i = 0; i < 2; i++)
		REQUIRE_EQ(fi_trecv(b.ep, b.buf + RECV_AT * i, RECV_AT, b.desc,
				    FI_ADDR_UNSPEC, 5, 0,
				    &b.contexts[CTX_RECV + i]), 0);
	for (int i = 0; i < 2; i++) {
		send_tagged(5, 64, 40 + i);
		await(&a, CTX_SEND);
		c = await(&b, CTX_RECV + i);
		EXPECT_EQ(c.len, 64);
		EXPECT_FILLED(b.buf + RECV_AT * i, 64, 40 + i);
	}
	fab_close(&a);
	fab_close(&b);
}

int main(void)
{
	struct fab_wish wish = fab_wish_direct();

	wish.fabric = "efa";
	wish.caps = FI_TAGGED | FI_DIRECTED_RECV | FI_MULTI_RECV;
	wish.buf_len = BUF_LEN;
	if (!fab_wish_is_there(&wish))
		expect_skip("an RDM endpoint of the fabric efa");
	expect_deadline(120);
	fab_open(&a, &wish);
	fab_open(&b, &wish);
	fab_connect(&a, b.addr);
	from_a_stranger(64);
	from_a_stranger(LONG_LEN);
	insert_the_stranger();
	cancel();
	truncate(64);
	truncate(LONG_LEN);
	peek_and_claim(64);
	peek_and_claim(LONG_LEN);
	discard(64);
	discard(LONG_LEN);
	many_to_one_buffer(false);
	many_to_one_buffer(true);
	cancel_under_a_message();
	inject_until_delivered();
	from_one_alone();
	leave_things_open();
	fab_close(&a);
	fab_close(&b);
	wake_a_sleeper(&wish);
	default_flags(&wish);
	return expect_result();
}
