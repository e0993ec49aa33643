/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Rows 16 to 26: the objects that applications make, as they make them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fabtests/functional/contract_rows.h"

#define ENDPOINTS	8
#define PEERS		100u

static struct fab_endpoint a, b;

static struct fid_ep *open_on(struct fab_endpoint *e, struct fi_info *info,
			      uint64_t cq_flags)
{
	struct fid_ep *ep;

	REQUIRE_EQ(fi_endpoint(e->domain, info, &ep, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(ep, &e->av->fid, 0), 0);
	REQUIRE_EQ(fi_ep_bind(ep, &e->cq->fid, cq_flags), 0);
	REQUIRE_EQ(fi_enable(ep), 0);
	return ep;
}

/* One domain, CQ and address vector; each talks to each. */
static void many_endpoints(void)
{
	struct fid_ep *eps[ENDPOINTS];
	fi_addr_t peers[ENDPOINTS];
	uint8_t addr[FAB_ADDR_MAX];
	int i, j;

	for (i = 0; i < ENDPOINTS; i++) {
		size_t len = sizeof(addr);

		eps[i] = open_on(&a, a.info, FI_TRANSMIT | FI_RECV);
		REQUIRE_EQ(fi_getname(&eps[i]->fid, addr, &len), 0);
		REQUIRE_EQ(fi_av_insert(a.av, addr, 1, &peers[i], 0, NULL),
			   1);
	}
	for (i = 0; i < ENDPOINTS; i++) {
		for (j = 0; j < ENDPOINTS; j++) {
			REQUIRE_EQ(fi_recv(eps[j], a.buf + 4096, 64, a.desc,
					   FI_ADDR_UNSPEC, &a.contexts[j]),
				   0);
			REQUIRE_EQ(fi_send(eps[i], a.buf, 64, a.desc,
					   peers[j],
					   &a.contexts[ENDPOINTS + i]), 0);
			EXPECT_EQ(fab_wait(&a).ctx + fab_wait(&a).ctx,
				  ENDPOINTS + i + j);
		}
	}
	for (i = 0; i < ENDPOINTS; i++) {
		EXPECT_EQ(fi_close(&eps[i]->fid), 0);
		EXPECT_EQ(fi_av_remove(a.av, &peers[i], 1, 0), 0);
	}
}

/* Of one domain, endpoints of other infos of it. */
static void edited_infos(void)
{
	struct fi_info *info = fi_dupinfo(a.info);
	struct fid_ep *ep;

	REQUIRE(info);
	info->caps = FI_MSG | FI_SEND;
	info->tx_attr->op_flags = FI_COMPLETION;
	info->tx_attr->tclass = FI_TC_LOW_LATENCY;
	info->tx_attr->size = info->rx_attr->size = 16;
	ep = open_on(&a, info, FI_TRANSMIT | FI_RECV);
	EXPECT_EQ(fi_close(&ep->fid), 0);
	info->mode |= FI_CONTEXT | FI_ASYNC_IOV;
	ep = open_on(&a, info, FI_TRANSMIT | FI_RECV);
	EXPECT_EQ(fi_close(&ep->fid), 0);
	info->tx_attr->inject_size = 1000;
	EXPECT(fi_endpoint(a.domain, info, &ep, NULL) < 0);
	fi_freeinfo(info);
}

static int open_cq(enum fi_cq_format format, enum fi_wait_obj wait_obj,
		   size_t size)
{
	struct fi_cq_attr attr = {
		.format = format, .wait_obj = wait_obj, .size = size,
	};
	struct fid_cq *cq;
	int ret = fi_cq_open(a.domain, &attr, &cq, NULL);

	if (!ret)
		EXPECT_EQ(fi_close(&cq->fid), 0);
	return ret;
}

static void completion_queues(void)
{
	static const enum fi_cq_format formats[] = {
		FI_CQ_FORMAT_UNSPEC, FI_CQ_FORMAT_CONTEXT, FI_CQ_FORMAT_MSG,
		FI_CQ_FORMAT_DATA,
	};
	static const size_t sizes[] = { 0, 1, 100, 12288 };

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		EXPECT_EQ(open_cq(formats[i], FI_WAIT_NONE, 0), 0);
		EXPECT_EQ(open_cq(formats[i], FI_WAIT_UNSPEC, 0), 0);
		EXPECT_EQ(open_cq(formats[i], FI_WAIT_FD, 0), 0);
	}
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		EXPECT_EQ(open_cq(FI_CQ_FORMAT_DATA, FI_WAIT_NONE, sizes[i]),
			  0);
	/* tags, which no message has, and objects of a thread library */
	EXPECT_EQ(open_cq(FI_CQ_FORMAT_TAGGED, FI_WAIT_NONE, 0), -FI_ENOSYS);
	EXPECT_EQ(open_cq(FI_CQ_FORMAT_DATA, FI_WAIT_MUTEX_COND, 0),
		  -FI_ENOSYS);
}

