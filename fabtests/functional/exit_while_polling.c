/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A process exits while a thread of it still reads a CQ and everything is
 * open: what libfabric cleans up at the end must not be under that thread.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define EXITS		4
#define POLLS_BEFORE	10000u

static struct fab_endpoint endpoint;
static atomic_uint polls;

static void *poll_for_ever(void *arg)
{
	struct fab_completion c;

	for (;;) {
		fab_poll(&endpoint, &c);
		atomic_fetch_add(&polls, 1);
	}
	return NULL;
}

static void exit_in_the_middle(void)
{
	struct fab_wish wish = fab_wish_direct();
	pthread_t thread;

	fab_open(&endpoint, &wish);
	REQUIRE_EQ(pthread_create(&thread, NULL, poll_for_ever, NULL), 0);
	while (atomic_load(&polls) < POLLS_BEFORE)
		sched_yield();
	exit(0);
}

int main(void)
{
	expect_deadline(120);
	for (int i = 0; i < EXITS; i++) {
		int status = 0;
		pid_t child = fork();

		REQUIRE(child >= 0);
		if (!child)
			exit_in_the_middle();
		REQUIRE_EQ(waitpid(child, &status, 0), child);
		/* it said why */
		if (WIFEXITED(status) &&
		    WEXITSTATUS(status) == EXPECT_SKIPPED)
			return EXPECT_SKIPPED;
		EXPECT_EQ(status, 0);
	}
	return expect_result();
}
