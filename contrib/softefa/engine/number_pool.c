/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/number_pool.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t round_up_pow2(uint32_t n)
{
	uint32_t power = 1;

	while (power < n)
		power <<= 1;
	return power;
}

int number_pool_init(struct number_pool *pool, uint32_t limit,
		     unsigned number_bits)
{
	assert(limit && number_bits <= 32);
	memset(pool, 0, sizeof(*pool));
	pool->limit = limit;
	if (number_bits) {
		pool->slots = round_up_pow2(limit);
		pool->number_mask = (uint32_t)((1ull << number_bits) - 1);
		assert(pool->slots <= pool->number_mask / 2 + 1);
	} else {
		/* Neither the first slot nor the last is used: their
		 * numbers would be 0 and all ones. */
		pool->slots = round_up_pow2(limit + 2);
		pool->number_mask = pool->slots - 1;
		pool->fresh = 1;
		pool->fresh_end--;
	}
	pool->fresh_end += pool->slots;
	pool->object = calloc(pool->slots, sizeof(*pool->object));
	pool->number = calloc(pool->slots, sizeof(*pool->number));
	pool->free_slot = calloc(pool->slots, sizeof(*pool->free_slot));
	if (!pool->object || !pool->number || !pool->free_slot) {
		number_pool_fini(pool);
		return -ENOMEM;
	}
	return 0;
}

void number_pool_fini(struct number_pool *pool)
{
	free(pool->object);
	free(pool->number);
	free(pool->free_slot);
	memset(pool, 0, sizeof(*pool));
}

static uint32_t next_generation(const struct number_pool *pool, uint32_t number)
{
	if (pool->slots > pool->number_mask)
		return number;
	do {
		number = (number + pool->slots) & pool->number_mask;
	} while (!number || number == pool->number_mask);
	return number;
}

void number_pool_start_at(struct number_pool *pool, uint32_t number)
{
	assert(!pool->live && !pool->free_count);
	if (!number)
		return;
	assert(number < pool->number_mask && pool->number_mask >= pool->slots);
	pool->fresh = number;
	pool->fresh_end = number + pool->slots;
}

void number_pool_reuse_first(struct number_pool *pool)
{
	pool->reuse_first = true;
}

/* @fresh counts on past the largest number there is. */
static uint32_t take_fresh(struct number_pool *pool)
{
	uint32_t number = pool->fresh++ & pool->number_mask;
	uint32_t slot = number & (pool->slots - 1);

	if (!number || number == pool->number_mask)
		number = next_generation(pool, number);
	pool->number[slot] = number;
	return slot;
}

static uint32_t take_returned(struct number_pool *pool)
{
	uint32_t slot, at = pool->free_head;

	assert(pool->free_count);
	pool->free_count--;
	if (pool->reuse_first) {
		at = (at + pool->free_count) & (pool->slots - 1);
		return pool->free_slot[at];
	}
	slot = pool->free_slot[at];
	pool->free_head = (at + 1) & (pool->slots - 1);
	pool->number[slot] = next_generation(pool, pool->number[slot]);
	return slot;
}

int number_pool_take(struct number_pool *pool, void *object, uint32_t *number)
{
	uint32_t slot;

	assert(object);
	if (pool->live == pool->limit)
		return -ENOMEM;
	if (pool->fresh < pool->fresh_end &&
	    !(pool->reuse_first && pool->free_count))
		slot = take_fresh(pool);
	else
		slot = take_returned(pool);
	pool->object[slot] = object;
	pool->live++;
	*number = pool->number[slot];
	return 0;
}

void *number_pool_find(const struct number_pool *pool, uint32_t number)
{
	uint32_t slot = number & (pool->slots - 1);

	return pool->number[slot] == number ? pool->object[slot] : NULL;
}

void number_pool_return(struct number_pool *pool, uint32_t number)
{
	uint32_t slot = number & (pool->slots - 1);

	assert(pool->number[slot] == number && pool->object[slot]);
	pool->object[slot] = NULL;
	pool->free_slot[(pool->free_head + pool->free_count) &
			(pool->slots - 1)] = slot;
	pool->free_count++;
	pool->live--;
}
