/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Creating QPs, their limits, states, attributes and work queues. */
#include <errno.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define MANY_QPS	100
#define TO_INIT		(IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | \
			 IBV_QP_QKEY)
#define QUERY_MASK	(IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | \
			 IBV_QP_QKEY | IBV_QP_SQ_PSN | IBV_QP_CAP | \
			 IBV_QP_RNR_RETRY)

static int modify(struct endpoint *e, enum ibv_qp_state state, int mask)
{
	struct ibv_qp_attr attr = {
		.qp_state = state,
		.port_num = 1,
		.qkey = TEST_QKEY,
		.sq_psn = 77,
		.rnr_retry = 3,
	};

	return ibv_modify_qp(e->qp, &attr, mask);
}

static enum ibv_qp_state state_of(struct endpoint *e)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr = {};

	REQUIRE_EQ(ibv_query_qp(e->qp, &attr, IBV_QP_STATE, &init), 0);
	return attr.qp_state;
}

static void check_refused_steps(struct endpoint *e)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .qkey = 1 };

	EXPECT_EQ(modify(e, IBV_QPS_RTR, IBV_QP_STATE), EINVAL);
	EXPECT_EQ(modify(e, IBV_QPS_RTS, IBV_QP_STATE | IBV_QP_SQ_PSN),
		  EINVAL);
	EXPECT_EQ(modify(e, IBV_QPS_ERR, IBV_QP_STATE), EINVAL);
	EXPECT_EQ(modify(e, IBV_QPS_INIT, TO_INIT & ~IBV_QP_QKEY), EINVAL);
	EXPECT_EQ(modify(e, IBV_QPS_INIT, TO_INIT & ~IBV_QP_PORT), EINVAL);
	attr.port_num = 2;
	EXPECT_EQ(ibv_modify_qp(e->qp, &attr, TO_INIT), EINVAL);
	attr.port_num = 1;
	attr.pkey_index = 1;
	EXPECT_EQ(ibv_modify_qp(e->qp, &attr, TO_INIT), EOPNOTSUPP);
	EXPECT(modify(e, IBV_QPS_INIT, TO_INIT | IBV_QP_TIMEOUT) != 0);
	EXPECT_EQ(state_of(e), IBV_QPS_RESET);
}

static void check_walk(struct endpoint *e, bool rnr)
{
	int to_rts = IBV_QP_STATE | IBV_QP_SQ_PSN;

	EXPECT_EQ(modify(e, IBV_QPS_INIT, TO_INIT), 0);
	EXPECT_EQ(state_of(e), IBV_QPS_INIT);
	EXPECT_EQ(modify(e, IBV_QPS_RTS, to_rts), EINVAL);
	EXPECT_EQ(modify(e, IBV_QPS_RTR, IBV_QP_STATE), 0);
	EXPECT_EQ(state_of(e), IBV_QPS_RTR);
	EXPECT_EQ(modify(e, IBV_QPS_RTS, IBV_QP_STATE), EINVAL);
	if (rnr)
		to_rts |= IBV_QP_RNR_RETRY;
	EXPECT_EQ(modify(e, IBV_QPS_RTS, to_rts), 0);
	EXPECT_EQ(state_of(e), IBV_QPS_RTS);
	EXPECT_EQ(modify(e, IBV_QPS_INIT, TO_INIT), EINVAL);
	EXPECT_EQ(state_of(e), IBV_QPS_RTS);
}

