/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A peer that is closed, and another one that the device gives the same QP
 * number: the one hears nothing that was meant for the other, and messages of
 * the new one are the new one's as soon as its address is inserted.
 * field_devices.sh runs this where numbers come back at once; elsewhere there
 * is no successor to be had, and the program skips.
 */
#include <string.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define ROUNDS	4u
#define LEN	64u
#define AT_QPN	16u	/* in an address: 2 bytes, little-endian */

enum { CTX_SEND = 1, CTX_RECV = 2 };

static struct fab_endpoint e;	/* stays */
static struct fab_endpoint peer;

static bool is_successor(const uint8_t *addr, const uint8_t *of)
{
	return !memcmp(addr, of, AT_QPN + 2) && memcmp(addr, of, 32);
}

static fi_addr_t insert(const void *addr)
{
	fi_addr_t index;

	REQUIRE_EQ(fi_av_insert(e.av, addr, 1, &index, 0, NULL), 1);
	return index;
}

static void expect_from(fi_addr_t source)
{
	REQUIRE_EQ(fab_recv(&e, CTX_RECV, 0, LEN), 0);
	REQUIRE_EQ(fab_send(&peer, CTX_SEND, 4096, LEN), 0);
	EXPECT_EQ(FAB_EXPECT(&e, CTX_RECV).source, source);
	FAB_EXPECT(&peer, CTX_SEND);
}

/* To @to, which is no more, though its number is. */
static void expect_unheard(fi_addr_t to)
{
	struct fi_cq_err_entry err;
	struct fab_completion c;

	REQUIRE_EQ(fab_recv(&peer, CTX_RECV, 0, LEN), 0);
	REQUIRE_EQ(fi_send(e.ep, e.buf + 4096, LEN, e.desc, to,
			   &e.contexts[CTX_SEND]), 0);
	err = fab_wait_error(&e);
	EXPECT_EQ(fab_context_number(&e, err.op_context), CTX_SEND);
	EXPECT_EQ(err.err, FI_ENOTCONN);
	EXPECT(!fab_poll(&peer, &c));
}

static void expect_heard(fi_addr_t by)
{
	REQUIRE_EQ(fi_send(e.ep, e.buf + 4096, LEN, e.desc, by,
			   &e.contexts[CTX_SEND]), 0);
	FAB_EXPECT(&peer, CTX_RECV);
	FAB_EXPECT(&e, CTX_SEND);
}

int main(void)
{
	struct fab_wish wish = fab_wish_direct();
	uint8_t before[FAB_ADDR_MAX];
	fi_addr_t old, now;

	expect_deadline(60);
	fab_open(&e, &wish);
	fab_open(&peer, &wish);
	fab_connect(&peer, e.addr);
	now = insert(peer.addr);
	expect_stage("the first");
	expect_from(now);
	for (unsigned i = 0; i < ROUNDS; i++) {
		expect_stage("a successor");
		memcpy(before, peer.addr, sizeof(before));
		old = now;
		fab_close(&peer);
		fab_open(&peer, &wish);
		if (!is_successor(peer.addr, before))
			expect_skip("QP numbers that come back at once (softefa's --qpn-reuse first)");
		fab_connect(&peer, e.addr);
		expect_unheard(old);
		now = insert(peer.addr);
		EXPECT(now != old);
		expect_heard(now);
		expect_from(now);
	}
	fab_close(&peer);
	fab_close(&e);
	return expect_result();
}
