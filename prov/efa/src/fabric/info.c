/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/info.h"

#include <stdlib.h>
#include <string.h>

#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#include "compat/fi_abi.h"
#include "compat/log.h"
#include "fabric/address.h"
#include "fabric/domain.h"
#include "fabric/ep_type.h"
#include "fabric/fabric.h"
#include "fabric/iface_select.h"

/* What an application asked fi_getinfo for. */
struct info_query {
	uint32_t version;
	const struct fi_info *hints;		/* NULL: everything */
	bool has_source, has_dest;
	struct fabric_address source;		/* GID alone */
	struct fabric_address dest;
};

/* ---- addresses ---- */

static int take_address(const void *addr, size_t len, const char *what,
			struct fabric_address *address, bool *has)
{
	if (!addr)
		return 0;
	if (len != sizeof(*address)) {
		compat_info(FI_LOG_CORE, "hints->%s is %zu bytes long, an EFA "
			    "address is %zu", what, len, sizeof(*address));
		return -FI_ENODATA;
	}
	memcpy(address, addr, sizeof(*address));
	*has = true;
	return 0;
}

static int parse_address(const char *node, const char *service,
			 struct fabric_address *address, bool *has)
{
	if (fabric_address_parse(node, service, address)) {
		compat_info(FI_LOG_CORE, "node \"%s\" and service \"%s\" are "
			    "no GID (written as an IPv6 address) and QP "
			    "number", node ? node : "", service ? service :
			    "");
		return -FI_ENODATA;
	}
	*has = true;
	return 0;
}

/* fi_getinfo(3): node and service name the destination, or with FI_SOURCE
 * the source, of which the service (the QP number) is the device's choice. */
static int query_addresses(struct info_query *query, const char *node,
			   const char *service, uint64_t flags)
{
	const struct fi_info *hints = query->hints;
	int ret = 0;

	if (flags & FI_SOURCE) {
		if (node)
			ret = parse_address(node, NULL, &query->source,
					    &query->has_source);
	} else if (hints) {
		ret = take_address(hints->src_addr, hints->src_addrlen,
				   "src_addr", &query->source,
				   &query->has_source);
	}
	if (ret)
		return ret;
	if (!(flags & FI_SOURCE) && (node || service))
		return parse_address(node, service, &query->dest,
				     &query->has_dest);
	if (!hints)
		return 0;
	return take_address(hints->dest_addr, hints->dest_addrlen,
			    "dest_addr", &query->dest, &query->has_dest);
}

/* ---- shaping an offer ---- */

static uint64_t shape_caps(uint64_t asked, uint64_t have)
{
	const uint64_t msg = FI_SEND | FI_RECV;
	const uint64_t rma = FI_READ | FI_WRITE | FI_REMOTE_READ |
			     FI_REMOTE_WRITE;
	const uint64_t always = FI_LOCAL_COMM | FI_REMOTE_COMM;
	uint64_t caps;

	if (!asked)
		return have;
	caps = (asked | always) & have;
	if (caps & (FI_MSG | FI_TAGGED) && !(caps & msg))
		caps |= have & msg;
	if (caps & FI_RMA && !(caps & rma))
		caps |= have & rma;
	return caps;
}

/* Of one side: what it has of the whole endpoint's, or of that what was
 * asked for. Nothing that the endpoint does in the other direction alone. */
static uint64_t shape_attr_caps(uint64_t asked, uint64_t info_caps,
				uint64_t have)
{
	const uint64_t msg = FI_SEND | FI_RECV;
	const uint64_t rma = FI_READ | FI_WRITE | FI_REMOTE_READ |
			     FI_REMOTE_WRITE;
	uint64_t caps = (asked ? shape_caps(asked, have) : have) & info_caps;

	if (!(caps & msg))
		caps &= ~(FI_MSG | FI_TAGGED);
	if (!(caps & rma))
		caps &= ~FI_RMA;
	if (!(caps & (msg | rma)))
		caps &= ~FI_HMEM;
	return caps;
}

