/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "util/futex_lock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The holder runs on another CPU and is about to be done, mostly. */
#define UTIL_LOCK_SPINS		100

static bool util_lock_spin(struct util_lock *lock)
{
	for (int i = 0; i < UTIL_LOCK_SPINS; i++) {
		unsigned int free = 0;

#if defined(__x86_64__)
		__builtin_ia32_pause();
#elif defined(__aarch64__)
		__asm__ volatile("yield");
#endif
		if (atomic_load_explicit(&lock->state,
					 memory_order_relaxed) == 0 &&
		    atomic_compare_exchange_strong_explicit(
			    &lock->state, &free, 1, memory_order_acquire,
			    memory_order_relaxed))
			return true;
	}
	return false;
}

/*
 * Whoever comes out of here holds the lock in state 2: there may be more
 * waiters, and a wake too many is cheaper than one that is lost.
 */
void util_lock_wait(struct util_lock *lock)
{
	if (util_lock_spin(lock))
		return;
	while (atomic_exchange_explicit(&lock->state, 2,
					memory_order_acquire) != 0)
		syscall(SYS_futex, &lock->state, FUTEX_WAIT_PRIVATE, 2, NULL,
			NULL, 0);
}

void util_lock_wake(struct util_lock *lock)
{
	syscall(SYS_futex, &lock->state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
