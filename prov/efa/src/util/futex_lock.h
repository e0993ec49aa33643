/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A lock for the data path: one atomic instruction each way while nobody
 * waits, a wait in the kernel otherwise. Not recursive.
 */
#ifndef UTIL_FUTEX_LOCK_H
#define UTIL_FUTEX_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>

/* 0 free, 1 held, 2 held and somebody may wait */
struct util_lock {
	atomic_uint state;
};

static inline void util_lock_init(struct util_lock *lock)
{
	atomic_init(&lock->state, 0);
}

/* Out of line: called by the functions below alone. */
void util_lock_wait(struct util_lock *lock);
void util_lock_wake(struct util_lock *lock);

static inline void util_lock_acquire(struct util_lock *lock)
{
	unsigned int free = 0;

	if (__builtin_expect(!atomic_compare_exchange_strong_explicit(
				     &lock->state, &free, 1,
				     memory_order_acquire,
				     memory_order_relaxed), 0))
		util_lock_wait(lock);
}

/* True: taken, as by util_lock_acquire. False: somebody has it. */
static inline bool util_lock_try(struct util_lock *lock)
{
	unsigned int free = 0;

	return atomic_compare_exchange_strong_explicit(&lock->state, &free, 1,
						       memory_order_acquire,
						       memory_order_relaxed);
}

/* The caller holds the lock. Pairs with util_lock_acquire. */
static inline void util_lock_release(struct util_lock *lock)
{
	if (__builtin_expect(atomic_exchange_explicit(&lock->state, 0,
						      memory_order_release) == 2,
			     0))
		util_lock_wake(lock);
}

#endif /* UTIL_FUTEX_LOCK_H */
