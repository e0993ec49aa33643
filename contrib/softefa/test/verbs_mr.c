/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Protection domains and memory regions: what is given and what refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define MANY_MRS	256
#define MR_CYCLES	5000
#define MANY_PDS	32

static uint8_t *pages;
static const size_t pages_len = 1 << 20;

static void check_pds(struct ibv_context *ctx)
{
	struct ibv_pd *pd[MANY_PDS];
	struct ibv_mr *mr;
	int i;

	expect_stage("PDs");
	for (i = 0; i < MANY_PDS; i++) {
		pd[i] = ibv_alloc_pd(ctx);
		REQUIRE(pd[i]);
	}
	mr = ibv_reg_mr(pd[0], pages, 4096, IBV_ACCESS_LOCAL_WRITE);
	REQUIRE(mr);
	EXPECT_EQ(ibv_dealloc_pd(pd[0]), EBUSY);
	EXPECT_EQ(ibv_dereg_mr(mr), 0);
	for (i = 0; i < MANY_PDS; i++)
		EXPECT_EQ(ibv_dealloc_pd(pd[i]), 0);
}

static void refused(struct ibv_pd *pd, void *addr, size_t len, int access,
		    int expected)
{
	struct ibv_mr *mr;

	errno = 0;
	mr = ibv_reg_mr(pd, addr, len, access);
	EXPECT(!mr);
	EXPECT_EQ(errno, expected);
	if (mr)
		ibv_dereg_mr(mr);
}

static void check_refusals(struct ibv_pd *pd)
{
	uint8_t *hole;

	expect_stage("refused registrations");
	refused(pd, pages, 4096,
		IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND, EOPNOTSUPP);
	refused(pd, pages, 4096, IBV_ACCESS_REMOTE_WRITE, EINVAL);
	refused(pd, pages, 0, IBV_ACCESS_LOCAL_WRITE, EINVAL);
	refused(pd, pages, SIZE_MAX - 4096, IBV_ACCESS_LOCAL_WRITE, EINVAL);

	hole = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(hole != MAP_FAILED);
	REQUIRE_EQ(munmap(hole + 4096, 4096), 0);
	refused(pd, hole, 8192, IBV_ACCESS_LOCAL_WRITE, EFAULT);
	munmap(hole, 4096);
	refused(pd, hole, 4096, IBV_ACCESS_LOCAL_WRITE, EFAULT);
}

static void check_keys(struct ibv_pd *pd)
{
	struct ibv_mr *mr[MANY_MRS];
	int i, j;

	expect_stage("keys");
	for (i = 0; i < MANY_MRS; i++) {
		mr[i] = ibv_reg_mr(pd, pages + i, 100,
				   IBV_ACCESS_LOCAL_WRITE);
		REQUIRE(mr[i]);
		EXPECT(mr[i]->lkey < 1u << 24);
		for (j = 0; j < i; j++)
			EXPECT(mr[i]->lkey != mr[j]->lkey);
	}
	for (i = 0; i < MANY_MRS; i++)
		EXPECT_EQ(ibv_dereg_mr(mr[i]), 0);
}

/* Optional access bits that the device does not know are dropped. */
static void check_optional_access(struct ibv_pd *pd)
{
	struct ibv_mr *mr;

	expect_stage("optional access");
	mr = ibv_reg_mr(pd, pages, 4096,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING);
	if (!EXPECT(mr))
		return;
	EXPECT_EQ(ibv_dereg_mr(mr), 0);
}

/* A new region does not get the key of the one that just went. */
static void check_key_reuse(struct ibv_pd *pd)
{
	uint32_t last = 0;
	struct ibv_mr *mr;
	int i;

	expect_stage("key reuse");
	for (i = 0; i < MR_CYCLES; i++) {
		mr = ibv_reg_mr(pd, pages, pages_len, IBV_ACCESS_LOCAL_WRITE);
		REQUIRE(mr);
		if (i)
			EXPECT(mr->lkey != last);
		last = mr->lkey;
		REQUIRE_EQ(ibv_dereg_mr(mr), 0);
	}
}

static void check_query(struct ibv_pd *pd)
{
	struct efadv_mr_attr attr = {};
	struct ibv_mr *mr;

	expect_stage("efadv_query_mr");
	mr = ibv_reg_mr(pd, pages, 4096, IBV_ACCESS_LOCAL_WRITE);
	REQUIRE(mr);
	EXPECT_EQ(efadv_query_mr(mr, &attr, sizeof(attr)), 0);
	EXPECT_EQ(attr.comp_mask, 0);
	/* an emulated device has no interconnects, and says so */
	EXPECT_EQ(attr.ic_id_validity, 0);
	EXPECT_EQ(efadv_query_mr(mr, &attr, 8), EINVAL);
	EXPECT_EQ(ibv_dereg_mr(mr), 0);
}

static void check_dmabuf(struct ibv_pd *pd)
{
	struct ibv_mr *mr;

	expect_stage("dma-buf of a bad fd");
	errno = 0;
	mr = ibv_reg_dmabuf_mr(pd, 0, 4096, 0, -1, IBV_ACCESS_LOCAL_WRITE);
	EXPECT(!mr);
	EXPECT_EQ(errno, EBADF);
	if (mr)
		ibv_dereg_mr(mr);
}

int main(void)
{
	struct ibv_context *ctx;
	struct ibv_pd *pd;

	expect_deadline(60);
	pages = mmap(NULL, pages_len, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(pages != MAP_FAILED);
	ctx = device_open(0);
	check_pds(ctx);
	pd = ibv_alloc_pd(ctx);
	REQUIRE(pd);
	check_refusals(pd);
	check_keys(pd);
	check_optional_access(pd);
	check_key_reuse(pd);
	check_query(pd);
	check_dmabuf(pd);
	EXPECT_EQ(ibv_dealloc_pd(pd), 0);
	device_close(ctx);
	return expect_result();
}
