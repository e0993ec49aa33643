/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What fails on efa-direct ends in an error completion with a number, the
 * device's number and a text; what is closed ends silently.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"
#include "fabtests/oob_pair.h"

#define QPN_OFFSET	16	/* in an FI_ADDR_EFA address */
#define GID_OFFSET	0

enum { STATUS_BAD_DEST_QPN = 9, STATUS_RNR = 10, STATUS_BAD_LENGTH = 11 };

/* That @err says what it should, in numbers and in words. */
static void check_error(struct fab_endpoint *e,
			const struct fi_cq_err_entry *err, unsigned ctx,
			int expected, int status)
{
	char text[256] = "";
	const char *result;

	EXPECT_EQ(fab_context_number(e, err->op_context), ctx);
	EXPECT_EQ(err->err, expected);
	EXPECT_EQ(err->prov_errno, status);
	EXPECT(err->flags & FI_SEND);
	EXPECT(err->flags & FI_MSG);
	result = fi_cq_strerror(e->cq, err->prov_errno, err->err_data, text,
				sizeof(text));
	REQUIRE(result);
	EXPECT(strlen(result) > 0);
	/* The in-tree provider does not fill the buffer it is given. */
	if (!fab_is_in_tree(e->info))
		EXPECT(strlen(text) > 0);
	/* Without a buffer the text is the provider's own. */
	result = fi_cq_strerror(e->cq, err->prov_errno, NULL, NULL, 0);
	REQUIRE(result);
	EXPECT(strlen(result) > 0);
}

/* A message to oneself: the endpoint still works. */
static void check_alive(struct fab_endpoint *e)
{
	fi_addr_t peer = e->peer;
	struct fab_completion c;
	int i;

	fab_connect(e, e->addr);
	REQUIRE_EQ(fab_recv(e, 90, 4096, 100), 0);
	REQUIRE_EQ(fab_send(e, 91, 0, 100), 0);
	for (i = 0; i < 2; i++) {
		c = fab_wait(e);
		EXPECT(c.ctx == 90 || c.ctx == 91);
	}
	e->peer = peer;
}

static void check_unknown_qp(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_cq_err_entry err;
	uint8_t addr[FAB_ADDR_MAX];
	struct fab_endpoint e;
	uint16_t qpn;

	expect_stage("unknown QP");
	fab_open(&e, &wish);
	memcpy(addr, e.addr, sizeof(addr));
	memcpy(&qpn, addr + QPN_OFFSET, sizeof(qpn));
	qpn ^= 0x4000;
	memcpy(addr + QPN_OFFSET, &qpn, sizeof(qpn));
	fab_connect(&e, addr);
	REQUIRE_EQ(fab_send(&e, 5, 0, 100), 0);
	err = fab_wait_error(&e);
	check_error(&e, &err, 5, FI_ENOTCONN, STATUS_BAD_DEST_QPN);
	check_alive(&e);
	fab_close(&e);
}

/* Errors of operations without a completion of their own come all the same. */
static void check_inject_error(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_cq_err_entry err = {};
	uint8_t addr[FAB_ADDR_MAX];
	struct fab_endpoint e;

	expect_stage("failed inject");
	fab_open(&e, &wish);
	memcpy(addr, e.addr, sizeof(addr));
	addr[QPN_OFFSET + 1] ^= 0x40;
	fab_connect(&e, addr);
	REQUIRE_EQ(fi_inject(e.ep, e.buf, 8, e.peer), 0);
	err = fab_wait_error(&e);
	EXPECT_EQ(err.err, FI_ENOTCONN);
	EXPECT_EQ(err.prov_errno, STATUS_BAD_DEST_QPN);
	check_alive(&e);
	fab_close(&e);
}

static void check_unreachable(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_cq_err_entry err;
	uint8_t addr[FAB_ADDR_MAX];
	struct fab_endpoint e;

	expect_stage("unreachable GID");
	fab_open(&e, &wish);
	memcpy(addr, e.addr, sizeof(addr));
	memset(addr + GID_OFFSET + 8, 0x77, 8);
	fab_connect(&e, addr);
	REQUIRE_EQ(fab_send(&e, 6, 0, 100), 0);
	err = fab_wait_error(&e);
	EXPECT_EQ(fab_context_number(&e, err.op_context), 6);
	EXPECT(err.err == FI_EHOSTUNREACH || err.err == FI_ECONNABORTED);
	EXPECT(err.prov_errno == 13 || err.prov_errno == 15);
	check_alive(&e);
	fab_close(&e);
}

static void check_rnr(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_cq_err_entry err;
	struct fab_endpoint a, b;

	expect_stage("receiver not ready");
	wish.rnr_retry = 1;
	fab_open(&a, &wish);
	fab_open(&b, &wish);
	fab_connect(&a, b.addr);
	REQUIRE_EQ(fab_send(&a, 7, 0, 100), 0);
	err = fab_wait_error(&a);
	check_error(&a, &err, 7, FI_ENORX, STATUS_RNR);
	check_alive(&a);
	fab_close(&a);
	fab_close(&b);
}

