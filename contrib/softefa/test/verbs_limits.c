/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * verbs_limits NAME=NUMBER,...: on a device with these limits (the list that
 * softefa's --limit got) exactly the limit works, and one more is refused
 * with the errno of the driver. Run by verbs_settings.sh.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fabtests/expect.h"
#include "hw/efa_io_defs.h"
#include "test/two_qps.h"

#define PAGE	4096u
#define MOST	64

static struct ibv_context *ctx;
static struct ibv_device_attr attr;
static struct ibv_pd *pd;
static uint8_t *pages;

static uint32_t limit(const char *list, const char *name)
{
	char start[64];
	const char *at;

	snprintf(start, sizeof(start), "%s=", name);
	at = strstr(list, start);
	REQUIRE(at);
	return (uint32_t)strtoul(at + strlen(start), NULL, 10);
}

static struct ibv_qp *create_qp(struct ibv_cq *cq, struct ibv_qp_cap cap)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = cap,
		.qp_type = IBV_QPT_UD,
	};

	errno = 0;
	return ibv_create_qp(pd, &init);
}

/* One object of a kind, or NULL with errno; and its end. */
struct kind {
	const char *name;
	void *(*create)(void);
	int (*destroy)(void *object);
};

static struct ibv_cq *shared_cq;

static void *make_cntr(void)
{
	struct ibv_comp_cntr_init_attr init = {};

	return ibv_create_comp_cntr(ctx, &init);
}

static int end_cntr(void *cntr)
{
	return ibv_destroy_comp_cntr(cntr);
}

static void *make_qp(void)
{
	return create_qp(shared_cq, (struct ibv_qp_cap) {
		.max_send_wr = 1, .max_send_sge = 1,
		.max_recv_wr = 1, .max_recv_sge = 1,
	});
}

static int end_qp(void *qp)
{
	return ibv_destroy_qp(qp);
}

static void *make_cq(void)
{
	return ibv_create_cq(ctx, 4, NULL, NULL, 0);
}

static int end_cq(void *cq)
{
	return ibv_destroy_cq(cq);
}

static void *make_mr(void)
{
	return ibv_reg_mr(pd, pages, 64, IBV_ACCESS_LOCAL_WRITE);
}

static int end_mr(void *mr)
{
	return ibv_dereg_mr(mr);
}

static void *make_pd(void)
{
	return ibv_alloc_pd(ctx);
}

static int end_pd(void *one)
{
	return ibv_dealloc_pd(one);
}

static void *make_ah(void)
{
	static uint8_t next;
	struct ibv_ah_attr ah = { .is_global = 1, .port_num = 1 };

	ah.grh.dgid.raw[0] = 0xfe;
	ah.grh.dgid.raw[1] = 0x80;
	ah.grh.dgid.raw[15] = ++next;
	return ibv_create_ah(pd, &ah);
}

static int end_ah(void *ah)
{
	return ibv_destroy_ah(ah);
}

/* @others exist already. Twice, so that what was given back is counted. */
static void check_count(const char *list, const struct kind *kind,
			uint32_t others)
{
	uint32_t most = limit(list, kind->name), i;
	void *object[MOST];

	expect_stage(kind->name);
	REQUIRE(most > others && most <= MOST);
	most -= others;
	for (int turn = 0; turn < 2; turn++) {
		for (i = 0; i < most; i++) {
			object[i] = kind->create();
			REQUIRE(object[i]);
		}
		errno = 0;
		EXPECT(!kind->create());
		EXPECT_EQ(errno, ENOMEM);
		for (i = 0; i < most; i++)
			EXPECT_EQ(kind->destroy(object[i]), 0);
	}
}

static struct ibv_mr *reg_pages(uint32_t count)
{
	errno = 0;
	return ibv_reg_mr(pd, pages, (size_t)count * PAGE,
			  IBV_ACCESS_LOCAL_WRITE);
}

