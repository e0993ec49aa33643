/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/handle_table.h"

#define FIRST_SIZE	32u

void handle_table_init(struct handle_table *table)
{
	memset(table, 0, sizeof(*table));
}

void handle_table_fini(struct handle_table *table)
{
	free(table->slot);
	handle_table_init(table);
}

static int handle_table_grow(struct handle_table *table)
{
	uint32_t size = table->size ? table->size * 2 : FIRST_SIZE;
	struct handle_slot *slot;

	if (size > HANDLE_TABLE_MAX)
		return -ENOMEM;
	slot = reallocarray(table->slot, size, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	memset(slot + table->size, 0, (size - table->size) * sizeof(*slot));
	table->slot = slot;
	table->size = size;
	return 0;
}

int handle_table_add(struct handle_table *table, enum handle_type type,
		     void *object, uint32_t *handle)
{
	uint32_t i = table->lowest_free;

	assert(object && type != HANDLE_FREE);
	while (i < table->size && table->slot[i].type != HANDLE_FREE)
		i++;
	if (i == table->size && handle_table_grow(table))
		return -ENOMEM;
	table->slot[i].type = type;
	table->slot[i].object = object;
	table->lowest_free = i + 1;
	table->used++;
	*handle = i;
	return 0;
}

int handle_table_find(const struct handle_table *table, uint64_t handle,
		      enum handle_type type, void **object)
{
	if (handle >= table->size || table->slot[handle].type == HANDLE_FREE)
		return -ENOENT;
	if (table->slot[handle].type != type)
		return -EINVAL;
	*object = table->slot[handle].object;
	return 0;
}

void handle_table_remove(struct handle_table *table, uint32_t handle)
{
	assert(handle < table->size &&
	       table->slot[handle].type != HANDLE_FREE);
	table->slot[handle].type = HANDLE_FREE;
	table->slot[handle].object = NULL;
	table->used--;
	if (handle < table->lowest_free)
		table->lowest_free = handle;
}

void *handle_table_next(const struct handle_table *table,
			enum handle_type type, uint32_t *handle)
{
	for (uint32_t i = *handle; i < table->size; i++) {
		if (table->slot[i].type == type) {
			*handle = i;
			return table->slot[i].object;
		}
	}
	return NULL;
}
