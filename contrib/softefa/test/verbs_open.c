/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Finding, opening and querying devices; the async event fd. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define OPENS_AT_ONCE	64
#define OPENS_IN_A_ROW	200

static int count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	REQUIRE(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void check_list(void)
{
	struct ibv_device **list;
	int count = 0, i, j;

	expect_stage("device list");
	list = ibv_get_device_list(&count);
	REQUIRE(list);
	REQUIRE(count > 0);
	EXPECT(!list[count]);
	for (i = 0; i < count; i++) {
		EXPECT_EQ(list[i]->node_type, IBV_NODE_UNSPECIFIED);
		EXPECT(ibv_get_device_guid(list[i]) != 0);
		EXPECT(!strncmp(ibv_get_device_name(list[i]), "efa_", 4));
		for (j = 0; j < i; j++) {
			EXPECT(strcmp(list[i]->name, list[j]->name));
			EXPECT(ibv_get_device_guid(list[i]) !=
			       ibv_get_device_guid(list[j]));
		}
	}
	ibv_free_device_list(list);
}

static void check_device_attr(struct ibv_context *ctx)
{
	struct ibv_device_attr_ex ex = {};
	struct ibv_device_attr old = {};
	struct ibv_device_attr *a = &ex.orig_attr;

	expect_stage("query_device");
	REQUIRE_EQ(ibv_query_device_ex(ctx, NULL, &ex), 0);
	REQUIRE_EQ(ibv_query_device(ctx, &old), 0);
	EXPECT_BYTES(&old, a, sizeof(old));
	EXPECT_EQ(a->vendor_id, 0x1d0f);
	EXPECT_EQ(a->vendor_part_id & ~0xfu, 0xefa0);
	EXPECT_EQ(a->phys_port_cnt, 1);
	EXPECT_EQ(a->max_pkeys, 1);
	EXPECT(a->node_guid == ibv_get_device_guid(ctx->device));
	EXPECT(a->max_qp > 0 && a->max_qp <= 65536);
	EXPECT(a->max_qp_wr > 0);
	EXPECT(a->max_cqe >= a->max_qp_wr);
	EXPECT(a->max_sge >= 1);
	EXPECT(a->max_cq > 0);
	EXPECT(a->max_mr > 0);
	EXPECT(a->max_pd > 0);
	EXPECT(a->max_ah > 0);
	EXPECT(a->page_size_cap & 4096);
	EXPECT(a->max_mr_size >= 1ull << 30);
	EXPECT(ctx->num_comp_vectors >= 1);
}

static void check_efa_attr(struct ibv_context *ctx)
{
	struct efadv_device_attr attr = device_attr(ctx);
	struct efadv_sq_depth_attr depth = { .max_send_sge = 1 };

	expect_stage("efadv_query_device");
	EXPECT_EQ(attr.comp_mask, 0);
	EXPECT(attr.max_sq_wr > 0);
	EXPECT(attr.max_rq_wr > 0);
	EXPECT(attr.max_sq_sge >= 1 && attr.max_sq_sge <= 2);
	EXPECT(attr.max_rq_sge >= 1);
	EXPECT_EQ(attr.inline_buf_size, 32);
	EXPECT(attr.inline_buf_size_ex >= attr.inline_buf_size);
	if (attr.device_caps & EFADV_DEVICE_ATTR_CAPS_RDMA_READ)
		EXPECT(attr.max_rdma_size > 0);
	EXPECT_EQ(efadv_query_device(ctx, &attr, 8), EINVAL);

	EXPECT(efadv_get_max_sq_depth(ctx, &depth, sizeof(depth)) > 0);
	depth.max_inline_data = attr.inline_buf_size_ex + 1u;
	EXPECT_EQ(efadv_get_max_sq_depth(ctx, &depth, sizeof(depth)), -EINVAL);
}

static void check_port(struct ibv_context *ctx)
{
	struct ibv_port_attr port = {};

	expect_stage("query_port");
	REQUIRE_EQ(ibv_query_port(ctx, 1, &port), 0);
	EXPECT_EQ(port.state, IBV_PORT_ACTIVE);
	EXPECT_EQ(port.phys_state, 5);
	EXPECT_EQ(port.gid_tbl_len, 1);
	EXPECT_EQ(port.pkey_tbl_len, 1);
	EXPECT_EQ(port.lmc, 1);
	EXPECT_EQ(port.link_layer, IBV_LINK_LAYER_UNSPECIFIED);
	EXPECT(port.max_msg_sz >= 4096 && port.max_msg_sz < 65536);
	EXPECT(port.active_mtu >= IBV_MTU_4096);
	EXPECT(port.active_width != 0);
	EXPECT(port.active_speed != 0);
	EXPECT(ibv_query_port(ctx, 2, &port) != 0);
	EXPECT(ibv_query_port(ctx, 0, &port) != 0);
}

static void check_gid_pkey(struct ibv_context *ctx)
{
	union ibv_gid gid = {}, none = {};
	struct ibv_gid_entry entry = {};
	__be16 pkey = 0;

	expect_stage("gid and pkey");
	REQUIRE_EQ(ibv_query_gid(ctx, 1, 0, &gid), 0);
	EXPECT(memcmp(&gid, &none, sizeof(gid)) != 0);
	EXPECT_EQ(ibv_query_gid_ex(ctx, 1, 0, &entry, 0), 0);
	EXPECT_BYTES(&entry.gid, &gid, sizeof(gid));
	EXPECT_EQ(entry.port_num, 1);
	EXPECT_EQ(entry.gid_index, 0);
	EXPECT(ibv_query_gid(ctx, 1, 1, &none) != 0);
	EXPECT(ibv_query_gid(ctx, 2, 0, &none) != 0);
	EXPECT_EQ(ibv_query_pkey(ctx, 1, 0, &pkey), 0);
	EXPECT_EQ(pkey, 0xffff);
	EXPECT(ibv_query_pkey(ctx, 1, 1, &pkey) != 0);
}

/* No event is due: the fd is quiet, and a non-blocking read says so. */
static void check_async_fd(struct ibv_context *ctx)
{
	struct pollfd fd = { .fd = ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	expect_stage("async fd");
	EXPECT_EQ(poll(&fd, 1, 0), 0);
	REQUIRE_EQ(fcntl(ctx->async_fd, F_SETFL,
			 fcntl(ctx->async_fd, F_GETFL) | O_NONBLOCK), 0);
	errno = 0;
	EXPECT_EQ(ibv_get_async_event(ctx, &event), -1);
	EXPECT_EQ(errno, EAGAIN);
}

static void check_many_opens(void)
{
	struct ibv_context *ctx[OPENS_AT_ONCE];
	int fds, i;

	expect_stage("many opens");
	device_close(device_open(0));
	fds = count_fds();
	for (i = 0; i < OPENS_AT_ONCE; i++)
		ctx[i] = device_open(0);
	for (i = 0; i < OPENS_AT_ONCE; i++)
		check_gid_pkey(ctx[i]);
	for (i = 0; i < OPENS_AT_ONCE; i++)
		device_close(ctx[i]);
	for (i = 0; i < OPENS_IN_A_ROW; i++)
		device_close(device_open(0));
	EXPECT_EQ(count_fds(), fds);
}

int main(void)
{
	struct ibv_context *ctx;

	expect_deadline(60);
	check_list();
	ctx = device_open(0);
	check_device_attr(ctx);
	check_efa_attr(ctx);
	check_port(ctx);
	check_gid_pkey(ctx);
	check_async_fd(ctx);
	device_close(ctx);
	check_many_opens();
	return expect_result();
}
