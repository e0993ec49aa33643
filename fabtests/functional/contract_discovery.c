/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Rows 1 to 15: what applications ask fi_getinfo for, in their own words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabtests/functional/contract_rows.h"

#define KEY_MODES	(FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY)

/* Shared by the checks; fresh for each. */
static struct fi_info *hints;

static void begin(void)
{
	struct fab_wish wish = fab_wish_direct();

	hints = fab_hints(&wish);
}

static void end(void)
{
	fi_freeinfo(hints);
}

static struct fi_info *ask_as(uint32_t version)
{
	struct fi_info *info = NULL;
	int ret = fi_getinfo(version, NULL, NULL, 0, hints, &info);

	if (ret)
		EXPECT_EQ(ret, -FI_ENODATA);
	return info;
}

/* Are the hints answered? */
static bool asks(void)
{
	struct fi_info *info = ask_as(FAB_API_VERSION);
	bool found = info;

	fi_freeinfo(info);
	return found;
}

/* @hint at most @most: exactly that is given, and one more is not. */
static void most_of(size_t *hint, size_t most)
{
	*hint = most;
	EXPECT(asks());
	*hint = most + 1;
	EXPECT(!asks());
	*hint = 0;
}

static void versions(void)
{
	static const uint32_t asked[] = {
		FI_VERSION(1, 5), FI_VERSION(1, 9), FI_VERSION(1, 17),
	};
	struct fi_info *info;

	for (size_t i = 0; i <= sizeof(asked) / sizeof(*asked); i++) {
		info = ask_as(i ? asked[i - 1] : fi_version());
		REQUIRE(info);
		EXPECT_STR(info->fabric_attr->prov_name, "efa");
		/* above all of libfabric's own */
		EXPECT(info->fabric_attr->prov_version >=
		       FI_VERSION(1000, 0));
		EXPECT_EQ(info->fabric_attr->api_version,
			  i ? asked[i - 1] : fi_version());
		fi_freeinfo(info);
	}
	info = NULL;
	EXPECT(fi_getinfo(FI_VERSION(99, 0), NULL, NULL, 0, hints, &info));
}

static void sparse_hints(void)
{
	struct fi_info *info = NULL, *saved = hints;
	bool found = false;

	EXPECT_EQ(fi_getinfo(FAB_API_VERSION, NULL, NULL, 0, NULL, &info), 0);
	for (hints = info; hints; hints = hints->next)
		found |= !strcmp(hints->fabric_attr->prov_name, "efa");
	EXPECT(found);
	fi_freeinfo(info);
	hints = saved;
	hints->ep_attr->type = FI_EP_UNSPEC;
	free(hints->tx_attr);
	hints->tx_attr = NULL;
	EXPECT(asks());
	free(hints->rx_attr);
	hints->rx_attr = NULL;
	/* a NIC that says nothing; libfabric 2.1 calls it, so it is a real one */
	info = ask_as(FAB_API_VERSION);
	REQUIRE(info);
	hints->nic = info->nic;
	info->nic = NULL;
	fi_freeinfo(info);
	free(hints->nic->device_attr->name);
	hints->nic->device_attr->name = NULL;
	memset(hints->nic->bus_attr, 0, sizeof(*hints->nic->bus_attr));
	memset(&hints->nic->link_attr->mtu, 0,
	       sizeof(hints->nic->link_attr->mtu));
	EXPECT(asks());
}

static void same_attributes(const struct fi_info *a, const struct fi_info *b)
{
	EXPECT_EQ(a->caps, b->caps);
	EXPECT_EQ(a->mode, b->mode);
	EXPECT_EQ(a->addr_format, b->addr_format);
	EXPECT_EQ(a->ep_attr->type, b->ep_attr->type);
	EXPECT_EQ(a->ep_attr->protocol, b->ep_attr->protocol);
	EXPECT_EQ(a->ep_attr->protocol_version, b->ep_attr->protocol_version);
	EXPECT_EQ(a->ep_attr->max_msg_size, b->ep_attr->max_msg_size);
	EXPECT_EQ(a->tx_attr->op_flags, b->tx_attr->op_flags);
	EXPECT_EQ(a->tx_attr->inject_size, b->tx_attr->inject_size);
}

