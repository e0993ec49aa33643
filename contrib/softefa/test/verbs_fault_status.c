/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Faults that end a request with a status of their choice: by count, kind of
 * request, peer and first byte; not delivered, or delivered all the same;
 * forced RNR; and regions that go away while a request uses them.
 */
#include <stdint.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/fault_setting.h"
#include "test/two_qps.h"

#define SLICE	(256u * 1024)	/* what RDMA moves in one step */

/* Posts and takes the sender's completion. */
static struct completion send_one(struct two_qps *pair, uint64_t wr_id,
				  uint8_t first_byte)
{
	struct request r = request_send(&pair->a, wr_id, 0, 64);
	struct completion c;

	pair->a.buf[0] = first_byte;
	REQUIRE_EQ(request_post(&pair->a, &r), 0);
	c = completion_wait(&pair->a);
	EXPECT_EQ(c.wr_id, wr_id);
	return c;
}

/* The message arrives in receive @wr_id, which is posted here. */
static void pass_one(struct two_qps *pair, uint64_t wr_id, uint8_t first_byte)
{
	EXPECT_EQ(receive_post(&pair->b, wr_id, 4096, 64), 0);
	EXPECT_EQ(send_one(pair, wr_id, first_byte).status, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair->b, wr_id, IBV_WC_SUCCESS);
	EXPECT_EQ(pair->b.buf[4096], first_byte);
}

static void check_code(struct two_qps *pair, unsigned code)
{
	struct completion c;

	fault_set("status code=%u nth=2 qp=%u", code, pair->a.self.qpn);
	pass_one(pair, 1, 1);
	c = send_one(pair, 2, 2);
	EXPECT(c.status != IBV_WC_SUCCESS);
	EXPECT_EQ(c.vendor_err, code);
	/* It was not delivered, and the next one is. */
	pass_one(pair, 3, 3);
	COMPLETION_NONE(&pair->b);
	fault_clear();
}

static void check_codes(struct two_qps *pair)
{
	static const unsigned codes[] = {
		1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18,
	};
	size_t i;

	expect_stage("each status");
	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		check_code(pair, codes[i]);
}

static void check_delivered(struct two_qps *pair)
{
	expect_stage("an error for what was delivered");
	fault_set("status code=unresp-remote delivered count=1 qp=%u",
		  pair->a.self.qpn);
	EXPECT_EQ(receive_post(&pair->b, 1, 4096, 64), 0);
	EXPECT_EQ(send_one(pair, 2, 77).vendor_err, 13);
	COMPLETION_EXPECT(&pair->b, 1, IBV_WC_SUCCESS);
	EXPECT_EQ(pair->b.buf[4096], 77);
	fault_clear();
}

static void check_type(struct two_qps *pair)
{
	struct request r = request_send(&pair->a, 5, 0, 0);

	expect_stage("by the first byte of the payload");
	fault_set("status code=8 type=66 qp=%u", pair->a.self.qpn);
	pass_one(pair, 1, 65);
	EXPECT_EQ(send_one(pair, 2, 66).vendor_err, 8);
	pass_one(pair, 3, 67);
	/* An empty message has none. */
	EXPECT_EQ(receive_post(&pair->b, 4, 4096, 64), 0);
	r.sge_count = 0;
	REQUIRE_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, 5, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair->b, 4, IBV_WC_SUCCESS);
	fault_clear();
}

static void check_operation(struct two_qps *pair)
{
	struct request r = request_rdma(&pair->a, IBV_WR_RDMA_READ, 1, 0, 64);

	expect_stage("by the kind of request");
	fault_set("status code=7 op=read qp=%u", pair->a.self.qpn);
	pass_one(pair, 1, 1);
	REQUIRE_EQ(request_post(&pair->a, &r), 0);
	EXPECT_EQ(completion_wait(&pair->a).vendor_err, 7);
	r.opcode = IBV_WR_RDMA_WRITE;
	REQUIRE_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, 1, IBV_WC_SUCCESS);
	fault_clear();
}

static void check_receive_status(struct two_qps *pair)
{
	struct completion c;

	expect_stage("the receive fails");
	fault_set("status queue=recv code=bad-status nth=1 qp=%u peer=%u",
		  pair->b.self.qpn, pair->a.self.qpn);
	EXPECT_EQ(receive_post(&pair->b, 1, 4096, 64), 0);
	EXPECT_EQ(send_one(pair, 2, 1).status, IBV_WC_SUCCESS);
	c = completion_wait(&pair->b);
	EXPECT_EQ(c.wr_id, 1);
	EXPECT_EQ(c.vendor_err, 12);
	pass_one(pair, 3, 3);
	fault_clear();
}

