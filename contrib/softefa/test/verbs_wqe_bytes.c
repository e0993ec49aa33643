/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The plugin's descriptors against those that rdma-core writes: the same
 * requests go through both, and what lies in the two rings, and in the two
 * doorbells, must be equal byte by byte, around the rings several times.
 *
 * One field may differ: a 16-bit request ID is each library's own choice,
 * which is always the case of a receive's. A 64-bit one is the caller's
 * with rdma-core, so there it is given ours.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabtests/expect.h"
#include "hw/recv_queue.h"
#include "hw/send_queue.h"
#include "test/two_qps.h"

#define UNKNOWN_QPN	0x4321u		/* requests end there, with errors */

/* Our queue on plain memory of the shape that the device's has. */
struct our_ring {
	uint32_t doorbell;
	uint8_t *bytes;
};

static struct hw_wq_geometry shape(const struct efadv_wq_attr *theirs,
				   struct our_ring *ring)
{
	ring->doorbell = 0;
	ring->bytes = aligned_alloc(64, (size_t)theirs->entry_size *
				    theirs->num_entries);
	REQUIRE(ring->bytes);
	memset(ring->bytes, 0xcc, (size_t)theirs->entry_size *
	       theirs->num_entries);
	return (struct hw_wq_geometry) {
		.buffer = ring->bytes,
		.entry_size = theirs->entry_size,
		.num_entries = theirs->num_entries,
		.doorbell = &ring->doorbell,
		.max_batch = theirs->max_batch,
		.caps = theirs->caps & EFADV_WQ_CAPS_64_BIT_REQ_ID ?
			HW_WQ_REQ_ID_64 : 0,
	};
}

struct sq_pair {
	struct endpoint *e;
	struct efadv_wq_attr theirs;
	struct our_ring ring;
	struct hw_sq sq;
	struct hw_dest dest;
};

static void sq_pair_open(struct sq_pair *p, struct endpoint *e)
{
	struct efadv_ah_attr ah;
	struct efadv_wq_attr rq;
	struct hw_wq_geometry geometry;

	memset(p, 0, sizeof(*p));
	p->e = e;
	REQUIRE_EQ(efadv_query_qp_wqs(e->qp, &p->theirs, &rq,
				      sizeof(rq)), 0);
	REQUIRE_EQ(efadv_query_ah(e->ah, &ah, sizeof(ah)), 0);
	geometry = shape(&p->theirs, &p->ring);
	REQUIRE_EQ(hw_sq_init(&p->sq, &geometry, 5), 0);
	p->dest = (struct hw_dest) { ah.ahn, UNKNOWN_QPN, TEST_QKEY };
	e->peer.qpn = UNKNOWN_QPN;
}

static void sq_pair_close(struct sq_pair *p)
{
	hw_sq_fini(&p->sq);
	free(p->ring.bytes);
}

