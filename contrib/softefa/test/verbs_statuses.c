/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Each completion status of the device that a program can cause by itself,
 * in the order of softefa(1)'s table, and what the other side sees of it.
 * Not here: 8 and 13, of faults and of links. An entry against the rules is
 * one of them, so sq-phase has to be allowed, and lkey.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

static struct two_qps pair;

/* Posts @r on @e and expects the device's status. */
static void ends_with(struct endpoint *e, const struct request *r,
		      enum ibv_wc_status status, uint32_t device_status)
{
	REQUIRE_EQ(request_post(e, r), 0);
	EXPECT_EQ(COMPLETION_EXPECT(e, r->wr_id, status).vendor_err,
		  device_status);
}

/* The pair still works. */
static void check_alive(void)
{
	struct request r = request_send(&pair.a, 90, 0, 32);

	EXPECT_EQ(receive_post(&pair.b, 91, 64, 32), 0);
	EXPECT_EQ(request_post(&pair.a, &r), 0);
	COMPLETION_EXPECT(&pair.a, 90, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair.b, 91, IBV_WC_SUCCESS);
}

/* 1: of a QP that enters ERR, and of an address that goes away. */
static void check_flushed(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_ah *ah;
	struct request r;
	struct endpoint e;

	expect_stage("1: flushed");
	endpoint_open(&e, pair.ctx, &wish);	/* endless RNR */
	endpoint_connect(&e, &e.self);
	r = request_send(&e, 1, 0, 16);
	REQUIRE_EQ(request_post(&e, &r), 0);
	/* Once a later one has arrived, the device is at work on it. */
	e.peer = pair.b.self;
	r.wr_id = 9;
	REQUIRE_EQ(receive_post(&pair.b, 91, 64, 32), 0);
	REQUIRE_EQ(request_post(&e, &r), 0);
	COMPLETION_EXPECT(&e, 9, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair.b, 91, IBV_WC_SUCCESS);
	ah = e.ah;
	e.ah = NULL;
	EXPECT_EQ(ibv_destroy_ah(ah), 0);
	EXPECT_EQ(COMPLETION_EXPECT(&e, 1, IBV_WC_WR_FLUSH_ERR).vendor_err, 1);
	endpoint_connect(&e, &e.self);
	r.wr_id = 2;
	REQUIRE_EQ(request_post(&e, &r), 0);
	EXPECT_EQ(ibv_modify_qp(e.qp, &attr, IBV_QP_STATE), 0);
	EXPECT_EQ(COMPLETION_EXPECT(&e, 2, IBV_WC_WR_FLUSH_ERR).vendor_err, 1);
	endpoint_close(&e);
}

#define WQE_CTRL_READ	0x81	/* a read, meta descriptor */
#define WQE_CTRL_LAST	0x1c	/* first, last, completion; phase 0 */
#define WQE_CTRL_PHASE	0x01
#define CDESC_STATUS	2

/*
 * A read by hand as the first entry of @e, which must be fresh; the status
 * that the device gives it.
 */
static uint8_t post_raw_read(struct endpoint *e, uint8_t ctrl2)
{
	struct efadv_wq_attr sq = {}, rq = {};
	struct efadv_cq_attr cq = {};
	uint8_t wqe[64] = { 0 };

	REQUIRE_EQ(efadv_query_qp_wqs(e->qp, &sq, &rq, sizeof(sq)), 0);
	REQUIRE_EQ(efadv_query_cq(ibv_cq_ex_to_cq(e->cq), &cq, sizeof(cq)), 0);
	wqe[2] = WQE_CTRL_READ;
	wqe[3] = ctrl2;
	wqe[6] = 1;			/* buffers */
	wqe[32] = wqe[48] = 8;		/* bytes, remote and local */
	memcpy(sq.buffer, wqe, sizeof(wqe));
	__atomic_store_n(sq.doorbell, 1, __ATOMIC_RELEASE);
	while (!(__atomic_load_n((uint32_t *)cq.buffer, __ATOMIC_ACQUIRE) >>
		 24 & 1))
		sched_yield();
	return cq.buffer[CDESC_STATUS];
}

static enum ibv_qp_state state_of(struct endpoint *e)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	REQUIRE_EQ(ibv_query_qp(e->qp, &attr, IBV_QP_STATE, &init), 0);
	return attr.qp_state;
}