static void check_attr(struct endpoint *e, const struct endpoint_wish *wish,
		       bool rnr)
{
	struct ibv_qp_init_attr init = {};
	struct ibv_qp_attr attr = {};

	EXPECT_EQ(ibv_query_qp(e->qp, &attr, QUERY_MASK, &init), 0);
	EXPECT_EQ(attr.qp_state, IBV_QPS_RTS);
	EXPECT_EQ(attr.qkey, TEST_QKEY);
	EXPECT_EQ(attr.sq_psn, 77);
	EXPECT_EQ(attr.port_num, 1);
	EXPECT_EQ(attr.pkey_index, 0);
	if (rnr)
		EXPECT_EQ(attr.rnr_retry, 3);
	EXPECT_EQ(attr.cap.max_send_sge, wish->send_sge);
	EXPECT_EQ(attr.cap.max_recv_sge, wish->recv_sge);
	EXPECT_EQ(attr.cap.max_inline_data, wish->max_inline);
	EXPECT(attr.cap.max_send_wr >= wish->send_depth);
	EXPECT(attr.cap.max_recv_wr >= wish->recv_depth);
	EXPECT(ibv_query_qp(e->qp, &attr, QUERY_MASK | IBV_QP_TIMEOUT,
			    &init) != 0);
}

static void check_wqs(struct endpoint *e, uint32_t sq_entries,
		      uint32_t wqe_size, uint32_t rq_descs)
{
	struct efadv_wq_attr sq = {}, rq = {};

	EXPECT_EQ(efadv_query_qp_wqs(e->qp, &sq, &rq, sizeof(sq)), 0);
	EXPECT(sq.buffer);
	EXPECT(sq.doorbell);
	EXPECT(sq.num_entries >= sq_entries);
	EXPECT_EQ(sq.num_entries & (sq.num_entries - 1), 0);
	EXPECT_EQ(sq.entry_size, wqe_size);
	EXPECT(sq.max_batch > 0);
	EXPECT(rq.buffer);
	EXPECT(rq.doorbell);
	EXPECT_EQ(rq.num_entries, rq_descs);
	EXPECT_EQ(rq.entry_size, 16);
	EXPECT_EQ((uintptr_t)sq.buffer % 64, 0);
	EXPECT_EQ(efadv_query_qp_wqs(e->qp, &sq, &rq, 16), EINVAL);
}

static void check_states(struct ibv_context *ctx, bool ud)
{
	bool rnr = !ud && device_has(ctx, EFADV_DEVICE_ATTR_CAPS_RNR_RETRY);
	struct endpoint_wish wish = endpoint_wish_default();
	struct endpoint e;
	int round;

	expect_stage(ud ? "states of a UD QP" : "states of an SRD QP");
	wish.ud = ud;
	wish.send_depth = 10;
	wish.recv_depth = 10;
	wish.recv_sge = 2;
	endpoint_create(&e, ctx, &wish);
	EXPECT(e.qp->qp_num > 0 && e.qp->qp_num < 65536);
	for (round = 0; round < 2; round++) {
		EXPECT_EQ(state_of(&e), IBV_QPS_RESET);
		check_refused_steps(&e);
		check_walk(&e, rnr);
		check_attr(&e, &wish, rnr);
		EXPECT_EQ(modify(&e, IBV_QPS_ERR, IBV_QP_STATE), 0);
		EXPECT_EQ(state_of(&e), IBV_QPS_ERR);
		EXPECT_EQ(modify(&e, IBV_QPS_RTS,
				 IBV_QP_STATE | IBV_QP_SQ_PSN), EINVAL);
		EXPECT_EQ(modify(&e, IBV_QPS_RESET, IBV_QP_STATE), 0);
	}
	check_wqs(&e, 16, 64, 32);
	endpoint_close(&e);
}

static void try_cap(struct ibv_context *ctx, struct endpoint *proto,
		    struct ibv_qp_cap cap, bool ok)
{
	struct efadv_qp_init_attr efa_attr = {};
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = ibv_cq_ex_to_cq(proto->cq),
		.recv_cq = ibv_cq_ex_to_cq(proto->cq),
		.cap = cap,
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = proto->pd,
	};
	struct ibv_qp *qp;

	errno = 0;
	qp = efadv_create_qp_ex(ctx, &attr, &efa_attr, sizeof(efa_attr));
	EXPECT_EQ(!!qp, ok);
	if (!ok)
		EXPECT_EQ(errno, EINVAL);
	if (qp)
		EXPECT_EQ(ibv_destroy_qp(qp), 0);
}