static void check_mr_pages(uint32_t most)
{
	struct ibv_mr *mr, *rest;

	expect_stage("max_mr_pages");
	EXPECT_EQ(attr.max_mr_size, (uint64_t)most * PAGE);
	EXPECT(!reg_pages(most + 1));
	EXPECT_EQ(errno, EINVAL);
	mr = reg_pages(most - 1);
	REQUIRE(mr);
	EXPECT(!reg_pages(2));
	EXPECT_EQ(errno, ENOMEM);
	rest = reg_pages(1);
	REQUIRE(rest);
	EXPECT_EQ(ibv_dereg_mr(mr), 0);
	EXPECT_EQ(ibv_dereg_mr(rest), 0);
	mr = reg_pages(most);
	REQUIRE(mr);
	EXPECT_EQ(ibv_dereg_mr(mr), 0);
}

static void check_cqe(uint32_t most)
{
	struct ibv_cq *cq;

	expect_stage("max_cqe");
	EXPECT_EQ(attr.max_cqe, most);
	cq = ibv_create_cq(ctx, (int)most, NULL, NULL, 0);
	REQUIRE(cq);
	EXPECT_EQ(ibv_destroy_cq(cq), 0);
	errno = 0;
	EXPECT(!ibv_create_cq(ctx, (int)most + 1, NULL, NULL, 0));
	EXPECT_EQ(errno, EINVAL);
}

/* One of the cap's fields at its limit and one above it. */
static void check_cap(const char *list, const char *name, size_t field)
{
	struct ibv_qp_cap cap = {
		.max_send_wr = 1, .max_send_sge = 1,
		.max_recv_wr = 1, .max_recv_sge = 1,
	};
	uint32_t value = limit(list, name);
	struct ibv_qp *qp;

	expect_stage(name);
	memcpy((char *)&cap + field, &value, sizeof(value));
	qp = create_qp(shared_cq, cap);
	REQUIRE(qp);
	EXPECT_EQ(ibv_destroy_qp(qp), 0);
	value++;
	memcpy((char *)&cap + field, &value, sizeof(value));
	EXPECT(!create_qp(shared_cq, cap));
	EXPECT_EQ(errno, EINVAL);
}

/* 0: a QP of that many sends and inline bytes is refused. */
static uint32_t entry_size(uint32_t sends, uint32_t max_inline)
{
	struct efadv_wq_attr sq = {}, rq = {};
	struct ibv_qp *qp = create_qp(shared_cq, (struct ibv_qp_cap) {
		.max_send_wr = sends, .max_send_sge = 1,
		.max_recv_wr = 1, .max_recv_sge = 1,
		.max_inline_data = max_inline,
	});

	if (!qp) {
		EXPECT_EQ(errno, EINVAL);
		return 0;
	}
	REQUIRE_EQ(efadv_query_qp_wqs(qp, &sq, &rq, sizeof(sq)), 0);
	EXPECT(sq.num_entries >= sends);
	EXPECT_EQ(ibv_destroy_qp(qp), 0);
	return sq.entry_size;
}

/* rdma-core takes the long entry for more than a short one has room for. */
static void check_inline(uint32_t most, uint32_t most_ex)
{
	bool is_whole = most == EFA_IO_TX_INLINE_MAX;

	expect_stage("inline_buf_size");
	EXPECT_EQ(entry_size(1, most), 64);
	EXPECT_EQ(entry_size(1, most + 1), is_whole && most_ex ? 128 : 0);
	if (!most_ex)
		return;
	EXPECT_EQ(entry_size(1, most_ex), 128);
	EXPECT_EQ(entry_size(1, most_ex + 1), 0);
}

/* The send queue is bounded by its bytes, or by its entries. */
static void check_sq_bytes(uint32_t most, uint32_t most_bytes, uint32_t ex)
{
	expect_stage("max_sq_wr, max_llq_size");
	if (most > most_bytes / 64)
		most = most_bytes / 64;
	EXPECT_EQ(entry_size(most, 0), 64);
	EXPECT_EQ(entry_size(most + 1, 0), 0);
	if (!ex)
		return;
	if (most > most_bytes / 128)
		most = most_bytes / 128;
	EXPECT_EQ(entry_size(most, ex), 128);
	EXPECT_EQ(entry_size(most + 1, ex), 0);
}

