/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Creating completion queues, and what efadv_query_cq says of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define MANY_CQS	64

static struct ibv_cq_ex *create(struct ibv_context *ctx, uint32_t cqe,
				struct ibv_comp_channel *channel,
				uint32_t vector, uint64_t efa_wc_flags)
{
	struct efadv_cq_init_attr efa_attr = { .wc_flags = efa_wc_flags };
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe,
		.channel = channel,
		.comp_vector = vector,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
	};

	errno = 0;
	return efadv_create_cq(ctx, &attr, &efa_attr, sizeof(efa_attr));
}

static void destroy(struct ibv_cq_ex *cq)
{
	EXPECT_EQ(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

static void check_query(struct ibv_context *ctx, uint32_t asked,
			uint32_t expected)
{
	struct ibv_poll_cq_attr poll_attr = {};
	struct efadv_cq_attr attr = {};
	struct ibv_cq_ex *cq;
	size_t i;

	cq = create(ctx, asked, NULL, 0, 0);
	if (!EXPECT(cq))
		return;
	EXPECT_EQ(cq->cqe, expected);
	EXPECT_EQ(efadv_query_cq(ibv_cq_ex_to_cq(cq), &attr, sizeof(attr)), 0);
	EXPECT_EQ(attr.entry_size, 32);
	EXPECT_EQ(attr.num_entries, expected);
	REQUIRE(attr.buffer);
	for (i = 0; i < (size_t)attr.entry_size * attr.num_entries; i++)
		if (attr.buffer[i] && !EXPECT_EQ(attr.buffer[i], 0))
			break;
	EXPECT_EQ(ibv_start_poll(cq, &poll_attr), ENOENT);
	EXPECT_EQ(efadv_query_cq(ibv_cq_ex_to_cq(cq), &attr, 8), EINVAL);
	destroy(cq);
}

static uint32_t max_cqe(struct ibv_context *ctx)
{
	struct ibv_device_attr attr;

	REQUIRE_EQ(ibv_query_device(ctx, &attr), 0);
	return (uint32_t)attr.max_cqe;
}

static void check_sizes(struct ibv_context *ctx)
{
	uint32_t max = max_cqe(ctx), largest = 1;

	expect_stage("CQ sizes");
	while (largest * 2 <= max)
		largest *= 2;
	check_query(ctx, 1, 1);
	check_query(ctx, 2, 2);
	check_query(ctx, 3, 4);
	check_query(ctx, 1000, 1024);
	check_query(ctx, largest, largest);
	EXPECT(!create(ctx, largest * 2, NULL, 0, 0));
	EXPECT_EQ(errno, EINVAL);
}

static void check_flags(struct ibv_context *ctx)
{
	struct efadv_cq_init_attr efa_attr = {};
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 16,
		.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP,
	};
	struct ibv_cq_ex *cq;
	bool has;

	expect_stage("CQ flags");
	errno = 0;
	EXPECT(!efadv_create_cq(ctx, &attr, &efa_attr, sizeof(efa_attr)));
	EXPECT_EQ(errno, EOPNOTSUPP);
	EXPECT(!create(ctx, 16, NULL, ctx->num_comp_vectors, 0));
	EXPECT_EQ(errno, EINVAL);
	EXPECT(!create(ctx, 16, NULL, 0, 1 << 20));
	EXPECT_EQ(errno, EOPNOTSUPP);

	has = device_has(ctx, EFADV_DEVICE_ATTR_CAPS_CQ_WITH_SGID);
	cq = create(ctx, 16, NULL, 0, EFADV_WC_EX_WITH_SGID);
	EXPECT_EQ(!!cq, has);
	if (cq)
		destroy(cq);
	has = device_has(ctx, EFADV_DEVICE_ATTR_CAPS_UNSOLICITED_WRITE_RECV);
	cq = create(ctx, 16, NULL, 0, EFADV_WC_EX_WITH_IS_UNSOLICITED);
	EXPECT_EQ(!!cq, has);
	if (cq)
		destroy(cq);
}

static void check_channel(struct ibv_context *ctx)
{
	struct ibv_comp_channel *channel, *other;
	struct efadv_cq_attr attr = {};
	struct ibv_cq_ex *cq, *second;

	expect_stage("CQ with channel");
	channel = ibv_create_comp_channel(ctx);
	other = ibv_create_comp_channel(ctx);
	REQUIRE(channel && other);
	EXPECT(channel->fd != other->fd);
	cq = create(ctx, 16, channel, 0, 0);
	second = create(ctx, 16, channel, ctx->num_comp_vectors - 1, 0);
	if (!cq && errno == EOPNOTSUPP)
		goto out;
	REQUIRE(cq && second);
	EXPECT_EQ(efadv_query_cq(ibv_cq_ex_to_cq(cq), &attr, sizeof(attr)), 0);
	EXPECT(attr.doorbell);
	EXPECT_EQ(ibv_req_notify_cq(ibv_cq_ex_to_cq(cq), 0), 0);
	EXPECT_EQ(ibv_req_notify_cq(ibv_cq_ex_to_cq(cq), 1), EOPNOTSUPP);
	destroy(cq);
	destroy(second);
out:
	EXPECT_EQ(ibv_destroy_comp_channel(channel), 0);
	EXPECT_EQ(ibv_destroy_comp_channel(other), 0);
}

static void check_in_use(struct ibv_context *ctx)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct endpoint e;

	expect_stage("CQ in use");
	endpoint_open(&e, ctx, &wish);
	EXPECT_EQ(ibv_destroy_cq(ibv_cq_ex_to_cq(e.cq)), EBUSY);
	endpoint_close(&e);
}

/* The two older calls reach the same device. */
static void check_plain_calls(struct ibv_context *ctx)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 20,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
	};
	struct ibv_cq_ex *ex;
	struct ibv_cq *cq;
	struct ibv_wc wc;

	expect_stage("ibv_create_cq");
	cq = ibv_create_cq(ctx, 20, NULL, NULL, 0);
	REQUIRE(cq);
	EXPECT_EQ(cq->cqe, 32);
	EXPECT_EQ(ibv_poll_cq(cq, 1, &wc), 0);
	EXPECT_EQ(ibv_destroy_cq(cq), 0);
	ex = ibv_create_cq_ex(ctx, &attr);
	REQUIRE(ex);
	EXPECT_EQ(ex->cqe, 32);
	destroy(ex);
}

static void check_many(struct ibv_context *ctx)
{
	struct ibv_cq_ex *cq[MANY_CQS];
	int i;

	expect_stage("many CQs");
	for (i = 0; i < MANY_CQS; i++) {
		cq[i] = create(ctx, 128, NULL, 0, 0);
		REQUIRE(cq[i]);
	}
	for (i = 0; i < MANY_CQS; i++)
		destroy(cq[i]);
}

int main(void)
{
	struct ibv_context *ctx;

	expect_deadline(60);
	ctx = device_open(0);
	check_sizes(ctx);
	check_flags(ctx);
	check_channel(ctx);
	check_in_use(ctx);
	check_plain_calls(ctx);
	check_many(ctx);
	device_close(ctx);
	return expect_result();
}
