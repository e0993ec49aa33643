/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/req_id_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SET_BYTES	((UINT16_MAX + 1) / 8)

int req_id_set_init(struct req_id_set *set)
{
	set->words = calloc(1, SET_BYTES);
	return set->words ? 0 : -ENOMEM;
}

void req_id_set_fini(struct req_id_set *set)
{
	free(set->words);
	set->words = NULL;
}

bool req_id_set_add(struct req_id_set *set, uint16_t req_id)
{
	uint64_t bit = 1ull << (req_id % 64);
	uint64_t *word;

	if (!set->words)
		return true;
	word = &set->words[req_id / 64];
	if (*word & bit)
		return false;
	*word |= bit;
	return true;
}

void req_id_set_remove(struct req_id_set *set, uint16_t req_id)
{
	if (set->words)
		set->words[req_id / 64] &= ~(1ull << (req_id % 64));
}

void req_id_set_clear(struct req_id_set *set)
{
	if (set->words)
		memset(set->words, 0, SET_BYTES);
}