static void check_send_ring(const char *list)
{
	struct efadv_sq_depth_attr depth = { .max_send_sge = 1 };
	struct efadv_wq_attr sq = {}, rq = {};
	uint32_t ex = limit(list, "inline_buf_size_ex");
	struct ibv_qp *qp = make_qp();

	expect_stage("the ring of a small QP");
	REQUIRE(qp);
	REQUIRE_EQ(efadv_query_qp_wqs(qp, &sq, &rq, sizeof(sq)), 0);
	EXPECT_EQ(sq.num_entries, limit(list, "min_sq_wr"));
	EXPECT_EQ(sq.max_batch, limit(list, "max_tx_batch"));
	EXPECT_EQ(ibv_destroy_qp(qp), 0);

	check_inline(limit(list, "inline_buf_size"), ex);
	check_sq_bytes(limit(list, "max_sq_wr"), limit(list, "max_llq_size"),
		       ex);
	expect_stage("max_llq_size, as rdma-core tells");
	EXPECT_EQ(efadv_get_max_sq_depth(ctx, &depth, sizeof(depth)),
		  limit(list, "max_llq_size") / 64);
	if (!ex)
		return;
	depth.max_inline_data = limit(list, "inline_buf_size_ex");
	EXPECT_EQ(efadv_get_max_sq_depth(ctx, &depth, sizeof(depth)),
		  limit(list, "max_llq_size") / 128);
	depth.max_inline_data++;
	EXPECT_EQ(efadv_get_max_sq_depth(ctx, &depth, sizeof(depth)), -EINVAL);
}

static void check_vectors(uint32_t count)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(ctx);
	struct ibv_cq *cq;

	expect_stage("comp_vectors");
	EXPECT_EQ(ctx->num_comp_vectors, count);
	REQUIRE(channel);
	cq = ibv_create_cq(ctx, 4, NULL, channel, (int)count - 1);
	REQUIRE(cq);
	EXPECT_EQ(ibv_destroy_cq(cq), 0);
	errno = 0;
	EXPECT(!ibv_create_cq(ctx, 4, NULL, channel, (int)count));
	EXPECT_EQ(errno, EINVAL);
	/* Vectors are shared, not used up. */
	for (int i = 0; i < 1000; i++) {
		cq = ibv_create_cq(ctx, 4, NULL, channel, i % (int)count);
		REQUIRE(cq);
		REQUIRE_EQ(ibv_destroy_cq(cq), 0);
	}
	EXPECT_EQ(ibv_destroy_comp_channel(channel), 0);
}

static void check_mtu(struct two_qps *pair, uint32_t mtu)
{
	struct request r = request_send(&pair->a, 1, 0, mtu);

	expect_stage("mtu");
	EXPECT_EQ(device_mtu(pair->ctx), mtu);
	REQUIRE_EQ(receive_post(&pair->b, 2, 0, mtu + 1), 0);
	REQUIRE_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, 1, IBV_WC_SUCCESS);
	EXPECT_EQ(COMPLETION_EXPECT(&pair->b, 2, IBV_WC_SUCCESS).byte_len,
		  mtu);
	REQUIRE_EQ(receive_post(&pair->b, 3, 0, mtu + 1), 0);
	r = request_send(&pair->a, 4, 0, mtu + 1);
	REQUIRE_EQ(request_post(&pair->a, &r), 0);
	EXPECT_EQ(COMPLETION_EXPECT(&pair->a, 4,
				    IBV_WC_LOC_LEN_ERR).vendor_err, 6);
	COMPLETION_NONE(&pair->b);
}

