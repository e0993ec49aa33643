/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What an RDMA operation of length 0 names as its local buffer: the device
 * wants one that is registered, the application need not have any. One page
 * for a whole domain, none of which is ever read or written.
 */
#ifndef FABRIC_EMPTY_REGION_H
#define FABRIC_EMPTY_REGION_H

#include <stdbool.h>

#include "dev/mem_region.h"
#include "hw/work_queue.h"

/* Zeroed: not there yet. The owner serialises the calls. */
struct fabric_empty_region {
	void *page;		/* NULL: not there */
	struct dev_mr mr;
};

/* Makes it at the first call, with the domain's @pd. 0 and *@sge, which has
 * length 0; -FI_ENOMEM or what the kernel says (logged). */
int fabric_empty_region_get(struct fabric_empty_region *region,
			    struct dev_pd *pd, struct hw_sge *sge);

/* 0, also when it was never there; a negative errno (logged): it stays. */
int fabric_empty_region_close(struct fabric_empty_region *region);

#endif /* FABRIC_EMPTY_REGION_H */
