/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A client killed with work outstanding: its peers hear, others do not. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "fabtests/oob_pair.h"
#include "test/two_qps.h"

#define ROUNDS		20
#define WAITING		8u
#define BIG_LEN		(8u << 20)

/* What the victim does until it is killed. */
static void victim(int oob, bool posting)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct ibv_context *ctx = device_open(0);
	struct endpoint_addr peer;
	struct completion c;
	struct endpoint e;
	struct request r;

	wish.buf_len = BIG_LEN;
	endpoint_open(&e, ctx, &wish);
	oob_swap(oob, &e.self, &peer, sizeof(peer));
	endpoint_connect(&e, &peer);
	receive_post(&e, 0, 0, 64);
	oob_sync(oob);
	r = request_send(&e, 2, 0, 64);
	for (;;) {
		while (completion_poll(&e, &c))
			;
		if (posting)
			request_post(&e, &r);
		else
			pause();
	}
}

static void check_alive(struct two_qps *good)
{
	struct request r = request_send(&good->a, 600, 0, 64);

	EXPECT_EQ(receive_post(&good->b, 601, 4096, 64), 0);
	EXPECT_EQ(request_post(&good->a, &r), 0);
	COMPLETION_EXPECT(&good->a, 600, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&good->b, 601, IBV_WC_SUCCESS);
}

static void kill_child(pid_t child)
{
	int status = 0;

	REQUIRE_EQ(kill(child, SIGKILL), 0);
	REQUIRE_EQ(waitpid(child, &status, 0), child);
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Posts sends that wait at the victim, and reads of its memory. */
static unsigned post_work(struct endpoint *e, bool rdma)
{
	struct request r = request_send(e, 1, 0, 64);
	unsigned i, posted = WAITING;

	for (i = 0; i < WAITING; i++)
		REQUIRE_EQ(request_post(e, &r), 0);
	if (!rdma)
		return posted;
	r = request_rdma(e, IBV_WR_RDMA_READ, 2, 0, BIG_LEN);
	for (i = 0; i < 4; i++, posted++)
		REQUIRE_EQ(request_post(e, &r), 0);
	return posted;
}

static void check_kill(struct two_qps *good, bool posting, bool rdma)
{
	struct endpoint_wish wish = endpoint_wish_default();
	unsigned posted, sends_failed = 0;
	struct endpoint_addr peer;
	struct ibv_context *ctx;
	struct completion c;
	struct endpoint e;
	pid_t child;
	int oob = oob_fork(&child);

	if (child == 0)
		victim(oob, posting);
	wish.buf_len = BIG_LEN;
	ctx = device_open(0);
	endpoint_open(&e, ctx, &wish);
	oob_swap(oob, &e.self, &peer, sizeof(peer));
	endpoint_connect(&e, &peer);
	oob_sync(oob);
	posted = post_work(&e, rdma);
	check_alive(good);
	kill_child(child);
	check_alive(good);
	while (posted--) {
		c = completion_wait(&e);
		sends_failed += c.wr_id == 1 && c.status != IBV_WC_SUCCESS;
	}
	/* One receive was posted there: the others cannot have arrived. */
	EXPECT(sends_failed >= WAITING - 1);
	close(oob);
	endpoint_close(&e);
	device_close(ctx);
	check_alive(good);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct two_qps good;
	bool rdma;
	int i;

	expect_deadline(120);
	two_qps_open(&good, &wish);
	rdma = device_has(good.ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_READ) &&
	       device_attr(good.ctx).max_rdma_size >= BIG_LEN;
	for (i = 0; i < ROUNDS; i++) {
		expect_stage("idle client killed");
		check_kill(&good, false, false);
		expect_stage("posting client killed");
		check_kill(&good, true, false);
		expect_stage("client killed under a transfer");
		if (rdma)
			check_kill(&good, i & 1, true);
	}
	two_qps_close(&good);
	return expect_result();
}