static void check_recv_too_small(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_cq_err_entry err;
	struct fab_endpoint a, b;

	expect_stage("receive too small");
	fab_open(&a, &wish);
	fab_open(&b, &wish);
	fab_connect(&a, b.addr);
	fab_connect(&b, a.addr);
	REQUIRE_EQ(fab_recv(&b, 8, 0, 50), 0);
	REQUIRE_EQ(fab_send(&a, 9, 0, 100), 0);
	err = fab_wait_error(&a);
	check_error(&a, &err, 9, FI_EMSGSIZE, STATUS_BAD_LENGTH);
	check_alive(&a);
	/* The receive may be gone with an error, but not with a success. */
	if (fab_poll_error(&b, &err)) {
		EXPECT_EQ(fab_context_number(&b, err.op_context), 8);
		EXPECT_EQ(err.err, FI_EMSGSIZE);
		EXPECT(err.flags & FI_RECV);
	}
	EXPECT(!fab_poll_error(&b, &err));
	fab_close(&a);
	fab_close(&b);
}

/*
 * A second endpoint on the domain and CQ of @e, with an AV of its own: the
 * in-tree provider had one endpoint to an AV for long.
 */
struct second {
	struct fid_ep *ep;
	struct fid_av *av;
	uint8_t addr[FAB_ADDR_MAX];
	fi_addr_t peer;
};

static void second_open(struct second *s, struct fab_endpoint *e)
{
	struct fi_av_attr attr = { .type = FI_AV_TABLE };
	size_t len = sizeof(s->addr);

	REQUIRE_EQ(fi_endpoint(e->domain, e->info, &s->ep, NULL), 0);
	REQUIRE_EQ(fi_av_open(e->domain, &attr, &s->av, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(s->ep, &s->av->fid, 0), 0);
	REQUIRE_EQ(fi_ep_bind(s->ep, &e->cq->fid, FI_TRANSMIT | FI_RECV), 0);
	REQUIRE_EQ(fi_enable(s->ep), 0);
	REQUIRE_EQ(fi_getname(&s->ep->fid, s->addr, &len), 0);
}

static void second_connect(struct second *s, const void *addr)
{
	REQUIRE_EQ(fi_av_insert(s->av, addr, 1, &s->peer, 0, NULL), 1);
}

static void second_close(struct second *s)
{
	EXPECT_EQ(fi_close(&s->ep->fid), 0);
	EXPECT_EQ(fi_close(&s->av->fid), 0);
}

/*
 * An endpoint goes with receives posted and sends waiting: contexts of it
 * may be freed memory afterwards, so nothing of it may come up in a CQ that
 * it shared.
 */
static void check_close_busy(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint e, sink;
	struct fab_completion c;
	struct second other;
	int round, i;

	expect_stage("close with work outstanding");
	fab_open(&e, &wish);
	fab_open(&sink, &wish);
	for (round = 0; round < 20; round++) {
		second_open(&other, &e);
		second_connect(&other, sink.addr);
		for (i = 0; i < 8; i++)
			REQUIRE_EQ(fi_recv(other.ep, e.buf, 64, e.desc,
					   FI_ADDR_UNSPEC,
					   &e.contexts[300 + i]), 0);
		for (i = 0; i < 8; i++)
			REQUIRE_EQ(fi_send(other.ep, e.buf, 64, e.desc,
					   other.peer,
					   &e.contexts[320 + i]), 0);
		second_close(&other);
		check_alive(&e);
		EXPECT(!fab_poll(&e, &c));
	}
	fab_close(&e);
	fab_close(&sink);
}

/* Messages that complete, unread, when their endpoint goes. */
static void check_close_unread(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_completion c;
	struct fab_endpoint e;
	struct second other;

	expect_stage("close with completions unread");
	fab_open(&e, &wish);
	/* The in-tree provider takes what is left for an error of the CQ. */
	if (fab_is_in_tree(e.info)) {
		fab_close(&e);
		return;
	}
	second_open(&other, &e);
	second_connect(&other, other.addr);
	REQUIRE_EQ(fi_recv(other.ep, e.buf, 64, e.desc, FI_ADDR_UNSPEC,
			   &e.contexts[400]), 0);
	REQUIRE_EQ(fi_send(other.ep, e.buf + 64, 64, e.desc, other.peer,
			   &e.contexts[401]), 0);
	second_close(&other);
	/* Either they were there before the close, or they never come. */
	while (fab_poll(&e, &c))
		EXPECT(c.ctx == 400 || c.ctx == 401);
	check_alive(&e);
	fab_close(&e);
}

/* Objects in use are not closed. */
static void check_busy(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint e;

	expect_stage("close of objects in use");
	fab_open(&e, &wish);
	/* The in-tree provider closes them, and crashes later. */
	if (fab_is_in_tree(e.info)) {
		fab_close(&e);
		return;
	}
	EXPECT_EQ(fi_close(&e.cq->fid), -FI_EBUSY);
	EXPECT_EQ(fi_close(&e.av->fid), -FI_EBUSY);
	EXPECT_EQ(fi_close(&e.domain->fid), -FI_EBUSY);
	EXPECT_EQ(fi_close(&e.fabric->fid), -FI_EBUSY);
	check_alive(&e);
	fab_close(&e);
}

int main(void)
{
	expect_deadline(120);
	check_unknown_qp();
	check_inject_error();
	check_unreachable();
	check_rnr();
	check_recv_too_small();
	check_close_busy();
	check_close_unread();
	check_busy();
	return expect_result();
}