/* The one status that stops the queue pair. */
static void check_internal_error(const struct endpoint_wish *wish)
{
	struct two_qps pair;
	struct request r;

	expect_stage("QP internal error");
	two_qps_open(&pair, wish);
	fault_set("status code=qp-internal-error count=1 qp=%u",
		  pair.a.self.qpn);
	EXPECT_EQ(send_one(&pair, 1, 1).vendor_err, 2);
	r = request_send(&pair.a, 2, 0, 64);
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	EXPECT_EQ(COMPLETION_EXPECT(&pair.a, 2, IBV_WC_WR_FLUSH_ERR)
		  .vendor_err, 1);
	fault_clear();
	two_qps_close(&pair);
}

static void check_rnr(const struct endpoint_wish *wish)
{
	struct endpoint_wish finite = *wish;
	struct two_qps pair;

	expect_stage("forced RNR");
	two_qps_open(&pair, wish);
	fault_set("rnr times=3 qp=%u", pair.a.self.qpn);
	pass_one(&pair, 1, 1);
	fault_clear();
	two_qps_close(&pair);

	finite.rnr_retry = 1;
	two_qps_open(&pair, &finite);
	fault_set("rnr times=2 nth=1 qp=%u", pair.a.self.qpn);
	EXPECT_EQ(receive_post(&pair.b, 1, 4096, 64), 0);
	EXPECT_EQ(send_one(&pair, 2, 9).vendor_err, 10);
	EXPECT_EQ(send_one(&pair, 3, 8).status, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair.b, 1, IBV_WC_SUCCESS);
	EXPECT_EQ(pair.b.buf[4096], 8);
	fault_clear();
	two_qps_close(&pair);
}

static void check_local_region(const struct endpoint_wish *wish)
{
	struct two_qps pair;

	expect_stage("the sender's region goes away");
	two_qps_open(&pair, wish);
	fault_set("invalidate-mr side=local nth=2 qp=%u", pair.a.self.qpn);
	pass_one(&pair, 1, 1);
	EXPECT_EQ(send_one(&pair, 2, 2).vendor_err, 5);
	/* For good, though its owner still has it. */
	EXPECT_EQ(send_one(&pair, 3, 2).vendor_err, 5);
	fault_clear();
	two_qps_close(&pair);
}

static void check_receive_region(const struct endpoint_wish *wish)
{
	struct two_qps pair;

	expect_stage("the receiver's region goes away");
	two_qps_open(&pair, wish);
	fault_set("invalidate-mr nth=1 qp=%u", pair.a.self.qpn);
	EXPECT_EQ(receive_post(&pair.b, 1, 4096, 64), 0);
	EXPECT_EQ(send_one(&pair, 2, 2).vendor_err, 12);
	EXPECT_EQ(completion_wait(&pair.b).vendor_err, 5);
	fault_clear();
	two_qps_close(&pair);
}

/* In the middle of a write: what was moved before stays moved. */
static void check_target_region(const struct endpoint_wish *wish)
{
	struct endpoint_wish large = *wish;
	struct two_qps pair;
	struct request r;

	expect_stage("the target's region goes away in the middle");
	large.buf_len = 1u << 20;
	two_qps_open(&pair, &large);
	fault_set("invalidate-mr at=%u qp=%u", SLICE, pair.a.self.qpn);
	expect_fill(pair.a.buf, large.buf_len, 5);
	memset(pair.b.buf, 0, large.buf_len);
	r = request_rdma(&pair.a, IBV_WR_RDMA_WRITE, 1, 0,
			 (uint32_t)large.buf_len);
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	EXPECT_EQ(completion_wait(&pair.a).vendor_err, 7);
	EXPECT_FILLED(pair.b.buf, SLICE, 5);
	EXPECT_EQ(pair.b.buf[large.buf_len - 1], 0);
	EXPECT_EQ(pair.b.buf[SLICE], 0);
	fault_clear();
	two_qps_close(&pair);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct two_qps pair;
	bool has_rdma, has_rnr;

	expect_deadline(120);
	two_qps_open(&pair, &wish);
	has_rdma = device_has(pair.ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE |
			      EFADV_DEVICE_ATTR_CAPS_RDMA_READ);
	has_rnr = device_has(pair.ctx, EFADV_DEVICE_ATTR_CAPS_RNR_RETRY);
	check_codes(&pair);
	check_delivered(&pair);
	check_type(&pair);
	if (has_rdma)
		check_operation(&pair);
	check_receive_status(&pair);
	two_qps_close(&pair);
	check_internal_error(&wish);
	if (has_rnr)
		check_rnr(&wish);
	check_local_region(&wish);
	check_receive_region(&wish);
	if (has_rdma)
		check_target_region(&wish);
	return expect_result();
}
