/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * With FI_SELECTIVE_COMPLETION only what asks for a completion gets one;
 * what fails gets one without asking. FI_MORE, and the operation flags
 * that an endpoint applies by default.
 */
#include <string.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

enum { CTX_QUIET = 10, CTX_LOUD = 11, CTX_RECV = 12 };

static ssize_t send_flags(struct fab_endpoint *a, unsigned ctx,
			  uint64_t flags)
{
	struct iovec iov = { a->buf, 64 };
	struct fi_msg msg = {
		.msg_iov = &iov,
		.desc = &a->desc,
		.iov_count = 1,
		.addr = a->peer,
		.context = &a->contexts[ctx],
	};

	return fi_sendmsg(a->ep, &msg, flags);
}

static ssize_t recv_flags(struct fab_endpoint *b, unsigned ctx,
			  uint64_t flags)
{
	struct iovec iov = { b->buf, 64 };
	struct fi_msg msg = {
		.msg_iov = &iov,
		.desc = &b->desc,
		.iov_count = 1,
		.addr = FI_ADDR_UNSPEC,
		.context = &b->contexts[ctx],
	};

	return fi_recvmsg(b->ep, &msg, flags);
}

static void open_two(struct fab_endpoint *a, struct fab_endpoint *b,
		     const struct fab_wish *wish)
{
	fab_open(a, wish);
	fab_open(b, wish);
	fab_connect(a, b->addr);
	fab_connect(b, a->addr);
}

/* Quiet ones before a loud one: the loud one comes alone, at both ends. */
static void check_selective(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint a, b;
	struct fab_completion c;
	int i;

	expect_stage("selective completion");
	wish.selective = true;
	open_two(&a, &b, &wish);
	for (i = 0; i < 100; i++) {
		REQUIRE_EQ(recv_flags(&b, CTX_QUIET, 0), 0);
		REQUIRE_EQ(recv_flags(&b, CTX_LOUD, FI_COMPLETION), 0);
		REQUIRE_EQ(send_flags(&a, CTX_QUIET, 0), 0);
		REQUIRE_EQ(send_flags(&a, CTX_LOUD, FI_COMPLETION), 0);
		FAB_EXPECT(&a, CTX_LOUD);
		FAB_EXPECT(&b, CTX_LOUD);
		EXPECT(!fab_poll(&a, &c));
	}
	/* A queue of quiet requests empties by polling alone. */
	for (i = 0; i < 3000; i++) {
		while (recv_flags(&b, CTX_QUIET, 0) == -FI_EAGAIN)
			EXPECT(!fab_poll(&b, &c));
		while (send_flags(&a, CTX_QUIET, 0) == -FI_EAGAIN)
			EXPECT(!fab_poll(&a, &c));
		fab_poll(&a, &c);
		fab_poll(&b, &c);
	}
	fab_close(&a);
	fab_close(&b);
}

static void check_quiet_failure(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_cq_err_entry err;
	struct fab_endpoint a, b;

	expect_stage("failure of a quiet request");
	wish.selective = true;
	wish.rnr_retry = 0;
	open_two(&a, &b, &wish);
	REQUIRE_EQ(send_flags(&a, CTX_QUIET, 0), 0);
	err = fab_wait_error(&a);
	EXPECT_EQ(err.err, FI_ENORX);
	fab_close(&a);
	fab_close(&b);
}

/* Posted with FI_MORE, requests go at the latest with the one without. */
static void check_more(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint a, b;
	int round, i;

	expect_stage("FI_MORE");
	open_two(&a, &b, &wish);
	for (round = 0; round < 50; round++) {
		for (i = 0; i < 7; i++)
			REQUIRE_EQ(recv_flags(&b, CTX_RECV,
					      i < 6 ? FI_MORE : 0), 0);
		for (i = 0; i < 7; i++)
			REQUIRE_EQ(send_flags(&a, CTX_LOUD,
					      i < 6 ? FI_MORE : 0), 0);
		for (i = 0; i < 7; i++) {
			FAB_EXPECT(&a, CTX_LOUD);
			FAB_EXPECT(&b, CTX_RECV);
		}
	}
	fab_close(&a);
	fab_close(&b);
}

/* What was posted for one direction with FI_MORE goes with the last request
 * of the batch, also when that is of the other direction. */
static void check_more_of_both_kinds(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_completion c;
	struct fab_endpoint a;

	expect_stage("FI_MORE over sends and receives");
	fab_open(&a, &wish);
	fab_connect(&a, a.addr);
	/* There, each queue has batches of its own. */
	for (int i = 0; i < 20 && !fab_is_in_tree(a.info); i++) {
		if (i % 2) {
			REQUIRE_EQ(recv_flags(&a, CTX_RECV, FI_MORE), 0);
			REQUIRE_EQ(send_flags(&a, CTX_LOUD, 0), 0);
		} else {
			REQUIRE_EQ(send_flags(&a, CTX_LOUD, FI_MORE), 0);
			REQUIRE_EQ(recv_flags(&a, CTX_RECV, 0), 0);
		}
		c = fab_wait(&a);
		EXPECT(c.ctx == CTX_RECV || c.ctx == CTX_LOUD);
		c = fab_wait(&a);
		EXPECT(c.ctx == CTX_RECV || c.ctx == CTX_LOUD);
	}
	fab_close(&a);
}

