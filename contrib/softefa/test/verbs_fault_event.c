/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Faults of completion events: one without a completion, a late one, one
 * for several completions; and that none of them loses a wake-up.
 */
#include <poll.h>
#include <stdint.h>
#include <time.h>

#include "fabtests/expect.h"
#include "test/fault_setting.h"
#include "test/two_qps.h"

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

static struct ibv_cq *cq_of(struct endpoint *e)
{
	return ibv_cq_ex_to_cq(e->cq);
}

/* Waits for the event of @e; the program's deadline is the bound. */
static void take_event(struct endpoint *e)
{
	struct ibv_cq *cq;
	void *context;

	REQUIRE_EQ(ibv_get_cq_event(e->channel, &cq, &context), 0);
	EXPECT(cq == cq_of(e));
	ibv_ack_cq_events(cq, 1);
}

static bool has_event(struct endpoint *e)
{
	struct pollfd fd = { .fd = e->channel->fd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

static void arm(struct endpoint *e)
{
	REQUIRE_EQ(ibv_req_notify_cq(cq_of(e), 0), 0);
}

static void send_one(struct two_qps *pair, uint64_t wr_id)
{
	struct request r = request_send(&pair->a, wr_id, 0, 64);

	REQUIRE_EQ(receive_post(&pair->b, wr_id, 4096, 64), 0);
	REQUIRE_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, wr_id, IBV_WC_SUCCESS);
}

/* The plain way, to show that the device is well again. */
static void check_plain(struct two_qps *pair)
{
	arm(&pair->b);
	send_one(pair, 1);
	take_event(&pair->b);
	COMPLETION_EXPECT(&pair->b, 1, IBV_WC_SUCCESS);
}

static void check_spurious(struct two_qps *pair)
{
	expect_stage("events without a completion");
	check_plain(pair);
	fault_set("cq-event spurious count=2 device=efa_0");
	arm(&pair->b);
	take_event(&pair->b);
	COMPLETION_NONE(&pair->b);
	arm(&pair->b);
	take_event(&pair->b);
	COMPLETION_NONE(&pair->b);
	/* The real one still comes. */
	arm(&pair->b);
	send_one(pair, 2);
	take_event(&pair->b);
	COMPLETION_EXPECT(&pair->b, 2, IBV_WC_SUCCESS);
	fault_clear();
}

static void check_delay(struct two_qps *pair)
{
	long long start;

	expect_stage("a late event");
	fault_set("cq-event delay=40ms");
	arm(&pair->b);
	start = now_ms();
	send_one(pair, 3);
	take_event(&pair->b);
	EXPECT(now_ms() - start >= 39);
	COMPLETION_EXPECT(&pair->b, 3, IBV_WC_SUCCESS);
	fault_clear();
	check_plain(pair);
}

static void check_coalesce(struct two_qps *pair)
{
	uint64_t i;

	expect_stage("one event for several completions");
	fault_set("cq-event coalesce=4 delay=30s");
	arm(&pair->b);
	for (i = 0; i < 3; i++)
		send_one(pair, i);
	EXPECT(!has_event(&pair->b));
	send_one(pair, 3);
	take_event(&pair->b);
	EXPECT(!has_event(&pair->b));
	for (i = 0; i < 4; i++)
		COMPLETION_EXPECT(&pair->b, i, IBV_WC_SUCCESS);
	fault_clear();

	/* Fewer than that are told of when the time is up. */
	fault_set("cq-event coalesce=4 delay=20ms");
	arm(&pair->b);
	send_one(pair, 5);
	take_event(&pair->b);
	COMPLETION_EXPECT(&pair->b, 5, IBV_WC_SUCCESS);
	fault_clear();
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct endpoint_wish plain = wish;
	struct two_qps pair;

	expect_deadline(60);
	wish.channel = true;
	pair.ctx = device_open(0);
	endpoint_open(&pair.a, pair.ctx, &plain);
	endpoint_open(&pair.b, pair.ctx, &wish);
	endpoint_connect(&pair.a, &pair.b.self);
	endpoint_connect(&pair.b, &pair.a.self);
	check_spurious(&pair);
	check_delay(&pair);
	check_coalesce(&pair);
	two_qps_close(&pair);
	return expect_result();
}
