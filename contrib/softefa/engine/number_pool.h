/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Numbers that a device gives to its objects, and the way back: QPNs, PDs,
 * memory keys, address handles, CQs. Look-up, give and return are O(1).
 *
 * A number is a slot in its low bits and a generation above them: as on the
 * device (the driver masks a QPN to index its table, and says so), numbers
 * alive at one time differ in the low bits. A number that was returned comes
 * back last: unused slots first, then those unused longest, each with its
 * next generation. 0 and the all-ones number are never given.
 */
#ifndef ENGINE_NUMBER_POOL_H
#define ENGINE_NUMBER_POOL_H

#include <stdbool.h>
#include <stdint.h>

struct number_pool {
	void **object;		/* by slot; NULL: free */
	uint32_t *number;	/* by slot: the number given last */
	uint32_t *free_slot;	/* ring of returned slots, oldest first */
	uint32_t free_head, free_count;
	uint32_t fresh;		/* first slot never used, */
	uint32_t fresh_end;	/* of those before this one */
	uint32_t slots;		/* a power of two */
	uint32_t number_mask;
	uint32_t limit, live;
	bool reuse_first;
};

/*
 * At most @limit numbers at once, of @number_bits (up to 32) bits with a
 * generation; @number_bits 0: small numbers without one. The largest limit
 * is 2^(number_bits - 1). -ENOMEM.
 */
int number_pool_init(struct number_pool *pool, uint32_t limit,
		     unsigned number_bits);
/*
 * For a pool of numbers with a generation that has given none yet: the first
 * one it gives is @number, which is in range and neither 0 nor all ones;
 * those after it count on, around the end. 0: as number_pool_init left it.
 */
void number_pool_start_at(struct number_pool *pool, uint32_t number);
/*
 * From now on the number that was returned last comes back first, unchanged
 * and before those never used.
 */
void number_pool_reuse_first(struct number_pool *pool);
/* Forgets the objects, which stay their owners'. */
void number_pool_fini(struct number_pool *pool);

/* Gives @object, not NULL, a number. -ENOMEM when @limit are out. */
int number_pool_take(struct number_pool *pool, void *object, uint32_t *number);
/* The object that has @number now, else NULL. Any value is allowed. */
void *number_pool_find(const struct number_pool *pool, uint32_t number);
/* @number must be out. */
void number_pool_return(struct number_pool *pool, uint32_t number);

#endif /* ENGINE_NUMBER_POOL_H */
