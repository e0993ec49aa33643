/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * verbs_caps [NAME...]: the device has the capabilities of these names
 * (softefa's --caps) and no other. One that is on works; one that is off is
 * refused where driver and rdma-core refuse it. Run by verbs_settings.sh.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

static char **names;
static struct ibv_context *ctx;
static struct ibv_pd *pd;
static uint8_t page[4096] __attribute__((aligned(4096)));

static bool is_on(const char *name)
{
	for (char **at = names; *at; at++)
		if (!strcmp(*at, name))
			return true;
	return false;
}

static struct endpoint_wish small_wish(void)
{
	struct endpoint_wish wish = endpoint_wish_default();

	wish.rnr_retry = 0;
	return wish;
}

static void check_access(const char *name, int access)
{
	struct ibv_mr *mr;

	errno = 0;
	mr = ibv_reg_mr(pd, page, sizeof(page), access);
	if (is_on(name)) {
		REQUIRE(mr);
		EXPECT_EQ(ibv_dereg_mr(mr), 0);
	} else {
		EXPECT(!mr);
		EXPECT_EQ(errno, EOPNOTSUPP);
	}
}

static struct ibv_cq_ex *create_cq(uint64_t wc_flags,
				   struct ibv_comp_channel *channel)
{
	struct efadv_cq_init_attr efa_attr = { .wc_flags = wc_flags };
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 16,
		.channel = channel,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
	};

	errno = 0;
	return efadv_create_cq(ctx, &attr, &efa_attr, sizeof(efa_attr));
}

