/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Discovery: fi_getinfo(3) of this provider. */
#ifndef FABRIC_INFO_H
#define FABRIC_INFO_H

#include <stdbool.h>

#include <rdma/fabric.h>

#include "fabric/info_match.h"

/*
 * The offers of all devices that fit, shaped by @hints: first each
 * efa-direct endpoint, then each datagram endpoint. 0 with a list that is
 * the core's to free, -FI_ENODATA when nothing fits or there is no device
 * (the log says why: a device that is missing at warn level, a hint that
 * does not fit at info level), -FI_ENOMEM.
 */
int fabric_info_get(uint32_t version, const char *node, const char *service,
		    uint64_t flags, const struct fi_info *hints,
		    struct fi_info **info);

#endif /* FABRIC_INFO_H */
