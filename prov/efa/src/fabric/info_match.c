/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/info_match.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include "compat/fi_abi.h"
#include "compat/log.h"

static bool misfits(struct fabric_info_misfit *misfit, const char *what,
		    uint64_t asked, uint64_t offered)
{
	*misfit = (struct fabric_info_misfit) {
		.what = what, .asked = asked, .offered = offered,
	};
	return false;
}

void fabric_info_misfit_text(const struct fabric_info_misfit *misfit,
			     char *buf, size_t size)
{
	if (misfit->asked_name)
		snprintf(buf, size, "%s is \"%.64s\", there is \"%.64s\"",
			 misfit->what, misfit->asked_name,
			 misfit->offered_name);
	else
		snprintf(buf, size, "%s is 0x%" PRIx64 ", there is 0x%" PRIx64,
			 misfit->what, misfit->asked, misfit->offered);
}

/* Each of the following fills @misfit when it returns false. */

static bool within(struct fabric_info_misfit *misfit, const char *what,
		   uint64_t asked, uint64_t offered)
{
	return asked <= offered || misfits(misfit, what, asked, offered);
}

static bool subset(struct fabric_info_misfit *misfit, const char *what,
		   uint64_t asked, uint64_t offered)
{
	return !(asked & ~offered) || misfits(misfit, what, asked, offered);
}

/* The application must be able to do what the provider @needs. */
static bool accepts(struct fabric_info_misfit *misfit, const char *what,
		    uint64_t given, uint64_t needs)
{
	return (given & needs) == needs ||
	       misfits(misfit, what, given, needs);
}

/* 0 asks for nothing. */
static bool same(struct fabric_info_misfit *misfit, const char *what,
		 uint64_t asked, uint64_t offered)
{
	return !asked || asked == offered ||
	       misfits(misfit, what, asked, offered);
}

static bool same_name(struct fabric_info_misfit *misfit, const char *what,
		      const char *asked, const char *offered)
{
	if (!asked || !strcmp(asked, offered))
		return true;
	misfits(misfit, what, 0, 0);
	misfit->asked_name = asked;
	misfit->offered_name = offered;
	return false;
}

bool fabric_info_is_legacy_mr(const struct fi_info *hints, uint32_t version)
{
	return !compat_api_has(version, 1, 5) ||
	       (hints && hints->domain_attr &&
		hints->domain_attr->mr_mode & COMPAT_MR_BASIC);
}

/* Whether a peer may reach memory with @caps, so that keys and addresses
 * matter. */
static bool is_rma_target(uint64_t caps)
{
	uint64_t directions = FI_READ | FI_WRITE | FI_REMOTE_READ |
			      FI_REMOTE_WRITE;

	if (!(caps & (FI_RMA | FI_ATOMIC)))
		return false;
	return !(caps & directions) ||
	       caps & (FI_REMOTE_READ | FI_REMOTE_WRITE);
}

static bool match_mr_mode(const struct fi_info *offer,
			  const struct fi_info *hints, uint32_t version,
			  struct fabric_info_misfit *misfit)
{
	const char *what = "domain_attr->mr_mode";
	uint64_t given = (uint64_t)hints->domain_attr->mr_mode;
	uint64_t needs = (uint64_t)offer->domain_attr->mr_mode;

	/* the registration says whose memory it is, or there is no FI_HMEM */
	if (!(hints->caps & FI_HMEM))
		needs &= ~(uint64_t)FI_MR_HMEM;
	else if (!(given & FI_MR_HMEM))
		return misfits(misfit, what, given, needs);
	if (needs & FI_MR_LOCAL && !(given & FI_MR_LOCAL) &&
	    !(hints->mode & COMPAT_LOCAL_MR))
		return misfits(misfit, what, given, needs);
	needs &= ~(uint64_t)FI_MR_LOCAL;
	if (fabric_info_is_legacy_mr(hints, version))
		return given == COMPAT_MR_BASIC || given == COMPAT_MR_UNSPEC ||
		       misfits(misfit, what, given, COMPAT_MR_BASIC);
	if (given & COMPAT_MR_SCALABLE)
		return misfits(misfit, what, given, needs);
	if (!is_rma_target(hints->caps))
		needs &= ~(uint64_t)(FI_MR_VIRT_ADDR | FI_MR_PROV_KEY);
	/* 0 came with the legacy mode bit FI_LOCAL_MR, or needs it not */
	return (given == COMPAT_MR_UNSPEC && !is_rma_target(hints->caps)) ||
	       accepts(misfit, what, given, needs);
}

