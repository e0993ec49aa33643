/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Sleeping on a CQ of efa-direct: sread, the wait fd, signal. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"
#include "fabtests/functional/two_processes.h"
#include "fabtests/oob_pair.h"

#define ROUNDS		2000u
#define WAKE_MS		20000

static int wait_fd(struct fab_endpoint *e)
{
	int fd = -1;

	REQUIRE_EQ(fi_control(&e->cq->fid, FI_GETWAIT, &fd), 0);
	REQUIRE(fd >= 0);
	return fd;
}

/* As fi_trywait(3) has it: sleep only when it says 0. */
static void sleep_on_fd(struct fab_endpoint *e, int fd)
{
	struct fid *fids[1] = { &e->cq->fid };
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int ret = fi_trywait(e->fabric, fids, 1);

	if (ret == -FI_EAGAIN)
		return;
	REQUIRE_EQ(ret, 0);
	REQUIRE_EQ(poll(&pfd, 1, WAKE_MS), 1);
}

static void wait_on_fd(struct fab_endpoint *e, int fd, unsigned ctx)
{
	struct fab_completion c;

	if (fab_take_kept(e, ctx, &c))
		return;
	for (;;) {
		while (!fab_poll_cq(e, &c))
			sleep_on_fd(e, fd);
		if (c.ctx == ctx)
			return;
		fab_keep(e, &c);
	}
}

static void wait_by_sread(struct fab_endpoint *e, unsigned ctx)
{
	struct fi_cq_data_entry entry;
	struct fab_completion c = {};
	ssize_t ret;

	if (fab_take_kept(e, ctx, &c))
		return;
	for (;;) {
		do {
			ret = fi_cq_sread(e->cq, &entry, 1, NULL, WAKE_MS);
		} while (ret == -FI_EINTR);
		REQUIRE_EQ(ret, 1);
		c.ctx = fab_context_number(e, entry.op_context);
		if (c.ctx == ctx)
			return;
		fab_keep(e, &c);
	}
}

static void wait_one(struct fab_endpoint *e, int fd, unsigned ctx,
		     bool by_sread)
{
	if (by_sread)
		wait_by_sread(e, ctx);
	else
		wait_on_fd(e, fd, ctx);
}

/* Ping-pong in which both sides sleep for each completion. */
static void pingpong(struct fab_endpoint *e, int fd, int oob, bool first,
		     bool by_sread)
{
	unsigned i;

	expect_stage(by_sread ? "fi_cq_sread" : "wait fd");
	REQUIRE_EQ(fab_recv(e, 1, 4096, 64), 0);
	oob_sync(oob);
	for (i = 0; i < ROUNDS; i++) {
		if (first) {
			REQUIRE_EQ(fab_send(e, 2, 0, 64), 0);
			wait_one(e, fd, 2, by_sread);
		}
		wait_one(e, fd, 1, by_sread);
		if (i + 1 < ROUNDS)
			REQUIRE_EQ(fab_recv(e, 1, 4096, 64), 0);
		if (!first) {
			REQUIRE_EQ(fab_send(e, 2, 0, 64), 0);
			wait_one(e, fd, 2, by_sread);
		}
	}
	oob_sync(oob);
}

static void check_timeout(struct fab_endpoint *e)
{
	struct fi_cq_data_entry entry;

	expect_stage("sread that times out");
	EXPECT_EQ(fi_cq_sread(e->cq, &entry, 1, NULL, 0), -FI_EAGAIN);
	EXPECT_EQ(fi_cq_sread(e->cq, &entry, 1, NULL, 20), -FI_EAGAIN);
}

static void *sread_forever(void *arg)
{
	struct fab_endpoint *e = arg;
	struct fi_cq_data_entry entry;

	return (void *)(intptr_t)fi_cq_sread(e->cq, &entry, 1, NULL, -1);
}

/* Signalled, a sleeper comes back with nothing. */
static void check_signal(struct fab_endpoint *e)
{
	pthread_t thread;
	void *result;

	expect_stage("fi_cq_signal");
	REQUIRE_EQ(pthread_create(&thread, NULL, sread_forever, e), 0);
	/* A signal that comes before the sleep must count as well. */
	EXPECT_EQ(fi_cq_signal(e->cq), 0);
	REQUIRE_EQ(pthread_join(thread, &result), 0);
	EXPECT_EQ((intptr_t)result, -FI_EAGAIN);
}

static void run(int oob, bool first)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint e;
	int fd;

	wish.wait_obj = FI_WAIT_FD;
	fab_open_pair(&e, &wish, oob);
	fd = wait_fd(&e);
	check_timeout(&e);
	check_signal(&e);
	oob_sync(oob);
	pingpong(&e, fd, oob, first, true);
	pingpong(&e, fd, oob, first, false);
	check_timeout(&e);
	fab_close(&e);
}

int main(void)
{
	struct fab_wish wish = fab_wish_direct();

	return two_processes(run, &wish, 120);
}
