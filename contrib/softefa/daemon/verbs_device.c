/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include "daemon/efa_abi.h"
#include "daemon/verbs_device.h"

#define CORE_SUPPORT_OPTIONAL_MR_ACCESS	(1u << 0)
#define PORT_ACTIVE			4u
#define PORT_PHYS_LINK_UP		5u
#define PORT_NUM			1u
#define QUERY_PORT_SPEED_PORT		0
#define QUERY_PORT_SPEED_RESP		1
/* In query_port_resp_ex since the kernel knows speeds beyond 8 bits. */
#define ACTIVE_SPEED_EX_OFFSET		44u

static_assert(sizeof(struct ib_uverbs_query_device_resp) == 176, "");
static_assert(sizeof(struct ib_uverbs_ex_query_device_resp) == 304, "");
static_assert(sizeof(struct ib_uverbs_query_port_resp_ex) == 48, "");

static int check_client_knows(const struct device_profile *profile,
			      uint32_t supported)
{
	if (profile->max_tx_batch && !(supported & EFA_ABI_SUPP_TX_BATCH))
		return -EOPNOTSUPP;
	if (profile->min_sq_wr && !(supported & EFA_ABI_SUPP_MIN_SQ_WR))
		return -EOPNOTSUPP;
	return 0;
}

static int get_context_answer(struct uverbs_context *ctx,
			      struct gate_call *call)
{
	const struct device_profile *profile = ctx->device->profile;
	const struct efa_abi_alloc_ucontext_resp resp = {
		.cmds_supp_udata_mask = EFA_ABI_UDATA_QUERY_DEVICE |
					EFA_ABI_UDATA_CREATE_AH,
		.sub_cqs_per_cq = profile->sub_cqs_per_cq,
		.inline_buf_size = profile->inline_buf_size,
		.max_llq_size = profile->max_llq_size,
		.max_tx_batch = profile->max_tx_batch,
		.min_sq_wr = profile->min_sq_wr,
		.inline_buf_size_ex = profile->inline_buf_size_ex,
	};
	uint64_t core_support = CORE_SUPPORT_OPTIONAL_MR_ACCESS;
	/* As the driver without event queues. */
	uint32_t vectors = profile->num_comp_vectors ?
			   profile->num_comp_vectors : 1;

	if (gate_write(call, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS,
		       &vectors, sizeof(vectors)) ||
	    gate_write(call, UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT,
		       &core_support, sizeof(core_support)) ||
	    gate_write(call, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp)))
		return -EFAULT;
	return 0;
}

int verbs_get_context(struct uverbs_context *ctx, struct gate_call *call)
{
	struct efa_abi_alloc_ucontext cmd = { 0 };
	int ret;

	if (ctx->engine)
		return -EINVAL;
	ret = gate_read(call, UVERBS_ATTR_UHW_IN, &cmd, sizeof(cmd));
	if (ret && ret != -ENOENT)
		return ret;
	ret = check_client_knows(ctx->device->profile, cmd.supported_caps);
	if (ret) {
		uverbs_context_fault(ctx, "its libefa is too old for this "
				     "device profile (supported_caps 0x%x)",
				     cmd.supported_caps);
		return ret;
	}
	ret = get_context_answer(ctx, call);
	if (ret)
		return ret;
	return engine_context_create(ctx->device->engine, &ctx->memory.mem,
				     ctx, &ctx->engine);
}

/* ---- port ---- */

struct link_rate {
	uint32_t gbps;		/* from this rate on */
	uint8_t width;		/* IB_WIDTH_* */
	uint8_t speed;		/* IB_SPEED_* */
};

/* As the EFA driver maps a rate to InfiniBand terms. */
static const struct link_rate link_rates[] = {
	{ 400, 4, 64 },		/* 8X HDR */
	{ 200, 2, 64 },		/* 4X HDR */
	{ 120, 8, 8 },		/* 12X FDR10 */
	{ 100, 2, 32 },		/* 4X EDR */
	{ 60, 8, 2 },		/* 12X DDR */
	{ 50, 1, 64 },		/* 1X HDR */
	{ 40, 2, 8 },		/* 4X FDR10 */
	{ 30, 8, 1 },		/* 12X SDR */
	{ 0, 1, 32 },		/* 1X EDR */
};

