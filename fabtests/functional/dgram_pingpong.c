/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Two processes over DGRAM endpoints: sizes, inject, immediate data, the
 * prefix, source addresses. Each receive is posted before its send, so
 * nothing is lost on one machine.
 */
#include <string.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"
#include "fabtests/functional/two_processes.h"
#include "fabtests/oob_pair.h"

#define RECV_OFFSET	(256u << 10)

enum { CTX_RECV = 1, CTX_SEND = 2 };
enum how { HOW_SEND, HOW_SENDV, HOW_DATA, HOW_INJECT, HOW_COUNT };

/* Lengths given to the calls contain the prefix, as fi_getinfo(3) says. */
static ssize_t send_how(struct fab_endpoint *e, enum how how, size_t len)
{
	size_t first = e->prefix + len / 2, total = e->prefix + len;
	void *context = &e->contexts[CTX_SEND];
	struct iovec iov[2] = {
		{ e->buf, first },
		{ e->buf + first, total - first },
	};
	void *desc[2] = { e->desc, e->desc };

	switch (how) {
	case HOW_SENDV:
		if (e->info->tx_attr->iov_limit < 2)
			break;
		return fi_sendv(e->ep, iov, desc, 2, e->peer, context);
	case HOW_DATA:
		return fi_senddata(e->ep, e->buf, total, e->desc, 0xfeedbeef,
				   e->peer, context);
	case HOW_INJECT:
		return fi_inject(e->ep, e->buf, total, e->peer);
	default:
		break;
	}
	return fab_send(e, CTX_SEND, 0, len);
}

static void send_side(struct fab_endpoint *e, enum how how, size_t len,
		      unsigned seed)
{
	expect_fill(fab_payload(e, 0), len, seed);
	REQUIRE_EQ(send_how(e, how, len), 0);
	if (how == HOW_INJECT)
		memset(e->buf, 0x77, e->prefix + len);
	else
		FAB_EXPECT(e, CTX_SEND);
}

static void recv_side(struct fab_endpoint *e, enum how how, size_t len,
		      unsigned seed)
{
	struct fab_completion c = FAB_EXPECT(e, CTX_RECV);

	EXPECT_EQ(c.len, e->prefix + len);
	EXPECT_EQ(c.source, e->peer);
	EXPECT(c.flags & FI_RECV);
	EXPECT(c.flags & FI_MSG);
	EXPECT_EQ(!!(c.flags & FI_REMOTE_CQ_DATA), how == HOW_DATA);
	if (how == HOW_DATA)
		EXPECT_EQ(c.data, 0xfeedbeef);
	EXPECT_FILLED(fab_payload(e, RECV_OFFSET), len, seed);
	EXPECT_EQ(fab_payload(e, RECV_OFFSET)[len], 0xee);
}

static void pingpong(struct fab_endpoint *e, int oob, bool first,
		     enum how how, size_t len)
{
	static unsigned seed;
	unsigned mine = seed + !first, theirs = seed + first;

	seed += 2;
	memset(e->buf + RECV_OFFSET, 0xee, e->prefix + len + 1);
	REQUIRE_EQ(fab_recv(e, CTX_RECV, RECV_OFFSET, len), 0);
	oob_sync(oob);
	if (first)
		send_side(e, how, len, mine);
	recv_side(e, how, len, theirs);
	if (!first)
		send_side(e, how, len, mine);
}

static void all_ways(struct fab_endpoint *e, int oob, bool first, size_t len)
{
	enum how how;

	for (how = HOW_SEND; how < HOW_COUNT; how++)
		if (how != HOW_INJECT || len <= e->info->tx_attr->inject_size)
			pingpong(e, oob, first, how, len);
}

static void all_sizes(struct fab_endpoint *e, int oob, bool first)
{
	size_t max = e->info->ep_attr->max_msg_size, len;

	expect_stage("datagram sizes");
	for (len = 0; len <= e->info->tx_attr->inject_size + 1; len++)
		all_ways(e, oob, first, len);
	for (len = 64; len < max; len *= 2)
		all_ways(e, oob, first, len - 1);
	/* Whether the prefix counts or not, so much goes. */
	all_ways(e, oob, first, max - e->prefix);
}

/* A datagram that finds no receive is lost, and only that one. */
static void check_lost(struct fab_endpoint *e, int oob, bool first)
{
	struct fab_completion c;

	expect_stage("datagram without a receive");
	oob_sync(oob);
	if (first) {
		REQUIRE_EQ(fab_send(e, CTX_SEND, 0, 100), 0);
		FAB_EXPECT(e, CTX_SEND);
	}
	oob_sync(oob);
	pingpong(e, oob, first, HOW_SEND, 500);
	EXPECT(!fab_poll(e, &c));
}

static void run(int oob, bool first)
{
	struct fab_wish wish = fab_wish_dgram();
	struct fab_endpoint e;

	fab_open_pair(&e, &wish, oob);
	EXPECT_EQ(e.prefix, 40);
	all_sizes(&e, oob, first);
	check_lost(&e, oob, first);
	EXPECT_EQ(fi_cancel(&e.ep->fid, &e.contexts[CTX_RECV]), -FI_ENOSYS);
	oob_sync(oob);
	fab_close(&e);
}

int main(void)
{
	struct fab_wish wish = fab_wish_dgram();

	return two_processes(run, &wish, 120);
}