static void bindings_of_queues(void)
{
	static const uint64_t flags[] = {
		FI_TRANSMIT | FI_RECV, FI_SEND | FI_RECV, FI_TRANSMIT,
		FI_RECV, FI_TRANSMIT | FI_SEND | FI_RECV,
		FI_TRANSMIT | FI_RECV | FI_SELECTIVE_COMPLETION,
	};
	struct fid_ep *ep;

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		ep = open_on(&a, a.info, flags[i]);
		EXPECT_EQ(fi_close(&ep->fid), 0);
	}
	REQUIRE_EQ(fi_endpoint(a.domain, a.info, &ep, NULL), 0);
	EXPECT_EQ(fi_ep_bind(ep, &a.cq->fid, 0), -FI_EBADFLAGS);
	EXPECT_EQ(fi_ep_bind(ep, &b.cq->fid, FI_RECV), -FI_EINVAL);
	EXPECT_EQ(fi_close(&ep->fid), 0);
}

static void counters(void)
{
	static const uint64_t flags[] = {
		FI_SEND, FI_RECV, FI_READ, FI_WRITE, FI_READ | FI_WRITE,
		FI_REMOTE_READ, FI_REMOTE_WRITE,
		FI_SEND | FI_READ | FI_WRITE,
	};
	struct fi_cntr_attr attr = { .wait_obj = FI_WAIT_UNSPEC };
	struct fid_cntr *cntr;
	struct fid_ep *ep;

	REQUIRE_EQ(fi_cntr_open(a.domain, &attr, &cntr, NULL), 0);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		REQUIRE_EQ(fi_endpoint(a.domain, a.info, &ep, NULL), 0);
		EXPECT_EQ(fi_ep_bind(ep, &cntr->fid, flags[i]), 0);
		EXPECT_EQ(fi_ep_bind(ep, &cntr->fid, flags[i]), -FI_EINVAL);
		EXPECT_EQ(fi_close(&ep->fid), 0);
	}
	EXPECT_EQ(fi_cntr_set(cntr, 5), 0);
	EXPECT_EQ(fi_cntr_add(cntr, 2), 0);
	EXPECT_EQ(fi_cntr_read(cntr), 7);
	EXPECT_EQ(fi_cntr_wait(cntr, 7, 0), 0);
	EXPECT_EQ(fi_cntr_wait(cntr, 8, 1), -FI_ETIMEDOUT);
	EXPECT_EQ(fi_cntr_seterr(cntr, 1), 0);
	EXPECT_EQ(fi_cntr_readerr(cntr), 1);
	EXPECT_EQ(fi_close(&cntr->fid), 0);
}

/* Dense from 0, the same address the same index, a removed one again. */
static void address_vectors(void)
{
	struct fi_av_attr attr = { .type = FI_AV_UNSPEC };
	uint8_t (*addr)[32] = calloc(PEERS, sizeof(*addr)), found[32];
	fi_addr_t given[PEERS], removed = 3;
	size_t len = sizeof(found);
	struct fid_av *av;
	char text[128];

	REQUIRE(addr);
	REQUIRE_EQ(fi_av_open(a.domain, &attr, &av, NULL), 0);
	for (unsigned i = 0; i < PEERS; i++) {
		memcpy(addr[i], b.addr, sizeof(*addr));
		addr[i][16] = (uint8_t)(i + 1);
	}
	EXPECT_EQ(fi_av_insert(av, addr, PEERS / 2, NULL, 0, NULL),
		  PEERS / 2);
	EXPECT_EQ(fi_av_insert(av, addr, PEERS, given, 0, NULL), PEERS);
	for (unsigned i = 0; i < PEERS; i++)
		EXPECT_EQ(given[i], i);
	EXPECT_EQ(fi_av_lookup(av, PEERS - 1, found, &len), 0);
	EXPECT_BYTES(found, addr[PEERS - 1], sizeof(found));
	EXPECT(fi_av_lookup(av, PEERS, found, &len) < 0);
	EXPECT_EQ(fi_av_remove(av, &removed, 1, 0), 0);
	EXPECT(fi_av_lookup(av, removed, found, &len) < 0);
	EXPECT_EQ(fi_av_insert(av, addr[removed], 1, given, 0, NULL), 1);
	EXPECT_EQ(given[0], removed);
	len = sizeof(text);
	EXPECT(fi_av_straddr(av, addr[0], text, &len) == text);
	EXPECT(!strncmp(text, "fi_addr_efa://", 14));
	EXPECT_EQ(fi_close(&av->fid), 0);
	free(addr);
}

