/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Completion events: delivery, acknowledging, destroying, no lost wake-up. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define ARM_CYCLES	5000
#define WAKE_MS		10000

static struct endpoint_wish wish;

static void arm(struct endpoint *e)
{
	EXPECT_EQ(ibv_req_notify_cq(ibv_cq_ex_to_cq(e->cq), 0), 0);
}

static bool readable(struct endpoint *e, int timeout_ms)
{
	struct pollfd fd = { .fd = e->channel->fd, .events = POLLIN };

	return poll(&fd, 1, timeout_ms) == 1 && (fd.revents & POLLIN);
}

static void get_event(struct endpoint *e)
{
	struct ibv_cq *cq = NULL;
	void *context;

	REQUIRE_EQ(ibv_get_cq_event(e->channel, &cq, &context), 0);
	REQUIRE(cq == ibv_cq_ex_to_cq(e->cq));
}

static void send_one(struct two_qps *pair, uint64_t wr_id)
{
	struct request r = request_send(&pair->a, wr_id, 0, 16);

	REQUIRE_EQ(receive_post(&pair->b, wr_id, 4096, 16), 0);
	REQUIRE_EQ(request_post(&pair->a, &r), 0);
}

static void check_basic(struct two_qps *pair)
{
	expect_stage("one event");
	EXPECT(!readable(&pair->b, 0));
	arm(&pair->b);
	send_one(pair, 1);
	EXPECT(readable(&pair->b, WAKE_MS));
	get_event(&pair->b);
	ibv_ack_cq_events(ibv_cq_ex_to_cq(pair->b.cq), 1);
	COMPLETION_EXPECT(&pair->b, 1, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair->a, 1, IBV_WC_SUCCESS);
}

/* Armed with the completion there already: the event comes all the same. */
static void check_arm_late(struct two_qps *pair)
{
	expect_stage("armed late");
	send_one(pair, 2);
	COMPLETION_EXPECT(&pair->a, 2, IBV_WC_SUCCESS);
	arm(&pair->b);
	EXPECT(readable(&pair->b, WAKE_MS));
	get_event(&pair->b);
	ibv_ack_cq_events(ibv_cq_ex_to_cq(pair->b.cq), 1);
	COMPLETION_EXPECT(&pair->b, 2, IBV_WC_SUCCESS);
}

/*
 * What each application does: arm, look once more, sleep. A completion in
 * between must wake it. Spurious events are allowed, lost ones are not.
 */
static void wait_by_event(struct endpoint *e, uint64_t wr_id,
			  unsigned *events)
{
	struct completion c;

	for (;;) {
		if (completion_poll(e, &c))
			break;
		arm(e);
		if (completion_poll(e, &c))
			break;
		if (!EXPECT(readable(e, WAKE_MS)))
			expect_give_up();
		get_event(e);
		(*events)++;
	}
	EXPECT_EQ(c.wr_id, wr_id);
	EXPECT_EQ(c.status, IBV_WC_SUCCESS);
}

static void check_cycles(struct two_qps *pair)
{
	unsigned a_events = 0, b_events = 0;
	int i;

	expect_stage("arm cycles");
	for (i = 0; i < ARM_CYCLES; i++) {
		send_one(pair, 100 + (unsigned)i);
		wait_by_event(&pair->b, 100 + (unsigned)i, &b_events);
		wait_by_event(&pair->a, 100 + (unsigned)i, &a_events);
	}
	/* Acknowledged in one go, as libibverbs advises. */
	ibv_ack_cq_events(ibv_cq_ex_to_cq(pair->a.cq), a_events);
	ibv_ack_cq_events(ibv_cq_ex_to_cq(pair->b.cq), b_events);
	EXPECT(a_events + b_events > 0);
}

static void check_nonblocking(struct two_qps *pair)
{
	struct ibv_cq *cq;
	void *context;
	int fd = pair->b.channel->fd, flags = fcntl(fd, F_GETFL);

	expect_stage("non-blocking channel");
	REQUIRE_EQ(fcntl(fd, F_SETFL, flags | O_NONBLOCK), 0);
	while (ibv_get_cq_event(pair->b.channel, &cq, &context) == 0)
		ibv_ack_cq_events(cq, 1);
	EXPECT_EQ(errno, EAGAIN);
	REQUIRE_EQ(fcntl(fd, F_SETFL, flags), 0);
}

/* An event nobody read: destroying the CQ does not wait for it. */
static void check_destroy_unread(void)
{
	struct two_qps pair;

	expect_stage("destroy with an unread event");
	two_qps_open(&pair, &wish);
	arm(&pair.b);
	send_one(&pair, 3);
	EXPECT(readable(&pair.b, WAKE_MS));
	COMPLETION_EXPECT(&pair.a, 3, IBV_WC_SUCCESS);
	two_qps_close(&pair);
}

/* Two CQs on one channel: the unread event of one goes with it alone. */
static void check_shared_channel(struct two_qps *pair)
{
	struct endpoint_wish shared = wish;
	struct endpoint other;
	struct request r;
	int i;

	expect_stage("two CQs on one channel");
	shared.shared_channel = pair->b.channel;
	for (i = 0; i < 50; i++) {
		endpoint_open(&other, pair->ctx, &shared);
		endpoint_connect(&other, &other.self);
		arm(&other);
		r = request_send(&other, 5, 0, 8);
		EXPECT_EQ(receive_post(&other, 6, 64, 8), 0);
		EXPECT_EQ(request_post(&other, &r), 0);
		completion_wait(&other);
		completion_wait(&other);
		arm(&pair->b);
		send_one(pair, 4);
		COMPLETION_EXPECT(&pair->a, 4, IBV_WC_SUCCESS);
		endpoint_close(&other);
		EXPECT(readable(&pair->b, WAKE_MS));
		get_event(&pair->b);
		ibv_ack_cq_events(ibv_cq_ex_to_cq(pair->b.cq), 1);
		COMPLETION_EXPECT(&pair->b, 4, IBV_WC_SUCCESS);
	}
}

int main(void)
{
	struct ibv_context *ctx;
	struct two_qps pair;

	expect_deadline(120);
	ctx = device_open(0);
	device_need_events(ctx);
	device_close(ctx);

	wish = endpoint_wish_default();
	wish.channel = true;
	two_qps_open(&pair, &wish);
	check_basic(&pair);
	check_arm_late(&pair);
	check_cycles(&pair);
	check_nonblocking(&pair);
	check_shared_channel(&pair);
	two_qps_close(&pair);
	check_destroy_unread();
	return expect_result();
}
