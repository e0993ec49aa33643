/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/peer_index.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Open addressing with linear probing, at most half full. A removal moves
 * later entries of the run back, so that no tombstones gather however often
 * peers come and go.
 *
 * Readers without the lock: a word that bears the key is right whenever it
 * is seen. A miss is right unless entries moved meanwhile, which @changes
 * tells. Tables that were outgrown are kept until the end, since a reader
 * may be in one; together they are no larger than the present one.
 */
#define SLOT_EMPTY	UINT64_MAX
#define FIRST_SLOTS	64u

static uint32_t slot_key(uint64_t word)
{
	return (uint32_t)(word >> 32);
}

static uint64_t slot_word(uint32_t key, uint32_t value)
{
	return (uint64_t)key << 32 | value;
}

/* Where a key's run begins: the high bits of a multiplicative hash. */
static uint32_t slot_home(const struct fabric_peer_table *table, uint32_t key)
{
	return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 32) & table->mask;
}

static uint64_t slot_load(const struct fabric_peer_table *table, uint32_t at)
{
	return atomic_load_explicit(&table->slot[at], memory_order_acquire);
}

static void slot_store(struct fabric_peer_table *table, uint32_t at,
		       uint64_t word)
{
	atomic_store_explicit(&table->slot[at], word, memory_order_release);
}

/* The slot with @key, or the empty one that ends its run. */
static uint32_t table_probe(const struct fabric_peer_table *table,
			    uint32_t key, uint64_t *word)
{
	uint32_t at = slot_home(table, key);

	while ((*word = slot_load(table, at)) != SLOT_EMPTY &&
	       slot_key(*word) != key)
		at = (at + 1) & table->mask;
	return at;
}

static struct fabric_peer_table *table_create(uint32_t slots)
{
	struct fabric_peer_table *table;

	table = malloc(sizeof(*table) + slots * sizeof(table->slot[0]));
	if (!table)
		return NULL;
	table->smaller = NULL;
	table->mask = slots - 1;
	for (uint32_t i = 0; i < slots; i++)
		atomic_init(&table->slot[i], SLOT_EMPTY);
	return table;
}

int fabric_peer_index_init(struct fabric_peer_index *index)
{
	struct fabric_peer_table *table = table_create(FIRST_SLOTS);

	if (!table)
		return -ENOMEM;
	atomic_init(&index->table, table);
	atomic_init(&index->changes, 0);
	index->count = 0;
	pthread_mutex_init(&index->lock, NULL);
	return 0;
}

void fabric_peer_index_fini(struct fabric_peer_index *index)
{
	struct fabric_peer_table *table = atomic_load(&index->table);

	while (table) {
		struct fabric_peer_table *smaller = table->smaller;

		free(table);
		table = smaller;
	}
	pthread_mutex_destroy(&index->lock);
}

static uint32_t find_locked(struct fabric_peer_index *index, uint32_t key)
{
	uint64_t word;

	pthread_mutex_lock(&index->lock);
	table_probe(atomic_load_explicit(&index->table, memory_order_relaxed),
		    key, &word);
	pthread_mutex_unlock(&index->lock);
	return word == SLOT_EMPTY ? FABRIC_PEER_NONE : (uint32_t)word;
}

uint32_t fabric_peer_index_find(struct fabric_peer_index *index, uint32_t key)
{
	unsigned int before = atomic_load_explicit(&index->changes,
						   memory_order_acquire);
	uint64_t word;

	table_probe(atomic_load_explicit(&index->table, memory_order_acquire),
		    key, &word);
	if (word != SLOT_EMPTY)
		return (uint32_t)word;
	/* whoever saw a moved entry also sees the count that precedes it */
	if (!(before & 1) &&
	    atomic_load_explicit(&index->changes, memory_order_acquire) ==
		    before)
		return FABRIC_PEER_NONE;
	return find_locked(index, key);
}

/* Replaces the table by one of twice the size; under the lock. */
static int index_grow(struct fabric_peer_index *index)
{
	struct fabric_peer_table *old, *table;
	uint64_t word, found;
	uint32_t at;

	old = atomic_load_explicit(&index->table, memory_order_relaxed);
	table = table_create((old->mask + 1) * 2);
	if (!table)
		return -ENOMEM;
	for (uint32_t i = 0; i <= old->mask; i++) {
		word = slot_load(old, i);
		if (word == SLOT_EMPTY)
			continue;
		at = table_probe(table, slot_key(word), &found);
		slot_store(table, at, word);
	}
	table->smaller = old;
	atomic_store_explicit(&index->table, table, memory_order_release);
	return 0;
}

static int set_locked(struct fabric_peer_index *index, uint32_t key,
		      uint32_t value)
{
	struct fabric_peer_table *table;
	uint64_t word;
	uint32_t at;
	int ret;

	table = atomic_load_explicit(&index->table, memory_order_relaxed);
	at = table_probe(table, key, &word);
	if (word == SLOT_EMPTY) {
		if ((index->count + 1) * 2 > table->mask + 1) {
			ret = index_grow(index);
			if (ret)
				return ret;
			table = atomic_load_explicit(&index->table,
						     memory_order_relaxed);
			at = table_probe(table, key, &word);
		}
		index->count++;
	}
	slot_store(table, at, slot_word(key, value));
	return 0;
}

int fabric_peer_index_set(struct fabric_peer_index *index, uint32_t key,
			  uint32_t value)
{
	int ret;

	pthread_mutex_lock(&index->lock);
	ret = set_locked(index, key, value);
	pthread_mutex_unlock(&index->lock);
	return ret;
}

/* Empties slot @hole and closes the run behind it. */
static void table_remove(struct fabric_peer_table *table, uint32_t hole)
{
	uint32_t at = hole;
	uint64_t word;

	for (;;) {
		at = (at + 1) & table->mask;
		word = slot_load(table, at);
		if (word == SLOT_EMPTY)
			break;
		/* may move unless its home lies between hole and itself */
		if (((at - slot_home(table, slot_key(word))) & table->mask) <
		    ((at - hole) & table->mask))
			continue;
		slot_store(table, hole, word);
		hole = at;
	}
	slot_store(table, hole, SLOT_EMPTY);
}

void fabric_peer_index_remove(struct fabric_peer_index *index, uint32_t key)
{
	struct fabric_peer_table *table;
	uint64_t word;
	uint32_t at;

	pthread_mutex_lock(&index->lock);
	table = atomic_load_explicit(&index->table, memory_order_relaxed);
	at = table_probe(table, key, &word);
	if (word != SLOT_EMPTY) {
		atomic_fetch_add_explicit(&index->changes, 1,
					  memory_order_acq_rel);
		table_remove(table, at);
		atomic_fetch_add_explicit(&index->changes, 1,
					  memory_order_release);
		index->count--;
	}
	pthread_mutex_unlock(&index->lock);
}
