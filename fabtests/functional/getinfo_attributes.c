/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What fi_getinfo says of each device, and which hints keep it back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define BASIC_MR_MODE	(FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | \
			 FI_MR_PROV_KEY)
#define MESSAGE_CAPS	(FI_MSG | FI_SEND | FI_RECV | FI_SOURCE | \
			 FI_LOCAL_COMM | FI_REMOTE_COMM)
#define OTHER_CAPS	(FI_TAGGED | FI_ATOMIC | FI_MULTI_RECV | \
			 FI_DIRECTED_RECV)

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && !strcmp(text + n - m, end);
}

static void check_nic(const struct fi_info *info)
{
	const struct fid_nic *nic = info->nic;

	REQUIRE(nic);
	REQUIRE(nic->device_attr && nic->bus_attr && nic->link_attr);
	REQUIRE(nic->device_attr->name && nic->device_attr->device_id &&
		nic->device_attr->vendor_id);
	/* The domain is called after the device. */
	EXPECT(!strncmp(info->domain_attr->name, nic->device_attr->name,
			strlen(nic->device_attr->name)));
	EXPECT_EQ(strtol(nic->device_attr->vendor_id, NULL, 16), 0x1d0f);
	EXPECT_EQ(strtol(nic->device_attr->device_id, NULL, 16) & ~0xf,
		  0xefa0);
	EXPECT_EQ(nic->bus_attr->bus_type, FI_BUS_PCI);
	EXPECT_EQ(nic->link_attr->state, FI_LINK_UP);
	EXPECT(nic->link_attr->speed >= 10000000000ull);
	EXPECT(nic->link_attr->mtu >= 4096);
	EXPECT_STR(nic->link_attr->network_type, "Ethernet");
	EXPECT(nic->link_attr->address && nic->link_attr->address[0]);
}

static void check_both(const struct fi_info *info)
{
	size_t mtu = info->nic->link_attr->mtu;

	EXPECT_STR(info->fabric_attr->prov_name, "efa");
	EXPECT_EQ(info->addr_format, FI_ADDR_EFA);
	EXPECT_EQ(info->src_addrlen, 32);
	EXPECT(info->src_addr);
	EXPECT_EQ(info->caps & MESSAGE_CAPS, MESSAGE_CAPS);
	EXPECT_EQ(info->caps & OTHER_CAPS, 0);
	EXPECT(info->mode & FI_CONTEXT2);
	EXPECT_EQ(info->ep_attr->protocol, FI_PROTO_EFA);
	EXPECT_EQ(info->ep_attr->protocol_version, 1);
	EXPECT_EQ(info->ep_attr->tx_ctx_cnt, 1);
	EXPECT_EQ(info->ep_attr->rx_ctx_cnt, 1);
	if (info->caps & FI_RMA)
		EXPECT(info->ep_attr->max_msg_size >= mtu);
	else
		EXPECT_EQ(info->ep_attr->max_msg_size, mtu);
	EXPECT_EQ(info->domain_attr->mr_mode & BASIC_MR_MODE, BASIC_MR_MODE);
	EXPECT_EQ(info->domain_attr->mr_mode & FI_MR_ENDPOINT, 0);
	EXPECT_EQ(info->domain_attr->mr_key_size, 4);
	EXPECT_EQ(info->domain_attr->mr_iov_limit, 1);
	EXPECT_EQ(info->domain_attr->cq_data_size, 4);
	EXPECT_EQ(info->domain_attr->max_ep_tx_ctx, 1);
	EXPECT_EQ(info->domain_attr->max_ep_rx_ctx, 1);
	EXPECT_EQ(info->domain_attr->max_ep_stx_ctx, 0);
	EXPECT_EQ(info->domain_attr->max_ep_srx_ctx, 0);
	/* The in-tree provider leaves it open for datagrams. */
	if (!fab_is_in_tree(info))
		EXPECT_EQ(info->domain_attr->av_type, FI_AV_TABLE);
	EXPECT(info->domain_attr->ep_cnt > 0);
	EXPECT(info->domain_attr->cq_cnt > 0);
	EXPECT(info->domain_attr->mr_cnt > 0);
	EXPECT_EQ(info->tx_attr->msg_order, 0);
	EXPECT_EQ(info->rx_attr->msg_order, 0);
	EXPECT_EQ(info->tx_attr->inject_size, 32);
	EXPECT(info->tx_attr->iov_limit >= 1);
	EXPECT(info->rx_attr->iov_limit >= 1);
	EXPECT(info->tx_attr->size >= 64);
	EXPECT(info->rx_attr->size >= 64);
	EXPECT_EQ(info->tx_attr->caps & ~info->caps, 0);
	EXPECT_EQ(info->rx_attr->caps & ~info->caps, 0);
}

