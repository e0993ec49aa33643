/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* SRD messages: sizes, immediate data, SGEs, inline data, who sent it. */
#include <errno.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define RECV_OFFSET	32768u	/* b receives there, a sends from 0 */

/* Posts the receive and @r, checks both completions; returns b's. */
static struct completion exchange(struct two_qps *pair,
				  const struct request *r, uint32_t room)
{
	struct completion sent, received;

	EXPECT_EQ(receive_post(&pair->b, 0xb0b, RECV_OFFSET, room), 0);
	REQUIRE_EQ(request_post(&pair->a, r), 0);
	sent = COMPLETION_EXPECT(&pair->a, r->wr_id, IBV_WC_SUCCESS);
	received = COMPLETION_EXPECT(&pair->b, 0xb0b, IBV_WC_SUCCESS);
	EXPECT_EQ(sent.opcode, IBV_WC_SEND);
	EXPECT_EQ(sent.qp_num, pair->a.qp->qp_num);
	EXPECT_EQ(received.opcode, IBV_WC_RECV);
	EXPECT_EQ(received.qp_num, pair->b.qp->qp_num);
	EXPECT_EQ(received.src_qp, pair->a.qp->qp_num);
	EXPECT(!received.unsolicited);
	return received;
}

static void check_size(struct two_qps *pair, uint32_t len, unsigned seed)
{
	struct request r = request_send(&pair->a, 1000 + seed, 0, len);
	struct efadv_ah_attr ah = {};
	struct completion c;

	expect_fill(pair->a.buf, len, seed);
	memset(pair->b.buf + RECV_OFFSET, 0xee, len + 1);
	c = exchange(pair, &r, len ? len : 1);
	EXPECT_EQ(c.byte_len, len);
	EXPECT(!c.has_imm);
	EXPECT_FILLED(pair->b.buf + RECV_OFFSET, len, seed);
	EXPECT_EQ(pair->b.buf[RECV_OFFSET + len], 0xee);
	/* The receiver's own number for the sender's GID. */
	EXPECT_EQ(efadv_query_ah(pair->b.ah, &ah, sizeof(ah)), 0);
	EXPECT_EQ(c.ahn, ah.ahn);
}

static void check_sizes(struct two_qps *pair)
{
	const uint32_t mtu = device_mtu(pair->ctx);
	const uint32_t sizes[] = { 0, 1, 7, 64, 1000, 4096, mtu - 1, mtu };
	unsigned i;

	expect_stage("sizes");
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		check_size(pair, sizes[i], i);
}

static void check_over_mtu(struct two_qps *pair)
{
	struct request r = request_send(&pair->a, 31, 0,
					device_mtu(pair->ctx) + 1);

	expect_stage("over the MTU");
	EXPECT_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, 31, IBV_WC_LOC_LEN_ERR);
	check_size(pair, 100, 3);
	COMPLETION_NONE(&pair->b);
}

static void check_no_sge(struct two_qps *pair)
{
	struct request r = { .wr_id = 41, .opcode = IBV_WR_SEND };

	expect_stage("no SGE");
	EXPECT_EQ(exchange(pair, &r, 16).byte_len, 0);
	r.inline_data = "";
	EXPECT_EQ(exchange(pair, &r, 16).byte_len, 0);
}

static void check_imm(struct two_qps *pair)
{
	static const uint32_t values[] = { 0, 1, 0x12345678, 0xffffffff };
	struct request r = request_send(&pair->a, 51, 0, 300);
	struct completion c;
	unsigned i;

	expect_stage("immediate data");
	r.opcode = IBV_WR_SEND_WITH_IMM;
	expect_fill(pair->a.buf, 300, 9);
	for (i = 0; i < 4; i++) {
		r.imm = values[i];
		r.sge[0].length = i ? 300 : 0;
		c = exchange(pair, &r, 300);
		EXPECT(c.has_imm);
		EXPECT_EQ(c.imm, values[i]);
		EXPECT_EQ(c.byte_len, r.sge[0].length);
		EXPECT_FILLED(pair->b.buf + RECV_OFFSET, c.byte_len, 9);
	}
}

