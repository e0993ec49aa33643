/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Many requests in one posting call: more than a doorbell may announce. */
#include <errno.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define BATCH		200u
#define SLOT_LEN	64u

static void post_receives(struct endpoint *b)
{
	struct ibv_recv_wr wr[BATCH], *bad;
	struct ibv_sge sge[BATCH];
	unsigned i;

	memset(wr, 0, sizeof(wr));
	for (i = 0; i < BATCH; i++) {
		sge[i] = (struct ibv_sge) {
			(uintptr_t)b->buf + i * SLOT_LEN, SLOT_LEN,
			b->mr->lkey
		};
		wr[i].wr_id = i;
		wr[i].sg_list = &sge[i];
		wr[i].num_sge = 1;
		wr[i].next = i + 1 < BATCH ? &wr[i + 1] : NULL;
	}
	REQUIRE_EQ(ibv_post_recv(b->qp, wr, &bad), 0);
}

static void build_batch(struct endpoint *a)
{
	struct request r;
	unsigned i;

	for (i = 0; i < BATCH; i++) {
		expect_fill(a->buf + i * SLOT_LEN, SLOT_LEN, i);
		a->buf[i * SLOT_LEN] = (uint8_t)i;
		r = request_send(a, i, i * SLOT_LEN, SLOT_LEN);
		request_build(a, &r);
	}
}

static void take_batch(struct two_qps *pair)
{
	bool sent[BATCH] = {}, received[BATCH] = {};
	uint8_t *slot, data[SLOT_LEN];
	struct completion c;
	unsigned i;

	for (i = 0; i < BATCH; i++) {
		c = completion_wait(&pair->a);
		REQUIRE(c.wr_id < BATCH && !sent[c.wr_id]);
		EXPECT_EQ(c.status, IBV_WC_SUCCESS);
		sent[c.wr_id] = true;
		c = completion_wait(&pair->b);
		REQUIRE(c.wr_id < BATCH);
		slot = pair->b.buf + c.wr_id * SLOT_LEN;
		REQUIRE(slot[0] < BATCH && !received[slot[0]]);
		received[slot[0]] = true;
		expect_fill(data, SLOT_LEN, slot[0]);
		EXPECT_BYTES(slot + 1, data + 1, SLOT_LEN - 1);
	}
}

static void check_batches(struct two_qps *pair)
{
	struct efadv_wq_attr sq = {}, rq = {};
	int round;

	expect_stage("batches");
	REQUIRE_EQ(efadv_query_qp_wqs(pair->a.qp, &sq, &rq, sizeof(sq)), 0);
	EXPECT(sq.num_entries >= BATCH);
	for (round = 0; round < 20; round++) {
		post_receives(&pair->b);
		ibv_wr_start(pair->a.qpx);
		build_batch(&pair->a);
		REQUIRE_EQ(ibv_wr_complete(pair->a.qpx), 0);
		take_batch(pair);
	}
}

/* An aborted session and one with a bad request send nothing at all. */
static void check_abort(struct two_qps *pair)
{
	uint8_t data[256] = {};
	struct request bad = {
		.opcode = IBV_WR_SEND,
		.inline_data = data,
		.inline_len = sizeof(data),
	};

	expect_stage("aborted batches");
	post_receives(&pair->b);
	ibv_wr_start(pair->a.qpx);
	build_batch(&pair->a);
	ibv_wr_abort(pair->a.qpx);

	ibv_wr_start(pair->a.qpx);
	build_batch(&pair->a);
	request_build(&pair->a, &bad);
	EXPECT_EQ(ibv_wr_complete(pair->a.qpx), EINVAL);

	ibv_wr_start(pair->a.qpx);
	build_batch(&pair->a);
	EXPECT_EQ(ibv_wr_complete(pair->a.qpx), 0);
	take_batch(pair);
	COMPLETION_NONE(&pair->a);
	COMPLETION_NONE(&pair->b);
}

/* The plain call, with a linked list that ends in a bad request. */
static void check_post_list(struct two_qps *pair)
{
	struct ibv_sge sge = { (uintptr_t)pair->a.buf, SLOT_LEN,
			       pair->a.mr->lkey };
	struct ibv_send_wr wr[3] = {}, *bad = NULL;
	int i;

	expect_stage("ibv_post_send of a list");
	for (i = 0; i < 3; i++) {
		wr[i].wr_id = (uint64_t)i;
		wr[i].sg_list = &sge;
		wr[i].num_sge = 1;
		wr[i].opcode = i < 2 ? IBV_WR_SEND : IBV_WR_RDMA_READ;
		wr[i].send_flags = IBV_SEND_SIGNALED;
		wr[i].wr.ud.ah = pair->a.ah;
		wr[i].wr.ud.remote_qpn = pair->b.self.qpn;
		wr[i].wr.ud.remote_qkey = TEST_QKEY;
		wr[i].next = i < 2 ? &wr[i + 1] : NULL;
	}
	for (i = 0; i < 2; i++)
		EXPECT_EQ(receive_post(&pair->b, 5, 0, SLOT_LEN), 0);
	EXPECT_EQ(ibv_post_send(pair->a.qp, wr, &bad), EINVAL);
	EXPECT(bad == &wr[2]);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(completion_wait(&pair->a).status, IBV_WC_SUCCESS);
		COMPLETION_EXPECT(&pair->b, 5, IBV_WC_SUCCESS);
	}
	COMPLETION_NONE(&pair->a);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct two_qps pair;

	expect_deadline(60);
	wish.send_depth = 256;
	wish.recv_depth = 256;
	wish.cq_depth = 512;
	two_qps_open(&pair, &wish);
	check_batches(&pair);
	check_abort(&pair);
	check_post_list(&pair);
	two_qps_close(&pair);
	return expect_result();
}