static void check_limits(struct ibv_context *ctx)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct efadv_device_attr dev = device_attr(ctx);
	const struct ibv_qp_cap small = { 16, 16, 1, 1, 0 };
	struct ibv_qp_cap cap;
	struct endpoint e;

	expect_stage("QP limits");
	endpoint_open(&e, ctx, &wish);
	try_cap(ctx, &e, small, true);
	cap = small;
	cap.max_send_sge = dev.max_sq_sge + 1u;
	try_cap(ctx, &e, cap, false);
	cap = small;
	cap.max_recv_sge = dev.max_rq_sge + 1u;
	try_cap(ctx, &e, cap, false);
	cap = small;
	cap.max_inline_data = dev.inline_buf_size_ex + 1u;
	try_cap(ctx, &e, cap, false);
	cap = small;
	cap.max_send_wr = dev.max_sq_wr;
	try_cap(ctx, &e, cap, true);
	cap.max_send_wr = dev.max_sq_wr * 2;
	try_cap(ctx, &e, cap, false);
	cap = small;
	cap.max_recv_wr = dev.max_rq_wr;
	try_cap(ctx, &e, cap, true);
	cap.max_recv_wr = dev.max_rq_wr * 2;
	try_cap(ctx, &e, cap, false);
	endpoint_close(&e);
}

static void check_wide(struct ibv_context *ctx)
{
	struct efadv_device_attr dev = device_attr(ctx);
	struct endpoint_wish wish = endpoint_wish_default();
	struct endpoint e;

	expect_stage("128-byte WQEs");
	if (dev.inline_buf_size_ex <= dev.inline_buf_size)
		return;
	wish.max_inline = dev.inline_buf_size_ex;
	endpoint_open(&e, ctx, &wish);
	check_wqs(&e, 16, 128, 16);
	endpoint_close(&e);
}

static void check_posting_before_rts(struct ibv_context *ctx)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct endpoint e;
	struct request r;

	expect_stage("posting before RTS");
	endpoint_create(&e, ctx, &wish);
	endpoint_connect(&e, &e.self);
	r = request_send(&e, 1, 0, 8);
	EXPECT_EQ(request_post(&e, &r), EINVAL);
	EXPECT_EQ(receive_post(&e, 2, 0, 64), EINVAL);
	EXPECT_EQ(modify(&e, IBV_QPS_INIT, TO_INIT), 0);
	EXPECT_EQ(request_post(&e, &r), EINVAL);
	EXPECT_EQ(receive_post(&e, 3, 0, 64), 0);
	endpoint_close(&e);
}

static void check_many(struct ibv_context *ctx)
{
	struct endpoint_wish wish = endpoint_wish_default();
	static struct endpoint e[MANY_QPS];
	uint32_t last;
	int i, j;

	expect_stage("many QPs");
	for (i = 0; i < MANY_QPS; i++) {
		endpoint_open(&e[i], ctx, &wish);
		for (j = 0; j < i; j++)
			EXPECT(e[j].qp->qp_num != e[i].qp->qp_num);
	}
	for (i = 0; i < MANY_QPS; i++)
		endpoint_close(&e[i]);
	endpoint_open(&e[0], ctx, &wish);
	last = e[0].qp->qp_num;
	endpoint_close(&e[0]);
	endpoint_open(&e[0], ctx, &wish);
	EXPECT(e[0].qp->qp_num != last);
	endpoint_close(&e[0]);
}

int main(void)
{
	struct ibv_context *ctx;

	expect_deadline(60);
	ctx = device_open(0);
	check_states(ctx, false);
	check_states(ctx, true);
	check_limits(ctx);
	check_wide(ctx);
	check_posting_before_rts(ctx);
	check_many(ctx);
	device_close(ctx);
	return expect_result();
}
