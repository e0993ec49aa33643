/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Two processes over efa-direct endpoints: every size, every call that
 * sends, every CQ format, immediate data, source addresses.
 */
#include <string.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"
#include "fabtests/functional/two_processes.h"
#include "fabtests/oob_pair.h"

#define RECV_OFFSET	(256u << 10)
#define OP_FLAGS	(FI_SEND | FI_RECV | FI_MSG | FI_RMA | FI_TAGGED | \
			 FI_REMOTE_CQ_DATA)

enum { CTX_RECV = 1, CTX_SEND = 2 };

/* How the next message is sent; the receiver is told the same. */
struct way {
	const char *name;
	size_t len;
	bool has_data, injected;
	enum { WAY_SEND, WAY_SENDV, WAY_SENDMSG, WAY_INJECT } call;
};

static ssize_t send_by_iov(struct fab_endpoint *e, const struct way *way)
{
	size_t first = way->len / 3;
	struct iovec iov[2] = {
		{ e->buf, first },
		{ e->buf + first, way->len - first },
	};
	void *desc[2] = { e->desc, e->desc };
	struct fi_msg msg = {
		.msg_iov = iov,
		.desc = desc,
		.iov_count = 2,
		.addr = e->peer,
		.context = &e->contexts[CTX_SEND],
		.data = 0xfeedbeef,
	};

	if (e->info->tx_attr->iov_limit < 2) {
		iov[0].iov_len = way->len;
		msg.iov_count = 1;
	}
	if (way->call == WAY_SENDV)
		return fi_sendv(e->ep, iov, desc, msg.iov_count, e->peer,
				&e->contexts[CTX_SEND]);
	return fi_sendmsg(e->ep, &msg, FI_COMPLETION |
			  (way->has_data ? FI_REMOTE_CQ_DATA : 0));
}

static ssize_t send_once(struct fab_endpoint *e, const struct way *way)
{
	if (way->injected && way->has_data)
		return fi_injectdata(e->ep, e->buf, way->len, 0xfeedbeef,
				     e->peer);
	if (way->injected)
		return fi_inject(e->ep, e->buf, way->len, e->peer);
	if (way->call == WAY_SENDV || way->call == WAY_SENDMSG)
		return send_by_iov(e, way);
	if (way->has_data)
		return fi_senddata(e->ep, e->buf, way->len, e->desc,
				   0xfeedbeef, e->peer,
				   &e->contexts[CTX_SEND]);
	return fab_send(e, CTX_SEND, 0, way->len);
}

static void check_received(struct fab_endpoint *e, const struct way *way,
			   unsigned seed, const struct fab_completion *c)
{
	uint64_t flags = FI_RECV | FI_MSG;

	if (way->has_data)
		flags |= FI_REMOTE_CQ_DATA;
	EXPECT_EQ(c->ctx, CTX_RECV);
	EXPECT_EQ(c->source, e->peer);
	EXPECT_FILLED(e->buf + RECV_OFFSET, way->len, seed);
	EXPECT_EQ(e->buf[RECV_OFFSET + way->len], 0xee);
	if (e->format == FI_CQ_FORMAT_CONTEXT)
		return;
	EXPECT_EQ(c->flags & OP_FLAGS, flags);
	EXPECT_EQ(c->len, way->len);
	if (way->has_data && e->format == FI_CQ_FORMAT_DATA)
		EXPECT_EQ(c->data, 0xfeedbeef);
}

static void send_side(struct fab_endpoint *e, const struct way *way,
		      unsigned seed)
{
	struct fab_completion c;

	expect_fill(e->buf, way->len, seed);
	REQUIRE_EQ(send_once(e, way), 0);
	if (way->injected) {
		/* The buffer is the application's again at once. */
		memset(e->buf, 0x77, way->len);
		return;
	}
	c = FAB_EXPECT(e, CTX_SEND);
	if (e->format != FI_CQ_FORMAT_CONTEXT)
		EXPECT_EQ(c.flags & OP_FLAGS, FI_SEND | FI_MSG);
}

static void recv_side(struct fab_endpoint *e, const struct way *way,
		      unsigned seed)
{
	struct fab_completion c = FAB_EXPECT(e, CTX_RECV);

	check_received(e, way, seed, &c);
}

/* One message there and one back. */
static void pingpong(struct fab_endpoint *e, int oob, bool first,
		     const struct way *way)
{
	static unsigned seed;
	unsigned mine = seed + !first, theirs = seed + first;

	expect_stage(way->name);
	seed += 2;
	memset(e->buf + RECV_OFFSET, 0xee, way->len + 1);
	REQUIRE_EQ(fab_recv(e, CTX_RECV, RECV_OFFSET, way->len), 0);
	oob_sync(oob);
	if (first) {
		send_side(e, way, mine);
		recv_side(e, way, theirs);
	} else {
		recv_side(e, way, theirs);
		send_side(e, way, mine);
	}
}

static void all_calls(struct fab_endpoint *e, int oob, bool first, size_t len)
{
	struct way way = { .len = len };

	for (way.call = WAY_SEND; way.call <= WAY_SENDMSG; way.call++) {
		way.name = "send";
		way.has_data = false;
		pingpong(e, oob, first, &way);
		way.name = "send with data";
		way.has_data = way.call != WAY_SENDV;
		pingpong(e, oob, first, &way);
	}
	if (len > e->info->tx_attr->inject_size)
		return;
	way.call = WAY_INJECT;
	way.injected = true;
	way.name = "inject";
	way.has_data = false;
	pingpong(e, oob, first, &way);
	way.name = "inject with data";
	way.has_data = true;
	pingpong(e, oob, first, &way);
}

static void all_sizes(struct fab_endpoint *e, int oob, bool first)
{
	size_t max = e->info->ep_attr->max_msg_size;
	size_t mtu = e->info->nic ? e->info->nic->link_attr->mtu : max;
	size_t inject = e->info->tx_attr->inject_size, len;

	/* With RMA the limit is that of RMA; a message is one MTU at most. */
	if (max > mtu)
		max = mtu;
	for (len = 0; len <= inject + 1; len++)
		all_calls(e, oob, first, len);
	for (len = 64; len < max; len *= 2) {
		all_calls(e, oob, first, len - 1);
		all_calls(e, oob, first, len);
	}
	all_calls(e, oob, first, max - 1);
	all_calls(e, oob, first, max);
}

static void run(int oob, bool first, const struct fab_wish *wish)
{
	struct fab_completion c;
	struct fab_endpoint e;

	fab_open_pair(&e, wish, oob);
	if (wish->inject_size)
		EXPECT(e.info->tx_attr->inject_size >= wish->inject_size);
	all_sizes(&e, oob, first);
	oob_sync(oob);
	EXPECT(!fab_poll(&e, &c));
	oob_sync(oob);
	fab_close(&e);
}

/* Both processes go through the same list. */
static void run_all(int oob, bool first)
{
	static const enum fi_cq_format formats[] = { FI_CQ_FORMAT_DATA,
		FI_CQ_FORMAT_MSG, FI_CQ_FORMAT_CONTEXT };
	struct fab_wish wish = fab_wish_direct();
	int i;

	for (i = 0; i < 3; i++) {
		wish.format = formats[i];
		run(oob, first, &wish);
	}
}

int main(void)
{
	struct fab_wish wish = fab_wish_direct();

	return two_processes(run_all, &wish, 120);
}
