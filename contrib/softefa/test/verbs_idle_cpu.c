/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A daemon whose client holds queues and does nothing uses under 10 % of a
 * CPU, counted in the CPU time that the kernel charges to it; one that polls
 * without pause uses all of it. It is 1 % on a quiet machine, and four times
 * that with a sanitizer on a busy one.
 */
#include <poll.h>
#include <stdio.h>

#include "fabtests/expect.h"
#include "test/daemon_cpu.h"
#include "test/two_qps.h"

#define QPS		32
#define WINDOW_MS	5000
#define SETTLE_MS	500
#define MAX_PERCENT	10.0

static void check(long daemon, const char *what)
{
	double percent;

	expect_stage(what);
	poll(NULL, 0, SETTLE_MS);
	percent = daemon_cpu_percent(daemon, WINDOW_MS);
	printf("%s: %.2f %% of a CPU\n", what, percent);
	EXPECT(percent < MAX_PERCENT);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	static struct endpoint e[QPS];
	struct ibv_context *ctx;
	long daemon;
	int i;

	expect_deadline(60);
	daemon = daemon_cpu_find();
	ctx = device_open(0);
	check(daemon, "an open device");
	for (i = 0; i < QPS; i++) {
		wish.ud = i % 2;
		endpoint_open(&e[i], ctx, &wish);
		endpoint_connect(&e[i], &e[i].self);
		EXPECT_EQ(receive_post(&e[i], 1, 0, 4096), 0);
	}
	check(daemon, "queues that rest");

	for (i = 0; i < QPS; i++)
		endpoint_close(&e[i]);
	device_close(ctx);
	return expect_result();
}