/* Builds our entry for @r, as the plugin does for such a request. */
static void build_ours(struct sq_pair *p, struct hw_send_wqe *wqe,
		       const struct request *r)
{
	struct hw_sge sge[2] = {
		{ r->sge[0].addr, r->sge[0].length, r->sge[0].lkey },
		{ r->sge[1].addr, r->sge[1].length, r->sge[1].lkey },
	};
	bool rdma = r->opcode != IBV_WR_SEND &&
		    r->opcode != IBV_WR_SEND_WITH_IMM;

	hw_wqe_init(wqe, p->sq.entry_size, !rdma ? EFA_IO_SEND :
		    r->opcode == IBV_WR_RDMA_READ ? EFA_IO_RDMA_READ :
		    EFA_IO_RDMA_WRITE, &p->dest);
	if (rdma)
		hw_wqe_set_rdma(wqe, &sge[0], r->remote_addr, r->rkey);
	else if (r->inline_data)
		memcpy(hw_wqe_inline(wqe, (uint32_t)r->inline_len),
		       r->inline_data, r->inline_len);
	else
		hw_wqe_set_sgl(wqe, sge, (uint32_t)r->sge_count);
	if (r->opcode == IBV_WR_SEND_WITH_IMM ||
	    r->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		hw_wqe_set_imm(wqe, r->imm);
}

/* Compares the entry that both have written last. */
static void compare_last(struct sq_pair *p, const char *what)
{
	size_t at = (size_t)((p->sq.produced - 1) & p->sq.entry_mask) *
		    p->sq.entry_size;
	uint8_t ours[EFA_IO_TX_WQE_SIZE_WIDE];
	uint8_t theirs[EFA_IO_TX_WQE_SIZE_WIDE];

	expect_stage(what);
	memcpy(ours, p->ring.bytes + at, p->sq.entry_size);
	memcpy(theirs, p->theirs.buffer + at, p->sq.entry_size);
	if (!p->sq.wide_ids)
		memcpy(ours, theirs, sizeof(uint16_t));	/* req_id */
	if (!EXPECT_BYTES(ours, theirs, p->sq.entry_size))
		expect_true(false, what, __FILE__, __LINE__);
	EXPECT_EQ(p->ring.doorbell, *p->theirs.doorbell);
}

/* Ends the request on both sides: with an error on the device's. */
static void finish(struct sq_pair *p, uint64_t id)
{
	struct completion c = completion_wait(p->e);
	struct hw_req_slot *slot = hw_sq_find(&p->sq, id);

	EXPECT_EQ(c.wr_id, id);
	EXPECT(c.status != IBV_WC_SUCCESS);
	REQUIRE(slot);
	hw_sq_put(&p->sq, slot);
}

static void post_both(struct sq_pair *p, struct request *r, const char *what)
{
	struct hw_send_wqe wqe;

	build_ours(p, &wqe, r);
	hw_sq_post(&p->sq, &wqe, NULL, 0, 0, false);
	r->wr_id = wqe.io.meta.req_id;
	if (p->sq.wide_ids)
		r->wr_id |= wqe.words[3];
	REQUIRE_EQ(request_post(p->e, r), 0);
	compare_last(p, what);
	finish(p, r->wr_id);
}

static void compare_sends(struct sq_pair *p, uint32_t inline_limit)
{
	struct request r = request_send(p->e, 0, 100, 777);
	uint8_t data[EFA_IO_TX_INLINE_MAX_WIDE];

	post_both(p, &r, "send of one SGE");
	r.sge[1] = (struct ibv_sge) { 0xfedcba9876543210, 0x12345,
				      0xab00ff };
	r.sge_count = 2;
	if (device_attr(p->e->ctx).max_sq_sge >= 2)
		post_both(p, &r, "send of two SGEs");
	r.opcode = IBV_WR_SEND_WITH_IMM;
	r.imm = 0xa1b2c3d4;
	r.sge_count = 1;
	post_both(p, &r, "send with immediate");
	r.sge_count = 0;
	post_both(p, &r, "send with immediate and no SGE");
	expect_fill(data, sizeof(data), 3);
	r.inline_data = data;
	for (r.inline_len = 0; r.inline_len <= inline_limit; r.inline_len++)
		post_both(p, &r, "inline send with immediate");
	r.opcode = IBV_WR_SEND;
	r.inline_len = inline_limit;
	post_both(p, &r, "inline send");
}

static void compare_rdma(struct sq_pair *p)
{
	struct request r = request_rdma(p->e, IBV_WR_RDMA_READ, 0, 64,
					0x12345678);
	struct ibv_context *ctx = p->e->ctx;

	r.rkey = 0x89abcdef;
	r.remote_addr = 0xfedcba9876543210;
	r.imm = 0x0badcafe;
	if (device_has(ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_READ))
		post_both(p, &r, "RDMA read");
	if (!device_has(ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE))
		return;
	r.opcode = IBV_WR_RDMA_WRITE;
	post_both(p, &r, "RDMA write");
	r.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
	post_both(p, &r, "RDMA write with immediate");
}

static void compare_send_queue(struct ibv_context *ctx, uint32_t limit)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct endpoint e;
	struct sq_pair p;
	unsigned first;

	wish.max_inline = limit;
	wish.send_sge = device_attr(ctx).max_sq_sge;
	endpoint_open(&e, ctx, &wish);
	endpoint_connect(&e, &e.self);
	sq_pair_open(&p, &e);
	EXPECT_EQ(p.sq.entry_size, limit > 32 ? 128 : 64);
	for (first = 0; first < 5 * p.theirs.num_entries;
	     first = p.sq.produced) {
		compare_sends(&p, limit);
		compare_rdma(&p);
	}
	sq_pair_close(&p);
	endpoint_close(&e);
}

static void compare_inline_write(struct ibv_context *ctx, uint32_t limit)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct hw_send_wqe wqe;
	struct request r = {};
	struct endpoint e;
	struct sq_pair p;
	uint8_t data[128];

	wish.max_inline = limit;
	wish.efa_flags = EFADV_QP_FLAGS_INLINE_WRITE;
	endpoint_open(&e, ctx, &wish);
	endpoint_connect(&e, &e.self);
	sq_pair_open(&p, &e);
	expect_fill(data, sizeof(data), 4);
	r.opcode = IBV_WR_RDMA_WRITE;
	r.inline_data = data;
	r.remote_addr = 0x123456789abcdef0;
	r.rkey = 0x13579bdf;
	for (r.inline_len = 0; r.inline_len <= limit; r.inline_len++) {
		hw_wqe_init(&wqe, p.sq.entry_size, EFA_IO_RDMA_WRITE,
			    &p.dest);
		memcpy(hw_wqe_rdma_inline(&wqe, (uint32_t)r.inline_len,
					  r.remote_addr, r.rkey),
		       data, r.inline_len);
		hw_sq_post(&p.sq, &wqe, NULL, 0, 0, false);
		r.wr_id = wqe.io.meta.req_id;
		if (p.sq.wide_ids)
			r.wr_id |= wqe.words[3];
		REQUIRE_EQ(request_post(&e, &r), 0);
		compare_last(&p, "inline RDMA write");
		finish(&p, r.wr_id);
	}
	sq_pair_close(&p);
	endpoint_close(&e);
}

