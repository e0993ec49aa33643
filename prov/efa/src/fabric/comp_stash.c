/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/comp_stash.h"

#include <stdlib.h>

#include <rdma/fi_errno.h>

#define FABRIC_COMP_STASH_FIRST_SIZE	64

static struct fabric_completion *
fabric_comp_stash_at(const struct fabric_comp_stash *stash, uint32_t position)
{
	return &stash->entries[position & (stash->size - 1)];
}

int fabric_comp_stash_reserve(struct fabric_comp_stash *stash, uint32_t more)
{
	uint32_t count = fabric_comp_stash_count(stash);
	struct fabric_comp_stash bigger = {
		.size = stash->size ? stash->size
				   : FABRIC_COMP_STASH_FIRST_SIZE,
		.tail = count,
	};

	if (stash->size - count >= more)
		return 0;
	while (bigger.size - count < more && bigger.size <= UINT32_MAX / 4)
		bigger.size *= 2;
	if (bigger.size - count < more)
		return -FI_ENOMEM;
	bigger.entries = calloc(bigger.size, sizeof(*bigger.entries));
	if (!bigger.entries)
		return -FI_ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		bigger.entries[i] = *fabric_comp_stash_at(stash, stash->head + i);
	free(stash->entries);
	*stash = bigger;
	return 0;
}

void fabric_comp_stash_push(struct fabric_comp_stash *stash,
			   const struct fabric_completion *completion)
{
	*fabric_comp_stash_at(stash, stash->tail) = *completion;
	stash->tail++;
}

struct fabric_completion *
fabric_comp_stash_first(const struct fabric_comp_stash *stash)
{
	if (stash->head == stash->tail)
		return NULL;
	return fabric_comp_stash_at(stash, stash->head);
}

void fabric_comp_stash_pop(struct fabric_comp_stash *stash)
{
	stash->head++;
}

void fabric_comp_stash_purge(struct fabric_comp_stash *stash,
			     const void *owner)
{
	uint32_t to = stash->head;

	for (uint32_t from = stash->head; from != stash->tail; from++) {
		struct fabric_completion *entry =
			fabric_comp_stash_at(stash, from);

		if (entry->owner == owner)
			free(entry->text);
		else
			*fabric_comp_stash_at(stash, to++) = *entry;
	}
	stash->tail = to;
}

void fabric_comp_stash_fini(struct fabric_comp_stash *stash)
{
	for (; stash->head != stash->tail; stash->head++)
		free(fabric_comp_stash_at(stash, stash->head)->text);
	free(stash->entries);
	*stash = (struct fabric_comp_stash){0};
}