/* 2: an entry with the phase bit of the next time around. */
static void check_broken_queue(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct endpoint e;

	expect_stage("2: an entry against the rules");
	endpoint_open(&e, pair.ctx, &wish);
	EXPECT_EQ(post_raw_read(&e, WQE_CTRL_LAST | WQE_CTRL_PHASE), 2);
	EXPECT_EQ(state_of(&e), IBV_QPS_ERR);
	endpoint_close(&e);
	check_alive();
}

/* 3: rdma-core posts no read on a UD QP, so the entry is made by hand. */
static void check_unsupported(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct endpoint e;

	expect_stage("3: an operation that the queue does not have");
	wish.ud = true;
	endpoint_open(&e, pair.ctx, &wish);
	EXPECT_EQ(post_raw_read(&e, WQE_CTRL_LAST), 3);
	EXPECT_EQ(state_of(&e), IBV_QPS_RTS);
	endpoint_close(&e);
}

/* 4: the number of another PD's address handle. */
static void check_invalid_ah(void)
{
	struct request r = request_send(&pair.a, 4, 0, 16);
	struct ibv_ah *own = pair.a.ah;

	expect_stage("4: an address handle of another domain");
	pair.a.ah = pair.b.ah;
	ends_with(&pair.a, &r, IBV_WC_LOC_QP_OP_ERR, 4);
	pair.a.ah = own;
	check_alive();
}

/* 5: the sender's, and the receiver's of 12. */
static void check_invalid_lkey(void)
{
	struct request r = request_send(&pair.a, 5, 0, 16);

	expect_stage("5: local key");
	r.sge[0].lkey = pair.b.mr->lkey;
	ends_with(&pair.a, &r, IBV_WC_LOC_PROT_ERR, 5);
	check_alive();
}

static void check_local_length(void)
{
	struct request r = request_send(&pair.a, 6, 0, 0);

	expect_stage("6: longer than the MTU");
	r.sge[0].length = device_mtu(pair.ctx) + 1;
	ends_with(&pair.a, &r, IBV_WC_LOC_LEN_ERR, 6);
	check_alive();
}

static void check_bad_address(void)
{
	struct request r;

	if (!device_has(pair.ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_READ))
		return;
	expect_stage("7: remote address");
	r = request_rdma(&pair.a, IBV_WR_RDMA_READ, 7, 0, 16);
	r.remote_addr = pair.b.self.buf + pair.b.buf_len - 15;
	ends_with(&pair.a, &r, IBV_WC_REM_ACCESS_ERR, 7);
	check_alive();
}

static void check_bad_qpn(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct request r = request_send(&pair.a, 9, 0, 16);
	struct endpoint_addr good = pair.a.peer;
	struct endpoint e;

	expect_stage("9: a QP that is not there");
	pair.a.peer.qpn ^= 0x4000;
	ends_with(&pair.a, &r, IBV_WC_REM_INV_RD_REQ_ERR, 9);
	pair.a.peer = good;
	expect_stage("9: another qkey");
	pair.a.peer.qkey++;
	ends_with(&pair.a, &r, IBV_WC_REM_INV_RD_REQ_ERR, 9);
	pair.a.peer = good;
	expect_stage("9: a QP that does not receive yet, or is of UD");
	endpoint_create(&e, pair.ctx, &wish);
	pair.a.peer.qpn = e.qp->qp_num;
	ends_with(&pair.a, &r, IBV_WC_REM_INV_RD_REQ_ERR, 9);
	endpoint_close(&e);
	wish.ud = true;
	endpoint_open(&e, pair.ctx, &wish);
	pair.a.peer.qpn = e.qp->qp_num;
	ends_with(&pair.a, &r, IBV_WC_REM_INV_RD_REQ_ERR, 9);
	endpoint_close(&e);
	pair.a.peer = good;
	check_alive();
}

static void check_rnr(void)
{
	struct request r = request_send(&pair.a, 10, 0, 16);

	expect_stage("10: no receive, no retry");
	ends_with(&pair.a, &r, IBV_WC_RNR_RETRY_EXC_ERR, 10);
	check_alive();
}

static void check_remote_length(void)
{
	struct request r = request_send(&pair.a, 11, 0, 16);

	expect_stage("11: the receive is too short");
	REQUIRE_EQ(receive_post(&pair.b, 12, 0, 15), 0);
	ends_with(&pair.a, &r, IBV_WC_REM_INV_REQ_ERR, 11);
	EXPECT_EQ(COMPLETION_EXPECT(&pair.b, 12,
				    IBV_WC_LOC_LEN_ERR).vendor_err, 6);
	check_alive();
}

