/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Two processes exchange messages over the fabric efa: of lengths around
 * every limit where another protocol takes over, plain and tagged, with and
 * without delivery complete and CQ data, expected and unexpected, of one
 * buffer and of two; then many at once in both directions, whose order must
 * be kept.
 *
 * FABTESTS_CHILD_PROVIDER_PATH, if set, is FI_PROVIDER_PATH of the second
 * process, so that two providers talk to each other.
 */
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rdma/fi_tagged.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"
#include "fabtests/oob_pair.h"

#define MAX_LEN		((size_t)4 << 20)
#define RECV_AREA	MAX_LEN
#define BUF_LEN		(2 * MAX_LEN + 4096)
#define GUARD		64u
#define TAG		0x1234567890ull
#define MARK_TAG	0x77ull
#define DATA		0x1badcafeull

enum { CTX_MESSAGE, CTX_MARK };

struct exchange {
	size_t len;
	bool is_tagged;
	bool is_delivery_complete;
	bool has_data;
	bool is_unexpected;
	bool has_two_iovs;
	unsigned seed;
};

/* ---- one message ---- */

static void nothing_has_come(struct fab_endpoint *e)
{
	struct fab_completion c;

	REQUIRE(!fab_poll(e, &c));
	sched_yield();
}

/* Waits for the other process, but goes on making progress. */
static void await_other(struct fab_endpoint *e, int oob)
{
	struct pollfd in = { .fd = oob, .events = POLLIN };
	uint8_t theirs = 0;

	while (poll(&in, 1, 0) == 0)
		nothing_has_come(e);
	oob_recv(oob, &theirs, 1);
	REQUIRE_EQ(theirs, 0x5a);
}

static void tell_other(int oob)
{
	const uint8_t mine = 0x5a;

	oob_send(oob, &mine, 1);
}

static void sync_both(struct fab_endpoint *e, int oob)
{
	tell_other(oob);
	await_other(e, oob);
}

static size_t split(const struct exchange *x, uint8_t *at, struct iovec *iov)
{
	size_t first = x->len / 3;

	if (!x->has_two_iovs) {
		iov[0] = (struct iovec) { at, x->len };
		return 1;
	}
	iov[0] = (struct iovec) { at, first };
	iov[1] = (struct iovec) { at + first, x->len - first };
	return 2;
}

static ssize_t try_send(struct fab_endpoint *e, const struct exchange *x)
{
	uint64_t flags = FI_COMPLETION |
		(x->is_delivery_complete ? FI_DELIVERY_COMPLETE : 0) |
		(x->has_data ? FI_REMOTE_CQ_DATA : 0);
	void *desc[2] = { e->desc, e->desc };
	struct iovec iov[2];
	size_t count = split(x, e->buf, iov);
	struct fi_msg_tagged tagged = {
		.msg_iov = iov, .desc = desc, .iov_count = count,
		.addr = e->peer, .tag = TAG, .data = DATA,
		.context = &e->contexts[CTX_MESSAGE],
	};
	struct fi_msg msg = {
		.msg_iov = iov, .desc = desc, .iov_count = count,
		.addr = e->peer, .data = DATA,
		.context = &e->contexts[CTX_MESSAGE],
	};

	return x->is_tagged ? fi_tsendmsg(e->ep, &tagged, flags) :
		fi_sendmsg(e->ep, &msg, flags);
}

/* What has been sent, a bit each; the message may be through before the mark
 * behind it can be posted. */
static void take_sent(struct fab_endpoint *e, unsigned *done)
{
	struct fab_completion c;

	if (!fab_poll(e, &c)) {
		sched_yield();
		return;
	}
	REQUIRE(c.ctx <= CTX_MARK && !(*done & 1u << c.ctx));
	*done |= 1u << c.ctx;
}

/* Behind an unexpected message: when it is received, the other has come. */
static void send_mark(struct fab_endpoint *e, unsigned *done)
{
	ssize_t ret;

	while ((ret = fi_tsend(e->ep, e->buf, 0, e->desc, e->peer, MARK_TAG,
			       &e->contexts[CTX_MARK])) == -FI_EAGAIN)
		take_sent(e, done);
	REQUIRE_EQ(ret, 0);
}

static void run_sender(struct fab_endpoint *e, const struct exchange *x,
		       int oob)
{
	unsigned expected = 1u << CTX_MESSAGE, done = 0;
	ssize_t ret;

	expect_fill(e->buf, x->len, x->seed);
	if (!x->is_unexpected)
		await_other(e, oob);
	while ((ret = try_send(e, x)) == -FI_EAGAIN)
		nothing_has_come(e);
	REQUIRE_EQ(ret, 0);
	if (x->is_unexpected) {
		send_mark(e, &done);
		expected |= 1u << CTX_MARK;
	}
	while (done != expected)
		take_sent(e, &done);
}

