/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A receiver that is not ready: retried without end, or so many times. */
#include <errno.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define WAITING		8u

/*
 * A message to oneself that comes back: the device has looked at the send
 * queue since the requests before it were posted.
 */
static void pass_through(struct endpoint *witness)
{
	struct request r = request_send(witness, 500, 0, 32);

	EXPECT_EQ(receive_post(witness, 500, 4096, 32), 0);
	EXPECT_EQ(request_post(witness, &r), 0);
	COMPLETION_EXPECT(witness, 500, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(witness, 500, IBV_WC_SUCCESS);
}

static void check_endless(struct two_qps *pair, struct endpoint *witness)
{
	uint64_t sent = 0, received = 0;
	struct completion c;
	struct request r;
	unsigned i;

	expect_stage("receives posted late");
	for (i = 0; i < WAITING; i++) {
		pair->a.buf[i * 100] = (uint8_t)i;
		r = request_send(&pair->a, i, i * 100, 100);
		REQUIRE_EQ(request_post(&pair->a, &r), 0);
	}
	for (i = 0; i < 50; i++)
		pass_through(witness);
	COMPLETION_NONE(&pair->a);
	for (i = 0; i < WAITING; i++)
		EXPECT_EQ(receive_post(&pair->b, i, i * 100, 100), 0);
	for (i = 0; i < WAITING; i++) {
		c = completion_wait(&pair->b);
		EXPECT_EQ(c.status, IBV_WC_SUCCESS);
		REQUIRE(c.wr_id < WAITING);
		received |= 1u << pair->b.buf[c.wr_id * 100];
		c = completion_wait(&pair->a);
		EXPECT_EQ(c.status, IBV_WC_SUCCESS);
		sent |= 1u << c.wr_id;
	}
	EXPECT_EQ(sent, (1u << WAITING) - 1);
	EXPECT_EQ(received, (1u << WAITING) - 1);
}

/* Messages to a ready receiver pass those that wait for another one. */
static void check_no_blocking(struct two_qps *pair, struct endpoint *c)
{
	struct request r = request_send(&pair->a, 1, 0, 50);
	struct endpoint_addr b = pair->b.self;
	int i;

	expect_stage("another receiver is ready");
	for (i = 0; i < 3; i++)
		REQUIRE_EQ(request_post(&pair->a, &r), 0);
	pair->a.peer = c->self;	/* of the same device: the AH serves */
	r.wr_id = 2;
	EXPECT_EQ(receive_post(c, 3, 0, 50), 0);
	REQUIRE_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(c, 3, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair->a, 2, IBV_WC_SUCCESS);
	pair->a.peer = b;
	for (i = 0; i < 3; i++)
		EXPECT_EQ(receive_post(&pair->b, 4, 0, 50), 0);
	for (i = 0; i < 3; i++) {
		COMPLETION_EXPECT(&pair->b, 4, IBV_WC_SUCCESS);
		COMPLETION_EXPECT(&pair->a, 1, IBV_WC_SUCCESS);
	}
}

static void check_finite(uint8_t rnr_retry)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct two_qps pair;
	struct request r;
	int i;

	expect_stage("retries run out");
	wish.rnr_retry = rnr_retry;
	two_qps_open(&pair, &wish);
	r = request_send(&pair.a, 5, 0, 50);
	for (i = 0; i < 3; i++)
		REQUIRE_EQ(request_post(&pair.a, &r), 0);
	for (i = 0; i < 3; i++)
		EXPECT_EQ(COMPLETION_EXPECT(&pair.a, 5,
					    IBV_WC_RNR_RETRY_EXC_ERR)
			  .vendor_err, 10);
	/* Nothing of it arrives later, and the QP lives on. */
	EXPECT_EQ(receive_post(&pair.b, 6, 0, 50), 0);
	r.wr_id = 7;
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	COMPLETION_EXPECT(&pair.a, 7, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair.b, 6, IBV_WC_SUCCESS);
	COMPLETION_NONE(&pair.b);
	two_qps_close(&pair);
}

/* A write with immediate needs a receive just as a send does. */
static void check_write_imm(struct two_qps *pair, struct endpoint *witness)
{
	struct request r = request_rdma(&pair->a, IBV_WR_RDMA_WRITE_WITH_IMM,
					8, 0, 3000);
	struct completion c;

	expect_stage("write with immediate, receive posted late");
	r.imm = 42;
	expect_fill(pair->a.buf, 3000, 6);
	REQUIRE_EQ(request_post(&pair->a, &r), 0);
	pass_through(witness);
	COMPLETION_NONE(&pair->a);
	EXPECT_EQ(receive_post(&pair->b, 9, 8192, 16), 0);
	c = COMPLETION_EXPECT(&pair->b, 9, IBV_WC_SUCCESS);
	EXPECT_EQ(c.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	EXPECT_EQ(c.imm, 42);
	COMPLETION_EXPECT(&pair->a, 8, IBV_WC_SUCCESS);
	EXPECT_FILLED(pair->b.buf, 3000, 6);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct endpoint witness;
	struct two_qps pair;

	expect_deadline(120);
	two_qps_open(&pair, &wish);
	if (!device_has(pair.ctx, EFADV_DEVICE_ATTR_CAPS_RNR_RETRY))
		expect_skip("a device with RNR retry: this profile has none");
	endpoint_open(&witness, pair.ctx, &wish);
	endpoint_connect(&witness, &witness.self);
	check_endless(&pair, &witness);
	check_no_blocking(&pair, &witness);
	if (device_has(pair.ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE))
		check_write_imm(&pair, &witness);
	endpoint_close(&witness);
	two_qps_close(&pair);
	check_finite(0);
	check_finite(1);
	check_finite(3);
	return expect_result();
}