static void check_direct(const struct fi_info *info)
{
	EXPECT_EQ(info->ep_attr->type, FI_EP_RDM);
	EXPECT(ends_with(info->domain_attr->name, "-rdm"));
	EXPECT_EQ(info->ep_attr->msg_prefix_size, 0);
	EXPECT_EQ(info->mode & FI_MSG_PREFIX, 0);
	EXPECT_EQ(info->domain_attr->resource_mgmt, FI_RM_ENABLED);
	EXPECT_EQ(info->domain_attr->control_progress, FI_PROGRESS_AUTO);
	EXPECT_EQ(info->domain_attr->data_progress, FI_PROGRESS_AUTO);
	if (info->caps & FI_RMA)
		EXPECT_EQ(info->caps & (FI_READ | FI_WRITE | FI_REMOTE_READ |
					FI_REMOTE_WRITE),
			  FI_READ | FI_WRITE | FI_REMOTE_READ |
			  FI_REMOTE_WRITE);
}

static void check_dgram(const struct fi_info *info)
{
	EXPECT_EQ(info->ep_attr->type, FI_EP_DGRAM);
	EXPECT(ends_with(info->domain_attr->name, "-dgrm"));
	EXPECT_EQ(info->ep_attr->msg_prefix_size, 40);
	EXPECT(info->mode & FI_MSG_PREFIX);
	/* A datagram may be lost, a queue is never overrun. */
	if (!fab_is_in_tree(info))
		EXPECT_EQ(info->domain_attr->resource_mgmt, FI_RM_ENABLED);
	EXPECT_EQ(info->caps & FI_RMA, 0);
}

static bool is_direct(const struct fi_info *info)
{
	return !strcmp(info->fabric_attr->name, "efa-direct");
}

/* The list of @hints; NULL when there is nothing. */
static struct fi_info *query(const struct fi_info *hints)
{
	struct fi_info *info = NULL;
	int ret = fi_getinfo(FAB_API_VERSION, NULL, NULL, 0, hints, &info);

	if (ret)
		EXPECT_EQ(ret, -FI_ENODATA);
	return info;
}

static void check_list(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_info *hints = fab_hints(&wish), *list, *info;
	bool past_direct = false;
	int direct = 0, dgram = 0;

	expect_stage("the list of all devices");
	free(hints->fabric_attr->name);
	hints->fabric_attr->name = NULL;
	hints->mode |= FI_MSG_PREFIX;
	hints->ep_attr->type = FI_EP_UNSPEC;
	list = fab_getinfo(hints);
	for (info = list; info; info = info->next) {
		check_nic(info);
		/* All of efa-direct come first; applications rely on it. */
		past_direct |= !is_direct(info);
		EXPECT(!is_direct(info) || !past_direct);
		if (is_direct(info) || info->ep_attr->type == FI_EP_DGRAM)
			check_both(info);
		if (is_direct(info)) {
			check_direct(info);
			direct++;
		} else if (info->ep_attr->type == FI_EP_DGRAM) {
			check_dgram(info);
			dgram++;
		}
	}
	EXPECT(direct > 0);
	EXPECT_EQ(direct, dgram);
	fi_freeinfo(list);
	fi_freeinfo(hints);
}

/* A change of hints with which efa-direct must, or must not, be listed. */
struct hint_case {
	const char *name;
	void (*change)(struct fi_info *hints);
	bool listed;
};

static void no_change(struct fi_info *h)
{
	(void)h;
}

static void tagged(struct fi_info *h)
{
	h->caps |= FI_TAGGED;
}

static void atomic(struct fi_info *h)
{
	h->caps |= FI_ATOMIC;
}

static void multi_recv(struct fi_info *h)
{
	h->caps |= FI_MULTI_RECV;
}

static void no_caps(struct fi_info *h)
{
	h->caps = 0;
}

