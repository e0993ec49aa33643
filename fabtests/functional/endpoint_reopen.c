/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Endpoints that share a CQ. One that posts all it can leaves room for its
 * own other direction and for the next endpoint. Those that are closed with
 * completions unread give their room to those opened after them, and
 * nothing more is heard of them.
 */
#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

enum { CTX_OLD = 1, CTX_RECV = 2, CTX_SEND = 3 };

#define MOST	64
#define ROUNDS	3

static struct fab_endpoint e;

/* Opens one more endpoint on the CQ of e; what fi_enable says. */
static int open_one(struct fid_ep **ep)
{
	REQUIRE_EQ(fi_endpoint(e.domain, e.info, ep, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(*ep, &e.av->fid, 0), 0);
	REQUIRE_EQ(fi_ep_bind(*ep, &e.cq->fid, FI_TRANSMIT | FI_RECV), 0);
	return fi_enable(*ep);
}

static size_t post_receives(struct fid_ep *ep)
{
	size_t posted = 0;

	while (fi_recv(ep, e.buf, 64, e.desc, FI_ADDR_UNSPEC,
		       &e.contexts[CTX_OLD]) == 0)
		REQUIRE(++posted < 100000);
	return posted;
}

static size_t post_sends(struct fid_ep *ep, size_t most)
{
	size_t posted = 0;

	while (posted < most &&
	       fi_send(ep, e.buf + 4096, 64, e.desc, e.peer,
		       &e.contexts[CTX_OLD]) == 0)
		posted++;
	return posted;
}

static void check_room(void)
{
	struct fid_ep *ep;

	expect_stage("what fi_getinfo promised, on a CQ that is shared");
	EXPECT(post_receives(e.ep) >= e.info->rx_attr->size);
	EXPECT_EQ(post_sends(e.ep, e.info->tx_attr->size),
		  e.info->tx_attr->size);
	REQUIRE_EQ(open_one(&ep), 0);
	EXPECT(post_receives(ep) >= e.info->rx_attr->size);
	EXPECT_EQ(fi_close(&ep->fid), 0);
	for (size_t i = 0; i < 2 * e.info->tx_attr->size; i++)
		FAB_EXPECT(&e, CTX_OLD);
}

/* Endpoints until the CQ has no room for one more, or there are enough; in
 * the end all are closed, with completions unread. */
static void fill(void)
{
	struct fid_ep *ep[MOST];
	int count = 0, ret;

	while (count < MOST && (ret = open_one(&ep[count])) == 0) {
		post_receives(ep[count]);
		post_sends(ep[count], 8);
		count++;
	}
	if (count < MOST) {
		EXPECT_EQ(ret, -FI_ENOSPC);
		EXPECT_EQ(fi_close(&ep[count]->fid), 0);
	}
	EXPECT(count >= 1);
	while (count--)
		EXPECT_EQ(fi_close(&ep[count]->fid), 0);
}

static void reopen(void)
{
	REQUIRE_EQ(fi_close(&e.ep->fid), 0);
	REQUIRE_EQ(open_one(&e.ep), 0);
	e.addr_len = sizeof(e.addr);
	REQUIRE_EQ(fi_getname(&e.ep->fid, e.addr, &e.addr_len), 0);
	fab_connect(&e, e.addr);
}

static void send_to_itself(void)
{
	struct fab_completion c;

	REQUIRE_EQ(fab_recv(&e, CTX_RECV, 0, 64), 0);
	REQUIRE_EQ(fab_send(&e, CTX_SEND, 4096, 64), 0);
	for (int i = 0; i < 2; i++) {
		c = fab_wait(&e);
		EXPECT(c.ctx == CTX_RECV || c.ctx == CTX_SEND);
	}
	EXPECT(!fab_poll(&e, &c));
}

int main(void)
{
	struct fab_wish wish = fab_wish_direct();

	expect_deadline(60);
	fab_open(&e, &wish);
	fab_connect(&e, e.addr);
	if (fab_is_in_tree(e.info))
		expect_skip("a CQ whose room is counted: the in-tree provider overruns it");
	check_room();
	for (int i = 0; i < ROUNDS; i++) {
		expect_stage("one round of endpoints after another");
		reopen();
		post_receives(e.ep);
		fill();
		reopen();
		send_to_itself();
	}
	fab_close(&e);
	return expect_result();
}
