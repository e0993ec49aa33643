/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Every info that fi_getinfo gives can be given back: as hints, to which it
 * is the answer, and to fi_endpoint; and so can one with capabilities taken
 * away. What hints asked for is in the answer, and nothing in the answer's
 * parts that its whole does not have.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define RMA_CAPS	(FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ | \
			 FI_REMOTE_WRITE)
#define LOCAL_MR_MODE	(1ULL << 55)	/* FI_LOCAL_MR, before API 1.5 */
#define BASIC_MR_MODE	1		/* FI_MR_BASIC */

static const uint64_t capabilities[] = {
	0, FI_MSG, FI_MSG | FI_SEND, FI_MSG | FI_RECV,
	FI_MSG | FI_SOURCE | FI_LOCAL_COMM | FI_REMOTE_COMM,
	FI_RMA, FI_RMA | FI_READ, FI_MSG | FI_RMA,
	FI_MSG | FI_RMA | FI_REMOTE_READ, FI_MSG | FI_RMA | FI_WRITE,
	FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_READ,
	FI_MSG | FI_SEND | FI_RMA | FI_READ | FI_WRITE,
	FI_MSG | FI_RMA | FI_SOURCE | FI_LOCAL_COMM | FI_REMOTE_COMM,
	FI_MSG | FI_HMEM, FI_MSG | FI_RECV | FI_HMEM,
	FI_MSG | FI_RMA | FI_HMEM, FI_RMA | FI_WRITE | FI_HMEM,
};

/* Other things to ask for; each with every capability. */
struct variant {
	const char *name;
	void (*change)(struct fi_info *hints);
	uint32_t version;
};

static void nothing_more(struct fi_info *h)
{
	(void)h;
}

static void no_fabric(struct fi_info *h)
{
	free(h->fabric_attr->name);
	h->fabric_attr->name = NULL;
	h->ep_attr->type = FI_EP_UNSPEC;
	h->mode |= FI_MSG_PREFIX;
}

static void datagrams(struct fi_info *h)
{
	free(h->fabric_attr->name);
	h->fabric_attr->name = strdup("efa");
	h->ep_attr->type = FI_EP_DGRAM;
	h->mode |= FI_MSG_PREFIX;
}

static void rx_cq_data(struct fi_info *h)
{
	h->mode |= FI_RX_CQ_DATA;
}

static void rx_cq_data_in_rx_attr(struct fi_info *h)
{
	h->rx_attr->mode = FI_CONTEXT2 | FI_RX_CQ_DATA;
}

static void no_contexts(struct fi_info *h)
{
	h->mode = 0;
}

static void wide_inline(struct fi_info *h)
{
	h->tx_attr->inject_size = 80;
}

static void small_queues(struct fi_info *h)
{
	h->tx_attr->size = 100;
	h->rx_attr->size = 70;
	h->rx_attr->iov_limit = 1;
	h->domain_attr->threading = FI_THREAD_COMPLETION;
	h->domain_attr->data_progress = FI_PROGRESS_MANUAL;
}

static void no_nested(struct fi_info *h)
{
	free(h->tx_attr);
	free(h->rx_attr);
	h->tx_attr = NULL;
	h->rx_attr = NULL;
}

static void no_keys(struct fi_info *h)
{
	h->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_ALLOCATED;
}

static void mr_hmem(struct fi_info *h)
{
	h->domain_attr->mr_mode |= FI_MR_HMEM;
}

static void basic_mr(struct fi_info *h)
{
	h->domain_attr->mr_mode = BASIC_MR_MODE;
	h->mode |= LOCAL_MR_MODE;
}

