/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The registered regions of a domain by their keys: what software needs that
 * does for a peer what the device does by itself, reach registered memory.
 * The same is asked as the device asks: is there such a key in this domain,
 * is the range within its region, was the access granted.
 *
 * Memory is touched only under the lock that closing a region takes, so that
 * nobody touches it once fi_close has returned. Keys are spread over several
 * locks; each is a leaf.
 */
#ifndef FABRIC_REGION_TABLE_H
#define FABRIC_REGION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/futex_lock.h"
#include "util/hash_table.h"

#define FABRIC_REGION_SHARDS	16u

struct fabric_region {
	struct util_hash_node node;
	uint64_t key;
	uint64_t addr;
	uint64_t len;
	uint64_t access;	/* FI_REMOTE_READ, FI_REMOTE_WRITE, others */
	uint32_t lkey;
};

struct fabric_region_table {
	struct {
		struct util_lock lock;
		struct util_hash_table regions;
	} shard[FABRIC_REGION_SHARDS];
};

/* What a peer names. */
struct fabric_region_range {
	uint64_t key;
	uint64_t addr;
	uint64_t len;
};

/* 0, -ENOMEM. */
int fabric_region_table_init(struct fabric_region_table *table);
/* All regions must be gone. */
void fabric_region_table_fini(struct fabric_region_table *table);

/* @region, filled but for its node, stays the caller's until it is removed. */
void fabric_region_add(struct fabric_region_table *table,
		       struct fabric_region *region);
/* Afterwards nobody touches its memory. */
void fabric_region_remove(struct fabric_region_table *table,
			  struct fabric_region *region);

/*
 * Calls @use with the memory of @range and @arg if a region has all of it
 * and grants all of @access; false if not. @use must not block, nor call
 * this table.
 */
bool fabric_region_use(struct fabric_region_table *table,
		       const struct fabric_region_range *range,
		       uint64_t access, void (*use)(void *memory, void *arg),
		       void *arg);

/* Would it be used? Then *@lkey is what a work request names the region by;
 * the device looks again whether it is still there. */
bool fabric_region_check(struct fabric_region_table *table,
			 const struct fabric_region_range *range,
			 uint64_t access, uint32_t *lkey);

/* Copies to and from a range: false if that is not allowed. */
bool fabric_region_store(struct fabric_region_table *table,
			 const struct fabric_region_range *range,
			 const void *from);
bool fabric_region_load(struct fabric_region_table *table,
			const struct fabric_region_range *range, void *to);

#endif /* FABRIC_REGION_TABLE_H */