/* Without hints no flag is a default but that operations complete. */
static void shape_tx(struct fi_info *info, const struct fi_tx_attr *asked,
		     size_t usual_inject_size)
{
	struct fi_tx_attr *attr = info->tx_attr;

	attr->caps = shape_attr_caps(asked ? asked->caps : 0, info->caps,
				     attr->caps);
	attr->op_flags = asked ? asked->op_flags :
			 FI_COMPLETION | FI_TRANSMIT_COMPLETE;
	attr->inject_size = asked && asked->inject_size ?
			    asked->inject_size : usual_inject_size;
	attr->size = fabric_info_tx_size(info, attr->inject_size);
	if (!asked)
		return;
	attr->msg_order &= asked->msg_order;
	if (asked->size)
		attr->size = asked->size;
	if (asked->iov_limit)
		attr->iov_limit = asked->iov_limit;
	if (asked->tclass == FI_TC_BEST_EFFORT ||
	    asked->tclass == FI_TC_LOW_LATENCY)
		attr->tclass = asked->tclass;
}

static void shape_rx(struct fi_rx_attr *attr, const struct fi_rx_attr *asked,
		     uint64_t info_caps)
{
	attr->caps = shape_attr_caps(asked ? asked->caps : 0, info_caps,
				     attr->caps);
	/* what may be asked for is not what is had without asking */
	attr->op_flags = asked ? asked->op_flags : FI_COMPLETION;
	if (!asked)
		return;
	attr->msg_order &= asked->msg_order;
	if (asked->size)
		attr->size = asked->size;
	if (asked->iov_limit)
		attr->iov_limit = asked->iov_limit;
}

static void shape_domain(struct fi_info *info, const struct fi_info *hints,
			 uint32_t version)
{
	const struct fi_domain_attr *asked = hints ? hints->domain_attr : NULL;
	struct fi_domain_attr *attr = info->domain_attr;
	uint64_t local = attr->mr_mode & FI_MR_LOCAL ? COMPAT_LOCAL_MR : 0;

	if (fabric_info_is_legacy_mr(hints, version)) {
		attr->mr_mode = COMPAT_MR_BASIC;
		info->mode |= local;
	} else if (asked) {
		if (!(asked->mr_mode & FI_MR_LOCAL))
			info->mode |= local;
		/* who says so registers, though an endpoint need it not */
		attr->mr_mode = (attr->mr_mode | FI_MR_LOCAL) &
				asked->mr_mode;
	}
	if (!asked)
		return;
	if (asked->threading)
		attr->threading = asked->threading;
	if (asked->control_progress)
		attr->control_progress = asked->control_progress;
	if (asked->data_progress)
		attr->data_progress = asked->data_progress;
	if (asked->tclass == FI_TC_BEST_EFFORT ||
	    asked->tclass == FI_TC_LOW_LATENCY)
		attr->tclass = asked->tclass;
}

static bool shape_dest(struct fi_info *info, const struct info_query *query)
{
	if (!query->has_dest)
		return true;
	info->dest_addr = malloc(sizeof(query->dest));
	if (!info->dest_addr)
		return false;
	memcpy(info->dest_addr, &query->dest, sizeof(query->dest));
	info->dest_addrlen = sizeof(query->dest);
	return true;
}

/* Hands the opened objects of the hints back; they have been checked. */
static void shape_objects(struct fi_info *info, const struct fi_info *hints)
{
	if (hints->fabric_attr)
		info->fabric_attr->fabric = hints->fabric_attr->fabric;
	if (hints->domain_attr)
		info->domain_attr->domain = hints->domain_attr->domain;
}

/* fi_getinfo(3): a primary capability is there when it is asked for, and
 * without hints. An old way to say mr_mode has no place for this one's. */
static void shape_hmem(struct fi_info *info, const struct fi_info *hints,
		       uint32_t version)
{
	if (hints ? hints->caps & FI_HMEM :
		    !fabric_info_is_legacy_mr(NULL, version))
		return;
	info->caps &= ~FI_HMEM;
	info->tx_attr->caps &= ~FI_HMEM;
	info->rx_attr->caps &= ~FI_HMEM;
	info->domain_attr->mr_mode &= ~FI_MR_HMEM;
}

static int shape(struct fi_info *info, const struct info_query *query,
		 const struct dev_device *device)
{
	const struct fi_info *hints = query->hints;

	info->fabric_attr->api_version = query->version;
	if (fabric_info_lost_rma(hints))
		fabric_info_drop_rma(info, device);
	shape_hmem(info, hints, query->version);
	info->caps = shape_caps(hints ? hints->caps : 0, info->caps);
	shape_domain(info, hints, query->version);
	shape_tx(info, hints ? hints->tx_attr : NULL,
		 fabric_info_is_rdm(info) ? info->tx_attr->inject_size
					  : device->inline_size);
	shape_rx(info->rx_attr, hints ? hints->rx_attr : NULL, info->caps);
	if (hints)
		shape_objects(info, hints);
	return shape_dest(info, query) ? 0 : -FI_ENOMEM;
}