static const struct variant variants[] = {
	{ "nothing more", nothing_more, FI_VERSION(1, 17) },
	{ "any fabric", no_fabric, FI_VERSION(1, 17) },
	{ "datagrams", datagrams, FI_VERSION(1, 17) },
	{ "FI_RX_CQ_DATA", rx_cq_data, FI_VERSION(1, 17) },
	{ "FI_RX_CQ_DATA in rx_attr", rx_cq_data_in_rx_attr,
	  FI_VERSION(1, 17) },
	{ "a named fabric, no mode", no_contexts, FI_VERSION(1, 17) },
	{ "inject_size 80", wide_inline, FI_VERSION(1, 17) },
	{ "small queues", small_queues, FI_VERSION(1, 17) },
	{ "no tx_attr, no rx_attr", no_nested, FI_VERSION(1, 17) },
	{ "no mode of keys", no_keys, FI_VERSION(1, 17) },
	{ "FI_MR_HMEM", mr_hmem, FI_VERSION(1, 17) },
	{ "API 1.5", nothing_more, FI_VERSION(1, 5) },
	{ "API 1.9", nothing_more, FI_VERSION(1, 9) },
	{ "API 1.4, FI_MR_BASIC", basic_mr, FI_VERSION(1, 4) },
};

static struct fi_info *query(const struct fi_info *hints, uint32_t version)
{
	struct fi_info *info = NULL;
	int ret = fi_getinfo(version, NULL, NULL, 0, hints, &info);

	if (ret)
		EXPECT_EQ(ret, -FI_ENODATA);
	return info;
}

/* All that was asked for, and parts of the whole. */
static void check_caps(const struct fi_info *info, uint64_t asked)
{
	EXPECT_EQ(asked & ~info->caps, 0);
	EXPECT_EQ(info->tx_attr->caps & ~info->caps, 0);
	EXPECT_EQ(info->rx_attr->caps & ~info->caps, 0);
	EXPECT_EQ(!!(info->caps & (FI_SEND | FI_READ | FI_WRITE)),
		  !!info->tx_attr->caps);
	if (info->caps & (FI_REMOTE_READ | FI_REMOTE_WRITE) &&
	    info->domain_attr->mr_mode != BASIC_MR_MODE)
		EXPECT_EQ(~info->domain_attr->mr_mode &
			  (FI_MR_VIRT_ADDR | FI_MR_PROV_KEY), 0);
	EXPECT_EQ(!!(info->caps & FI_HMEM),
		  !!(info->domain_attr->mr_mode & FI_MR_HMEM));
	/* What was asked for beside a capability is all there is of it. */
	if (asked & (RMA_CAPS & ~FI_RMA))
		EXPECT_EQ(info->caps & RMA_CAPS, asked & RMA_CAPS);
	else
		EXPECT_EQ(!!(info->caps & FI_RMA),
			  (info->caps & RMA_CAPS) == RMA_CAPS);
	if (asked & FI_MSG && asked & (FI_SEND | FI_RECV))
		EXPECT_EQ(info->caps & (FI_SEND | FI_RECV),
			  asked & (FI_SEND | FI_RECV));
}

static void check_same(const struct fi_info *info, const struct fi_info *given)
{
	EXPECT_STR(info->domain_attr->name, given->domain_attr->name);
	EXPECT_STR(info->fabric_attr->name, given->fabric_attr->name);
	EXPECT_EQ(info->caps, given->caps);
	EXPECT_EQ(info->mode, given->mode);
	EXPECT_EQ(info->domain_attr->mr_mode, given->domain_attr->mr_mode);
	EXPECT_EQ(info->domain_attr->threading, given->domain_attr->threading);
	EXPECT_EQ(info->domain_attr->data_progress,
		  given->domain_attr->data_progress);
	EXPECT_EQ(info->ep_attr->max_msg_size, given->ep_attr->max_msg_size);
	EXPECT_EQ(info->tx_attr->caps, given->tx_attr->caps);
	EXPECT_EQ(info->tx_attr->mode, given->tx_attr->mode);
	EXPECT_EQ(info->tx_attr->op_flags, given->tx_attr->op_flags);
	EXPECT_EQ(info->tx_attr->inject_size, given->tx_attr->inject_size);
	EXPECT_EQ(info->tx_attr->size, given->tx_attr->size);
	EXPECT_EQ(info->tx_attr->iov_limit, given->tx_attr->iov_limit);
	EXPECT_EQ(info->tx_attr->rma_iov_limit, given->tx_attr->rma_iov_limit);
	EXPECT_EQ(info->rx_attr->caps, given->rx_attr->caps);
	EXPECT_EQ(info->rx_attr->mode, given->rx_attr->mode);
	EXPECT_EQ(info->rx_attr->op_flags, given->rx_attr->op_flags);
	EXPECT_EQ(info->rx_attr->size, given->rx_attr->size);
	EXPECT_EQ(info->rx_attr->iov_limit, given->rx_attr->iov_limit);
}

