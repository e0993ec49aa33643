/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * No wake-up is lost, however arming, polling, taking events and completions
 * interleave. Consumers sleep in poll() on their channel, alone or sharing
 * it, and take random steps between; every completion must wake them. A
 * wake-up with nothing to take is allowed.
 *
 * EVENT_SEED: the random numbers of a run; EVENT_ROUNDS: its length.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define WAKE_MS		20000
#define BURST		8
#define PAIRS		2		/* two on one channel */

struct side {
	struct endpoint e;
	unsigned expected, taken, events;
};

struct lane {
	struct side from, to[PAIRS];
	struct ibv_comp_channel *channel;	/* of to[] */
	uint32_t random;
	unsigned rounds;
};

static struct ibv_context *ctx;

/* xorshift: the same seed, the same steps of this thread. */
static unsigned draw(struct lane *lane, unsigned below)
{
	lane->random ^= lane->random << 13;
	lane->random ^= lane->random >> 17;
	lane->random ^= lane->random << 5;
	return lane->random % below;
}

/* Lets the device run, or not. */
static void dither(struct lane *lane)
{
	for (unsigned i = draw(lane, 4); i; i--)
		sched_yield();
}

static void drain(struct side *side)
{
	struct completion c;

	while (completion_poll(&side->e, &c)) {
		REQUIRE_EQ(c.status, IBV_WC_SUCCESS);
		side->taken++;
	}
}

static void arm(struct side *side)
{
	REQUIRE_EQ(ibv_req_notify_cq(ibv_cq_ex_to_cq(side->e.cq), 0), 0);
}

/* Takes one event of the channel; of whichever side it is. */
static void take_event(struct lane *lane)
{
	struct ibv_cq *cq = NULL;
	void *context;

	REQUIRE_EQ(ibv_get_cq_event(lane->channel, &cq, &context), 0);
	for (int i = 0; i < PAIRS; i++)
		if (cq == ibv_cq_ex_to_cq(lane->to[i].e.cq))
			lane->to[i].events++;
	dither(lane);
}

static bool is_done(const struct lane *lane)
{
	for (int i = 0; i < PAIRS; i++)
		if (lane->to[i].taken < lane->to[i].expected)
			return false;
	return true;
}

/* The contract: arm, look once more, sleep. All else is at random. */
static void consume(struct lane *lane)
{
	struct pollfd fd = { .fd = lane->channel->fd, .events = POLLIN };
	int i, ret;

	for (;;) {
		if (draw(lane, 3) == 0) {
			for (i = 0; i < PAIRS; i++)
				drain(&lane->to[i]);
			dither(lane);
		}
		for (i = 0; i < PAIRS; i++) {
			arm(&lane->to[i]);
			dither(lane);
			if (draw(lane, 8) == 0)
				arm(&lane->to[i]);
		}
		for (i = 0; i < PAIRS; i++)
			drain(&lane->to[i]);
		if (is_done(lane))
			return;
		ret = poll(&fd, 1, WAKE_MS);
		if (!EXPECT_EQ(ret, 1))
			expect_give_up();
		take_event(lane);
		/* Sometimes what else there is stays for the next time. */
		while (draw(lane, 2) && poll(&fd, 1, 0) == 1)
			take_event(lane);
	}
}

static void send_to(struct lane *lane, struct side *to)
{
	struct endpoint *e = &lane->from.e;
	unsigned i, burst = 1 + draw(lane, BURST);
	struct completion c;
	struct request r;

	e->peer = to->e.self;
	r = request_send(e, 1, 0, 8);
	for (i = 0; i < burst; i++) {
		REQUIRE_EQ(receive_post(&to->e, 2, 64, 8), 0);
		REQUIRE_EQ(request_post(e, &r), 0);
		dither(lane);
	}
	to->expected += burst;
	for (i = 0; i < burst; i++) {
		if (!completion_poll(e, &c))
			break;
		lane->from.taken++;
	}
	lane->from.expected += burst;
}

static void *run(void *arg)
{
	struct lane *lane = arg;

	for (unsigned round = 0; round < lane->rounds; round++) {
		for (int i = 0; i < PAIRS; i++)
			if (draw(lane, 4))
				send_to(lane, &lane->to[i]);
		consume(lane);
		while (lane->from.taken < lane->from.expected)
			drain(&lane->from);
	}
	return NULL;
}

static void open_lane(struct lane *lane, uint32_t seed, unsigned rounds)
{
	struct endpoint_wish wish = endpoint_wish_default();

	memset(lane, 0, sizeof(*lane));
	lane->random = seed;
	lane->rounds = rounds;
	lane->channel = ibv_create_comp_channel(ctx);
	REQUIRE(lane->channel);
	wish.send_depth = 2 * BURST * PAIRS;
	wish.buf_len = 4096;
	endpoint_open(&lane->from.e, ctx, &wish);
	endpoint_connect(&lane->from.e, &lane->from.e.self);
	wish.channel = true;
	wish.shared_channel = lane->channel;
	/* Small, so that the ring wraps within a few rounds. */
	wish.cq_depth = BURST;
	wish.recv_depth = BURST;
	for (int i = 0; i < PAIRS; i++)
		endpoint_open(&lane->to[i].e, ctx, &wish);
}

static void close_lane(struct lane *lane)
{
	for (int i = 0; i < PAIRS; i++) {
		ibv_ack_cq_events(ibv_cq_ex_to_cq(lane->to[i].e.cq),
				  lane->to[i].events);
		endpoint_close(&lane->to[i].e);
	}
	endpoint_close(&lane->from.e);
	EXPECT_EQ(ibv_destroy_comp_channel(lane->channel), 0);
}

static unsigned number_of(const char *name, unsigned absent)
{
	const char *text = getenv(name);

	return text ? (unsigned)strtoul(text, NULL, 0) : absent;
}

int main(void)
{
	unsigned seed = number_of("EVENT_SEED", 20261130);
	unsigned rounds = number_of("EVENT_ROUNDS", 1500);
	struct lane lane[2];
	pthread_t thread[2];

	expect_deadline(240);
	ctx = device_open(0);
	device_need_events(ctx);
	printf("EVENT_SEED=%u\n", seed);
	for (unsigned i = 0; i < 2; i++) {
		open_lane(&lane[i], (seed | 1) + 0x9e3779b9u * i, rounds);
		REQUIRE_EQ(pthread_create(&thread[i], NULL, run, &lane[i]), 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		REQUIRE_EQ(pthread_join(thread[i], NULL), 0);
		EXPECT_EQ(lane[i].to[0].taken, lane[i].to[0].expected);
		EXPECT_EQ(lane[i].to[1].taken, lane[i].to[1].expected);
		close_lane(&lane[i]);
	}
	device_close(ctx);
	return expect_result();
}