static void check_rdma(struct two_qps *pair, enum ibv_wr_opcode op,
		       uint32_t most)
{
	struct request r = request_rdma(&pair->a, op, 5, 0, most);

	expect_stage("max_rdma_size");
	REQUIRE_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, 5, IBV_WC_SUCCESS);
	r = request_rdma(&pair->a, op, 6, 0, most + 1);
	REQUIRE_EQ(request_post(&pair->a, &r), 0);
	EXPECT_EQ(COMPLETION_EXPECT(&pair->a, 6,
				    IBV_WC_LOC_LEN_ERR).vendor_err, 6);
}

/* It is 1, as on each real device; rdma-core refuses more. */
static void check_rdma_sge(struct two_qps *pair, enum ibv_wr_opcode op)
{
	struct request r = request_rdma(&pair->a, op, 7, 0, 8);

	expect_stage("max_wr_rdma_sge");
	r.sge[1] = r.sge[0];
	r.sge_count = 2;
	EXPECT_EQ(request_post(&pair->a, &r), EINVAL);
	r.sge_count = 1;
	REQUIRE_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, 7, IBV_WC_SUCCESS);
}

/* What is left of the tables has to be enough for two endpoints. */
static void check_traffic(const char *list)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct two_qps pair;

	wish.send_depth = 1;
	wish.send_sge = limit(list, "max_sq_sge");
	wish.recv_depth = 2;
	wish.cq_depth = 4;
	wish.buf_len = 4 * PAGE;
	two_qps_open(&pair, &wish);
	check_mtu(&pair, limit(list, "mtu"));
	check_rdma(&pair, IBV_WR_RDMA_READ, limit(list, "max_rdma_size"));
	check_rdma(&pair, IBV_WR_RDMA_WRITE, limit(list, "max_rdma_size"));
	check_rdma_sge(&pair, IBV_WR_RDMA_READ);
	check_rdma_sge(&pair, IBV_WR_RDMA_WRITE);
	two_qps_close(&pair);
}

static void check_counts(const char *list)
{
	static const struct kind qp = { "max_qp", make_qp, end_qp };
	static const struct kind cq = { "max_cq", make_cq, end_cq };
	static const struct kind mr = { "max_mr", make_mr, end_mr };
	static const struct kind domain = { "max_pd", make_pd, end_pd };
	static const struct kind ah = { "max_ah", make_ah, end_ah };
	static const struct kind cntr = { "max_comp_cntr", make_cntr,
					  end_cntr };

	check_count(list, &qp, 0);
	check_count(list, &cq, 1);
	check_count(list, &mr, 0);
	check_count(list, &domain, 1);
	check_count(list, &ah, 0);
	check_count(list, &cntr, 0);
	EXPECT_EQ(attr.max_qp, limit(list, qp.name));
	EXPECT_EQ(attr.max_cq, limit(list, cq.name));
	EXPECT_EQ(attr.max_mr, limit(list, mr.name));
	EXPECT_EQ(attr.max_pd, limit(list, domain.name));
	EXPECT_EQ(attr.max_ah, limit(list, ah.name));
}

int main(int argc, char **argv)
{
	const char *list = argv[1];

	expect_deadline(60);
	REQUIRE_EQ(argc, 2);
	ctx = device_open(0);
	REQUIRE_EQ(ibv_query_device(ctx, &attr), 0);
	pages = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(pages != MAP_FAILED);
	pd = ibv_alloc_pd(ctx);
	REQUIRE(pd);
	shared_cq = make_cq();
	REQUIRE(shared_cq);
	check_counts(list);
	check_mr_pages(limit(list, "max_mr_pages"));
	check_cqe(limit(list, "max_cqe"));
#define CAP(name, field) \
	check_cap(list, name, offsetof(struct ibv_qp_cap, field))
	CAP("max_rq_wr", max_recv_wr);
	CAP("max_sq_sge", max_send_sge);
	CAP("max_rq_sge", max_recv_sge);
	check_send_ring(list);
	check_vectors(limit(list, "comp_vectors"));
	check_traffic(list);
	EXPECT_EQ(ibv_destroy_cq(shared_cq), 0);
	EXPECT_EQ(ibv_dealloc_pd(pd), 0);
	device_close(ctx);
	return expect_result();
}
