/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Objects that go while work is outstanding: nothing hangs, nobody else. */
#include <errno.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define WAITING		8u
#define ROUNDS		10
#define BIG_LEN		(16u << 20)

static struct endpoint_wish wish;
/* Kept in sight, so that they are no leaks. */
static struct endpoint abandoned[ROUNDS];

static void post_waiting_sends(struct endpoint *a)
{
	struct request r;
	unsigned i;

	for (i = 0; i < WAITING; i++) {
		r = request_send(a, i, 0, 64);
		REQUIRE_EQ(request_post(a, &r), 0);
	}
}

/* Every message of the good pair still goes through. */
static void check_alive(struct two_qps *good)
{
	struct request r = request_send(&good->a, 600, 0, 64);

	EXPECT_EQ(receive_post(&good->b, 601, 4096, 64), 0);
	EXPECT_EQ(request_post(&good->a, &r), 0);
	COMPLETION_EXPECT(&good->a, 600, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&good->b, 601, IBV_WC_SUCCESS);
}

/* All outstanding requests of @e end with an error. */
static void expect_errors(struct endpoint *e, unsigned count)
{
	struct completion c;

	while (count--) {
		c = completion_wait(e);
		EXPECT(c.status != IBV_WC_SUCCESS);
	}
}

static void check_sender_goes(struct two_qps *good)
{
	struct two_qps pair;

	expect_stage("sender destroyed");
	two_qps_open(&pair, &wish);
	post_waiting_sends(&pair.a);
	check_alive(good);
	endpoint_close(&pair.a);
	check_alive(good);
	/* What it sent does not arrive any more. */
	EXPECT_EQ(receive_post(&pair.b, 1, 0, 64), 0);
	check_alive(good);
	COMPLETION_NONE(&pair.b);
	endpoint_close(&pair.b);
	device_close(pair.ctx);
}

static void check_receiver_goes(struct two_qps *good)
{
	struct two_qps pair;

	expect_stage("receiver destroyed");
	two_qps_open(&pair, &wish);
	post_waiting_sends(&pair.a);
	check_alive(good);
	endpoint_close(&pair.b);
	expect_errors(&pair.a, WAITING);
	endpoint_close(&pair.a);
	device_close(pair.ctx);
}

static void check_receives_go(struct two_qps *good)
{
	struct two_qps pair;
	unsigned i;

	expect_stage("receives destroyed");
	two_qps_open(&pair, &wish);
	for (i = 0; i < WAITING; i++)
		EXPECT_EQ(receive_post(&pair.b, i, 0, 64), 0);
	two_qps_close(&pair);
	check_alive(good);
}

/* Into ERR: each outstanding request completes, as flushed. */
static void check_flush(struct two_qps *good)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	bool seen[2 * WAITING] = {};
	struct completion c;
	struct two_qps pair;
	unsigned i;

	expect_stage("flush");
	two_qps_open(&pair, &wish);
	for (i = 0; i < WAITING; i++)
		EXPECT_EQ(receive_post(&pair.a, WAITING + i, 0, 64), 0);
	post_waiting_sends(&pair.a);
	check_alive(good);
	EXPECT_EQ(ibv_modify_qp(pair.a.qp, &attr, IBV_QP_STATE), 0);
	for (i = 0; i < 2 * WAITING; i++) {
		c = completion_wait(&pair.a);
		EXPECT_EQ(c.status, IBV_WC_WR_FLUSH_ERR);
		EXPECT_EQ(c.vendor_err, 1);
		REQUIRE(c.wr_id < 2 * WAITING && !seen[c.wr_id]);
		seen[c.wr_id] = true;
	}
	COMPLETION_NONE(&pair.a);

	/* Out of ERR and RESET it works again, with rings from the start. */
	attr.qp_state = IBV_QPS_RESET;
	EXPECT_EQ(ibv_modify_qp(pair.a.qp, &attr, IBV_QP_STATE), 0);
	EXPECT_EQ(endpoint_to_rts(&pair.a, 7), 0);
	check_alive(&pair);
	two_qps_close(&pair);
}