static void post_receive(struct fab_endpoint *e, const struct exchange *x)
{
	uint8_t *at = e->buf + RECV_AREA;
	void *desc[2] = { e->desc, e->desc };
	void *context = &e->contexts[CTX_MESSAGE];
	struct iovec iov[2];
	size_t count = split(x, at, iov);

	memset(at, 0xee, x->len + GUARD);
	REQUIRE_EQ(x->is_tagged ?
		   fi_trecvv(e->ep, iov, desc, count, e->peer, TAG, 0,
			     context) :
		   fi_recvv(e->ep, iov, desc, count, e->peer, context), 0);
}

static void check_received(struct fab_endpoint *e, const struct exchange *x,
			   const struct fab_completion *c)
{
	uint8_t guard[GUARD];

	memset(guard, 0xee, sizeof(guard));
	EXPECT_EQ(c->ctx, CTX_MESSAGE);
	EXPECT_EQ(c->len, x->len);
	EXPECT_EQ(c->source, e->peer);
	EXPECT_EQ(!!(c->flags & FI_TAGGED), x->is_tagged);
	EXPECT_EQ(!!(c->flags & FI_REMOTE_CQ_DATA), x->has_data);
	if (x->has_data)
		EXPECT_EQ(c->data, DATA);
	EXPECT_FILLED(e->buf + RECV_AREA, x->len, x->seed);
	EXPECT_BYTES(e->buf + RECV_AREA + x->len, guard, GUARD);
}

static void run_receiver(struct fab_endpoint *e, const struct exchange *x,
			 int oob)
{
	struct fab_completion c;

	if (x->is_unexpected) {
		REQUIRE_EQ(fi_trecv(e->ep, e->buf + RECV_AREA, 0, e->desc,
				    e->peer, MARK_TAG, 0,
				    &e->contexts[CTX_MARK]), 0);
		FAB_EXPECT(e, CTX_MARK);
		post_receive(e, x);
	} else {
		post_receive(e, x);
		tell_other(oob);
	}
	c = fab_wait(e);
	check_received(e, x, &c);
}

/* Both ways, one after the other. */
static void exchange(struct fab_endpoint *e, const struct exchange *x,
		     int oob, bool first)
{
	if (first)
		run_sender(e, x, oob);
	else
		run_receiver(e, x, oob);
	sync_both(e, oob);
	if (first)
		run_receiver(e, x, oob);
	else
		run_sender(e, x, oob);
	sync_both(e, oob);
}

/* Packets are of 8 KiB or some more, or of 4 KiB. */
static const size_t lengths[] = {
	0, 1, 7, 33, 1000, 4000, 4064, 4080, 4096, 4097, 8100, 8192, 8193,
	8800, 8850, 8870, 8884, 8900, 8912, 8920, 8928, 8929, 17000, 30000,
	65535, 65536, 65537, 100001, 290000, 600000, 1048575, 1048576,
	3000001,
};

static void exchange_all(struct fab_endpoint *e, int oob, bool first)
{
	for (unsigned i = 0; i < sizeof(lengths) / sizeof(*lengths); i++)
		for (unsigned choice = 0; choice < 16; choice++) {
			const struct exchange x = {
				.len = lengths[i],
				.is_tagged = choice & 1,
				.is_delivery_complete = choice & 2,
				.has_data = choice & 4,
				.is_unexpected = choice & 8,
				.has_two_iovs = (i + choice) % 3 == 0,
				.seed = i * 16 + choice,
			};

			exchange(e, &x, oob, first);
		}
}

/* ---- many at once ---- */

#define SLOTS		16u
#define SLOT_LEN	((size_t)256 << 10)

struct flow {
	struct fab_endpoint *e;
	unsigned messages;
	unsigned mine, theirs;		/* seeds */
	unsigned posted, sent;
	unsigned recv_posted, received;
	bool is_busy[SLOTS];
};

/* Mostly short, some in several packets, few in windows. */
static size_t flow_len(unsigned number)
{
	unsigned mixed = number * 2654435761u >> 8;

	if (mixed % 64 == 0)
		return mixed % SLOT_LEN;
	return mixed % 8 ? mixed % 6000 : mixed % 60000;
}

static void flow_receive(struct flow *f)
{
	unsigned slot = f->recv_posted++ % SLOTS;

	REQUIRE_EQ(fi_trecv(f->e->ep, f->e->buf + RECV_AREA + slot * SLOT_LEN,
			    SLOT_LEN, f->e->desc, FI_ADDR_UNSPEC, TAG, 0,
			    &f->e->contexts[SLOTS + slot]), 0);
}