static void check_bad_status(void)
{
	struct request r = request_send(&pair.a, 13, 0, 16);

	expect_stage("12: the receive's memory is not registered");
	pair.b.mr->lkey ^= 0x00555555;
	REQUIRE_EQ(receive_post(&pair.b, 14, 0, 16), 0);
	pair.b.mr->lkey ^= 0x00555555;
	ends_with(&pair.a, &r, IBV_WC_BAD_RESP_ERR, 12);
	EXPECT_EQ(COMPLETION_EXPECT(&pair.b, 14,
				    IBV_WC_LOC_PROT_ERR).vendor_err, 5);
	check_alive();
}

static void check_unknown_peer(void)
{
	struct request r;

	if (!device_has(pair.ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_READ))
		return;
	expect_stage("14: the target does not know us");
	r = request_rdma(&pair.a, IBV_WR_RDMA_READ, 15, 0, 16);
	EXPECT_EQ(ibv_destroy_ah(pair.b.ah), 0);
	pair.b.ah = NULL;
	ends_with(&pair.a, &r, IBV_WC_REM_OP_ERR, 14);
	endpoint_connect(&pair.b, &pair.a.self);
	check_alive();
}

static void check_unreachable(void)
{
	struct request r = request_send(&pair.a, 16, 0, 16);
	struct endpoint_addr good = pair.a.peer, none = good;

	expect_stage("15: nobody has that GID");
	none.gid.raw[15] ^= 0x5a;
	none.gid.raw[9] ^= 0xa5;
	endpoint_connect(&pair.a, &none);
	ends_with(&pair.a, &r, IBV_WC_RESP_TIMEOUT_ERR, 15);
	endpoint_connect(&pair.a, &good);
	check_alive();
}

/* 18: only one side has unsolicited receives. */
static void check_unsolicited_mismatch(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct request r;
	struct endpoint e;

	if (!device_has(pair.ctx,
			EFADV_DEVICE_ATTR_CAPS_UNSOLICITED_WRITE_RECV))
		return;
	expect_stage("18: unsolicited receives on one side");
	wish.efa_flags = EFADV_QP_FLAGS_UNSOLICITED_WRITE_RECV;
	endpoint_open(&e, pair.ctx, &wish);
	endpoint_connect(&e, &pair.b.self);
	r = request_rdma(&e, IBV_WR_RDMA_WRITE_WITH_IMM, 18, 0, 16);
	ends_with(&e, &r, IBV_WC_REM_INV_REQ_ERR, 18);
	r = request_rdma(&e, IBV_WR_RDMA_WRITE, 19, 0, 16);
	ends_with(&e, &r, IBV_WC_SUCCESS, 0);
	endpoint_close(&e);
}

/* 18: the target is a device without the operation. */
static void check_device_mismatch(void)
{
	struct ibv_context *other = device_open(1);
	struct endpoint_wish wish = endpoint_wish_default();
	struct endpoint e, target;
	struct request r;

	if (device_has(pair.ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE) &&
	    !device_has(other, EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE)) {
		expect_stage("18: a device without RDMA write");
		endpoint_open(&e, pair.ctx, &wish);
		endpoint_open(&target, other, &wish);
		endpoint_connect(&e, &target.self);
		endpoint_connect(&target, &e.self);
		r = request_rdma(&e, IBV_WR_RDMA_WRITE, 20, 0, 16);
		ends_with(&e, &r, IBV_WC_REM_INV_REQ_ERR, 18);
		endpoint_close(&e);
		endpoint_close(&target);
	}
	device_close(other);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();

	expect_deadline(60);
	wish.rnr_retry = 0;
	two_qps_open(&pair, &wish);
	check_alive();
	check_flushed();
	check_broken_queue();
	check_unsupported();
	check_invalid_ah();
	check_invalid_lkey();
	check_local_length();
	check_bad_address();
	check_bad_qpn();
	if (device_has(pair.ctx, EFADV_DEVICE_ATTR_CAPS_RNR_RETRY))
		check_rnr();
	check_remote_length();
	check_bad_status();
	check_unknown_peer();
	check_unreachable();
	check_unsolicited_mismatch();
	check_device_mismatch();
	two_qps_close(&pair);
	return expect_result();
}
