/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One client sends itself messages of 64 bytes, 16 to a doorbell, from
 * registered memory: messages a second, the median of several stretches.
 */
#include <stdio.h>

#include "bench/speed_row.h"
#include "fabtests/expect.h"
#include "test/daemon_cpu.h"
#include "test/two_qps.h"

#define LEN_BYTES	64u
#define BATCH		16u
#define WINDOW		128u		/* messages under way */
#define STRETCHES	15
#define MESSAGES	16384u		/* of one stretch */
#define TARGET_PER_S	200000.0

static void post_batch(struct endpoint *e, unsigned first)
{
	struct request r;
	unsigned i;

	ibv_wr_start(e->qpx);
	for (i = first; i < first + BATCH; i++) {
		r = request_send(e, i, i % WINDOW * LEN_BYTES, LEN_BYTES);
		request_build(e, &r);
	}
	REQUIRE_EQ(ibv_wr_complete(e->qpx), 0);
}

static void post_receive(struct endpoint *e, unsigned slot)
{
	REQUIRE_EQ(receive_post(e, slot, slot * LEN_BYTES, LEN_BYTES), 0);
}

/* Takes what both queues have completed; the receives are posted again. */
static void collect(struct two_qps *pair, unsigned *sent, unsigned *received)
{
	struct completion c;

	while (completion_poll(&pair->a, &c)) {
		REQUIRE_EQ(c.status, IBV_WC_SUCCESS);
		++*sent;
	}
	while (completion_poll(&pair->b, &c)) {
		REQUIRE_EQ(c.status, IBV_WC_SUCCESS);
		REQUIRE_EQ(c.byte_len, LEN_BYTES);
		post_receive(&pair->b, (unsigned)c.wr_id);
		++*received;
	}
}

static double stretch_per_s(struct two_qps *pair)
{
	unsigned posted = 0, sent = 0, received = 0;
	double start = speed_now();

	while (received < MESSAGES || sent < MESSAGES) {
		while (posted < MESSAGES && posted - sent <= WINDOW - BATCH &&
		       posted - received <= WINDOW - BATCH) {
			post_batch(&pair->a, posted);
			posted += BATCH;
		}
		collect(pair, &sent, &received);
	}
	return MESSAGES / (speed_now() - start);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	double per_s[STRETCHES], used;
	struct two_qps pair;
	long daemon;
	unsigned i;

	expect_deadline(120);
	daemon = daemon_cpu_find();
	wish.send_depth = WINDOW;
	wish.recv_depth = WINDOW;
	wish.cq_depth = 2 * WINDOW;
	two_qps_open(&pair, &wish);
	for (i = 0; i < WINDOW; i++)
		post_receive(&pair.b, i);
	used = daemon_cpu_seconds(daemon);
	for (i = 0; i < STRETCHES; i++)
		per_s[i] = stretch_per_s(&pair);
	used = daemon_cpu_seconds(daemon) - used;
	speed_row_print("64-byte sends in batches, loopback",
			speed_median(per_s, STRETCHES), TARGET_PER_S, "1/s",
			false);
	speed_row_note("  for each CPU second of the daemon",
		       (double)MESSAGES * STRETCHES / used, "");
	two_qps_close(&pair);
	return 0;
}