/* One that nobody inserted is no index; inserted, it is the next one. */
static void unknown_senders(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint stranger;
	fi_addr_t index;

	fab_open(&stranger, &wish);
	fab_connect(&stranger, a.addr);
	for (int known = 0; known < 2; known++) {
		REQUIRE_EQ(fab_recv(&a, 1, 4096, 64), 0);
		REQUIRE_EQ(fab_send(&stranger, 2, 0, 64), 0);
		FAB_EXPECT(&stranger, 2);
		EXPECT_EQ(FAB_EXPECT(&a, 1).source,
			  known ? index : FI_ADDR_NOTAVAIL);
		if (!known)
			REQUIRE_EQ(fi_av_insert(a.av, stranger.addr, 1, &index,
						0, NULL), 1);
		EXPECT_EQ(index, a.peer + 1);
	}
	EXPECT_EQ(fi_av_remove(a.av, &index, 1, 0), 0);
	fab_close(&stranger);
}

static void names(void)
{
	uint8_t addr[56];
	size_t len = 0;

	EXPECT_EQ(fi_getname(&a.ep->fid, NULL, &len), -FI_ETOOSMALL);
	EXPECT_EQ(len, 32);
	len = 31;
	EXPECT_EQ(fi_getname(&a.ep->fid, addr, &len), -FI_ETOOSMALL);
	len = 32;
	EXPECT_EQ(fi_getname(&a.ep->fid, addr, &len), 0);
	len = sizeof(addr);
	EXPECT_EQ(fi_getname(&a.ep->fid, addr, &len), 0);
	EXPECT_EQ(len, 32);
	EXPECT_BYTES(addr, a.addr, 32);
}

/* Every call that registers; the region can be a source whatever access it
 * was made for, and calls of other registration modes do no harm. */
static void regions(void)
{
	const bool rma = a.info->caps & FI_RMA;
	struct iovec iov[2] = { { a.buf, 4096 }, { a.buf + 4096, 4096 } };
	struct fi_mr_attr attr = {
		.mr_iov = iov, .iov_count = 1,
		.access = rma ? FI_REMOTE_READ : FI_SEND,
		.iface = FI_HMEM_SYSTEM,
	};
	struct fid_mr *mr[3];

	REQUIRE_EQ(fi_mr_reg(a.domain, a.buf, 4096, attr.access, 0, 0, 0,
			     &mr[0], NULL), 0);
	REQUIRE_EQ(fi_mr_regv(a.domain, iov, 1, FI_SEND, 0, 0, 0, &mr[1],
			      NULL), 0);
	REQUIRE_EQ(fi_mr_regattr(a.domain, &attr, 0, &mr[2]), 0);
	EXPECT_EQ(fi_mr_regv(a.domain, iov, 2, FI_SEND, 0, 0, 0, &mr[1],
			     NULL), -FI_EINVAL);
	/* the same range is not the same region */
	EXPECT(fi_mr_key(mr[0]) != fi_mr_key(mr[1]) &&
	       fi_mr_key(mr[0]) != fi_mr_key(mr[2]) &&
	       fi_mr_key(mr[1]) != fi_mr_key(mr[2]));
	for (size_t i = 0; i < 3; i++) {
		EXPECT(fi_mr_key(mr[i]) <= UINT32_MAX);
		REQUIRE_EQ(fab_recv(&b, 1, 0, 2048), 0);
		REQUIRE_EQ(fi_send(a.ep, a.buf, 2048, fi_mr_desc(mr[i]),
				   a.peer, &a.contexts[2]), 0);
		FAB_EXPECT(&b, 1);
		FAB_EXPECT(&a, 2);
		EXPECT_EQ(fi_close(&mr[i]->fid), 0);
	}
}

/* A busy object stays; an endpoint with receives goes, and is silent. */
static void closing(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_completion c;
	struct fab_endpoint e;

	fab_open(&e, &wish);
	fab_connect(&e, e.addr);
	for (int i = 0; i < 32; i++)
		REQUIRE_EQ(fab_recv(&e, 1, 0, 64), 0);
	REQUIRE_EQ(fab_send(&e, 2, 4096, 64), 0);
	EXPECT_EQ(fi_close(&e.cq->fid), -FI_EBUSY);
	EXPECT_EQ(fi_close(&e.av->fid), -FI_EBUSY);
	EXPECT_EQ(fi_close(&e.domain->fid), -FI_EBUSY);
	EXPECT_EQ(fi_close(&e.fabric->fid), -FI_EBUSY);
	EXPECT_EQ(fi_close(&e.ep->fid), 0);
	EXPECT(!fab_poll(&e, &c));
	EXPECT_EQ(fi_close(&e.mr->fid), 0);
	EXPECT_EQ(fi_close(&e.av->fid), 0);
	EXPECT_EQ(fi_close(&e.cq->fid), 0);
	EXPECT_EQ(fi_close(&e.domain->fid), 0);
	EXPECT_EQ(fi_close(&e.fabric->fid), 0);
	fi_freeinfo(e.info);
	munmap(e.buf, e.buf_len);
}