static void check_gather(struct two_qps *pair)
{
	struct request r = request_send(&pair->a, 61, 0, 100);
	struct completion c;

	expect_stage("two SGEs to send");
	if (device_attr(pair->ctx).max_sq_sge < 2)
		return;
	expect_fill(pair->a.buf, 700, 4);
	memmove(pair->a.buf + 5000, pair->a.buf + 100, 600);
	r.sge[1] = r.sge[0];
	r.sge[1].addr += 5000;
	r.sge[1].length = 600;
	r.sge_count = 2;
	c = exchange(pair, &r, 700);
	EXPECT_EQ(c.byte_len, 700);
	EXPECT_FILLED(pair->b.buf + RECV_OFFSET, 700, 4);
}

/* 700 bytes into 100 + 600; the second one ends where the message ends. */
static void check_scatter(struct two_qps *pair)
{
	struct request r = request_send(&pair->a, 71, 0, 650);
	uint64_t to = (uintptr_t)pair->b.buf + RECV_OFFSET;
	struct ibv_sge sge[2] = {
		{ to, 100, pair->b.mr->lkey },
		{ to + 8192, 600, pair->b.mr->lkey },
	};
	struct ibv_recv_wr wr = { .wr_id = 72, .sg_list = sge, .num_sge = 2 };
	struct ibv_recv_wr *bad;

	expect_stage("two SGEs to receive");
	if (device_attr(pair->ctx).max_rq_sge < 2)
		return;
	expect_fill(pair->a.buf, 650, 5);
	memset(pair->b.buf + RECV_OFFSET, 0xee, 16384);
	EXPECT_EQ(ibv_post_recv(pair->b.qp, &wr, &bad), 0);
	EXPECT_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, 71, IBV_WC_SUCCESS);
	EXPECT_EQ(COMPLETION_EXPECT(&pair->b, 72, IBV_WC_SUCCESS).byte_len,
		  650);
	EXPECT_EQ(pair->b.buf[RECV_OFFSET + 100], 0xee);
	EXPECT_EQ(pair->b.buf[RECV_OFFSET + 8192 + 550], 0xee);
	memmove(pair->b.buf + RECV_OFFSET + 100,
		pair->b.buf + RECV_OFFSET + 8192, 550);
	EXPECT_FILLED(pair->b.buf + RECV_OFFSET, 650, 5);
}

/* The data is taken at the post: what is written afterwards does not go. */
static void check_inline(struct two_qps *pair, uint32_t limit)
{
	const uint32_t sizes[] = { 1, limit / 2, limit };
	struct request r = { .wr_id = 81, .opcode = IBV_WR_SEND };
	uint8_t data[256];
	unsigned i;

	for (i = 0; i < 3; i++) {
		expect_fill(data, sizes[i], i);
		r.inline_data = data;
		r.inline_len = sizes[i];
		EXPECT_EQ(receive_post(&pair->b, 82, RECV_OFFSET, 256), 0);
		EXPECT_EQ(request_post(&pair->a, &r), 0);
		memset(data, 0xdd, sizeof(data));
		COMPLETION_EXPECT(&pair->a, 81, IBV_WC_SUCCESS);
		EXPECT_EQ(COMPLETION_EXPECT(&pair->b, 82, IBV_WC_SUCCESS)
			  .byte_len, sizes[i]);
		EXPECT_FILLED(pair->b.buf + RECV_OFFSET, sizes[i], i);
	}
	r.inline_len = limit + 1;
	EXPECT_EQ(request_post(&pair->a, &r), EINVAL);
}

