/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Bad keys, ranges, rights, QPs: the right status, and the QP lives on. */
#include <errno.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

static struct two_qps pair;
static bool has_read, has_write;

/* Expects @status for @r, and that a good message still goes through. */
static void fails_with(const struct request *r, enum ibv_wc_status status,
		       uint32_t vendor_err, const char *what)
{
	struct request good = request_send(&pair.a, 900, 0, 64);
	struct completion c;

	expect_stage(what);
	REQUIRE_EQ(request_post(&pair.a, r), 0);
	c = COMPLETION_EXPECT(&pair.a, r->wr_id, status);
	if (!EXPECT_EQ(c.vendor_err, vendor_err))
		expect_true(false, what, __FILE__, __LINE__);
	EXPECT_EQ(receive_post(&pair.b, 901, 4096, 64), 0);
	EXPECT_EQ(request_post(&pair.a, &good), 0);
	COMPLETION_EXPECT(&pair.a, 900, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair.b, 901, IBV_WC_SUCCESS);
}

static void check_remote_key(enum ibv_wr_opcode op)
{
	struct request r = request_rdma(&pair.a, op, 10, 0, 100);
	struct ibv_mr *mr;

	r.rkey ^= 0x00555555;
	fails_with(&r, IBV_WC_REM_ACCESS_ERR, 7, "remote key unknown");

	mr = ibv_reg_mr(pair.b.pd, pair.b.buf, 4096, device_access(pair.ctx));
	REQUIRE(mr);
	r.rkey = mr->rkey;
	EXPECT_EQ(ibv_dereg_mr(mr), 0);
	fails_with(&r, IBV_WC_REM_ACCESS_ERR, 7, "remote key deregistered");

	/* a's own region belongs to another protection domain. */
	r.rkey = pair.a.mr->rkey;
	r.remote_addr = (uintptr_t)pair.a.buf;
	fails_with(&r, IBV_WC_REM_ACCESS_ERR, 7, "remote key of another PD");
}

static void check_remote_range(enum ibv_wr_opcode op)
{
	struct request r = request_rdma(&pair.a, op, 11, 0, 100);

	r.remote_addr = pair.b.self.buf - 1;
	fails_with(&r, IBV_WC_REM_ACCESS_ERR, 7, "before the region");
	r.remote_addr = pair.b.self.buf + pair.b.buf_len - 99;
	fails_with(&r, IBV_WC_REM_ACCESS_ERR, 7, "past the region");
	r.remote_addr = UINT64_MAX - 50;
	fails_with(&r, IBV_WC_REM_ACCESS_ERR, 7, "wrapping range");
}

static void check_remote_rights(enum ibv_wr_opcode op, int wanted)
{
	struct request r = request_rdma(&pair.a, op, 12, 0, 100);
	struct ibv_mr *mr;

	memset(pair.b.buf, 0x11, 100);
	mr = ibv_reg_mr(pair.b.pd, pair.b.buf, 4096,
			device_access(pair.ctx) & ~wanted);
	REQUIRE(mr);
	r.rkey = mr->rkey;
	memset(pair.a.buf, 0x22, 100);
	fails_with(&r, IBV_WC_REM_ACCESS_ERR, 7, "right not given");
	EXPECT_EQ(pair.a.buf[0], 0x22);
	EXPECT_EQ(pair.b.buf[0], 0x11);
	EXPECT_EQ(ibv_dereg_mr(mr), 0);
}

static void check_local(struct request r)
{
	const struct ibv_sge good = r.sge[0];

	r.sge[0].lkey ^= 0x00555555;
	fails_with(&r, IBV_WC_LOC_PROT_ERR, 5, "local key unknown");
	r.sge[0] = good;
	r.sge[0].addr = (uintptr_t)pair.a.buf + pair.a.buf_len - 10;
	fails_with(&r, IBV_WC_LOC_PROT_ERR, 5, "past the local region");
	r.sge[0].addr = (uintptr_t)pair.a.buf - 10;
	fails_with(&r, IBV_WC_LOC_PROT_ERR, 5, "before the local region");
	r.sge[0] = good;
	r.sge[0].lkey = pair.b.mr->lkey;
	r.sge[0].addr = (uintptr_t)pair.b.buf;
	fails_with(&r, IBV_WC_LOC_PROT_ERR, 5, "local key of another PD");
}

