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
	struct fab_completion c;
	struct fab_endpoint a, b;
	ssize_t ret;

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
	memset(&err, 0, sizeof(err));
	ret = fi_cq_readerr(b.cq, &err, 0);
	EXPECT(ret == 1 || ret == -FI_EAGAIN);
	EXPECT(!fab_poll(&b, &c));
	fab_close(&a);
	fab_close(&b);
}

/* A second endpoint on the domain and CQ of @e. */
static struct fid_ep *second_endpoint(struct fab_endpoint *e)
{
	struct fid_ep *ep;

	REQUIRE_EQ(fi_endpoint(e->domain, e->info, &ep, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(ep, &e->av->fid, 0), 0);
	REQUIRE_EQ(fi_ep_bind(ep, &e->cq->fid, FI_TRANSMIT | FI_RECV), 0);
	REQUIRE_EQ(fi_enable(ep), 0);
	return ep;
}

/*
 * An endpoint goes with receives posted and sends waiting: contexts of it
 * may be freed memory afterwards, so nothing of it may come up in a CQ that
 * it shared.
 */
static void check_close_busy(void)
{
	struct fab_wish wish = fab_wish_direct();
	uint8_t addr[FAB_ADDR_MAX];
	struct fab_endpoint e, sink;
	size_t len = sizeof(addr);
	struct fab_completion c;
	struct fid_ep *other;
	int round, i;

	expect_stage("close with work outstanding");
	fab_open(&e, &wish);
	fab_open(&sink, &wish);
	for (round = 0; round < 20; round++) {
		other = second_endpoint(&e);
		REQUIRE_EQ(fi_getname(&other->fid, addr, &len), 0);
		fab_connect(&e, sink.addr);
		for (i = 0; i < 8; i++)
			REQUIRE_EQ(fi_recv(other, e.buf, 64, e.desc,
					   FI_ADDR_UNSPEC,
					   &e.contexts[300 + i]), 0);
		for (i = 0; i < 8; i++)
			REQUIRE_EQ(fi_send(other, e.buf, 64, e.desc, e.peer,
					   &e.contexts[320 + i]), 0);
		EXPECT_EQ(fi_close(&other->fid), 0);
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
	uint8_t addr[FAB_ADDR_MAX];
	size_t len = sizeof(addr);
	struct fab_completion c;
	struct fab_endpoint e;
	struct fid_ep *other;
	fi_addr_t self;

	expect_stage("close with completions unread");
	fab_open(&e, &wish);
	other = second_endpoint(&e);
	REQUIRE_EQ(fi_getname(&other->fid, addr, &len), 0);
	REQUIRE_EQ(fi_av_insert(e.av, addr, 1, &self, 0, NULL), 1);
	REQUIRE_EQ(fi_recv(other, e.buf, 64, e.desc, FI_ADDR_UNSPEC,
			   &e.contexts[400]), 0);
	REQUIRE_EQ(fi_send(other, e.buf + 64, 64, e.desc, self,
			   &e.contexts[401]), 0);
	EXPECT_EQ(fi_close(&other->fid), 0);
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
