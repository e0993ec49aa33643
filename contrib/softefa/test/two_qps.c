/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <endian.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

struct ibv_context *device_open(unsigned index)
{
	struct ibv_context *ctx;
	struct ibv_device **list;
	int count = 0;

	list = ibv_get_device_list(&count);
	if (!list || index >= (unsigned)count)
		expect_skip("device number %u: %d found (run it by `softefa run --devices N --`)",
			    index, list ? count : 0);
	ctx = ibv_open_device(list[index]);
	REQUIRE(ctx);
	ibv_free_device_list(list);
	return ctx;
}

void device_close(struct ibv_context *ctx)
{
	EXPECT_EQ(ibv_close_device(ctx), 0);
}

struct efadv_device_attr device_attr(struct ibv_context *ctx)
{
	struct efadv_device_attr attr;

	REQUIRE_EQ(efadv_query_device(ctx, &attr, sizeof(attr)), 0);
	return attr;
}

bool device_has(struct ibv_context *ctx, uint32_t cap)
{
	return (device_attr(ctx).device_caps & cap) == cap;
}

void device_need_events(struct ibv_context *ctx)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(ctx);
	struct ibv_cq *cq;

	REQUIRE(channel);
	cq = ibv_create_cq(ctx, 16, NULL, channel, 0);
	if (!cq && errno == EOPNOTSUPP)
		expect_skip("a device with CQ notifications");
	REQUIRE(cq);
	EXPECT_EQ(ibv_destroy_cq(cq), 0);
	EXPECT_EQ(ibv_destroy_comp_channel(channel), 0);
}

uint32_t device_mtu(struct ibv_context *ctx)
{
	struct ibv_port_attr port;

	REQUIRE_EQ(ibv_query_port(ctx, 1, &port), 0);
	return port.max_msg_sz;
}

union ibv_gid device_gid(struct ibv_context *ctx)
{
	union ibv_gid gid;

	REQUIRE_EQ(ibv_query_gid(ctx, 1, 0, &gid), 0);
	return gid;
}

int device_access(struct ibv_context *ctx)
{
	int access = IBV_ACCESS_LOCAL_WRITE;

	if (device_has(ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_READ))
		access |= IBV_ACCESS_REMOTE_READ;
	if (device_has(ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE))
		access |= IBV_ACCESS_REMOTE_WRITE;
	return access;
}

struct endpoint_wish endpoint_wish_default(void)
{
	return (struct endpoint_wish) {
		.rnr_retry = 7,
		.send_depth = 16,
		.recv_depth = 16,
		.cq_depth = 64,
		.send_sge = 1,
		.recv_sge = 1,
		.buf_len = 65536,
	};
}

static void create_cq(struct endpoint *e, const struct endpoint_wish *wish)
{
	struct efadv_cq_init_attr efa_attr = {};
	struct ibv_cq_init_attr_ex attr = {
		.cqe = wish->cq_depth,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
	};

	e->channel = wish->shared_channel;
	e->channel_is_shared = wish->shared_channel;
	if (wish->channel && !e->channel) {
		e->channel = ibv_create_comp_channel(e->ctx);
		REQUIRE(e->channel);
	}
	attr.channel = e->channel;
	e->cq_has_sgid = device_has(e->ctx,
				    EFADV_DEVICE_ATTR_CAPS_CQ_WITH_SGID);
	if (e->cq_has_sgid)
		efa_attr.wc_flags |= EFADV_WC_EX_WITH_SGID;
	e->cq_has_unsolicited =
		device_has(e->ctx,
			   EFADV_DEVICE_ATTR_CAPS_UNSOLICITED_WRITE_RECV);
	if (e->cq_has_unsolicited)
		efa_attr.wc_flags |= EFADV_WC_EX_WITH_IS_UNSOLICITED;
	e->cq = efadv_create_cq(e->ctx, &attr, &efa_attr, sizeof(efa_attr));
	REQUIRE(e->cq);
}

static uint64_t send_ops(const struct endpoint *e, bool ud)
{
	uint64_t ops = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;

	if (ud)
		return ops;
	if (device_has(e->ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_READ))
		ops |= IBV_QP_EX_WITH_RDMA_READ;
	if (device_has(e->ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE))
		ops |= IBV_QP_EX_WITH_RDMA_WRITE |
		       IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM;
	return ops;
}