static void other_objects(void)
{
	struct fid_pep *pep;
	struct fid_stx *stx;
	struct fid_ep *ep;

	EXPECT_EQ(fi_stx_context(a.domain, NULL, &stx, NULL), -FI_ENOSYS);
	EXPECT_EQ(fi_srx_context(a.domain, NULL, &ep, NULL), -FI_ENOSYS);
	EXPECT_EQ(fi_scalable_ep(a.domain, a.info, &ep, NULL), -FI_ENOSYS);
	EXPECT_EQ(fi_passive_ep(a.fabric, a.info, &pep, NULL), -FI_ENOSYS);
}

/* Applications call through the tables without looking. */
static void check_slots(struct fid_cntr *cntr, struct fid_eq *eq)
{
	const struct {
		const void *table;
		size_t bytes;
	} tables[] = {
		{ a.ep->ops, a.ep->ops->size },
		{ a.ep->cm, a.ep->cm->size },
		{ a.ep->msg, a.ep->msg->size },
		{ a.ep->rma, *(const size_t *)a.ep->rma },
		{ a.ep->tagged, *(const size_t *)a.ep->tagged },
		{ a.ep->atomic, *(const size_t *)a.ep->atomic },
		{ a.cq->ops, a.cq->ops->size },
		{ a.av->ops, a.av->ops->size },
		{ a.domain->ops, a.domain->ops->size },
		{ a.domain->mr, a.domain->mr->size },
		{ a.fabric->ops, a.fabric->ops->size },
		{ a.ep->fid.ops, a.ep->fid.ops->size },
		{ a.cq->fid.ops, a.cq->fid.ops->size },
		{ a.av->fid.ops, a.av->fid.ops->size },
		{ a.mr->fid.ops, a.mr->fid.ops->size },
		{ a.domain->fid.ops, a.domain->fid.ops->size },
		{ a.fabric->fid.ops, a.fabric->fid.ops->size },
		{ a.info->nic->fid.ops, a.info->nic->fid.ops->size },
		{ cntr->ops, cntr->ops->size },
		{ cntr->fid.ops, cntr->fid.ops->size },
		{ eq->ops, eq->ops->size },
		{ eq->fid.ops, eq->fid.ops->size },
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		void *const *slot = tables[i].table;

		for (size_t j = 1; j < tables[i].bytes / sizeof(*slot); j++)
			if (!EXPECT(slot[j]))
				fprintf(stderr, "  table %zu, slot %zu\n", i,
					j);
	}
}

static void no_empty_slots(void)
{
	struct fi_cntr_attr cntr_attr = { .wait_obj = FI_WAIT_NONE };
	struct fi_eq_attr eq_attr = { .wait_obj = FI_WAIT_NONE };
	struct fid_cntr *cntr;
	struct fid_eq *eq;

	REQUIRE_EQ(fi_cntr_open(a.domain, &cntr_attr, &cntr, NULL), 0);
	REQUIRE_EQ(fi_eq_open(a.fabric, &eq_attr, &eq, NULL), 0);
	check_slots(cntr, eq);
	EXPECT_EQ(fi_close(&cntr->fid), 0);
	EXPECT_EQ(fi_close(&eq->fid), 0);
}

static const struct contract_row rows[] = {
	/* before any index has been free */
	{ 21, "unknown senders", unknown_senders },
	{ 16, "many endpoints", many_endpoints },
	{ 17, "endpoints of edited infos", edited_infos },
	{ 18, "completion queues", completion_queues },
	{ 19, "bindings of completion queues", bindings_of_queues },
	{ 20, "counters", counters },
	{ 21, "address vectors", address_vectors },
	{ 22, "names of endpoints", names },
	{ 23, "memory regions", regions },
	{ 25, "closing", closing },
	{ 26, "objects that are not there", other_objects },
	{ 26, "tables of calls", no_empty_slots },
};

int main(void)
{
	struct fab_wish wish = fab_wish_direct();

	expect_deadline(120);
	contract_needs_ours();
	wish.tx_size = 64;
	wish.rx_size = 64;
	fab_open(&a, &wish);
	fab_open(&b, &wish);
	fab_connect(&a, b.addr);
	fab_connect(&b, a.addr);
	contract_check(rows, sizeof(rows) / sizeof(*rows));
	fab_close(&a);
	fab_close(&b);
	return expect_result();
}