/* 0: efa-direct, 1: other reliable ones, 2: datagrams. */
static int place_of(const struct fi_info *info)
{
	if (!strcmp(info->fabric_attr->name, "efa-direct"))
		return 0;
	return info->ep_attr->type == FI_EP_DGRAM ? 2 : 1;
}

static void list_order(void)
{
	const struct fi_info *first[3] = { NULL };
	struct fi_info *list, *info;
	int counts[3] = { 0 }, place = 0;

	free(hints->fabric_attr->name);
	hints->fabric_attr->name = NULL;
	hints->ep_attr->type = FI_EP_UNSPEC;
	hints->mode |= FI_MSG_PREFIX;
	list = ask_as(FAB_API_VERSION);
	REQUIRE(list);
	for (info = list; info; info = info->next) {
		EXPECT(place_of(info) >= place);
		place = place_of(info);
		counts[place]++;
		if (!first[place])
			first[place] = info;
		same_attributes(info, first[place]);
	}
	EXPECT(counts[0] > 0);
	EXPECT_EQ(counts[2], counts[0]);
	EXPECT(!counts[1] || counts[1] == counts[0]);
	fi_freeinfo(list);
}

static void efa_direct(void)
{
	static const uint64_t missing[] = {
		FI_TAGGED, FI_ATOMIC, FI_DIRECTED_RECV, FI_MULTI_RECV,
	};
	struct fi_info *info = ask_as(FAB_API_VERSION);
	uint64_t mode = hints->mode;

	REQUIRE(info);
	EXPECT_EQ(info->caps & (FI_MSG | FI_SOURCE | FI_LOCAL_COMM |
				FI_REMOTE_COMM),
		  FI_MSG | FI_SOURCE | FI_LOCAL_COMM | FI_REMOTE_COMM);
	EXPECT_EQ(info->mode, FI_CONTEXT2);
	EXPECT_EQ(info->domain_attr->mr_mode & FI_MR_LOCAL, FI_MR_LOCAL);
	EXPECT_EQ(info->domain_attr->data_progress, FI_PROGRESS_AUTO);
	EXPECT_EQ(info->domain_attr->control_progress, FI_PROGRESS_AUTO);
	fi_freeinfo(info);
	for (size_t i = 0; i < sizeof(missing) / sizeof(*missing); i++) {
		hints->caps = FI_MSG | missing[i];
		EXPECT(!asks());
	}
	hints->caps = FI_MSG;
	hints->tx_attr->msg_order = FI_ORDER_SAS;
	EXPECT(!asks());
	hints->tx_attr->msg_order = 0;
	hints->domain_attr->mr_mode &= ~FI_MR_LOCAL;
	EXPECT(!asks());
	hints->domain_attr->mr_mode |= FI_MR_LOCAL;
	/* Without its name the mode must be granted. */
	free(hints->fabric_attr->name);
	hints->fabric_attr->name = NULL;
	hints->ep_attr->type = FI_EP_RDM;
	hints->mode = 0;
	info = ask_as(FAB_API_VERSION);
	EXPECT(!info || place_of(info) == 1);
	fi_freeinfo(info);
	hints->mode = mode;
	info = ask_as(FAB_API_VERSION);
	EXPECT(info && place_of(info) == 0);
	fi_freeinfo(info);
}

/* With reads and writes: data of writes comes one way or the other. */
static void rma_of_efa_direct(void)
{
	struct fi_info *info;
	bool alone;

	hints->caps = FI_MSG | FI_RMA;
	alone = asks();
	hints->mode |= FI_RX_CQ_DATA;
	info = ask_as(FAB_API_VERSION);
	EXPECT(info || !alone);
	if (!info)
		return;
	EXPECT(info->mode & FI_RX_CQ_DATA);
	EXPECT(info->rx_attr->mode & FI_RX_CQ_DATA);
	most_of(&hints->ep_attr->max_msg_size, info->ep_attr->max_msg_size);
	most_of(&hints->tx_attr->rma_iov_limit, 1);
	fi_freeinfo(info);
	hints->caps = FI_MSG;
	info = ask_as(FAB_API_VERSION);
	REQUIRE(info);
	most_of(&hints->ep_attr->max_msg_size, info->nic->link_attr->mtu);
	fi_freeinfo(info);
}

