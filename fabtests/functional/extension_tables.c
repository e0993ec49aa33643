/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The tables of rdma/fi_ext_efa.h. With those for queues driven from
 * outside this program does what a GPU would: it writes send queue entries,
 * rings the doorbell and reads the completion ring itself, while the peer
 * receives through libfabric.
 */
#include <endian.h>
#include <sched.h>
#include <string.h>

#include <rdma/fi_ext_efa.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"
#include "hw/comp_queue.h"
#include "hw/send_queue.h"

#define MESSAGES	300u	/* around the send ring more than once */
#define MESSAGE_BYTES	200u

struct outside {
	struct hw_sq sq;
	struct hw_cq cq;
	struct hw_dest dest;
	struct hw_sge sge;
};

static void check_names(struct fab_endpoint *e)
{
	void *ops = NULL;

	expect_stage("names of tables");
	EXPECT_EQ(fi_open_ops(&e->domain->fid, "no such table", 0, &ops, NULL),
		  -FI_EINVAL);
	EXPECT_EQ(fi_open_ops(&e->fabric->fid, "no such table", 0, &ops, NULL),
		  -FI_EINVAL);
	EXPECT(ops == NULL);
}

static void check_features(struct fab_endpoint *e)
{
	struct fi_efa_feature_ops *ops = NULL;

	expect_stage("features");
	REQUIRE_EQ(fi_open_ops(&e->fabric->fid, FI_EFA_FEATURE_OPS, 0,
			       (void **)&ops, NULL), 0);
	EXPECT(ops->query("mixed_hmem_iov"));
	EXPECT(!ops->query("no such feature"));
	EXPECT(!ops->query(NULL));
}

static void check_domain_table(struct fab_endpoint *e)
{
	struct fi_efa_ops_domain *ops;
	struct fi_efa_mr_attr attr;
	int ret;

	expect_stage("domain table");
	REQUIRE_EQ(fi_open_ops(&e->domain->fid, FI_EFA_DOMAIN_OPS, 0,
			       (void **)&ops, NULL), 0);
	memset(&attr, 0xff, sizeof(attr));
	ret = ops->query_mr(e->mr, &attr);
	/* A kernel that cannot tell says so. */
	EXPECT(ret == 0 || ret == -FI_EOPNOTSUPP || ret == -FI_ENOSYS);
	if (!ret)
		EXPECT(!(attr.ic_id_validity &
			 ~(FI_EFA_MR_ATTR_RECV_IC_ID |
			   FI_EFA_MR_ATTR_RDMA_READ_IC_ID |
			   FI_EFA_MR_ATTR_RDMA_RECV_IC_ID)));
}

static void check_bad_questions(struct fab_endpoint *e,
				struct fi_efa_ops_gda *ops)
{
	struct fi_efa_cq_init_attr external = {
		.flags = FI_EFA_CQ_INIT_FLAGS_EXT_MEM_DMABUF,
	};
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_DATA };
	struct fi_efa_wq_attr sq;
	struct fid_cq *cq = NULL;
	uint16_t ahn, qpn;
	uint32_t qkey;

	EXPECT_EQ(ops->query_addr(e->ep, 12345, &ahn, &qpn, &qkey),
		  -FI_EADDRNOTAVAIL);
	EXPECT_EQ(ops->query_addr(e->ep, FI_ADDR_UNSPEC, &ahn, &qpn, &qkey),
		  -FI_EADDRNOTAVAIL);
	EXPECT_EQ(ops->query_addr(NULL, 0, &ahn, &qpn, &qkey), -FI_EINVAL);
	EXPECT_EQ(ops->query_qp_wqs(e->ep, &sq, NULL), -FI_EINVAL);
	EXPECT_EQ(ops->query_cq(e->cq, NULL), -FI_EINVAL);
	EXPECT(ops->get_mr_lkey(NULL) == FI_KEY_NOTAVAIL);
	EXPECT_EQ(ops->cq_open_ext(e->domain, &cq_attr, &external, &cq, NULL),
		  -FI_EOPNOTSUPP);
	EXPECT(cq == NULL);
	external.flags = 0;
	REQUIRE_EQ(ops->cq_open_ext(e->domain, &cq_attr, &external, &cq, NULL),
		   0);
	EXPECT_EQ(fi_close(&cq->fid), 0);
}

static struct hw_wq_geometry geometry_of(const struct fi_efa_wq_attr *attr)
{
	return (struct hw_wq_geometry) {
		.buffer = attr->buffer,
		.entry_size = attr->entry_size,
		.num_entries = attr->num_entries,
		.doorbell = attr->doorbell,
		.max_batch = attr->max_batch,
		.caps = attr->caps,
	};
}