static void no_local(struct fi_info *h)
{
	h->domain_attr->mr_mode &= ~FI_MR_LOCAL;
}

static void type_msg(struct fi_info *h)
{
	h->ep_attr->type = FI_EP_MSG;
}

static void type_any(struct fi_info *h)
{
	h->ep_attr->type = FI_EP_UNSPEC;
}

static void type_dgram(struct fi_info *h)
{
	h->ep_attr->type = FI_EP_DGRAM;
}

static void format_in(struct fi_info *h)
{
	h->addr_format = FI_SOCKADDR_IN;
}

static void format_efa(struct fi_info *h)
{
	h->addr_format = FI_ADDR_EFA;
}

static void proto_tcp(struct fi_info *h)
{
	h->ep_attr->protocol = FI_PROTO_SOCK_TCP;
}

static void proto_efa(struct fi_info *h)
{
	h->ep_attr->protocol = FI_PROTO_EFA;
}

static void order_sas(struct fi_info *h)
{
	h->tx_attr->msg_order = FI_ORDER_SAS;
}

static void size_huge(struct fi_info *h)
{
	h->tx_attr->size = 1 << 24;
}

static void size_one(struct fi_info *h)
{
	h->tx_attr->size = 1;
}

static void inject_huge(struct fi_info *h)
{
	h->tx_attr->inject_size = 4096;
}

static void inject_small(struct fi_info *h)
{
	h->tx_attr->inject_size = 8;
}

static void message_huge(struct fi_info *h)
{
	h->ep_attr->max_msg_size = SIZE_MAX;
}

static void data_small(struct fi_info *h)
{
	h->domain_attr->cq_data_size = 4;
}

static void data_large(struct fi_info *h)
{
	h->domain_attr->cq_data_size = 8;
}

static void iov_many(struct fi_info *h)
{
	h->tx_attr->iov_limit = 64;
}

static void thread_safe(struct fi_info *h)
{
	h->domain_attr->threading = FI_THREAD_SAFE;
}

static void thread_domain(struct fi_info *h)
{
	h->domain_attr->threading = FI_THREAD_DOMAIN;
}

static void progress_auto(struct fi_info *h)
{
	h->domain_attr->data_progress = FI_PROGRESS_AUTO;
	h->domain_attr->control_progress = FI_PROGRESS_AUTO;
}

static void progress_manual(struct fi_info *h)
{
	h->domain_attr->data_progress = FI_PROGRESS_MANUAL;
	h->domain_attr->control_progress = FI_PROGRESS_MANUAL;
}

static void av_map(struct fi_info *h)
{
	h->domain_attr->av_type = FI_AV_MAP;
}

static void other_fabric(struct fi_info *h)
{
	free(h->fabric_attr->name);
	h->fabric_attr->name = strdup("no-such-fabric");
}

static void other_domain(struct fi_info *h)
{
	h->domain_attr->name = strdup("no-such-domain");
}

static void scalable(struct fi_info *h)
{
	h->ep_attr->tx_ctx_cnt = 4;
}

static const struct hint_case cases[] = {
	{ "no change", no_change, true },
	{ "FI_TAGGED", tagged, false },
	{ "FI_ATOMIC", atomic, false },
	{ "FI_MULTI_RECV", multi_recv, false },
	{ "no caps", no_caps, true },
	{ "no FI_MR_LOCAL", no_local, false },
	{ "FI_EP_MSG", type_msg, false },
	{ "FI_EP_UNSPEC", type_any, true },
	{ "FI_EP_DGRAM in efa-direct", type_dgram, false },
	{ "FI_SOCKADDR_IN", format_in, false },
	{ "FI_ADDR_EFA", format_efa, true },
	{ "FI_PROTO_SOCK_TCP", proto_tcp, false },
	{ "FI_PROTO_EFA", proto_efa, true },
	{ "FI_ORDER_SAS", order_sas, false },
	{ "a huge tx size", size_huge, false },
	{ "tx size 1", size_one, true },
	{ "inject_size 4096", inject_huge, false },
	{ "inject_size 8", inject_small, true },
	{ "max_msg_size SIZE_MAX", message_huge, false },
	{ "cq_data_size 4", data_small, true },
	{ "cq_data_size 8", data_large, false },
	{ "iov_limit 64", iov_many, false },
	{ "FI_THREAD_SAFE", thread_safe, true },
	{ "FI_THREAD_DOMAIN", thread_domain, true },
	{ "FI_PROGRESS_AUTO", progress_auto, true },
	{ "FI_PROGRESS_MANUAL", progress_manual, true },
	{ "FI_AV_MAP", av_map, true },
	{ "another fabric", other_fabric, false },
	{ "another domain", other_domain, false },
	{ "four transmit contexts", scalable, false },
};