static void registration_modes(void)
{
	const uint64_t caps[] = { FI_MSG, FI_MSG | FI_RMA };
	struct fi_info *info;

	hints->mode |= FI_RX_CQ_DATA;
	for (int rma = 0; rma < 2; rma++) {
		hints->caps = caps[rma];
		hints->domain_attr->mr_mode = FI_MR_LOCAL | KEY_MODES |
					      FI_MR_ENDPOINT;
		info = ask_as(FAB_API_VERSION);
		if (rma && !info)
			return;
		REQUIRE(info);
		EXPECT_EQ(info->domain_attr->mr_mode, FI_MR_LOCAL | KEY_MODES);
		fi_freeinfo(info);
		/* messages have no keys, remote memory has all three modes */
		hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_ALLOCATED;
		EXPECT_EQ(asks(), !rma);
		hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_ALLOCATED |
					      FI_MR_PROV_KEY;
		EXPECT_EQ(asks(), !rma);
	}
}

static void threading(void)
{
	static const enum fi_threading models[] = {
		FI_THREAD_SAFE, FI_THREAD_DOMAIN, FI_THREAD_COMPLETION,
	};

	for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++) {
		struct fi_info *info;

		hints->domain_attr->threading = models[i];
		info = ask_as(FAB_API_VERSION);
		if (EXPECT(info))
			EXPECT_EQ(info->domain_attr->threading, models[i]);
		fi_freeinfo(info);
	}
}

static void progress(void)
{
	static const enum fi_progress models[] = {
		FI_PROGRESS_UNSPEC, FI_PROGRESS_AUTO, FI_PROGRESS_MANUAL,
	};

	for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++) {
		hints->domain_attr->control_progress = models[i];
		hints->domain_attr->data_progress = models[i];
		EXPECT(asks());
	}
}

static void domain_limits(void)
{
	static const enum fi_av_type types[] = {
		FI_AV_UNSPEC, FI_AV_TABLE, FI_AV_MAP,
	};
	struct fi_info *info = ask_as(FAB_API_VERSION);

	REQUIRE(info);
	hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		hints->domain_attr->av_type = types[i];
		EXPECT(asks());
	}
	for (size_t size = 1; size <= 8; size *= 2) {
		hints->domain_attr->mr_key_size = size;
		EXPECT(asks());
	}
	most_of(&hints->domain_attr->cq_data_size, 4);
	most_of(&hints->domain_attr->mr_cnt, info->domain_attr->mr_cnt);
	most_of(&hints->domain_attr->cntr_cnt, info->domain_attr->cntr_cnt);
	most_of(&hints->domain_attr->mr_iov_limit,
		info->domain_attr->mr_iov_limit);
	most_of(&hints->domain_attr->max_err_data,
		info->domain_attr->max_err_data);
	fi_freeinfo(info);
}

static void queue_limits(void)
{
	struct fi_info *info = ask_as(FAB_API_VERSION);
	size_t inject;

	REQUIRE(info);
	most_of(&hints->tx_attr->size, info->tx_attr->size);
	most_of(&hints->tx_attr->iov_limit, info->tx_attr->iov_limit);
	most_of(&hints->rx_attr->size, info->rx_attr->size);
	most_of(&hints->rx_attr->iov_limit, info->rx_attr->iov_limit);
	/* longer requests, half as many */
	for (inject = info->tx_attr->inject_size; asks(); inject++)
		hints->tx_attr->inject_size = inject + 1;
	most_of(&hints->tx_attr->inject_size, inject - 1);
	if (inject - 1 > info->tx_attr->inject_size) {
		hints->tx_attr->inject_size = inject - 1;
		most_of(&hints->tx_attr->size, info->tx_attr->size / 2);
	}
	fi_freeinfo(info);
}

static void operation_flags(void)
{
	static const uint64_t flags[] = {
		FI_COMPLETION, FI_DELIVERY_COMPLETE, FI_TRANSMIT_COMPLETE,
		FI_INJECT, FI_COMPLETION | FI_DELIVERY_COMPLETE,
	};
	struct fi_info *info;

	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		hints->tx_attr->op_flags = flags[i];
		hints->tx_attr->tclass = i;
		info = ask_as(FAB_API_VERSION);
		if (EXPECT(info))
			EXPECT_EQ(info->tx_attr->op_flags, flags[i]);
		fi_freeinfo(info);
	}
	hints->tx_attr->op_flags = FI_COMMIT_COMPLETE;
	EXPECT(!asks());
}

