/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Endpoints of the fabric efa-direct (FI_EP_RDM) and datagram endpoints of
 * the fabric efa: the device's queue pair as it is. Both are fabric_eps
 * with direct/msg and direct/complete, and nothing of their own.
 */
#ifndef DIRECT_EP_H
#define DIRECT_EP_H

#include "fabric/ep_type.h"

/*
 * As fabric_ep_open_fn. fi_close: work in flight ends without completions;
 * completions that were not read are forgotten.
 */
int direct_ep_open(struct fabric_domain *domain, const struct fi_info *info,
		   enum fabric_info_kind kind, struct fid_ep **ep,
		   void *context);

#endif /* DIRECT_EP_H */
