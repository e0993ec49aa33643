/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Discovery: what each device offers as fi_info, and which of it fits an
 * application's hints (fi_getinfo(3)).
 */
#ifndef FABRIC_INFO_H
#define FABRIC_INFO_H

#include <rdma/fabric.h>

#include "dev/device_list.h"

/* What a device is offered as. The order is that of fi_getinfo's list. */
enum fabric_info_kind {
	FABRIC_INFO_DIRECT,	/* fabric efa-direct, FI_EP_RDM */
	FABRIC_INFO_DGRAM,	/* fabric efa, FI_EP_DGRAM */
	FABRIC_INFO_KINDS
};

#define FABRIC_DGRAM_PREFIX_SIZE	40	/* the GRH a UD receive begins with */

/* fi_getinfo. 0 with a list the core frees, -FI_ENODATA when nothing fits
 * (an info line of the log says which hint excluded what), -FI_ENOMEM. */
int fabric_info_get(uint32_t version, const char *node, const char *service,
		    uint64_t flags, const struct fi_info *hints,
		    struct fi_info **info);

/*
 * Which kind @info is, when it is one that @device offers to an application
 * of @api_version: what fi_getinfo gave, or that with fewer capabilities
 * and smaller limits. -FI_EINVAL otherwise, logged with the attribute.
 */
int fabric_info_check(const struct dev_device *device, uint32_t api_version,
		      const struct fi_info *info, enum fabric_info_kind *kind);

#endif /* FABRIC_INFO_H */