static void check_region_goes(struct two_qps *good)
{
	struct endpoint_wish big = wish;
	struct completion c;
	struct two_qps pair;
	struct request r;
	int i;

	expect_stage("region deregistered under a transfer");
	big.buf_len = BIG_LEN;
	two_qps_open(&pair, &big);
	for (i = 0; i < 4; i++) {
		r = request_rdma(&pair.a, IBV_WR_RDMA_READ, 1, 0, BIG_LEN);
		REQUIRE_EQ(request_post(&pair.a, &r), 0);
	}
	EXPECT_EQ(ibv_dereg_mr(pair.b.mr), 0);
	for (i = 0; i < 4; i++) {
		c = completion_wait(&pair.a);
		EXPECT(c.status == IBV_WC_SUCCESS ||
		       c.status == IBV_WC_REM_ACCESS_ERR);
	}
	pair.b.mr = ibv_reg_mr(pair.b.pd, pair.b.buf, pair.b.buf_len,
			       device_access(pair.ctx));
	REQUIRE(pair.b.mr);
	check_alive(good);
	two_qps_close(&pair);
}

static void check_transfer_goes(struct two_qps *good, bool target)
{
	struct endpoint_wish big = wish;
	struct two_qps pair;
	struct request r;
	int i;

	expect_stage(target ? "target destroyed under a transfer" :
		     "initiator destroyed under a transfer");
	big.buf_len = BIG_LEN;
	two_qps_open(&pair, &big);
	for (i = 0; i < 4; i++) {
		r = request_rdma(&pair.a, IBV_WR_RDMA_READ, 1, 0, BIG_LEN);
		REQUIRE_EQ(request_post(&pair.a, &r), 0);
	}
	if (target) {
		endpoint_close(&pair.b);
		for (i = 0; i < 4; i++)
			completion_wait(&pair.a);
		endpoint_close(&pair.a);
	} else {
		endpoint_close(&pair.a);
		endpoint_close(&pair.b);
	}
	device_close(pair.ctx);
	check_alive(good);
}

/*
 * A context closed with everything in it: the device destroys the rest and
 * those who had dealings with it hear of that. What the libraries hold of
 * @b cannot be destroyed any more.
 */
static void check_context_goes(struct two_qps *good, struct endpoint *b)
{
	struct ibv_context *ctx = device_open(0), *left = device_open(0);
	struct endpoint a;

	expect_stage("context closed");
	endpoint_open(&a, ctx, &wish);
	endpoint_open(b, left, &wish);
	endpoint_connect(&a, &b->self);
	post_waiting_sends(&a);
	check_alive(good);
	device_close(left);
	expect_errors(&a, WAITING);
	check_alive(good);
	endpoint_close(&a);
	device_close(ctx);
}

int main(void)
{
	struct two_qps good;
	bool rdma;
	int round;

	expect_deadline(120);
	wish = endpoint_wish_default();
	two_qps_open(&good, &wish);
	rdma = device_has(good.ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_READ) &&
	       device_attr(good.ctx).max_rdma_size >= BIG_LEN;
	if (!device_has(good.ctx, EFADV_DEVICE_ATTR_CAPS_RNR_RETRY))
		expect_skip("a device with RNR retry, to hold requests back");
	for (round = 0; round < ROUNDS; round++) {
		check_sender_goes(&good);
		check_receiver_goes(&good);
		check_receives_go(&good);
		check_flush(&good);
		check_context_goes(&good, &abandoned[round]);
		if (!rdma)
			continue;
		check_region_goes(&good);
		check_transfer_goes(&good, true);
		check_transfer_goes(&good, false);
	}
	two_qps_close(&good);
	return expect_result();
}