static void names_and_objects(void)
{
	struct fi_info *info = ask_as(FAB_API_VERSION);
	struct fid_fabric *fabric;
	struct fid_domain *domain;

	REQUIRE(info);
	hints->domain_attr->name = strdup(info->domain_attr->name);
	hints->addr_format = FI_ADDR_EFA;
	EXPECT(asks());
	REQUIRE_EQ(fi_fabric(info->fabric_attr, &fabric, NULL), 0);
	REQUIRE_EQ(fi_domain(fabric, info, &domain, NULL), 0);
	fi_freeinfo(info);
	hints->fabric_attr->fabric = fabric;
	hints->domain_attr->domain = domain;
	info = ask_as(FAB_API_VERSION);
	if (EXPECT(info)) {
		EXPECT(info->fabric_attr->fabric == fabric);
		EXPECT(info->domain_attr->domain == domain);
		EXPECT(!info->next);
	}
	fi_freeinfo(info);
	hints->fabric_attr->fabric = NULL;
	hints->domain_attr->domain = NULL;
	EXPECT_EQ(fi_close(&domain->fid), 0);
	EXPECT_EQ(fi_close(&fabric->fid), 0);
	free(hints->fabric_attr->prov_name);
	hints->fabric_attr->prov_name = strdup("tcp");
	EXPECT(!asks());
}

static void nic(void)
{
	struct fi_info *info = ask_as(FAB_API_VERSION);

	REQUIRE(info && info->nic);
	EXPECT(info->nic->device_attr->name[0]);
	EXPECT(!strncmp(info->nic->device_attr->device_id, "0xefa", 5));
	EXPECT_EQ(info->nic->bus_attr->bus_type, FI_BUS_PCI);
	EXPECT(info->nic->link_attr->speed > 0);
	EXPECT_EQ(info->nic->link_attr->state, FI_LINK_UP);
	fi_freeinfo(info);
}

/* Device memory and atomic operations, at any version: not together. */
static void api_versions(void)
{
	hints->caps = FI_MSG | FI_RMA | FI_ATOMIC | FI_HMEM;
	EXPECT(!ask_as(FI_VERSION(1, 9)));
	EXPECT(!ask_as(FI_VERSION(1, 17)));
}

static void contexts(void)
{
	struct fi_info *info = ask_as(FAB_API_VERSION);

	REQUIRE(info);
	EXPECT_EQ(info->domain_attr->max_ep_tx_ctx, 1);
	EXPECT_EQ(info->domain_attr->max_ep_rx_ctx, 1);
	EXPECT_EQ(info->domain_attr->max_ep_stx_ctx, 0);
	EXPECT_EQ(info->domain_attr->max_ep_srx_ctx, 0);
	fi_freeinfo(info);
	most_of(&hints->ep_attr->tx_ctx_cnt, 1);
	most_of(&hints->ep_attr->rx_ctx_cnt, 1);
	hints->caps |= FI_NAMED_RX_CTX;
	EXPECT(!asks());
}

static const struct contract_row rows[] = {
	{ 1, "name and version", versions },
	{ 2, "hints that leave out nearly everything", sparse_hints },
	{ 3, "the order of the list", list_order },
	{ 5, "efa-direct: capabilities and modes", efa_direct },
	{ 5, "efa-direct: remote memory", rma_of_efa_direct },
	{ 6, "memory registration modes", registration_modes },
	{ 7, "threading", threading },
	{ 8, "progress", progress },
	{ 9, "limits of a domain", domain_limits },
	{ 9, "limits of queues", queue_limits },
	{ 10, "default flags and traffic classes", operation_flags },
	{ 12, "names, formats and opened objects", names_and_objects },
	{ 13, "the NIC", nic },
	{ 14, "API versions", api_versions },
	{ 15, "contexts of an endpoint", contexts },
};

int main(void)
{
	expect_deadline(60);
	contract_needs_ours();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		begin();
		contract_check(&rows[i], 1);
		end();
	}
	return expect_result();
}