/* A refusal for lack of room gives the device what was held back for either
 * direction: the room may have to wait for just that. */
static void check_more_when_full(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_completion c;
	struct fab_endpoint a;
	unsigned posted;
	ssize_t ret;

	wish.tx_size = 64;
	wish.rx_size = 64;
	for (int round = 0; round < 2; round++) {
		expect_stage(round ? "receives refused with FI_MORE"
				   : "sends refused with FI_MORE");
		fab_open(&a, &wish);
		fab_connect(&a, a.addr);
		/* There, each queue has batches of its own. */
		if (fab_is_in_tree(a.info)) {
			fab_close(&a);
			return;
		}
		REQUIRE_EQ(round ? send_flags(&a, CTX_LOUD, FI_MORE)
				 : recv_flags(&a, CTX_RECV, FI_MORE), 0);
		for (posted = 0; posted < 100000; posted++) {
			ret = round ? recv_flags(&a, CTX_RECV, FI_MORE)
				    : send_flags(&a, CTX_LOUD, FI_MORE);
			if (ret)
				break;
		}
		REQUIRE_EQ(ret, -FI_EAGAIN);
		c = fab_wait(&a);
		EXPECT(c.ctx == CTX_RECV || c.ctx == CTX_LOUD);
		c = fab_wait(&a);
		EXPECT(c.ctx == CTX_RECV || c.ctx == CTX_LOUD);
		fab_close(&a);
	}
}

/* Quiet requests that fill the queue go by reading no entry at all. */
static void check_reading_nothing(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint a, b;
	unsigned posted = 0;

	expect_stage("fi_cq_read of no entries");
	wish.selective = true;
	wish.tx_size = 64;
	open_two(&a, &b, &wish);
	for (int i = 0; i < 500; i++)
		REQUIRE_EQ(recv_flags(&b, CTX_QUIET, 0), 0);
	while (posted < 500) {
		ssize_t ret = send_flags(&a, CTX_QUIET, 0);

		if (!ret) {
			posted++;
			continue;
		}
		REQUIRE_EQ(ret, -FI_EAGAIN);
		if (fab_is_in_tree(a.info))
			EXPECT(!fab_poll(&a, &(struct fab_completion) {}));
		else
			EXPECT_EQ(fi_cq_read(a.cq, NULL, 0), -FI_EAGAIN);
	}
	fab_close(&a);
	fab_close(&b);
}

static void check_sendmsg_inject(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint a, b;
	struct iovec iov;
	struct fi_msg msg = { .msg_iov = &iov, .iov_count = 1 };

	expect_stage("fi_sendmsg with FI_INJECT");
	open_two(&a, &b, &wish);
	iov.iov_base = a.buf;
	iov.iov_len = a.info->tx_attr->inject_size;
	msg.addr = a.peer;
	msg.context = &a.contexts[CTX_LOUD];
	expect_fill(a.buf, iov.iov_len, 3);
	REQUIRE_EQ(fab_recv(&b, CTX_RECV, 0, 64), 0);
	/* No desc: the data is taken at once. */
	REQUIRE_EQ(fi_sendmsg(a.ep, &msg, FI_INJECT | FI_COMPLETION), 0);
	memset(a.buf, 0, iov.iov_len);
	FAB_EXPECT(&a, CTX_LOUD);
	FAB_EXPECT(&b, CTX_RECV);
	EXPECT_FILLED(b.buf, iov.iov_len, 3);
	fab_close(&a);
	fab_close(&b);
}

/* Sends of an endpoint without a CQ for them are nowhere to be seen, also
 * those that ask for a completion. */
static void check_one_direction(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint a;
	struct fid_ep *both;

	expect_stage("an endpoint with a CQ for receiving");
	fab_open(&a, &wish);
	fab_connect(&a, a.addr);
	if (fab_is_in_tree(a.info))
		goto close;	/* There, both directions need a CQ. */
	both = a.ep;
	REQUIRE_EQ(fi_endpoint(a.domain, a.info, &a.ep, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(a.ep, &a.av->fid, 0), 0);
	REQUIRE_EQ(fi_ep_bind(a.ep, &a.cq->fid, FI_RECV), 0);
	REQUIRE_EQ(fi_enable(a.ep), 0);
	for (int i = 0; i < 10; i++) {
		REQUIRE_EQ(fi_recv(both, a.buf + 4096, 64, a.desc,
				   FI_ADDR_UNSPEC, &a.contexts[CTX_RECV]), 0);
		REQUIRE_EQ(send_flags(&a, CTX_LOUD, FI_COMPLETION), 0);
		FAB_EXPECT(&a, CTX_RECV);
	}
	/* The last one's own entry, had it one, may come after. */
	REQUIRE_EQ(fi_close(&a.ep->fid), 0);
	a.ep = both;
close:
	fab_close(&a);
}

int main(void)
{
	expect_deadline(60);
	check_selective();
	check_quiet_failure();
	check_more();
	check_more_of_both_kinds();
	check_more_when_full();
	check_reading_nothing();
	check_sendmsg_inject();
	check_one_direction();
	return expect_result();
}
