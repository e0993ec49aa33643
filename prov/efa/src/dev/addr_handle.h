/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Address handles: one per PD and remote GID, however many peers live
 * behind it, with a reference count. Thread safe.
 */
#ifndef DEV_ADDR_HANDLE_H
#define DEV_ADDR_HANDLE_H

#include <stdbool.h>

#include "dev/protection_domain.h"

struct dev_ah_table;

struct dev_ah {
	uint16_t ahn;		/* the number work requests carry */
	union ibv_gid gid;
};

/* @pd outlives the table. 0, -ENOMEM. */
int dev_ah_table_create(struct dev_pd *pd, struct dev_ah_table **table);
/* Destroys the table and the handles still in it. A negative errno, logged:
 * the device did not let go of one; the table is still there. */
int dev_ah_table_destroy(struct dev_ah_table *table);

/* Takes a reference; creates the handle at the first. O(1). Errors: the
 * device's (-ENOMEM: its table is full; logged), -EINVAL for a zero
 * GID. */
int dev_ah_get(struct dev_ah_table *table, const union ibv_gid *gid,
	       const struct dev_ah **ah);
/* Gives it back. A handle that the device does not let go of then stays in
 * the table without references. */
void dev_ah_put(struct dev_ah_table *table, const struct dev_ah *ah);

/* The GID of the handle whose number is @ahn. False: there is none. O(1). */
bool dev_ah_gid(struct dev_ah_table *table, uint16_t ahn, union ibv_gid *gid);

#endif /* DEV_ADDR_HANDLE_H */
