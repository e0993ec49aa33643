/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Tells ThreadSanitizer of the order that the shim's atomics make. The shim
 * is never built with a sanitizer, but is loaded into programs that are:
 * there the C library's functions that it calls report each access, and the
 * atomics in between would go unseen. Without a sanitizer both do nothing.
 */
#ifndef SHIM_THREAD_ORDER_H
#define SHIM_THREAD_ORDER_H

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

/* After an atomic on @address that orders what follows. */
static inline void thread_order_acquired(void *address)
{
	if (__tsan_acquire)
		__tsan_acquire(address);
}

/* Before an atomic on @address that orders what went before. */
static inline void thread_order_releasing(void *address)
{
	if (__tsan_release)
		__tsan_release(address);
}

#endif /* SHIM_THREAD_ORDER_H */