/* enum ib_mtu, the largest that fits. */
static uint8_t mtu_enum(uint32_t mtu_bytes)
{
	uint8_t mtu = 1;

	while (mtu < 5 && mtu_bytes >= 256u << mtu)
		mtu++;
	return mtu;
}

int verbs_query_port(struct uverbs_context *ctx, struct gate_call *call)
{
	const struct device_profile *profile = ctx->device->profile;
	const struct link_rate *rate = link_rates;
	struct ib_uverbs_query_port_resp_ex resp = { 0 };
	uint32_t speed;

	if (gate_value(call, UVERBS_ATTR_QUERY_PORT_PORT_NUM, 0) != PORT_NUM)
		return -EINVAL;
	while (profile->speed_gbps < rate->gbps)
		rate++;
	resp.legacy_resp.max_msg_sz = profile->mtu;
	resp.legacy_resp.gid_tbl_len = 1;
	resp.legacy_resp.pkey_tbl_len = 1;
	resp.legacy_resp.state = PORT_ACTIVE;
	resp.legacy_resp.max_mtu = mtu_enum(profile->mtu);
	resp.legacy_resp.active_mtu = resp.legacy_resp.max_mtu;
	resp.legacy_resp.lmc = 1;
	resp.legacy_resp.max_vl_num = 1;
	resp.legacy_resp.active_width = rate->width;
	resp.legacy_resp.active_speed = rate->speed;
	resp.legacy_resp.phys_state = PORT_PHYS_LINK_UP;
	speed = rate->speed;
	memcpy((char *)&resp + ACTIVE_SPEED_EX_OFFSET, &speed, sizeof(speed));
	return gate_write_zeroing(call, UVERBS_ATTR_QUERY_PORT_RESP, &resp,
				  sizeof(resp));
}

int verbs_query_port_speed(struct uverbs_context *ctx, struct gate_call *call)
{
	uint64_t speed = ctx->device->profile->speed_gbps * 10ull;

	if (gate_value(call, QUERY_PORT_SPEED_PORT, 0) != PORT_NUM)
		return -EINVAL;
	/* In units of 100 Mb/s. */
	return gate_write(call, QUERY_PORT_SPEED_RESP, &speed, sizeof(speed));
}

/* ---- GID: one, at index 0 of port 1 ---- */

static void fill_gid_entry(const struct uverbs_context *ctx,
			   struct ib_uverbs_gid_entry *entry)
{
	memset(entry, 0, sizeof(*entry));
	memcpy(entry->gid, ctx->device->gid, sizeof(entry->gid));
	entry->port_num = PORT_NUM;
}

int verbs_query_gid_table(struct uverbs_context *ctx, struct gate_call *call)
{
	uint64_t entry_bytes = gate_value(
		call, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, 0);
	struct ib_uverbs_gid_entry entry;
	uint64_t count = 1;

	if (gate_value(call, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 0) ||
	    !entry_bytes ||
	    gate_length(call, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES) %
	    entry_bytes)
		return -EINVAL;
	if (gate_length(call, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES) == 0)
		return -EINVAL;
	fill_gid_entry(ctx, &entry);
	if (gate_write_zeroing(call, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES,
			       &entry,
			       entry_bytes < sizeof(entry) ? entry_bytes :
			       sizeof(entry)))
		return -EFAULT;
	return gate_write(call, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES,
			  &count, sizeof(count));
}

int verbs_query_gid_entry(struct uverbs_context *ctx, struct gate_call *call)
{
	struct ib_uverbs_gid_entry entry;

	if (gate_value(call, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 0) ||
	    gate_value(call, UVERBS_ATTR_QUERY_GID_ENTRY_PORT, 0) !=
	    PORT_NUM ||
	    gate_value(call, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, 0))
		return -EINVAL;
	fill_gid_entry(ctx, &entry);
	return gate_write_zeroing(call, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY,
				  &entry, sizeof(entry));
}

/* ---- device ---- */

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void fill_device(const struct uverbs_context *ctx,
			struct ib_uverbs_query_device_resp *resp)
{
	const struct device_profile *profile = ctx->device->profile;

