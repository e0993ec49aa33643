/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The table of endpoint types. The layers that implement them lie below
 * this one; provider.c enters each at start-up, before any domain exists,
 * and fi_endpoint finds it here.
 */
#ifndef FABRIC_EP_TYPE_H
#define FABRIC_EP_TYPE_H

#include <rdma/fabric.h>
#include <rdma/fi_endpoint.h>

#include "fabric/domain.h"
#include "fabric/info.h"

/*
 * Opens an endpoint of the type. @info has passed fabric_info_check and
 * stays the caller's. 0 and *@ep, or a negative errno.
 */
typedef int fabric_ep_open_fn(struct fabric_domain *domain,
			      const struct fi_info *info,
			      enum fabric_info_kind kind, struct fid_ep **ep,
			      void *context);

/* Enters how endpoints of @kind are opened; NULL takes it out. */
void fabric_ep_type_set(enum fabric_info_kind kind, fabric_ep_open_fn *open);

/* Is there such a type? Discovery lists no other. */
bool fabric_ep_type_is_there(enum fabric_info_kind kind);

/*
 * fi_endpoint: refuses with -FI_EINVAL what fi_getinfo would not have given
 * for this device, then opens by the table.
 */
int fabric_ep_open(struct fid_domain *domain, struct fi_info *info,
		   struct fid_ep **ep, void *context);
/* fi_endpoint2: the same; flags other than 0 give -FI_EBADFLAGS. */
int fabric_ep_open2(struct fid_domain *domain, struct fi_info *info,
		    struct fid_ep **ep, uint64_t flags, void *context);

#endif /* FABRIC_EP_TYPE_H */
