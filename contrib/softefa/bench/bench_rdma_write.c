/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One client writes 1 MiB at a time from one of its buffers into another, by
 * RDMA over the device: the median of several stretches. Once with memory in
 * huge pages, as far as the kernel gives them, and once in small ones, where
 * the kernel's work for each page adds to that for each byte.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/speed_row.h"
#include "fabtests/expect.h"
#include "test/daemon_cpu.h"
#include "test/two_qps.h"

#define LEN_BYTES	(1u << 20)
#define SLOTS		4u		/* transfers under way */
#define STRETCHES	15
#define TRANSFERS	64		/* of one stretch */
#define BUF_BYTES	(SLOTS * LEN_BYTES)
#define TARGET_GB_S	4.0

static void post(struct endpoint *e, unsigned slot)
{
	struct request r = request_rdma(e, IBV_WR_RDMA_WRITE, slot,
					slot * LEN_BYTES, LEN_BYTES);

	REQUIRE_EQ(request_post(e, &r), 0);
}

static double stretch_gb_s(struct endpoint *e)
{
	double start = speed_now();
	struct completion c;
	unsigned i;

	for (i = 0; i < SLOTS; i++)
		post(e, i);
	for (i = 0; i < TRANSFERS; i++) {
		c = completion_wait(e);
		REQUIRE_EQ(c.status, IBV_WC_SUCCESS);
		if (i + SLOTS < TRANSFERS)
			post(e, (unsigned)c.wr_id);
	}
	return (double)LEN_BYTES * TRANSFERS / (speed_now() - start) / 1e9;
}

static void print(double gb_s, double gb_cpu_s, double target, const char *what)
{
	if (target > 0)
		speed_row_print(what, gb_s, target, "GB/s", false);
	else
		speed_row_note(what, gb_s, "GB/s");
	speed_row_note("  for each CPU second of the daemon", gb_cpu_s, "GB");
}

static void measure(struct two_qps *pair, long daemon, int advice, double target,
		    const char *what)
{
	double gb_s[STRETCHES], used;
	int i;

	madvise(pair->a.buf, BUF_BYTES, MADV_DONTNEED);
	madvise(pair->b.buf, BUF_BYTES, MADV_DONTNEED);
	madvise(pair->a.buf, BUF_BYTES, advice);
	madvise(pair->b.buf, BUF_BYTES, advice);
	expect_fill(pair->a.buf, BUF_BYTES, 7);
	memset(pair->b.buf, 1, BUF_BYTES);
	used = daemon_cpu_seconds(daemon);
	for (i = 0; i < STRETCHES; i++)
		gb_s[i] = stretch_gb_s(&pair->a);
	used = daemon_cpu_seconds(daemon) - used;
	REQUIRE(EXPECT_FILLED(pair->b.buf, BUF_BYTES, 7));
	print(speed_median(gb_s, STRETCHES),
	      (double)LEN_BYTES * TRANSFERS * STRETCHES / used / 1e9, target,
	      what);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct two_qps pair;
	long daemon;

	expect_deadline(120);
	daemon = daemon_cpu_find();
	wish.buf_len = BUF_BYTES;
	two_qps_open(&pair, &wish);
	if (!device_has(pair.ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE))
		expect_skip("RDMA write: the device does not have it");
	measure(&pair, daemon, MADV_HUGEPAGE, TARGET_GB_S,
		"RDMA write of 1 MiB, loopback, huge pages");
	measure(&pair, daemon, MADV_NOHUGEPAGE, 0, "the same, small pages");
	two_qps_close(&pair);
	return 0;
}
