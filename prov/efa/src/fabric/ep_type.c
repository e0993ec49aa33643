/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/ep_type.h"

#include <rdma/fi_errno.h>

#include "compat/log.h"

static fabric_ep_open_fn *fabric_ep_types[FABRIC_INFO_KINDS];

void fabric_ep_type_set(enum fabric_info_kind kind, fabric_ep_open_fn *open)
{
	fabric_ep_types[kind] = open;
}

bool fabric_ep_type_is_there(enum fabric_info_kind kind)
{
	return fabric_ep_types[kind] != NULL;
}

int fabric_ep_open2(struct fid_domain *fid, struct fi_info *info,
		    struct fid_ep **ep, uint64_t flags, void *context)
{
	struct fabric_domain *domain = fabric_domain_of(fid);
	enum fabric_info_kind kind;
	int ret;

	if (flags) {
		compat_warn(FI_LOG_EP_CTRL,
			    "fi_endpoint2: unknown flags %#llx; give 0",
			    (unsigned long long)flags);
		return -FI_EBADFLAGS;
	}
	if (!info || !info->ep_attr || !info->tx_attr || !info->rx_attr) {
		compat_warn(FI_LOG_EP_CTRL,
			    "fi_endpoint: the fi_info lacks attributes; give one of fi_getinfo");
		return -FI_EINVAL;
	}
	ret = fabric_info_check(domain->device, domain->api_version, info,
				&kind);
	if (ret)
		return ret;
	if (!fabric_ep_types[kind])
		return -FI_ENOSYS;
	return fabric_ep_types[kind](domain, info, kind, ep, context);
}

int fabric_ep_open(struct fid_domain *domain, struct fi_info *info,
		   struct fid_ep **ep, void *context)
{
	return fabric_ep_open2(domain, info, ep, 0, context);
}