static bool flow_send(struct flow *f)
{
	unsigned slot = f->posted % SLOTS;
	uint8_t *buf = f->e->buf + slot * SLOT_LEN;
	ssize_t ret;

	if (f->posted == f->messages || f->is_busy[slot])
		return false;
	expect_fill(buf, flow_len(f->posted), f->mine + f->posted);
	ret = fi_tsend(f->e->ep, buf, flow_len(f->posted), f->e->desc,
		       f->e->peer, TAG, &f->e->contexts[slot]);
	if (ret == -FI_EAGAIN)
		return false;
	REQUIRE_EQ(ret, 0);
	f->is_busy[slot] = true;
	f->posted++;
	return true;
}

/* The n-th receive posted gets the n-th message sent, but they may end in
 * another order. */
static void flow_received(struct flow *f, const struct fab_completion *c,
			  unsigned *numbers)
{
	unsigned slot = c->ctx - SLOTS;
	unsigned number = numbers[slot];

	EXPECT_EQ(c->len, flow_len(number));
	EXPECT_FILLED(f->e->buf + RECV_AREA + slot * SLOT_LEN, c->len,
		      f->theirs + number);
	f->received++;
	numbers[slot] = UINT32_MAX;
}

static bool flow_take(struct flow *f, unsigned *numbers)
{
	struct fab_completion c;

	if (!fab_poll(f->e, &c))
		return false;
	if (c.ctx >= SLOTS) {
		flow_received(f, &c, numbers);
		return true;
	}
	f->is_busy[c.ctx] = false;
	f->sent++;
	return true;
}

static void run_flow(struct flow *f)
{
	unsigned numbers[SLOTS];

	memset(numbers, 0xff, sizeof(numbers));
	while (f->sent < f->messages || f->received < f->messages) {
		bool has_sent = flow_send(f);
		bool is_busy = flow_take(f, numbers) || has_sent;
		unsigned slot = f->recv_posted % SLOTS;

		if (f->recv_posted < f->messages &&
		    numbers[slot] == UINT32_MAX) {
			numbers[slot] = f->recv_posted;
			flow_receive(f);
			is_busy = true;
		}
		if (!is_busy)
			sched_yield();
	}
}

/* Prints who talks to whom, so that a log shows it. Is one of them libfabric's
 * own provider? */
static bool meets_in_tree(struct fab_endpoint *e, int oob, bool first)
{
	uint32_t mine = e->info->fabric_attr->prov_version, theirs = 0;
	uint8_t is_mine = fab_is_in_tree(e->info), is_theirs = 0;

	oob_swap(oob, &mine, &theirs, sizeof(mine));
	oob_swap(oob, &is_mine, &is_theirs, 1);
	if (first)
		printf("providers: %u.%u and %u.%u\n", FI_MAJOR(mine),
		       FI_MINOR(mine), FI_MAJOR(theirs), FI_MINOR(theirs));
	return is_mine || is_theirs;
}

static struct fab_wish wish_rdm(size_t queue_size)
{
	struct fab_wish wish = fab_wish_direct();

	wish.fabric = "efa";
	wish.caps = FI_TAGGED | FI_DIRECTED_RECV;
	wish.buf_len = BUF_LEN;
	wish.tx_size = queue_size;
	wish.rx_size = queue_size;
	return wish;
}

static void run_many(struct fab_endpoint *e, int oob, bool first)
{
	struct flow flow = {
		.e = e, .messages = 2000,
		.mine = first ? 1000 : 500000,
		.theirs = first ? 500000 : 1000,
	};

	run_flow(&flow);
	sync_both(e, oob);
}

static void run_all(int oob, bool first)
{
	struct fab_wish wish = wish_rdm(0);
	struct fab_endpoint e;
	uint8_t is_here = fab_wish_is_there(&wish), is_there = 0;
	bool is_in_tree;

	oob_swap(oob, &is_here, &is_there, 1);
	if (!is_here || !is_there)
		expect_skip("RDM endpoints of the fabric efa, on both sides");
	fab_open_pair(&e, &wish, oob);
	is_in_tree = meets_in_tree(&e, oob, first);
	expect_stage("one message at a time");
	exchange_all(&e, oob, first);
	expect_stage("many at once");
	run_many(&e, oob, first);
	fab_close(&e);
	/* Fewer packets than a window has, and than a medium message takes:
	 * libfabric's provider stands still there. */
	if (is_in_tree)
		return;
	expect_stage("many at once through small queues");
	wish = wish_rdm(4);
	fab_open_pair(&e, &wish, oob);
	run_many(&e, oob, first);
	fab_close(&e);
}

int main(void)
{
	const char *path;
	pid_t child;
	int oob;

	expect_deadline(120);
	/* Between processes of one host, too, it is the device that counts. */
	setenv("FI_EFA_ENABLE_SHM_TRANSFER", "0", 1);
	oob = oob_fork(&child);
	path = getenv("FABTESTS_CHILD_PROVIDER_PATH");
	if (child == 0 && path)
		setenv("FI_PROVIDER_PATH", path, 1);
	run_all(oob, child != 0);
	if (child == 0)
		expect_child_exit();
	expect_child(child);
	return expect_result();
}
