/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A daemon whose client holds queues and does nothing uses under 3 % of a
 * CPU, counted in the CPU time that the kernel charges to it.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define QPS		32
#define WINDOW_MS	5000
#define SETTLE_MS	500
#define MAX_PERCENT	3.0

static bool is_daemon(long pid)
{
	char path[64], comm[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(comm, sizeof(comm), file))
		comm[0] = '\0';
	fclose(file);
	return !strcmp(comm, "softefa-daemon\n");
}

/* The daemon of `softefa run` is a child of this process's parent. */
static long find_daemon(void)
{
	long parent = getppid(), pid;
	bool found = false;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/task/%ld/children", parent,
		 parent);
	file = fopen(path, "r");
	while (file && !found && fscanf(file, "%ld", &pid) == 1)
		found = is_daemon(pid);
	if (file)
		fclose(file);
	if (!found)
		expect_skip("the daemon of `softefa run --`: no sibling of this process is one");
	return pid;
}

/* Clock ticks of CPU time that process @pid has used. */
static long used_ticks(long pid)
{
	unsigned long user = 0, system = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	file = fopen(path, "r");
	REQUIRE(file);
	REQUIRE_EQ(fscanf(file, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u "
			  "%*u %*u %*u %*u %lu %lu", &user, &system), 2);
	fclose(file);
	return (long)(user + system);
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double measure_percent(long pid)
{
	double start = now(), seconds;
	long ticks = used_ticks(pid);

	poll(NULL, 0, WINDOW_MS);
	ticks = used_ticks(pid) - ticks;
	seconds = now() - start;
	return 100.0 * (double)ticks / (double)sysconf(_SC_CLK_TCK) / seconds;
}

static void check(long daemon, const char *what)
{
	double percent;

	expect_stage(what);
	poll(NULL, 0, SETTLE_MS);
	percent = measure_percent(daemon);
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
	daemon = find_daemon();
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
