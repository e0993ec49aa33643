/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * 64 processes hold a device open with two queue pairs each, all with
 * receives posted, and do nothing: the CPU time of the daemon.
 */
#include <poll.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>

#include "bench/speed_row.h"
#include "fabtests/expect.h"
#include "test/daemon_cpu.h"
#include "test/two_qps.h"

#define PROCESSES	64
#define SETTLE_MS	1000
#define WINDOW_MS	5000
#define TARGET_PERCENT	10.0

/* Says by a byte that it is ready, and ends when the other end closes. */
static void rest(int tell, int end)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct two_qps pair;
	char byte = 'r';

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	expect_deadline(120);
	two_qps_open(&pair, &wish);
	REQUIRE_EQ(receive_post(&pair.a, 1, 0, 4096), 0);
	REQUIRE_EQ(receive_post(&pair.b, 1, 0, 4096), 0);
	REQUIRE_EQ(write(tell, &byte, 1), 1);
	REQUIRE_EQ(read(end, &byte, 1), 0);
	two_qps_close(&pair);
	expect_child_exit();
}

int main(void)
{
	pid_t child[PROCESSES];
	int ready[2], end[2], i;
	long daemon;
	char byte;

	expect_deadline(120);
	daemon = daemon_cpu_find();
	REQUIRE_EQ(pipe(ready), 0);
	REQUIRE_EQ(pipe(end), 0);
	for (i = 0; i < PROCESSES; i++) {
		child[i] = fork();
		REQUIRE(child[i] >= 0);
		if (child[i] == 0) {
			close(end[1]);
			rest(ready[1], end[0]);
		}
	}
	for (i = 0; i < PROCESSES; i++)
		REQUIRE_EQ(read(ready[0], &byte, 1), 1);
	poll(NULL, 0, SETTLE_MS);
	speed_row_print("64 processes with idle queues, the daemon",
			daemon_cpu_percent(daemon, WINDOW_MS), TARGET_PERCENT,
			"% of a CPU", true);
	close(end[1]);
	for (i = 0; i < PROCESSES; i++)
		expect_child(child[i]);
	return 0;
}
