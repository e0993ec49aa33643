/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The life of a completion queue, and the table of its operations. */
#ifndef FABRIC_CQ_OPEN_H
#define FABRIC_CQ_OPEN_H

#include "fabric/cq.h"

/*
 * fi_cq_open: formats UNSPEC (CONTEXT), CONTEXT, MSG and DATA, wait objects
 * NONE, UNSPEC (FD) and FD; -FI_ENOSYS for others. -FI_EINVAL: more entries
 * than the device has, or unknown flags. Each refusal is logged.
 *
 * Whatever @attr->size says, the ring has room for the work of an endpoint
 * of full size, as far as the device goes: 0 is a good size.
 *
 * fi_close refuses with -FI_EBUSY while an endpoint is bound.
 */
int fabric_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr,
		   struct fid_cq **cq, void *context);

#endif /* FABRIC_CQ_OPEN_H */
