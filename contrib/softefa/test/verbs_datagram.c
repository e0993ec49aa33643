/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* UD messages: the 40 bytes in front, the qkey, and what is dropped. */
#include <errno.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define GRH_LEN		40u
#define RECV_OFFSET	32768u

static void check_message(struct two_qps *pair, uint32_t len, unsigned seed)
{
	struct request r = request_send(&pair->a, 100 + seed, 0, len);
	struct completion c;

	r.opcode = IBV_WR_SEND_WITH_IMM;
	r.imm = 0xabcd0000u + seed;
	expect_fill(pair->a.buf, len, seed);
	memset(pair->b.buf + RECV_OFFSET, 0xee, GRH_LEN + len + 1);
	EXPECT_EQ(receive_post(&pair->b, 7, RECV_OFFSET, GRH_LEN + len), 0);
	EXPECT_EQ(request_post(&pair->a, &r), 0);
	c = COMPLETION_EXPECT(&pair->a, 100 + seed, IBV_WC_SUCCESS);
	EXPECT_EQ(c.opcode, IBV_WC_SEND);
	c = COMPLETION_EXPECT(&pair->b, 7, IBV_WC_SUCCESS);
	EXPECT_EQ(c.opcode, IBV_WC_RECV);
	EXPECT_EQ(c.byte_len, GRH_LEN + len);
	EXPECT_EQ(c.src_qp, pair->a.qp->qp_num);
	EXPECT(c.has_imm);
	EXPECT_EQ(c.imm, r.imm);
	EXPECT_FILLED(pair->b.buf + RECV_OFFSET + GRH_LEN, len, seed);
	EXPECT_EQ(pair->b.buf[RECV_OFFSET + GRH_LEN + len], 0xee);
}

static void check_sizes(struct two_qps *pair)
{
	const uint32_t mtu = device_mtu(pair->ctx);
	const uint32_t sizes[] = { 0, 1, 100, 4096, mtu };
	struct request r;
	unsigned i;

	expect_stage("UD sizes");
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		check_message(pair, sizes[i], i);
	r = request_send(&pair->a, 66, 0, mtu + 1);
	EXPECT_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, 66, IBV_WC_LOC_LEN_ERR);
	check_message(pair, 10, 3);
}

/* Sends that go nowhere succeed; what follows them arrives alone. */
static void check_drops(struct two_qps *pair)
{
	struct request r = request_send(&pair->a, 70, 0, 64);

	expect_stage("wrong qkey");
	EXPECT_EQ(receive_post(&pair->b, 71, RECV_OFFSET, GRH_LEN + 64), 0);
	pair->a.peer.qkey = TEST_QKEY + 1;
	EXPECT_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, 70, IBV_WC_SUCCESS);
	pair->a.peer.qkey = TEST_QKEY;

	expect_stage("unknown QP");
	pair->a.peer.qpn ^= 0x4000;
	EXPECT_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, 70, IBV_WC_SUCCESS);
	pair->a.peer.qpn ^= 0x4000;
	COMPLETION_NONE(&pair->b);

	expect_stage("right qkey");
	EXPECT_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, 70, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair->b, 71, IBV_WC_SUCCESS);

	expect_stage("no receive posted");
	EXPECT_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, 70, IBV_WC_SUCCESS);
	check_message(pair, 200, 8);
	COMPLETION_NONE(&pair->b);
}

static void check_rdma_refused(struct ibv_context *ctx)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct ibv_qp_init_attr_ex attr = {
		.cap = { 16, 16, 1, 1, 0 },
		.qp_type = IBV_QPT_UD,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_READ,
	};
	struct endpoint e;

	expect_stage("RDMA on UD");
	endpoint_open(&e, ctx, &wish);
	attr.pd = e.pd;
	attr.send_cq = ibv_cq_ex_to_cq(e.cq);
	attr.recv_cq = ibv_cq_ex_to_cq(e.cq);
	errno = 0;
	EXPECT(!ibv_create_qp_ex(ctx, &attr));
	EXPECT_EQ(errno, EOPNOTSUPP);
	endpoint_close(&e);
}

static void check_inline(struct two_qps *pair)
{
	struct request r = { .wr_id = 90, .opcode = IBV_WR_SEND };
	uint8_t data[32];

	expect_stage("UD inline");
	expect_fill(data, sizeof(data), 2);
	r.inline_data = data;
	r.inline_len = sizeof(data);
	EXPECT_EQ(receive_post(&pair->b, 91, RECV_OFFSET, GRH_LEN + 32), 0);
	EXPECT_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, 90, IBV_WC_SUCCESS);
	EXPECT_EQ(COMPLETION_EXPECT(&pair->b, 91, IBV_WC_SUCCESS).byte_len,
		  GRH_LEN + 32);
	EXPECT_FILLED(pair->b.buf + RECV_OFFSET + GRH_LEN, 32, 2);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct two_qps pair;

	expect_deadline(60);
	wish.ud = true;
	wish.max_inline = 32;
	two_qps_open(&pair, &wish);
	check_sizes(&pair);
	check_drops(&pair);
	check_inline(&pair);
	check_rdma_refused(pair.ctx);
	two_qps_close(&pair);
	return expect_result();
}