static void create_qp(struct endpoint *e, const struct endpoint_wish *wish)
{
	struct efadv_qp_init_attr efa_attr = {
		.driver_qp_type = EFADV_QP_DRIVER_TYPE_SRD,
		.flags = wish->efa_flags,
	};
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = ibv_cq_ex_to_cq(e->cq),
		.recv_cq = ibv_cq_ex_to_cq(e->cq),
		.cap = {
			.max_send_wr = wish->send_depth,
			.max_recv_wr = wish->recv_depth,
			.max_send_sge = wish->send_sge,
			.max_recv_sge = wish->recv_sge,
			.max_inline_data = wish->max_inline,
		},
		.qp_type = wish->ud ? IBV_QPT_UD : IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = e->pd,
		.send_ops_flags = send_ops(e, wish->ud),
		.sq_sig_all = 1,
	};

	e->qp = wish->ud ? ibv_create_qp_ex(e->ctx, &attr) :
		efadv_create_qp_ex(e->ctx, &attr, &efa_attr, sizeof(efa_attr));
	REQUIRE(e->qp);
	e->qpx = ibv_qp_to_qp_ex(e->qp);
	REQUIRE(e->qpx);
}

void endpoint_create(struct endpoint *e, struct ibv_context *ctx,
		     const struct endpoint_wish *wish)
{
	memset(e, 0, sizeof(*e));
	e->ctx = ctx;
	e->pd = ibv_alloc_pd(ctx);
	REQUIRE(e->pd);
	create_cq(e, wish);
	create_qp(e, wish);
	e->buf_len = wish->buf_len;
	e->buf = mmap(NULL, e->buf_len, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(e->buf != MAP_FAILED);
	e->mr = ibv_reg_mr(e->pd, e->buf, e->buf_len, device_access(ctx));
	REQUIRE(e->mr);
	e->self = (struct endpoint_addr) {
		.gid = device_gid(ctx),
		.qpn = e->qp->qp_num,
		.qkey = TEST_QKEY,
		.rkey = e->mr->rkey,
		.buf = (uintptr_t)e->buf,
	};
}

int endpoint_to_rts(struct endpoint *e, uint8_t rnr_retry)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qkey = TEST_QKEY,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN, err;

	err = ibv_modify_qp(e->qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			    IBV_QP_PORT | IBV_QP_QKEY);
	if (err)
		return err;
	attr.qp_state = IBV_QPS_RTR;
	err = ibv_modify_qp(e->qp, &attr, IBV_QP_STATE);
	if (err)
		return err;
	attr.qp_state = IBV_QPS_RTS;
	attr.rnr_retry = rnr_retry;
	if (e->qp->qp_type == IBV_QPT_DRIVER &&
	    device_has(e->ctx, EFADV_DEVICE_ATTR_CAPS_RNR_RETRY))
		mask |= IBV_QP_RNR_RETRY;
	return ibv_modify_qp(e->qp, &attr, mask);
}

void endpoint_open(struct endpoint *e, struct ibv_context *ctx,
		   const struct endpoint_wish *wish)
{
	endpoint_create(e, ctx, wish);
	REQUIRE_EQ(endpoint_to_rts(e, wish->rnr_retry), 0);
}

void endpoint_connect(struct endpoint *e, const struct endpoint_addr *peer)
{
	struct ibv_ah_attr attr = {
		.grh.dgid = peer->gid,
		.is_global = 1,
		.port_num = 1,
	};

	if (e->ah)
		EXPECT_EQ(ibv_destroy_ah(e->ah), 0);
	e->ah = ibv_create_ah(e->pd, &attr);
	REQUIRE(e->ah);
	e->peer = *peer;
}

void endpoint_close(struct endpoint *e)
{
	if (e->ah)
		EXPECT_EQ(ibv_destroy_ah(e->ah), 0);
	EXPECT_EQ(ibv_destroy_qp(e->qp), 0);
	EXPECT_EQ(ibv_destroy_cq(ibv_cq_ex_to_cq(e->cq)), 0);
	if (e->channel && !e->channel_is_shared)
		EXPECT_EQ(ibv_destroy_comp_channel(e->channel), 0);
	EXPECT_EQ(ibv_dereg_mr(e->mr), 0);
	EXPECT_EQ(ibv_dealloc_pd(e->pd), 0);
	munmap(e->buf, e->buf_len);
}

void two_qps_open(struct two_qps *pair, const struct endpoint_wish *wish)
{
	pair->ctx = device_open(0);
	endpoint_open(&pair->a, pair->ctx, wish);
	endpoint_open(&pair->b, pair->ctx, wish);
	endpoint_connect(&pair->a, &pair->b.self);
	endpoint_connect(&pair->b, &pair->a.self);
}

