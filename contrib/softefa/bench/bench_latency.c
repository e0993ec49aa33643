/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Two clients, each on a CPU of its own and polling, throw a message to and
 * fro: the time of one transfer, that is half of a round.
 */
#include <stdio.h>
#include <unistd.h>

#include "bench/speed_row.h"
#include "fabtests/expect.h"
#include "fabtests/oob_pair.h"
#include "test/two_qps.h"

#define WARM_UP		200
#define ROUNDS		2000
#define LEN_BYTES	64
#define TARGET_US	300.0

static double half_round_us[ROUNDS];

/* Polls without giving the CPU away, as libfabric and MPI do. */
static void wait_for(struct endpoint *e, enum ibv_wc_opcode opcode)
{
	struct completion c;

	do {
		while (!completion_poll(e, &c))
			;
		REQUIRE_EQ(c.status, IBV_WC_SUCCESS);
	} while (c.opcode != opcode);
}

static void throw(struct endpoint *e)
{
	struct request r = request_send(e, 1, 0, LEN_BYTES);

	REQUIRE_EQ(request_post(e, &r), 0);
}

static void catch(struct endpoint *e)
{
	wait_for(e, IBV_WC_RECV);
	REQUIRE_EQ(receive_post(e, 2, 4096, LEN_BYTES), 0);
}

static void play(struct endpoint *e, bool begins)
{
	double start;
	int i;

	for (i = 0; i < WARM_UP + ROUNDS; i++) {
		start = speed_now();
		if (begins)
			throw(e);
		catch(e);
		if (!begins)
			throw(e);
		if (i >= WARM_UP)
			half_round_us[i - WARM_UP] =
				(speed_now() - start) / 2 * 1e6;
	}
}

static void run(int oob, bool begins)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct endpoint_addr peer;
	struct ibv_context *ctx;
	struct endpoint e;

	speed_pin(begins);
	ctx = device_open(0);
	endpoint_open(&e, ctx, &wish);
	oob_swap(oob, &e.self, &peer, sizeof(peer));
	endpoint_connect(&e, &peer);
	REQUIRE_EQ(receive_post(&e, 2, 4096, LEN_BYTES), 0);
	oob_sync(oob);
	play(&e, begins);
	oob_sync(oob);
	endpoint_close(&e);
	device_close(ctx);
}

int main(void)
{
	pid_t child;
	int oob;

	expect_deadline(120);
	oob = oob_fork(&child);
	if (child == 0) {
		expect_deadline(120);
		run(oob, false);
		expect_child_exit();
	}
	run(oob, true);
	expect_child(child);
	speed_row_print("ping-pong of 64 bytes, one transfer, median",
			speed_median(half_round_us, ROUNDS), TARGET_US, "us",
			true);
	/* Sorted by the median. */
	speed_row_note("the same, 99th percentile",
		       half_round_us[ROUNDS - ROUNDS / 100], "us");
	return 0;
}