/* ---- choosing ---- */

/* fi_getinfo(3): an opened fabric or domain restricts the answer to it. */
static bool fits_objects(const struct fi_info *offer,
			 const struct fi_info *hints)
{
	const struct fid_fabric *fabric = hints->fabric_attr ?
					  hints->fabric_attr->fabric : NULL;
	const struct fid_domain *domain = hints->domain_attr ?
					  hints->domain_attr->domain : NULL;

	if (fabric &&
	    (!fabric_fabric_is_ours(fabric) ||
	     strcmp(((const struct fabric_fabric *)fabric)->name,
		    offer->fabric_attr->name)))
		return false;
	return !domain ||
	       (fabric_domain_is_ours(domain) &&
		!strcmp(((const struct fabric_domain *)domain)->name,
			offer->domain_attr->name));
}

static bool fits(const struct fi_info *offer, const struct info_query *query)
{
	const struct fabric_address *own = offer->src_addr;
	struct fabric_info_misfit misfit;
	char text[FABRIC_INFO_MISFIT_SIZE];

	if (query->has_source &&
	    memcmp(own->gid, query->source.gid, sizeof(own->gid))) {
		compat_info(FI_LOG_CORE, "%s has another GID than the source "
			    "address asked for", offer->domain_attr->name);
		return false;
	}
	if (query->hints && !fits_objects(offer, query->hints)) {
		compat_info(FI_LOG_CORE, "%s of %s is not of the opened "
			    "fabric or domain in the hints",
			    offer->domain_attr->name,
			    offer->fabric_attr->name);
		return false;
	}
	if (fabric_info_matches(offer, query->hints, query->version, &misfit))
		return true;
	fabric_info_misfit_text(&misfit, text, sizeof(text));
	compat_info(FI_LOG_CORE, "%s of %s does not fit: hints->%s",
		    offer->domain_attr->name, offer->fabric_attr->name, text);
	return false;
}

/* Appends the offer of @device as @kind, if it fits. 0 or -FI_ENOMEM. */
static int add_offer(const struct info_query *query,
		     const struct dev_device *device,
		     enum fabric_info_kind kind, struct fi_info ***tail)
{
	const struct fi_info *hints = query->hints;
	struct fi_info *offer;
	int ret;

	offer = fabric_info_offer(device, kind,
				  fabric_info_wanted_caps(hints,
							  query->version),
				  fabric_info_given_mode(hints));
	if (!offer)
		return -FI_ENOMEM;
	fabric_info_waive_context(offer, hints);
	if (!fits(offer, query)) {
		compat_info_destroy(offer);
		return 0;
	}
	ret = shape(offer, query, device);
	if (ret) {
		compat_info_destroy(offer);
		return ret;
	}
	**tail = offer;
	*tail = &offer->next;
	return 0;
}

static int add_kind(const struct info_query *query,
		    const struct dev_list *devices, const char *ifaces,
		    enum fabric_info_kind kind, struct fi_info ***tail)
{
	int ret = 0;

	for (uint32_t i = 0; i < devices->count && !ret; i++) {
		if (fabric_iface_selects(ifaces, devices->device[i].name))
			ret = add_offer(query, &devices->device[i], kind,
					tail);
	}
	return ret;
}

int fabric_info_get(uint32_t version, const char *node, const char *service,
		    uint64_t flags, const struct fi_info *hints,
		    struct fi_info **info)
{
	struct info_query query = { .version = version, .hints = hints };
	const char *ifaces = fabric_iface_value();
	const struct dev_list *devices;
	struct fi_info *list = NULL, **tail = &list;
	int ret;

	if (dev_list_get(&devices) || !fabric_iface_check(ifaces, devices))
		return -FI_ENODATA;
	ret = query_addresses(&query, node, service, flags);
	for (enum fabric_info_kind kind = 0; kind < FABRIC_INFO_KINDS && !ret;
	     kind++) {
		if (fabric_ep_type_is_there(kind))
			ret = add_kind(&query, devices, ifaces, kind, &tail);
	}
	if (!ret && !list)
		ret = -FI_ENODATA;
	if (ret) {
		compat_info_destroy(list);
		return ret;
	}
	*info = list;
	return 0;
}