/* Progress that the application need not make itself is there only where
 * the device does everything. */
static bool match_progress(const struct fi_info *offer,
			   const struct fi_domain_attr *asked,
			   struct fabric_info_misfit *misfit)
{
	const struct fi_domain_attr *have = offer->domain_attr;

	return (asked->data_progress != FI_PROGRESS_AUTO ||
		same(misfit, "domain_attr->data_progress",
		     asked->data_progress, have->data_progress)) &&
	       (asked->control_progress != FI_PROGRESS_AUTO ||
		same(misfit, "domain_attr->control_progress",
		     asked->control_progress, have->control_progress));
}

static bool match_domain(const struct fi_info *offer,
			 const struct fi_info *hints, uint32_t version,
			 struct fabric_info_misfit *misfit)
{
	const struct fi_domain_attr *asked = hints->domain_attr;
	const struct fi_domain_attr *have = offer->domain_attr;

	if (!same_name(misfit, "domain_attr->name", asked->name, have->name) ||
	    !within(misfit, "domain_attr->cq_data_size", asked->cq_data_size,
		    have->cq_data_size) ||
	    !match_mr_mode(offer, hints, version, misfit))
		return false;
	/* what follows came with API 1.5; every model of threading, resource
	 * management and address vector is served */
	if (!compat_api_has(version, 1, 5))
		return true;
	if (compat_api_has(version, 1, 20)) {
		const struct compat_domain_tail *tail = (const void *)
			((const char *)asked + COMPAT_DOMAIN_TAIL_OFFSET);

		if (!within(misfit, "domain_attr->max_ep_auth_key",
			    tail->max_ep_auth_key, 0))
			return false;
	}
	return match_progress(offer, asked, misfit) &&
	       within(misfit, "domain_attr->cntr_cnt", asked->cntr_cnt,
		      have->cntr_cnt) &&
	       within(misfit, "domain_attr->mr_iov_limit",
		      asked->mr_iov_limit, have->mr_iov_limit) &&
	       within(misfit, "domain_attr->mr_cnt", asked->mr_cnt,
		      have->mr_cnt) &&
	       within(misfit, "domain_attr->max_err_data",
		      asked->max_err_data, have->max_err_data) &&
	       within(misfit, "domain_attr->auth_key_size",
		      asked->auth_key_size, 0) &&
	       subset(misfit, "domain_attr->caps", asked->caps, have->caps);
}

static bool match_ep(const struct fi_info *offer, const struct fi_info *hints,
		     struct fabric_info_misfit *misfit)
{
	const struct fi_ep_attr *asked = hints->ep_attr;
	const struct fi_ep_attr *have = offer->ep_attr;

	return same(misfit, "ep_attr->type", asked->type, have->type) &&
	       same(misfit, "ep_attr->protocol", asked->protocol,
		    have->protocol) &&
	       within(misfit, "ep_attr->protocol_version",
		      asked->protocol_version, have->protocol_version) &&
	       within(misfit, "ep_attr->max_msg_size", asked->max_msg_size,
		      have->max_msg_size) &&
	       within(misfit, "ep_attr->tx_ctx_cnt", asked->tx_ctx_cnt,
		      offer->domain_attr->max_ep_tx_ctx) &&
	       within(misfit, "ep_attr->rx_ctx_cnt", asked->rx_ctx_cnt,
		      offer->domain_attr->max_ep_rx_ctx) &&
	       within(misfit, "ep_attr->auth_key_size", asked->auth_key_size,
		      0);
}

uint64_t fabric_info_given_mode(const struct fi_info *hints)
{
	if (!hints)
		return 0;
	return hints->mode |
	       (hints->rx_attr ? hints->rx_attr->mode & FI_RX_CQ_DATA : 0);
}