/* A read into memory that only the process may write. */
static void check_local_rights(void)
{
	struct request r = request_rdma(&pair.a, IBV_WR_RDMA_READ, 13, 0, 100);
	struct ibv_mr *mr;

	mr = ibv_reg_mr(pair.a.pd, pair.a.buf, 4096, IBV_ACCESS_REMOTE_READ);
	REQUIRE(mr);
	memset(pair.a.buf, 0x33, 100);
	r.sge[0].lkey = mr->lkey;
	fails_with(&r, IBV_WC_LOC_PROT_ERR, 5, "read into read-only region");
	EXPECT_EQ(pair.a.buf[0], 0x33);
	EXPECT_EQ(ibv_dereg_mr(mr), 0);
}

static void check_bad_qpn(struct request r)
{
	uint32_t good = pair.a.peer.qpn;

	pair.a.peer.qpn ^= 0x4000;
	expect_stage("unknown QP");
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	pair.a.peer.qpn = good;
	EXPECT_EQ(COMPLETION_EXPECT(&pair.a, r.wr_id,
				    IBV_WC_REM_INV_RD_REQ_ERR).vendor_err, 9);
}

/* A wrong qkey is delivered to nobody, and the sender hears of it. */
static void check_wrong_qkey(void)
{
	struct request r = request_send(&pair.a, 14, 0, 64);
	struct completion c;

	expect_stage("wrong qkey on SRD");
	EXPECT_EQ(receive_post(&pair.b, 15, 0, 64), 0);
	pair.a.peer.qkey++;
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	c = completion_wait(&pair.a);
	EXPECT(c.status != IBV_WC_SUCCESS);
	pair.a.peer.qkey--;
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	COMPLETION_EXPECT(&pair.a, 14, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair.b, 15, IBV_WC_SUCCESS);
	COMPLETION_NONE(&pair.b);
}

/* A receive whose own buffer is not ours to give. */
static void check_receive_key(void)
{
	struct request r = request_send(&pair.a, 16, 0, 64);
	struct completion c;

	expect_stage("receive with a bad key");
	pair.b.mr->lkey ^= 0x00555555;
	EXPECT_EQ(receive_post(&pair.b, 17, 0, 64), 0);
	pair.b.mr->lkey ^= 0x00555555;
	EXPECT_EQ(request_post(&pair.a, &r), 0);
	c = completion_wait(&pair.a);
	EXPECT(c.status != IBV_WC_SUCCESS);
	while (completion_poll(&pair.b, &c))
		EXPECT(c.status != IBV_WC_SUCCESS);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();

	expect_deadline(60);
	two_qps_open(&pair, &wish);
	has_read = device_has(pair.ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_READ);
	has_write = device_has(pair.ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE);
	check_local(request_send(&pair.a, 20, 0, 100));
	check_bad_qpn(request_send(&pair.a, 21, 0, 100));
	if (has_read) {
		check_remote_key(IBV_WR_RDMA_READ);
		check_remote_range(IBV_WR_RDMA_READ);
		check_remote_rights(IBV_WR_RDMA_READ, IBV_ACCESS_REMOTE_READ);
		check_local(request_rdma(&pair.a, IBV_WR_RDMA_READ, 22, 0,
					 100));
		check_local_rights();
		check_bad_qpn(request_rdma(&pair.a, IBV_WR_RDMA_READ, 23, 0,
					   100));
	}
	if (has_write) {
		check_remote_key(IBV_WR_RDMA_WRITE);
		check_remote_range(IBV_WR_RDMA_WRITE);
		check_remote_rights(IBV_WR_RDMA_WRITE,
				    IBV_ACCESS_REMOTE_WRITE);
		check_local(request_rdma(&pair.a, IBV_WR_RDMA_WRITE, 24, 0,
					 100));
	}
	check_wrong_qkey();
	check_receive_key();
	two_qps_close(&pair);
	return expect_result();
}