/* The older posting call writes the same queue. */
static void check_post_send(struct two_qps *pair)
{
	struct ibv_sge sge = { (uintptr_t)pair->a.buf, 123,
			       pair->a.mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.wr_id = 91,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { pair->a.ah, pair->b.self.qpn, TEST_QKEY },
	};

	expect_stage("ibv_post_send");
	expect_fill(pair->a.buf, 123, 8);
	EXPECT_EQ(receive_post(&pair->b, 92, RECV_OFFSET, 123), 0);
	EXPECT_EQ(ibv_post_send(pair->a.qp, &wr, &bad), 0);
	COMPLETION_EXPECT(&pair->a, 91, IBV_WC_SUCCESS);
	EXPECT_EQ(COMPLETION_EXPECT(&pair->b, 92, IBV_WC_SUCCESS).byte_len,
		  123);
	EXPECT_FILLED(pair->b.buf + RECV_OFFSET, 123, 8);
}

static void check_receive_too_small(struct two_qps *pair)
{
	struct request r = request_send(&pair->a, 95, 0, 200);
	struct completion c;

	expect_stage("receive too small");
	EXPECT_EQ(receive_post(&pair->b, 96, RECV_OFFSET, 100), 0);
	EXPECT_EQ(request_post(&pair->a, &r), 0);
	c = COMPLETION_EXPECT(&pair->a, 95, IBV_WC_REM_INV_REQ_ERR);
	EXPECT_EQ(c.vendor_err, 11);
	/* The receive may have ended too, but not well. */
	while (completion_poll(&pair->b, &c)) {
		EXPECT_EQ(c.wr_id, 96);
		EXPECT(c.status != IBV_WC_SUCCESS);
	}
}

/* A sender that the receiver has no AH for: 0xffff and its GID instead. */
static void check_unknown_sender(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct ibv_context *one = device_open(0), *two = device_open(1);
	struct endpoint a, b;
	struct completion c;
	struct request r;

	expect_stage("unknown sender");
	endpoint_open(&a, one, &wish);
	endpoint_open(&b, two, &wish);
	endpoint_connect(&a, &b.self);
	r = request_send(&a, 97, 0, 64);
	EXPECT_EQ(receive_post(&b, 98, 0, 64), 0);
	EXPECT_EQ(request_post(&a, &r), 0);
	COMPLETION_EXPECT(&a, 97, IBV_WC_SUCCESS);
	c = COMPLETION_EXPECT(&b, 98, IBV_WC_SUCCESS);
	EXPECT_EQ(c.ahn, 0xffff);
	EXPECT_EQ(c.src_qp, a.qp->qp_num);
	EXPECT_EQ(c.has_sgid, b.cq_has_sgid);
	if (c.has_sgid)
		EXPECT_BYTES(&c.sgid, &a.self.gid, sizeof(c.sgid));
	endpoint_close(&a);
	endpoint_close(&b);
	device_close(one);
	device_close(two);
}

static void check_wide_inline(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct efadv_device_attr dev;
	struct two_qps pair;

	expect_stage("inline on 128-byte WQEs");
	pair.ctx = device_open(0);
	dev = device_attr(pair.ctx);
	device_close(pair.ctx);
	if (dev.inline_buf_size_ex <= dev.inline_buf_size)
		return;
	wish.max_inline = dev.inline_buf_size_ex;
	two_qps_open(&pair, &wish);
	check_inline(&pair, dev.inline_buf_size_ex);
	check_sizes(&pair);
	check_imm(&pair);
	two_qps_close(&pair);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct two_qps pair;
	struct ibv_context *ctx;
	struct efadv_device_attr dev;

	expect_deadline(60);
	ctx = device_open(0);
	dev = device_attr(ctx);
	device_close(ctx);
	wish.max_inline = dev.inline_buf_size;
	wish.send_sge = dev.max_sq_sge;
	wish.recv_sge = dev.max_rq_sge < 2 ? dev.max_rq_sge : 2;
	two_qps_open(&pair, &wish);
	check_sizes(&pair);
	check_over_mtu(&pair);
	check_no_sge(&pair);
	check_imm(&pair);
	check_gather(&pair);
	check_scatter(&pair);
	expect_stage("inline on 64-byte WQEs");
	check_inline(&pair, dev.inline_buf_size);
	check_post_send(&pair);
	check_receive_too_small(&pair);
	two_qps_close(&pair);
	check_wide_inline();
	check_unknown_sender();
	return expect_result();
}