static void check_endpoint(struct fi_info *info)
{
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_ep *ep = NULL;

	REQUIRE_EQ(fi_fabric(info->fabric_attr, &fabric, NULL), 0);
	REQUIRE_EQ(fi_domain(fabric, info, &domain, NULL), 0);
	if (EXPECT_EQ(fi_endpoint(domain, info, &ep, NULL), 0))
		EXPECT_EQ(fi_close(&ep->fid), 0);
	EXPECT_EQ(fi_close(&domain->fid), 0);
	EXPECT_EQ(fi_close(&fabric->fid), 0);
}

/* Applications take away what they will not use, in caps alone. */
static void check_without_rma(struct fi_info *info, uint32_t version)
{
	struct fi_info *less, *answer;

	if ((info->caps & (FI_MSG | FI_RMA)) != (FI_MSG | FI_RMA))
		return;
	less = fi_dupinfo(info);
	REQUIRE(less);
	less->caps &= ~RMA_CAPS;
	check_endpoint(less);
	answer = query(less, version);
	if (EXPECT(answer)) {
		EXPECT_EQ(answer->caps, less->caps);
		EXPECT_EQ(answer->ep_attr->max_msg_size,
			  answer->nic->link_attr->mtu);
		EXPECT_EQ(answer->tx_attr->caps & RMA_CAPS, 0);
		EXPECT_EQ(answer->mode & FI_RX_CQ_DATA, 0);
		check_endpoint(answer);
	}
	fi_freeinfo(answer);
	fi_freeinfo(less);
}

static void check_again(struct fi_info *info, uint32_t version)
{
	struct fi_info *again = query(info, version);

	if (EXPECT(again)) {
		check_same(again, info);
		EXPECT(!again->next);
	}
	fi_freeinfo(again);
}

/* How many infos @caps with @variant gives. */
static int check_query(const struct variant *variant, uint64_t caps)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_info *hints = fab_hints(&wish), *list, *info;
	int count = 0;

	hints->caps = caps;
	variant->change(hints);
	list = query(hints, variant->version);
	for (info = list; info; info = info->next) {
		check_caps(info, caps);
		check_again(info, variant->version);
		/* one device is like another */
		if (!count++) {
			check_endpoint(info);
			check_without_rma(info, variant->version);
		}
	}
	fi_freeinfo(list);
	fi_freeinfo(hints);
	return count;
}

/* RDM endpoints without order and tags are for who asks for them. */
static void check_loose_hints(void)
{
	static const uint64_t modes[] = {
		0, FI_CONTEXT, FI_CONTEXT | FI_MSG_PREFIX,
	};
	struct fi_info *hints, *list, *info;

	expect_stage("hints that ask loosely");
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		hints = calloc(1, sizeof(*hints));
		REQUIRE(hints);
		hints->mode = modes[i];
		list = query(hints, FAB_API_VERSION);
		for (info = list; info; info = info->next)
			EXPECT(strcmp(info->fabric_attr->name, "efa-direct"));
		fi_freeinfo(list);
		free(hints);
	}
}

int main(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fi_info *hints = fab_hints(&wish), *any;
	size_t i, j;
	int count;

	expect_deadline(120);
	any = fab_getinfo(hints);
	if (fab_is_in_tree(any))
		expect_skip("this provider: another one was loaded");
	fi_freeinfo(any);
	fi_freeinfo(hints);
	for (i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		expect_stage(variants[i].name);
		count = 0;
		for (j = 0; j < sizeof(capabilities) / sizeof(*capabilities);
		     j++)
			count += check_query(&variants[i], capabilities[j]);
		/* which not every device has */
		if (!EXPECT(count > 0 || variants[i].change == wide_inline))
			fprintf(stderr, "  with hints: %s\n",
				variants[i].name);
	}
	check_loose_hints();
	return expect_result();
}
