/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "test/daemon_cpu.h"

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

long daemon_cpu_find(void)
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

double daemon_cpu_seconds(long pid)
{
	struct timespec used;
	clockid_t clock;

	REQUIRE_EQ(clock_getcpuclockid((pid_t)pid, &clock), 0);
	REQUIRE_EQ(clock_gettime(clock, &used), 0);
	return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

double daemon_cpu_percent(long pid, int window_ms)
{
	double start = now(), used = daemon_cpu_seconds(pid);

	poll(NULL, 0, window_ms);
	used = daemon_cpu_seconds(pid) - used;
	return 100.0 * used / (now() - start);
}
