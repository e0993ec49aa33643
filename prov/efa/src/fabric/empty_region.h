/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Regions without any of the application's memory, where the device wants
 * one that is registered.
 *
 * What an RDMA operation of length 0 names as its local buffer, as the
 * application need not have any: one page for a whole domain, none of which
 * is ever read or written.
 *
 * What a registration of length 0 gives keys for. The kernel registers
 * pages, and no region without one; but a device may well look for the
 * address of an operation of length 0 in the region whose key it has. So one
 * byte of a page of the provider's own stands at that address.
 */
#ifndef FABRIC_EMPTY_REGION_H
#define FABRIC_EMPTY_REGION_H

#include <stdbool.h>

#include "dev/mem_region.h"
#include "hw/work_queue.h"

/* Zeroed: not there (yet). The owner serialises the calls. */
struct fabric_empty_region {
	void *page;		/* NULL: not there */
	struct dev_mr mr;
};

/* Makes it at the first call, with the domain's @pd. 0 and *@sge, which has
 * length 0; -FI_ENOMEM or what the kernel says (logged). */
int fabric_empty_region_get(struct fabric_empty_region *region,
			    struct dev_pd *pd, struct hw_sge *sge);

/* Registers one byte as if it were at @iova, with IBV_ACCESS_* @access; @region
 * is not there yet. 0, -FI_ENOMEM or what the kernel says (not logged). */
int fabric_empty_region_open_at(struct fabric_empty_region *region,
				struct dev_pd *pd, uint64_t iova, int access);

/* 0, also when it was never there; a negative errno (logged): it stays. */
int fabric_empty_region_close(struct fabric_empty_region *region);

#endif /* FABRIC_EMPTY_REGION_H */