static void outside_open(struct outside *o, struct fab_endpoint *e,
			 struct fi_efa_ops_gda *ops)
{
	struct hw_wq_geometry geometry;
	struct hw_cq_geometry cq_geometry;
	struct fi_efa_wq_attr sq, rq;
	struct fi_efa_cq_attr cq;

	REQUIRE_EQ(ops->query_qp_wqs(e->ep, &sq, &rq), 0);
	EXPECT(sq.entry_size == 64 || sq.entry_size == 128);
	EXPECT_EQ(rq.entry_size, 16);
	EXPECT(rq.num_entries > 0 && rq.doorbell);
	geometry = geometry_of(&sq);
	REQUIRE_EQ(hw_sq_init(&o->sq, &geometry, 1), 0);
	REQUIRE_EQ(ops->query_cq(e->cq, &cq), 0);
	EXPECT_EQ(cq.entry_size, 32);
	cq_geometry = (struct hw_cq_geometry) {
		.buffer = cq.buffer,
		.entry_size = cq.entry_size,
		.num_entries = cq.num_entries,
	};
	REQUIRE_EQ(hw_cq_init(&o->cq, &cq_geometry), 0);
	REQUIRE_EQ(ops->query_addr(e->ep, e->peer, &o->dest.ahn, &o->dest.qpn,
				   &o->dest.qkey), 0);
	o->sge = (struct hw_sge) {
		.addr = (uintptr_t)e->buf,
		.length = MESSAGE_BYTES,
		.lkey = (uint32_t)ops->get_mr_lkey(e->mr),
	};
}

static void outside_send(struct outside *o, uint32_t number)
{
	struct hw_send_wqe wqe;

	hw_wqe_init(&wqe, o->sq.entry_size, EFA_IO_SEND, &o->dest);
	hw_wqe_set_sgl(&wqe, &o->sge, 1);
	hw_wqe_set_imm(&wqe, htobe32(number));
	hw_sq_post(&o->sq, &wqe, NULL, 0, 0, false);
}

static void outside_wait(struct outside *o)
{
	const struct efa_io_cdesc *cqe;
	struct hw_req_slot *slot;

	while (!(cqe = hw_cq_peek(&o->cq)))
		sched_yield();
	EXPECT(hw_cqe_is_send(cqe));
	EXPECT_EQ(cqe->status, 0);
	slot = hw_sq_find(&o->sq, hw_cqe_tx_id(cqe, o->sq.wide_ids));
	REQUIRE(slot != NULL);
	hw_sq_put(&o->sq, slot);
	hw_cq_consume(&o->cq);
}

static void check_queues_from_outside(struct fab_endpoint *a,
				      struct fab_endpoint *b,
				      struct fi_efa_ops_gda *ops)
{
	struct fab_completion c;
	struct outside outside;

	expect_stage("queues driven from outside");
	outside_open(&outside, a, ops);
	for (uint32_t i = 0; i < MESSAGES; i++) {
		expect_fill(a->buf, MESSAGE_BYTES, i);
		REQUIRE_EQ(fab_recv(b, 1, 0, MESSAGE_BYTES), 0);
		outside_send(&outside, i);
		c = FAB_EXPECT(b, 1);
		EXPECT_EQ(c.data, i);
		EXPECT_EQ(c.len, MESSAGE_BYTES);
		EXPECT(c.flags & FI_REMOTE_CQ_DATA);
		EXPECT_FILLED(b->buf, MESSAGE_BYTES, i);
		outside_wait(&outside);
	}
	hw_sq_fini(&outside.sq);
}

static void check_other_fabric(void)
{
	struct fab_wish wish = fab_wish_dgram();
	struct fab_endpoint e;
	void *ops;

	expect_stage("the other fabric");
	fab_open(&e, &wish);
	EXPECT_EQ(fi_open_ops(&e.domain->fid, FI_EFA_GDA_OPS, 0, &ops, NULL),
		  -FI_EOPNOTSUPP);
	check_domain_table(&e);
	fab_close(&e);
}

int main(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_efa_ops_gda *ops;
	struct fab_endpoint a, b;

	expect_deadline(60);
	wish.tx_size = 128;
	fab_open(&a, &wish);
	if (fab_is_in_tree(a.info))
		expect_skip("this provider's extensions: another one was loaded");
	fab_open(&b, &wish);
	fab_connect(&a, b.addr);
	fab_connect(&b, a.addr);
	check_names(&a);
	check_features(&a);
	check_domain_table(&a);
	REQUIRE_EQ(fi_open_ops(&a.domain->fid, FI_EFA_GDA_OPS, 0,
			       (void **)&ops, NULL), 0);
	check_bad_questions(&a, ops);
	check_queues_from_outside(&a, &b, ops);
	fab_close(&a);
	fab_close(&b);
	check_other_fabric();
	return expect_result();
}
