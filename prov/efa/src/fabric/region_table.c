/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/region_table.h"

#include <string.h>

#include <rdma/fabric.h>

static uint64_t fabric_region_hash(uint64_t key)
{
	return util_hash_mix(key, 0);
}

/* Other bits than those that choose among the buckets of a table. */
static uint32_t fabric_region_shard_of(uint64_t key)
{
	return (uint32_t)(fabric_region_hash(key) >> 60) %
	       FABRIC_REGION_SHARDS;
}

int fabric_region_table_init(struct fabric_region_table *table)
{
	int ret;

	for (uint32_t i = 0; i < FABRIC_REGION_SHARDS; i++) {
		util_lock_init(&table->shard[i].lock);
		ret = util_hash_init(&table->shard[i].regions);
		if (ret) {
			while (i--)
				util_hash_fini(&table->shard[i].regions);
			return ret;
		}
	}
	return 0;
}

void fabric_region_table_fini(struct fabric_region_table *table)
{
	for (uint32_t i = 0; i < FABRIC_REGION_SHARDS; i++)
		util_hash_fini(&table->shard[i].regions);
}

void fabric_region_add(struct fabric_region_table *table,
		       struct fabric_region *region)
{
	uint32_t i = fabric_region_shard_of(region->key);

	util_lock_acquire(&table->shard[i].lock);
	util_hash_insert(&table->shard[i].regions, &region->node,
			 fabric_region_hash(region->key));
	util_lock_release(&table->shard[i].lock);
}

void fabric_region_remove(struct fabric_region_table *table,
			  struct fabric_region *region)
{
	uint32_t i = fabric_region_shard_of(region->key);

	util_lock_acquire(&table->shard[i].lock);
	util_hash_remove(&table->shard[i].regions, &region->node);
	util_lock_release(&table->shard[i].lock);
}

static bool fabric_region_allows(const struct fabric_region *region,
				 const struct fabric_region_range *range,
				 uint64_t access)
{
	return region->key == range->key &&
	       (region->access & access) == access &&
	       range->len <= region->len && range->addr >= region->addr &&
	       range->addr - region->addr <= region->len - range->len;
}

/* Under the shard's lock. */
static const struct fabric_region *
fabric_region_find(const struct util_hash_table *regions,
		   const struct fabric_region_range *range, uint64_t access)
{
	const struct fabric_region *region;
	struct util_hash_node *node;

	for (node = util_hash_first(regions, fabric_region_hash(range->key));
	     node; node = util_hash_next(node)) {
		region = (const struct fabric_region *)
			((const char *)node -
			 offsetof(struct fabric_region, node));
		if (fabric_region_allows(region, range, access))
			return region;
	}
	return NULL;
}

bool fabric_region_use(struct fabric_region_table *table,
		       const struct fabric_region_range *range,
		       uint64_t access, void (*use)(void *memory, void *arg),
		       void *arg)
{
	uint32_t i = fabric_region_shard_of(range->key);
	bool is_allowed;

	util_lock_acquire(&table->shard[i].lock);
	is_allowed = fabric_region_find(&table->shard[i].regions, range,
					access);
	if (is_allowed)
		use((void *)(uintptr_t)range->addr, arg);
	util_lock_release(&table->shard[i].lock);
	return is_allowed;
}

bool fabric_region_check(struct fabric_region_table *table,
			 const struct fabric_region_range *range,
			 uint64_t access, uint32_t *lkey)
{
	uint32_t i = fabric_region_shard_of(range->key);
	const struct fabric_region *region;

	util_lock_acquire(&table->shard[i].lock);
	region = fabric_region_find(&table->shard[i].regions, range, access);
	if (region)
		*lkey = region->lkey;
	util_lock_release(&table->shard[i].lock);
	return region;
}

struct copy {
	const void *from;
	void *to;
	size_t len;
};

static void fabric_region_copy_in(void *memory, void *arg)
{
	const struct copy *copy = arg;

	memcpy(memory, copy->from, copy->len);
}

static void fabric_region_copy_out(void *memory, void *arg)
{
	const struct copy *copy = arg;

	memcpy(copy->to, memory, copy->len);
}

bool fabric_region_store(struct fabric_region_table *table,
			 const struct fabric_region_range *range,
			 const void *from)
{
	struct copy copy = { .from = from, .len = (size_t)range->len };

	return fabric_region_use(table, range, FI_REMOTE_WRITE,
				 fabric_region_copy_in, &copy);
}

bool fabric_region_load(struct fabric_region_table *table,
			const struct fabric_region_range *range, void *to)
{
	struct copy copy = { .to = to, .len = (size_t)range->len };

	return fabric_region_use(table, range, FI_REMOTE_READ,
				 fabric_region_copy_out, &copy);
}
