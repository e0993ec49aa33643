/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "util/hash_table.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#define FIRST_BUCKETS 16u

int util_hash_init(struct util_hash_table *table)
{
	table->bucket = calloc(FIRST_BUCKETS, sizeof(*table->bucket));
	if (!table->bucket)
		return -ENOMEM;
	table->mask = FIRST_BUCKETS - 1;
	table->count = 0;
	return 0;
}

void util_hash_fini(struct util_hash_table *table)
{
	free(table->bucket);
	table->bucket = NULL;
}

static void push(struct util_hash_node **bucket, struct util_hash_node *node)
{
	node->next = *bucket;
	*bucket = node;
}

static void grow(struct util_hash_table *table)
{
	uint32_t mask = table->mask * 2 + 1;
	struct util_hash_node **bucket, *node, *next;

	bucket = calloc((size_t)mask + 1, sizeof(*bucket));
	if (!bucket)
		return;
	for (uint32_t i = 0; i <= table->mask; i++) {
		for (node = table->bucket[i]; node; node = next) {
			next = node->next;
			push(&bucket[node->hash & mask], node);
		}
	}
	free(table->bucket);
	table->bucket = bucket;
	table->mask = mask;
}

void util_hash_insert(struct util_hash_table *table,
		      struct util_hash_node *node, uint64_t hash)
{
	if (table->count > table->mask && table->mask < UINT32_MAX / 2)
		grow(table);
	node->hash = hash;
	push(&table->bucket[hash & table->mask], node);
	table->count++;
}

static struct util_hash_node **find_link(const struct util_hash_table *table,
					 const struct util_hash_node *node)
{
	struct util_hash_node **link;

	link = &table->bucket[node->hash & table->mask];
	while (*link != node) {
		assert(*link);
		link = &(*link)->next;
	}
	return link;
}

void util_hash_remove(struct util_hash_table *table,
		      struct util_hash_node *node)
{
	*find_link(table, node) = node->next;
	table->count--;
}

void util_hash_replace(struct util_hash_table *table,
		       struct util_hash_node *node,
		       struct util_hash_node *heir)
{
	*heir = *node;
	*find_link(table, node) = heir;
}

static struct util_hash_node *skip_to(struct util_hash_node *node,
				      uint64_t hash)
{
	while (node && node->hash != hash)
		node = node->next;
	return node;
}

struct util_hash_node *util_hash_first(const struct util_hash_table *table,
				       uint64_t hash)
{
	return skip_to(table->bucket[hash & table->mask], hash);
}

struct util_hash_node *util_hash_next(const struct util_hash_node *node)
{
	return skip_to(node->next, node->hash);
}
