/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "util/id_table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define FIRST_SLOTS	64u
#define SLOT_MASK	(UTIL_ID_MAX_OBJECTS - 1)

void util_id_table_init(struct util_id_table *table)
{
	*table = (struct util_id_table) { 0 };
}

void util_id_table_fini(struct util_id_table *table)
{
	free(table->slot);
	util_id_table_init(table);
}

static void append_free(struct util_id_table *table, uint32_t at)
{
	if (table->in_use == table->num_slots)
		table->first_free = at;
	else
		table->slot[table->last_free].next_free = at;
	table->last_free = at;
}

/* Assumes that no slot is free. */
static int grow(struct util_id_table *table)
{
	uint32_t old = table->num_slots;
	uint32_t num_slots = old ? old * 2 : FIRST_SLOTS;
	struct util_id_slot *slot;

	if (old == UTIL_ID_MAX_OBJECTS)
		return -ENOSPC;
	slot = realloc(table->slot, num_slots * sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	table->slot = slot;
	for (uint32_t at = old; at < num_slots; at++) {
		slot[at] = (struct util_id_slot) {
			.id = UTIL_ID_MAX_OBJECTS | at,
			.next_free = at + 1,
		};
	}
	table->first_free = old;
	table->last_free = num_slots - 1;
	table->num_slots = num_slots;
	return 0;
}

int util_id_table_add(struct util_id_table *table, void *object,
		      uint32_t *id)
{
	struct util_id_slot *slot;

	assert(object);
	if (__builtin_expect(table->in_use == table->num_slots, 0)) {
		int err = grow(table);

		if (err)
			return err;
	}
	slot = &table->slot[table->first_free];
	table->first_free = slot->next_free;
	table->in_use++;
	slot->object = object;
	*id = slot->id;
	return 0;
}

void util_id_table_remove(struct util_id_table *table, uint32_t id)
{
	struct util_id_slot *slot = &table->slot[id & SLOT_MASK];
	uint32_t next = id + UTIL_ID_MAX_OBJECTS;

	assert(util_id_table_find(table, id));
	/* generation 0 is left out: no name is 0 */
	if (next <= SLOT_MASK)
		next += UTIL_ID_MAX_OBJECTS;
	slot->object = NULL;
	slot->id = next;
	append_free(table, id & SLOT_MASK);
	table->in_use--;
}

void *util_id_table_next(const struct util_id_table *table, uint32_t *at)
{
	while (*at < table->num_slots) {
		void *object = table->slot[(*at)++].object;

		if (object)
			return object;
	}
	return NULL;
}