/* The capabilities that @hints have of one side, and not of the whole. */
static uint64_t still_has(const struct fi_info *hints)
{
	uint64_t caps = 0;

	if (!hints->caps)
		return 0;
	if (hints->tx_attr)
		caps |= hints->tx_attr->caps;
	if (hints->rx_attr)
		caps |= hints->rx_attr->caps;
	return caps & ~hints->caps;
}

bool fabric_info_lost_rma(const struct fi_info *hints)
{
	return hints && still_has(hints) & FI_RMA;
}

uint64_t fabric_info_wanted_caps(const struct fi_info *hints,
				 uint32_t version)
{
	const uint64_t keys = FI_MR_VIRT_ADDR | FI_MR_PROV_KEY;

	if (!hints || fabric_info_lost_rma(hints))
		return 0;
	if (!hints->caps && hints->domain_attr &&
	    !fabric_info_is_legacy_mr(hints, version) &&
	    ((uint64_t)hints->domain_attr->mr_mode & keys) != keys)
		return FI_MSG;
	return hints->caps | (still_has(hints) & FI_HMEM);
}

void fabric_info_waive_context(struct fi_info *offer,
			       const struct fi_info *hints)
{
	const char *name = hints && hints->fabric_attr ?
			   hints->fabric_attr->name : NULL;

	if (!name || hints->mode & FI_CONTEXT2 ||
	    strcmp(name, fabric_info_fabric_name(FABRIC_INFO_DIRECT)) ||
	    strcmp(name, offer->fabric_attr->name))
		return;
	offer->mode &= ~FI_CONTEXT2;
	offer->tx_attr->mode &= ~FI_CONTEXT2;
	offer->rx_attr->mode &= ~FI_CONTEXT2;
}

/* Receive capabilities in tx_attr, and the other way, were allowed once and
 * mean nothing. */
#define RX_ONLY_CAPS	(FI_RECV | FI_DIRECTED_RECV | FI_MULTI_RECV | \
			 FI_SOURCE | FI_REMOTE_READ | FI_REMOTE_WRITE)
#define TX_ONLY_CAPS	(FI_SEND | FI_READ | FI_WRITE)

static bool match_tx(const struct fi_info *offer, const struct fi_info *hints,
		     struct fabric_info_misfit *misfit)
{
	const struct fi_tx_attr *asked = hints->tx_attr;
	const struct fi_tx_attr *have = offer->tx_attr;

	return subset(misfit, "tx_attr->caps", asked->caps & ~RX_ONLY_CAPS,
		      have->caps) &&
	       accepts(misfit, "tx_attr->mode",
		       asked->mode ? asked->mode : hints->mode, have->mode) &&
	       subset(misfit, "tx_attr->op_flags", asked->op_flags,
		      have->op_flags) &&
	       subset(misfit, "tx_attr->msg_order", asked->msg_order,
		      have->msg_order) &&
	       subset(misfit, "tx_attr->comp_order", asked->comp_order,
		      have->comp_order) &&
	       within(misfit, "tx_attr->inject_size", asked->inject_size,
		      have->inject_size) &&
	       within(misfit, "tx_attr->size", asked->size,
		      fabric_info_tx_size(offer, asked->inject_size)) &&
	       within(misfit, "tx_attr->iov_limit", asked->iov_limit,
		      have->iov_limit) &&
	       within(misfit, "tx_attr->rma_iov_limit", asked->rma_iov_limit,
		      have->rma_iov_limit);
}

static bool match_rx(const struct fi_info *offer, const struct fi_info *hints,
		     struct fabric_info_misfit *misfit)
{
	const struct fi_rx_attr *asked = hints->rx_attr;
	const struct fi_rx_attr *have = offer->rx_attr;

	return subset(misfit, "rx_attr->caps", asked->caps & ~TX_ONLY_CAPS,
		      have->caps) &&
	       accepts(misfit, "rx_attr->mode",
		       asked->mode ? asked->mode | (hints->mode & FI_RX_CQ_DATA)
				   : hints->mode, have->mode) &&
	       subset(misfit, "rx_attr->op_flags", asked->op_flags,
		      have->op_flags) &&
	       subset(misfit, "rx_attr->msg_order", asked->msg_order,
		      have->msg_order) &&
	       subset(misfit, "rx_attr->comp_order", asked->comp_order,
		      have->comp_order) &&
	       within(misfit, "rx_attr->size", asked->size, have->size) &&
	       within(misfit, "rx_attr->iov_limit", asked->iov_limit,
		      have->iov_limit);
}