static void check_hints(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_info *hints, *list, *info;
	unsigned i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		expect_stage(cases[i].name);
		hints = fab_hints(&wish);
		cases[i].change(hints);
		list = query(hints);
		if (!EXPECT_EQ(!!list, cases[i].listed))
			fprintf(stderr, "  with hints: %s\n", cases[i].name);
		for (info = list; info; info = info->next)
			EXPECT(is_direct(info));
		fi_freeinfo(list);
		fi_freeinfo(hints);
	}
}

/* What is asked for within the limits is what is given. */
static void check_wide_inject(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_info *hints, *info;
	size_t size;

	expect_stage("inject sizes");
	for (size = 33; size <= 128; size++) {
		hints = fab_hints(&wish);
		hints->tx_attr->inject_size = size;
		info = query(hints);
		EXPECT(size <= 80 || !info);
		if (info)
			EXPECT(info->tx_attr->inject_size >= size);
		fi_freeinfo(info);
		fi_freeinfo(hints);
	}
}

static void check_names(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_info *hints = fab_hints(&wish), *all, *one, *info;

	expect_stage("domain names");
	all = fab_getinfo(hints);
	for (info = all; info; info = info->next) {
		free(hints->domain_attr->name);
		hints->domain_attr->name = strdup(info->domain_attr->name);
		one = query(hints);
		REQUIRE(one);
		EXPECT_STR(one->domain_attr->name, info->domain_attr->name);
		EXPECT(!one->next);
		fi_freeinfo(one);
	}
	fi_freeinfo(all);
	fi_freeinfo(hints);
}

/* Hints may leave out nearly everything. */
static void check_sparse_hints(void)
{
	struct fi_info *list = NULL, *hints, *info;
	bool found = false;

	expect_stage("no hints");
	EXPECT_EQ(fi_getinfo(FAB_API_VERSION, NULL, NULL, 0, NULL, &list), 0);
	for (info = list; info; info = info->next)
		found |= !strcmp(info->fabric_attr->prov_name, "efa");
	EXPECT(found);
	fi_freeinfo(list);

	expect_stage("hints of NULL attributes");
	hints = calloc(1, sizeof(*hints));
	REQUIRE(hints);
	hints->mode = FI_CONTEXT | FI_CONTEXT2 | FI_MSG_PREFIX;
	EXPECT_EQ(fi_getinfo(FAB_API_VERSION, NULL, NULL, 0, hints, &list),
		  0);
	fi_freeinfo(list);
	free(hints);
}

static void check_node(void)
{
	static const uint8_t gid[16] = { 0xfe, 0x80, [8] = 1, 2, 3, 4, 5, 6,
		7, 8 };
	struct fab_wish wish = fab_wish_direct();
	struct fi_info *hints = fab_hints(&wish), *info = NULL;
	uint16_t qpn = 0;

	expect_stage("node and service");
	if (EXPECT_EQ(fi_getinfo(FAB_API_VERSION, "fe80::102:304:506:708",
				 "77", 0, hints, &info), 0)) {
		REQUIRE(info->dest_addr);
		EXPECT_EQ(info->dest_addrlen, 32);
		EXPECT_BYTES(info->dest_addr, gid, 16);
		memcpy(&qpn, (uint8_t *)info->dest_addr + 16, 2);
		EXPECT_EQ(qpn, 77);
		fi_freeinfo(info);
	}
	info = NULL;
	EXPECT(fi_getinfo(FAB_API_VERSION, "no.such.host", NULL, 0, hints,
			  &info) != 0);
	fi_freeinfo(info);
	fi_freeinfo(hints);
}

int main(void)
{
	expect_deadline(60);
	check_list();
	check_hints();
	check_wide_inject();
	check_names();
	check_sparse_hints();
	check_node();
	return expect_result();
}