	memset(resp, 0, sizeof(*resp));
	memcpy(&resp->node_guid, ctx->device->guid, sizeof(resp->node_guid));
	resp->max_mr_size = profile_max_mr_size(profile);
	resp->page_size_cap = profile->page_size_cap;
	resp->vendor_id = profile->vendor_id;
	resp->vendor_part_id = profile->vendor_part_id;
	resp->hw_ver = profile->hw_ver;
	resp->max_qp = profile->max_qp;
	resp->max_qp_wr = min_u32(profile->max_sq_wr, profile->max_rq_wr);
	resp->max_sge = min_u32(profile->max_sq_sge, profile->max_rq_sge);
	resp->max_sge_rd = profile->max_wr_rdma_sge;
	resp->max_cq = profile->max_cq;
	resp->max_cqe = profile->max_cqe;
	resp->max_mr = profile->max_mr;
	resp->max_pd = profile->max_pd;
	resp->max_ah = profile->max_ah;
	resp->max_pkeys = 1;
	resp->phys_port_cnt = 1;
}

int verbs_query_device(struct uverbs_context *ctx, struct gate_call *call)
{
	struct ib_uverbs_query_device_resp resp;

	fill_device(ctx, &resp);
	return gate_write_zeroing(call, UVERBS_ATTR_CORE_OUT, &resp,
				  sizeof(resp));
}

int verbs_ex_query_device(struct uverbs_context *ctx, struct gate_call *call)
{
	const struct device_profile *profile = ctx->device->profile;
	const struct efa_abi_query_device_resp driver = {
		.max_sq_wr = profile->max_sq_wr,
		.max_rq_wr = profile->max_rq_wr,
		.max_sq_sge = profile->max_sq_sge,
		.max_rq_sge = profile->max_rq_sge,
		.max_rdma_size = profile->max_rdma_size,
		.device_caps = profile->device_caps,
	};
	struct ib_uverbs_ex_query_device cmd;
	struct ib_uverbs_ex_query_device_resp resp = { 0 };
	int ret;

	ret = gate_read(call, UVERBS_ATTR_CORE_IN, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.comp_mask || cmd.reserved ||
	    gate_check_zero(call, UVERBS_ATTR_UHW_IN, 0))
		return -EINVAL;
	fill_device(ctx, &resp.base);
	resp.response_length = min_u32(
		gate_length(call, UVERBS_ATTR_CORE_OUT), sizeof(resp));
	if (gate_write_zeroing(call, UVERBS_ATTR_CORE_OUT, &resp,
			       sizeof(resp)))
		return -EFAULT;
	return gate_write(call, UVERBS_ATTR_UHW_OUT, &driver, sizeof(driver));
}

/* ---- events ---- */

int verbs_async_event_alloc(struct uverbs_context *ctx,
			    struct gate_call *call)
{
	int client_fd, ret;

	uverbs_context_sweep_channels(ctx);
	if (ctx->async)
		return -EBUSY;
	ret = event_channel_open(&ctx->async, ctx->loop,
				 sizeof(struct ib_uverbs_async_event_desc),
				 &client_fd);
	if (ret)
		return ret;
	gate_give_fd(call, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE,
		     client_fd);
	return 0;
}

int verbs_create_comp_channel(struct uverbs_context *ctx,
			      struct gate_call *call)
{
	int client_fd, ret;

	uverbs_context_sweep_channels(ctx);
	if (ctx->channel_count == CONTEXT_MAX_CHANNELS)
		return -EMFILE;
	ret = client_quota_take(ctx->quota, CHANNEL_DESCRIPTORS);
	if (ret)
		return ret;
	ret = event_channel_open(&ctx->channel[ctx->channel_count], ctx->loop,
				 sizeof(struct ib_uverbs_comp_event_desc),
				 &client_fd);
	if (ret) {
		client_quota_return(ctx->quota, CHANNEL_DESCRIPTORS);
		return ret;
	}
	ctx->channel_count++;
	gate_give_fd(call, UVERBS_ATTR_CORE_OUT, client_fd);
	return 0;
}