static void destroy_cq(struct ibv_cq_ex *cq)
{
	if (cq)
		EXPECT_EQ(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

/* NULL with errno when it is refused. */
static struct ibv_qp *create_qp(struct ibv_cq_ex *cq, uint64_t ops,
				uint16_t flags)
{
	struct efadv_qp_init_attr efa_attr = {
		.driver_qp_type = EFADV_QP_DRIVER_TYPE_SRD,
		.flags = flags,
	};
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = ibv_cq_ex_to_cq(cq),
		.recv_cq = ibv_cq_ex_to_cq(cq),
		.cap = { .max_send_wr = 4, .max_send_sge = 1,
			 .max_recv_wr = 4, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | ops,
	};

	errno = 0;
	return efadv_create_qp_ex(ctx, &attr, &efa_attr, sizeof(efa_attr));
}

static void check_qp(const char *name, uint64_t ops, uint16_t flags)
{
	struct ibv_cq_ex *cq = create_cq(0, NULL);
	struct ibv_qp *qp;

	REQUIRE(cq);
	qp = create_qp(cq, ops, flags);
	if (is_on(name)) {
		REQUIRE(qp);
		EXPECT_EQ(ibv_destroy_qp(qp), 0);
	} else {
		EXPECT(!qp);
		EXPECT(errno == EOPNOTSUPP || errno == EINVAL);
	}
	destroy_cq(cq);
}

static void check_rdma(const char *name, enum ibv_wr_opcode op)
{
	struct endpoint_wish wish = small_wish();
	struct two_qps pair;
	struct request r;

	if (!is_on(name))
		return;
	two_qps_open(&pair, &wish);
	expect_fill(pair.a.buf, 1000, 1);
	expect_fill(pair.b.buf, 1000, 2);
	r = request_rdma(&pair.a, op, 1, 0, 1000);
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	COMPLETION_EXPECT(&pair.a, 1, IBV_WC_SUCCESS);
	EXPECT_FILLED(pair.a.buf, 1000, op == IBV_WR_RDMA_READ ? 2 : 1);
	EXPECT_FILLED(pair.b.buf, 1000, op == IBV_WR_RDMA_READ ? 2 : 1);
	two_qps_close(&pair);
}

static void check_rdma_read(void)
{
	expect_stage("rdma-read");
	EXPECT_EQ(device_has(ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_READ),
		  is_on("rdma-read"));
	check_access("rdma-read", IBV_ACCESS_REMOTE_READ);
	check_qp("rdma-read", IBV_QP_EX_WITH_RDMA_READ, 0);
	check_rdma("rdma-read", IBV_WR_RDMA_READ);
}

static void check_rdma_write(void)
{
	expect_stage("rdma-write");
	EXPECT_EQ(device_has(ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE),
		  is_on("rdma-write"));
	check_access("rdma-write",
		     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	check_qp("rdma-write", IBV_QP_EX_WITH_RDMA_WRITE, 0);
	check_qp("rdma-write", IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM, 0);
	check_rdma("rdma-write", IBV_WR_RDMA_WRITE);
}

/* To RTS with a retry count: takes effect, or modify_qp refuses it. */
static void check_rnr_retry(void)
{
	struct endpoint_wish wish = small_wish();
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS,
		.rnr_retry = 1,
	};
	struct two_qps pair;
	struct request r;

	expect_stage("rnr-retry");
	EXPECT_EQ(device_has(ctx, EFADV_DEVICE_ATTR_CAPS_RNR_RETRY),
		  is_on("rnr-retry"));
	two_qps_open(&pair, &wish);
	if (is_on("rnr-retry")) {
		r = request_send(&pair.a, 3, 0, 8);
		REQUIRE_EQ(request_post(&pair.a, &r), 0);
		EXPECT_EQ(COMPLETION_EXPECT(&pair.a, 3,
					    IBV_WC_RNR_RETRY_EXC_ERR)
			  .vendor_err, 10);
	} else {
		EXPECT_EQ(ibv_modify_qp(pair.a.qp, &attr, IBV_QP_STATE |
					IBV_QP_RNR_RETRY), EOPNOTSUPP);
	}
	two_qps_close(&pair);
}

static void check_notifications(void)
{
	struct endpoint_wish wish = small_wish();
	struct ibv_comp_channel *channel;
	struct ibv_cq_ex *cq;
	struct two_qps pair;
	struct request r;
	struct pollfd fd;

	expect_stage("cq-notifications");
	channel = ibv_create_comp_channel(ctx);
	REQUIRE(channel);
	cq = create_cq(0, channel);
	EXPECT_EQ(!!cq, is_on("cq-notifications"));
	if (!cq)
		EXPECT_EQ(errno, EOPNOTSUPP);
	destroy_cq(cq);
	EXPECT_EQ(ibv_destroy_comp_channel(channel), 0);
	if (!is_on("cq-notifications"))
		return;
	wish.channel = true;
	two_qps_open(&pair, &wish);
	EXPECT_EQ(ibv_req_notify_cq(ibv_cq_ex_to_cq(pair.b.cq), 0), 0);
	r = request_send(&pair.a, 3, 0, 8);
	REQUIRE_EQ(receive_post(&pair.b, 4, 0, 8), 0);
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	fd = (struct pollfd) { .fd = pair.b.channel->fd, .events = POLLIN };
	EXPECT_EQ(poll(&fd, 1, 30000), 1);
	two_qps_close(&pair);
}

/* A receiver that does not know the sender gets its GID, or nothing. */
static void check_sgid(void)
{
	struct endpoint_wish wish = small_wish();
	union ibv_gid gid = device_gid(ctx);
	struct completion c;
	struct two_qps pair;
	struct ibv_cq_ex *cq;
	struct request r;

	expect_stage("cq-with-sgid");
	cq = create_cq(EFADV_WC_EX_WITH_SGID, NULL);
	EXPECT_EQ(!!cq, is_on("cq-with-sgid"));
	if (!cq)
		EXPECT(errno == EOPNOTSUPP || errno == EINVAL);
	destroy_cq(cq);
	two_qps_open(&pair, &wish);
	EXPECT_EQ(ibv_destroy_ah(pair.b.ah), 0);
	pair.b.ah = NULL;
	r = request_send(&pair.a, 3, 0, 8);
	REQUIRE_EQ(receive_post(&pair.b, 4, 0, 8), 0);
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	c = COMPLETION_EXPECT(&pair.b, 4, IBV_WC_SUCCESS);
	EXPECT_EQ(c.ahn, 0xffff);
	EXPECT_EQ(c.has_sgid, is_on("cq-with-sgid"));
	if (c.has_sgid)
		EXPECT_BYTES(&c.sgid, &gid, sizeof(gid));
	two_qps_close(&pair);
}

static void check_unsolicited(void)
{
	struct endpoint_wish wish = small_wish();
	struct completion c;
	struct two_qps pair;
	struct ibv_cq_ex *cq;
	struct request r;

	expect_stage("unsolicited-write-recv");
	EXPECT_EQ(device_has(ctx,
			     EFADV_DEVICE_ATTR_CAPS_UNSOLICITED_WRITE_RECV),
		  is_on("unsolicited-write-recv"));
	check_qp("unsolicited-write-recv", 0,
		 EFADV_QP_FLAGS_UNSOLICITED_WRITE_RECV);
	cq = create_cq(EFADV_WC_EX_WITH_IS_UNSOLICITED, NULL);
	EXPECT_EQ(!!cq, is_on("unsolicited-write-recv"));
	destroy_cq(cq);
	if (!is_on("unsolicited-write-recv") || !is_on("rdma-write"))
		return;
	wish.efa_flags = EFADV_QP_FLAGS_UNSOLICITED_WRITE_RECV;
	two_qps_open(&pair, &wish);
	r = request_rdma(&pair.a, IBV_WR_RDMA_WRITE_WITH_IMM, 5, 0, 100);
	r.imm = 77;
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	COMPLETION_EXPECT(&pair.a, 5, IBV_WC_SUCCESS);
	c = completion_wait(&pair.b);
	EXPECT_EQ(c.status, IBV_WC_SUCCESS);
	EXPECT(c.unsolicited && c.has_imm);
	EXPECT_EQ(c.imm, 77);
	two_qps_close(&pair);
}

/* Order within 128 bytes: verbs_data_polling tests that it holds. */
static void check_data_polling(void)
{
	const int caps = IBV_QUERY_QP_DATA_IN_ORDER_RETURN_CAPS;
	struct endpoint_wish wish = small_wish();
	struct two_qps pair;

	expect_stage("data-polling-128");
	two_qps_open(&pair, &wish);
	EXPECT_EQ(ibv_query_qp_data_in_order(pair.a.qp, IBV_WR_RDMA_WRITE,
					     caps),
		  is_on("data-polling-128") ?
		  IBV_QUERY_QP_DATA_IN_ORDER_ALIGNED_128_BYTES : 0);
	two_qps_close(&pair);
}

/* Rings in a dma-buf: verbs_dmabuf tests that they work. */
static void check_ext_mem(void)
{
	struct efadv_cq_init_attr efa_attr = {
		.flags = EFADV_CQ_INIT_FLAGS_EXT_MEM_DMABUF,
		.ext_mem_dmabuf = { .buffer = page, .length = sizeof(page),
				    .fd = 2 },	/* no memory at all */
	};
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 16,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
	};

	expect_stage("cq-with-ext-mem");
	EXPECT_EQ(device_has(ctx,
			     EFADV_DEVICE_ATTR_CAPS_CQ_WITH_EXT_MEM_DMABUF),
		  is_on("cq-with-ext-mem"));
	errno = 0;
	EXPECT(!efadv_create_cq(ctx, &attr, &efa_attr, sizeof(efa_attr)));
	EXPECT_EQ(errno, is_on("cq-with-ext-mem") ? EINVAL : EOPNOTSUPP);
}

/* What they count, verbs_completion_counters tests. */
static void check_comp_cntr(void)
{
	const uint32_t read = IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_READ |
			      IBV_QP_ATTACH_COMP_CNTR_OP_REMOTE_RDMA_READ;
	struct ibv_comp_cntr_init_attr attr = {};
	struct ibv_comp_cntr_caps caps;
	struct ibv_comp_cntr *cntr;
	int err;

	expect_stage("comp-cntr");
	EXPECT_EQ(device_has(ctx, EFADV_DEVICE_ATTR_CAPS_COMP_CNTR),
		  is_on("comp-cntr"));
	errno = 0;
	cntr = ibv_create_comp_cntr(ctx, &attr);
	EXPECT_EQ(!!cntr, is_on("comp-cntr"));
	err = ibv_query_comp_cntr_caps(ctx, &caps);
	if (!cntr) {
		EXPECT_EQ(errno, EOPNOTSUPP);
		EXPECT(err);
		return;
	}
	EXPECT_EQ(err, 0);
	EXPECT_EQ((caps.supported_qp_attach_ops & read) == read,
		  is_on("rdma-read"));
	EXPECT_EQ(ibv_destroy_comp_cntr(cntr), 0);
}

/* Wide request IDs are what the queues say, and what comes back. */
static void check_req_id(void)
{
	const uint64_t wide = 0x123456789abcdef0ull;
	struct endpoint_wish wish = small_wish();
	struct efadv_wq_attr sq = {}, rq = {};
	struct two_qps pair;
	struct request r;

	expect_stage("sq-64-bit-req-id");
	two_qps_open(&pair, &wish);
	REQUIRE_EQ(efadv_query_qp_wqs(pair.a.qp, &sq, &rq, sizeof(sq)), 0);
	EXPECT_EQ(!!(sq.caps & EFADV_WQ_CAPS_64_BIT_REQ_ID),
		  is_on("sq-64-bit-req-id"));
	r = request_send(&pair.a, wide, 0, 8);
	REQUIRE_EQ(receive_post(&pair.b, wide + 1, 0, 8), 0);
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	COMPLETION_EXPECT(&pair.a, wide, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair.b, wide + 1, IBV_WC_SUCCESS);
	two_qps_close(&pair);
}

int main(int argc, char **argv)
{
	expect_deadline(60);
	REQUIRE(argc > 0);
	names = argv + 1;
	ctx = device_open(0);
	pd = ibv_alloc_pd(ctx);
	REQUIRE(pd);
	check_rdma_read();
	check_rnr_retry();
	check_notifications();
	check_sgid();
	check_rdma_write();
	check_unsolicited();
	check_data_polling();
	check_ext_mem();
	check_comp_cntr();
	check_req_id();
	EXPECT_EQ(ibv_dealloc_pd(pd), 0);
	device_close(ctx);
	return expect_result();
}