void two_qps_close(struct two_qps *pair)
{
	endpoint_close(&pair->a);
	endpoint_close(&pair->b);
	device_close(pair->ctx);
}

struct request request_send(const struct endpoint *e, uint64_t wr_id,
			    size_t offset, uint32_t len)
{
	return (struct request) {
		.wr_id = wr_id,
		.opcode = IBV_WR_SEND,
		.sge = { { (uintptr_t)e->buf + offset, len, e->mr->lkey } },
		.sge_count = 1,
	};
}

struct request request_rdma(const struct endpoint *e, enum ibv_wr_opcode op,
			    uint64_t wr_id, size_t offset, uint32_t len)
{
	struct request r = request_send(e, wr_id, offset, len);

	r.opcode = op;
	r.remote_addr = e->peer.buf + offset;
	r.rkey = e->peer.rkey;
	return r;
}

static void start_opcode(struct ibv_qp_ex *qpx, const struct request *r)
{
	switch (r->opcode) {
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(qpx, htobe32(r->imm));
		break;
	case IBV_WR_RDMA_READ:
		ibv_wr_rdma_read(qpx, r->rkey, r->remote_addr);
		break;
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(qpx, r->rkey, r->remote_addr);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(qpx, r->rkey, r->remote_addr,
				      htobe32(r->imm));
		break;
	default:
		ibv_wr_send(qpx);
	}
}

void request_build(struct endpoint *e, const struct request *r)
{
	e->qpx->wr_id = r->wr_id;
	e->qpx->wr_flags = IBV_SEND_SIGNALED;
	start_opcode(e->qpx, r);
	if (r->inline_data)
		ibv_wr_set_inline_data(e->qpx, (void *)(uintptr_t)r->inline_data,
				       r->inline_len);
	else if (r->sge_count)
		ibv_wr_set_sge_list(e->qpx, r->sge_count, r->sge);
	ibv_wr_set_ud_addr(e->qpx, e->ah, e->peer.qpn, e->peer.qkey);
}

int request_post(struct endpoint *e, const struct request *r)
{
	ibv_wr_start(e->qpx);
	request_build(e, r);
	return ibv_wr_complete(e->qpx);
}

int receive_post(struct endpoint *e, uint64_t wr_id, size_t offset,
		 uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)e->buf + offset, len, e->mr->lkey };
	struct ibv_recv_wr wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
	};
	struct ibv_recv_wr *bad;

	return ibv_post_recv(e->qp, &wr, &bad);
}

static void read_success(struct endpoint *e, struct completion *c)
{
	struct efadv_cq *efa_cq = efadv_cq_from_ibv_cq_ex(e->cq);

	c->opcode = ibv_wc_read_opcode(e->cq);
	c->byte_len = ibv_wc_read_byte_len(e->cq);
	c->has_imm = ibv_wc_read_wc_flags(e->cq) & IBV_WC_WITH_IMM;
	if (c->has_imm)
		c->imm = be32toh(ibv_wc_read_imm_data(e->cq));
	c->src_qp = ibv_wc_read_src_qp(e->cq);
	c->ahn = (uint16_t)ibv_wc_read_slid(e->cq);
	if (e->cq_has_unsolicited)
		c->unsolicited = efadv_wc_is_unsolicited(efa_cq);
	if (e->cq_has_sgid)
		c->has_sgid = efadv_wc_read_sgid(efa_cq, &c->sgid) == 0;
}

bool completion_poll(struct endpoint *e, struct completion *c)
{
	struct ibv_poll_cq_attr attr = {};
	int err = ibv_start_poll(e->cq, &attr);

	if (err == ENOENT)
		return false;
	REQUIRE_EQ(err, 0);
	memset(c, 0, sizeof(*c));
	c->wr_id = e->cq->wr_id;
	c->status = e->cq->status;
	c->vendor_err = ibv_wc_read_vendor_err(e->cq);
	c->qp_num = ibv_wc_read_qp_num(e->cq);
	if (c->status == IBV_WC_SUCCESS)
		read_success(e, c);
	ibv_end_poll(e->cq);
	return true;
}

struct completion completion_wait(struct endpoint *e)
{
	struct completion c;

	/* The device is a process of this machine: let it run. */
	while (!completion_poll(e, &c))
		sched_yield();
	return c;
}

struct completion completion_expect(struct endpoint *e, uint64_t wr_id,
				    enum ibv_wc_status status,
				    const char *file, int line)
{
	struct completion c = completion_wait(e);

	expect_equal((long long)c.wr_id, (long long)wr_id, "wr_id", file, line);
	expect_equal(c.status, status, "completion status", file, line);
	return c;
}
