/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where the numbers come from:
 *  - queue, table and RDMA limits, MTU, page sizes, hw_ver and the caps
 *    RDMA read, RNR retry, SGID and RDMA write of 0xefa1: a 0xefa1 device
 *    as recorded in the attribute tables of openucx/ucx, contrib/ibmock;
 *  - max_mr of 0xefa3: published ibv_devinfo output of such a device;
 *  - inline sizes: rdma-core, providers/efa (32 bytes in a 64-byte entry,
 *    80 in a 128-byte one);
 *  - no RDMA write on 0xefa0: the in-tree provider and its test suite;
 *  - guesses: max_comp_cntr, max_tx_batch, min_sq_wr, num_comp_vectors,
 *    speeds other than that of 0xefa1, which generation first has which
 *    other capability, and the table sizes of 0xefa0, 0xefa2 and `next`,
 *    taken from 0xefa1. max_llq_size is what max_sq_wr entries of 64 bytes
 *    need.
 *
 * No preset offers CQ_WITH_EXT_MEM, which is the driver's rather than the
 * device's, or DATA_POLLING_128, which makes writes slow here. All have one
 * sub-CQ per CQ, though a real 0xefa0 has more.
 */
#include "engine/profile.h"

#include <stddef.h>
#include <string.h>

#define COMMON_LIMITS							\
	.vendor_id = 0x1d0f,						\
	.mtu = 8928,							\
	.max_mr_pages = 96u << 18,	/* 96 GiB */			\
	.page_size_cap = 0xfffff000,					\
	.max_qp = 256,							\
	.max_cq = 512,							\
	.max_pd = 256,							\
	.max_ah = 1024,							\
	.max_comp_cntr = 1024,						\
	.max_cqe = 32768,						\
	.max_sq_wr = 4096,						\
	.max_rq_wr = 32768,						\
	.max_sq_sge = 2,						\
	.max_rq_sge = 3,						\
	.max_wr_rdma_sge = 1,						\
	.max_rdma_size = 1u << 30,					\
	.inline_buf_size = 32,						\
	.max_llq_size = 4096 * 64,					\
	.max_tx_batch = 64,						\
	.min_sq_wr = 8,							\
	.sub_cqs_per_cq = 1,						\
	.num_comp_vectors = 8

#define CAPS_EFA0	(DEVICE_CAP_RDMA_READ | DEVICE_CAP_RNR_RETRY |	\
			 DEVICE_CAP_CQ_NOTIFICATIONS)
#define CAPS_EFA1	(CAPS_EFA0 | DEVICE_CAP_CQ_WITH_SGID |		\
			 DEVICE_CAP_RDMA_WRITE)
#define CAPS_EFA2	(CAPS_EFA1 | DEVICE_CAP_UNSOLICITED_WRITE_RECV)
#define CAPS_NEXT	(CAPS_EFA2 | DEVICE_CAP_COMP_CNTR |		\
			 DEVICE_CAP_SQ_64_BIT_REQ_ID)

static const struct device_profile presets[] = {
	{
		COMMON_LIMITS,
		.name = "0xefa3",
		.description = "RDMA read and write, unsolicited receives",
		.vendor_part_id = 0xefa3,
		.hw_ver = 0xefa3,
		.device_caps = CAPS_EFA2,
		.max_mr = 524288,
		.speed_gbps = 200,
	}, {
		COMMON_LIMITS,
		.name = "0xefa2",
		.description = "as 0xefa3, with a smaller memory table",
		.vendor_part_id = 0xefa2,
		.hw_ver = 0xefa2,
		.device_caps = CAPS_EFA2,
		.max_mr = 262144,
		.speed_gbps = 100,
	}, {
		COMMON_LIMITS,
		.name = "0xefa1",
		.description = "RDMA read and write",
		.vendor_part_id = 0xefa1,
		.hw_ver = 0xefa1,
		.device_caps = CAPS_EFA1,
		.max_mr = 262144,
		.speed_gbps = 100,
	}, {
		COMMON_LIMITS,
		.name = "0xefa0",
		.description = "RDMA read alone, no source GID in completions",
		.vendor_part_id = 0xefa0,
		.hw_ver = 0xefa0,
		.device_caps = CAPS_EFA0,
		.max_mr = 262144,
		.speed_gbps = 100,
	}, {
		COMMON_LIMITS,
		.name = "next",
		.description = "64-bit request IDs, 128-byte send entries, counters",
		.vendor_part_id = 0xefa3,
		.hw_ver = 0xefa3,
		.device_caps = CAPS_NEXT,
		.max_mr = 524288,
		.inline_buf_size_ex = 80,
		.speed_gbps = 400,
	},
};

const struct device_profile *profile_at(unsigned index)
{
	if (index >= sizeof(presets) / sizeof(presets[0]))
		return NULL;
	return &presets[index];
}

const struct device_profile *profile_find(const char *name)
{
	const struct device_profile *profile;
	unsigned i;

	for (i = 0; (profile = profile_at(i)); i++)
		if (!strcmp(profile->name, name))
			return profile;
	return NULL;
}
