/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Endpoints of the fabric efa, FI_EP_RDM: the RDM protocol, version 4. */
#ifndef RDM_RDM_EP_H
#define RDM_RDM_EP_H

#include "fabric/ep_type.h"

/*
 * As fabric_ep_open_fn. fi_close lets what was sent go, for a bounded time;
 * receives and unfinished messages end without completions, and those that
 * were not read are forgotten.
 */
int rdm_ep_open(struct fabric_domain *domain, const struct fi_info *info,
		enum fabric_info_kind kind, struct fid_ep **ep, void *context);

#endif /* RDM_RDM_EP_H */
