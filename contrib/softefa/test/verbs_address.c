/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Address handles: creating, querying, and what an unreachable one does. */
#include <errno.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define MANY_AHS	128

static struct ibv_ah *create(struct ibv_pd *pd, const union ibv_gid *gid,
			     uint8_t port)
{
	struct ibv_ah_attr attr = {
		.grh.dgid = *gid,
		.is_global = 1,
		.port_num = port,
	};

	errno = 0;
	return ibv_create_ah(pd, &attr);
}

static void check_create(struct ibv_context *ctx)
{
	union ibv_gid gid = device_gid(ctx);
	struct efadv_ah_attr attr = {};
	struct ibv_pd *pd;
	struct ibv_ah *ah;

	expect_stage("create_ah");
	pd = ibv_alloc_pd(ctx);
	REQUIRE(pd);
	ah = create(pd, &gid, 1);
	REQUIRE(ah);
	EXPECT_EQ(efadv_query_ah(ah, &attr, sizeof(attr)), 0);
	EXPECT(attr.ahn != 0xffff);
	EXPECT_EQ(efadv_query_ah(ah, &attr, 8), EINVAL);
	EXPECT_EQ(ibv_dealloc_pd(pd), EBUSY);
	EXPECT(!create(pd, &gid, 2));
	EXPECT_EQ(errno, EINVAL);
	EXPECT_EQ(ibv_destroy_ah(ah), 0);
	EXPECT_EQ(ibv_dealloc_pd(pd), 0);
}

/* Different peers have different numbers as long as their AHs live. */
static void check_many(struct ibv_context *ctx)
{
	union ibv_gid gid = device_gid(ctx);
	struct ibv_ah *ah[MANY_AHS];
	struct efadv_ah_attr attr;
	uint16_t ahn[MANY_AHS];
	struct ibv_pd *pd;
	int i, j;

	expect_stage("many AHs");
	pd = ibv_alloc_pd(ctx);
	REQUIRE(pd);
	for (i = 0; i < MANY_AHS; i++) {
		gid.raw[14] = 0xa0;
		gid.raw[15] = (uint8_t)i;
		ah[i] = create(pd, &gid, 1);
		REQUIRE(ah[i]);
		EXPECT_EQ(efadv_query_ah(ah[i], &attr, sizeof(attr)), 0);
		ahn[i] = attr.ahn;
		for (j = 0; j < i; j++)
			EXPECT(ahn[j] != ahn[i]);
	}
	for (i = 0; i < MANY_AHS; i++)
		EXPECT_EQ(ibv_destroy_ah(ah[i]), 0);
	EXPECT_EQ(ibv_dealloc_pd(pd), 0);
}

/* Nobody has this GID: the send ends by itself, with an error. */
static void check_unreachable(struct ibv_context *ctx)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct endpoint_addr nobody;
	struct endpoint e;
	struct request r;

	expect_stage("unreachable GID");
	endpoint_open(&e, ctx, &wish);
	nobody = e.self;
	memset(nobody.gid.raw + 8, 0x77, 8);
	endpoint_connect(&e, &nobody);
	r = request_send(&e, 5, 0, 100);
	EXPECT_EQ(request_post(&e, &r), 0);
	COMPLETION_EXPECT(&e, 5, IBV_WC_RESP_TIMEOUT_ERR);

	/* The QP outlives it. */
	endpoint_connect(&e, &e.self);
	EXPECT_EQ(receive_post(&e, 6, 4096, 100), 0);
	r.wr_id = 6;
	EXPECT_EQ(request_post(&e, &r), 0);
	COMPLETION_EXPECT(&e, 6, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&e, 6, IBV_WC_SUCCESS);
	endpoint_close(&e);
}

int main(void)
{
	struct ibv_context *ctx;

	expect_deadline(60);
	ctx = device_open(0);
	check_create(ctx);
	check_many(ctx);
	check_unreachable(ctx);
	device_close(ctx);
	return expect_result();
}