struct rq_pair {
	struct efadv_wq_attr theirs;
	struct our_ring ring;
	struct hw_rq rq;
};

static void compare_descs(struct rq_pair *p, uint32_t first, uint32_t count)
{
	struct efa_io_rx_desc ours, theirs;
	uint16_t our_id = 0;
	uint32_t i, at;

	for (i = 0; i < count; i++) {
		at = (first + i) & p->rq.entry_mask;
		memcpy(&ours, p->ring.bytes + at * sizeof(ours),
		       sizeof(ours));
		memcpy(&theirs, p->theirs.buffer + at * sizeof(theirs),
		       sizeof(theirs));
		/*
		 * rdma-core writes its ID into the first descriptor alone,
		 * the plugin into all; the device takes the first one's.
		 */
		if (i == 0)
			our_id = ours.req_id;
		else
			EXPECT_EQ(theirs.req_id, 0);
		EXPECT_EQ(ours.req_id, our_id);
		ours.req_id = theirs.req_id;
		EXPECT_BYTES(&ours, &theirs, sizeof(ours));
	}
	EXPECT_EQ(p->ring.doorbell, *p->theirs.doorbell);
}

/* One receive through both; a message takes the real one. */
static void receive_both(struct two_qps *pair, struct rq_pair *p,
			 uint32_t sges, unsigned n)
{
	struct request r = request_send(&pair->a, n, 0, 32);
	uint32_t first = p->rq.produced, i;
	struct ibv_recv_wr *bad, wr = { .wr_id = n, .num_sge = (int)sges };
	struct ibv_sge theirs[4];
	struct hw_sge ours[4];
	uint64_t id;

	for (i = 0; i < sges; i++) {
		ours[i] = (struct hw_sge) {
			(uintptr_t)pair->b.buf + 4096 * i, i ? 32 + n % 999 :
			UINT16_MAX, pair->b.mr->lkey
		};
		theirs[i] = (struct ibv_sge) { ours[i].addr, ours[i].length,
					       ours[i].lkey };
	}
	/* More than a descriptor can say is said as the most it can. */
	if (n % 2)
		theirs[0].length = 70000;
	wr.sg_list = theirs;
	hw_rq_post(&p->rq, ours, sges, NULL, 0, 0, false);
	REQUIRE_EQ(ibv_post_recv(pair->b.qp, &wr, &bad), 0);
	compare_descs(p, first, sges);
	REQUIRE_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->b, n, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair->a, n, IBV_WC_SUCCESS);
	id = ((struct efa_io_rx_desc *)(void *)p->ring.bytes)
		[first & p->rq.entry_mask].req_id;
	hw_rq_put(&p->rq, hw_rq_find(&p->rq, id));
}

static void compare_recv_queue(struct ibv_context *ctx)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct hw_wq_geometry geometry;
	struct efadv_wq_attr sq;
	struct two_qps pair;
	struct rq_pair p;
	unsigned n;

	expect_stage("receive descriptors");
	wish.recv_sge = device_attr(ctx).max_rq_sge;
	if (wish.recv_sge > 4)
		wish.recv_sge = 4;
	wish.buf_len = 1 << 20;
	two_qps_open(&pair, &wish);
	REQUIRE_EQ(efadv_query_qp_wqs(pair.b.qp, &sq, &p.theirs,
				      sizeof(sq)), 0);
	geometry = shape(&p.theirs, &p.ring);
	REQUIRE_EQ(hw_rq_init(&p.rq, &geometry, 9), 0);
	for (n = 0; n < 5 * p.theirs.num_entries; n++)
		receive_both(&pair, &p, 1 + n % wish.recv_sge, n);
	hw_rq_fini(&p.rq);
	free(p.ring.bytes);
	two_qps_close(&pair);
}

int main(void)
{
	struct efadv_device_attr dev;
	struct ibv_context *ctx;

	expect_deadline(60);
	ctx = device_open(0);
	dev = device_attr(ctx);
	compare_send_queue(ctx, dev.inline_buf_size);
	if (dev.inline_buf_size_ex > dev.inline_buf_size) {
		compare_send_queue(ctx, dev.inline_buf_size_ex);
		if (dev.device_caps & EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE)
			compare_inline_write(ctx, dev.inline_buf_size_ex);
	}
	compare_recv_queue(ctx);
	device_close(ctx);
	return expect_result();
}