/* A NIC of all zeros, as some applications pass, asks for nothing. */
static bool match_nic(const struct fid_nic *have, const struct fid_nic *asked,
		      struct fabric_info_misfit *misfit)
{
	const struct fi_pci_attr *a, *h;

	if (asked->device_attr &&
	    !same_name(misfit, "nic->device_attr->name",
		       asked->device_attr->name, have->device_attr->name))
		return false;
	if (!asked->bus_attr || asked->bus_attr->bus_type != FI_BUS_PCI)
		return true;
	a = &asked->bus_attr->attr.pci;
	h = &have->bus_attr->attr.pci;
	return (have->bus_attr->bus_type == FI_BUS_PCI &&
		a->domain_id == h->domain_id && a->bus_id == h->bus_id &&
		a->device_id == h->device_id &&
		a->function_id == h->function_id) ||
	       misfits(misfit, "nic->bus_attr (PCI bus)", a->bus_id,
		       h->bus_id);
}

bool fabric_info_matches(const struct fi_info *offer,
			 const struct fi_info *hints, uint32_t version,
			 struct fabric_info_misfit *misfit)
{
	if (!hints)
		return true;
	if (hints->ep_attr && !match_ep(offer, hints, misfit))
		return false;
	if (!subset(misfit, "caps", hints->caps, offer->caps) ||
	    !accepts(misfit, "mode", fabric_info_given_mode(hints),
		     offer->mode) ||
	    !same(misfit, "addr_format", hints->addr_format,
		  offer->addr_format))
		return false;
	if (hints->fabric_attr &&
	    !same_name(misfit, "fabric_attr->name", hints->fabric_attr->name,
		       offer->fabric_attr->name))
		return false;
	if (hints->domain_attr && !match_domain(offer, hints, version, misfit))
		return false;
	return (!hints->tx_attr || match_tx(offer, hints, misfit)) &&
	       (!hints->rx_attr || match_rx(offer, hints, misfit)) &&
	       (!hints->nic || match_nic(offer->nic, hints->nic, misfit));
}

static int kind_of(const struct fi_info *info, enum fabric_info_kind *kind)
{
	for (*kind = 0; *kind < FABRIC_INFO_KINDS; (*kind)++) {
		bool dgram = *kind == FABRIC_INFO_DGRAM;

		if (info->ep_attr && info->fabric_attr &&
		    info->fabric_attr->name &&
		    info->ep_attr->type == (dgram ? FI_EP_DGRAM : FI_EP_RDM) &&
		    !strcmp(info->fabric_attr->name,
			    fabric_info_fabric_name(*kind)))
			return 0;
	}
	compat_warn(FI_LOG_DOMAIN, "the info given is none of this provider's "
		    "endpoints; take one that fi_getinfo returned");
	return -FI_EINVAL;
}

int fabric_info_check(const struct dev_device *device, uint32_t version,
		      const struct fi_info *info, enum fabric_info_kind *kind)
{
	struct fabric_info_misfit misfit;
	char text[FABRIC_INFO_MISFIT_SIZE];
	struct fi_info *offer;
	int ret;

	ret = kind_of(info, kind);
	if (ret)
		return ret;
	/* all there is: applications take capabilities away, not limits */
	offer = fabric_info_offer(device, *kind, 0,
				  fabric_info_given_mode(info));
	if (!offer)
		return -FI_ENOMEM;
	fabric_info_waive_context(offer, info);
	if (!fabric_info_matches(offer, info, version, &misfit)) {
		fabric_info_misfit_text(&misfit, text, sizeof(text));
		compat_warn(FI_LOG_DOMAIN, "%s cannot give what the info "
			    "asks: %s; use what fi_getinfo returned",
			    device->name, text);
		ret = -FI_EINVAL;
	}
	compat_info_destroy(offer);
	return ret;
}
