/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A hash table of chained nodes that lie in the caller's objects. It doubles
 * as it fills, so that all operations are O(1) on average. No lock inside.
 *
 *	for (node = util_hash_first(table, hash); node;
 *	     node = util_hash_next(node))
 *		compare the object that holds *node
 */
#ifndef UTIL_HASH_TABLE_H
#define UTIL_HASH_TABLE_H

#include <stdint.h>

struct util_hash_node {
	struct util_hash_node *next;
	uint64_t hash;
};

struct util_hash_table {
	struct util_hash_node **bucket;
	uint32_t mask;		/* buckets, a power of two, less 1 */
	uint32_t count;		/* nodes */
};

/* 0, -ENOMEM. */
int util_hash_init(struct util_hash_table *table);
/* The nodes stay the caller's; there may be some. */
void util_hash_fini(struct util_hash_table *table);

/* Spreads two words over 64 bits; equal words give equal results. */
static inline uint64_t util_hash_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)
		(a ^ 0x9e3779b97f4a7c15) * (b ^ 0xd1b54a32d192ed03);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Adds @node, whose object must not be in the table, under @hash. Growing
 * is tried when it is due; without memory chains get longer instead. */
void util_hash_insert(struct util_hash_table *table,
		      struct util_hash_node *node, uint64_t hash);
/* Takes out @node, which must be in the table. */
void util_hash_remove(struct util_hash_table *table,
		      struct util_hash_node *node);

/* Puts @heir, whose object must not be in the table, in the place of @node,
 * which must be, under the same hash. */
void util_hash_replace(struct util_hash_table *table,
		       struct util_hash_node *node,
		       struct util_hash_node *heir);

/* The first node under @hash, or NULL. */
struct util_hash_node *util_hash_first(const struct util_hash_table *table,
				       uint64_t hash);
/* The next one under the same hash, or NULL. */
struct util_hash_node *util_hash_next(const struct util_hash_node *node);

#endif /* UTIL_HASH_TABLE_H */
