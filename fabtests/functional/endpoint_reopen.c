/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An endpoint that used all it could get of a CQ is closed with completions
 * unread, and another one is opened on that CQ: the room is the new one's,
 * and of the old one nothing is heard.
 */
#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

enum { CTX_OLD = 1, CTX_RECV = 2, CTX_SEND = 3 };

#define ROUNDS	3

static void send_to_itself(struct fab_endpoint *e)
{
	struct fab_completion c;

	fab_connect(e, e->addr);
	REQUIRE_EQ(fab_recv(e, CTX_RECV, 0, 64), 0);
	REQUIRE_EQ(fab_send(e, CTX_SEND, 4096, 64), 0);
	for (int i = 0; i < 2; i++) {
		c = fab_wait(e);
		EXPECT(c.ctx == CTX_RECV || c.ctx == CTX_SEND);
	}
	EXPECT(!fab_poll(e, &c));
}

/* Posts until nothing more goes in, and leaves completions behind. */
static void fill(struct fab_endpoint *e)
{
	int posted = 0;

	while (fab_recv(e, CTX_OLD, 0, 64) == 0)
		REQUIRE(++posted < 100000);
	for (int i = 0; i < 8; i++)
		REQUIRE_EQ(fab_send(e, CTX_OLD, 4096, 64), 0);
}

static void reopen(struct fab_endpoint *e)
{
	REQUIRE_EQ(fi_close(&e->ep->fid), 0);
	REQUIRE_EQ(fi_endpoint(e->domain, e->info, &e->ep, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(e->ep, &e->av->fid, 0), 0);
	REQUIRE_EQ(fi_ep_bind(e->ep, &e->cq->fid, FI_TRANSMIT | FI_RECV), 0);
	REQUIRE_EQ(fi_enable(e->ep), 0);
	e->addr_len = sizeof(e->addr);
	REQUIRE_EQ(fi_getname(&e->ep->fid, e->addr, &e->addr_len), 0);
}

int main(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint e;

	expect_deadline(60);
	/* There, an endpoint may post more than its CQ holds. */
	wish.cq_size = 16384;
	fab_open(&e, &wish);
	for (int i = 0; i < ROUNDS; i++) {
		expect_stage("an endpoint after another");
		send_to_itself(&e);
		fill(&e);
		reopen(&e);
	}
	send_to_itself(&e);
	fab_close(&e);
	return expect_result();
}
