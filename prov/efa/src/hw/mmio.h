/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Ordering between this CPU and the device. Each barrier is named by what
 * it is for; queue code uses these names and no raw instruction.
 */
#ifndef HW_MMIO_H
#define HW_MMIO_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Everything stored so far, to host memory and to write-combining device
 * memory, is visible to the device before any later doorbell. Pairs with
 * the device's read of the doorbell.
 */
static inline void hw_flush_before_doorbell(void)
{
#if defined(__x86_64__)
	__builtin_ia32_sfence();
#elif defined(__aarch64__)
	__asm__ volatile("dsb st" ::: "memory");
#else
#error "name the store barrier to device memory of this architecture"
#endif
}

/*
 * Descriptors in host memory are visible before the doorbell. x86 keeps
 * stores in order by itself; the queue is not write-combining here.
 */
static inline void hw_order_before_doorbell(void)
{
#if defined(__x86_64__)
	__asm__ volatile("" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("dmb oshst" ::: "memory");
#endif
}

/*
 * What the device wrote before the phase bit just read is read after it.
 * Pairs with the device writing the word with the phase bit last.
 */
static inline void hw_order_after_phase(void)
{
#if defined(__x86_64__)
	__asm__ volatile("" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("dmb oshld" ::: "memory");
#endif
}

/*
 * Entries that were read stay as they were until the doorbell gives them
 * back to the device, which may then write over them.
 */
static inline void hw_order_reads_before_doorbell(void)
{
#if defined(__x86_64__)
	__asm__ volatile("" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("dmb oshld" ::: "memory");
#endif
}

static inline void hw_doorbell_write(volatile uint32_t *doorbell,
				     uint32_t value)
{
	*doorbell = value;
}

/*
 * Stores a queue entry of 64 bytes, or with @wide 128, into device memory in
 * whole 8-byte stores, in ascending order so that they combine. Each word is
 * named, so that it may come from a register.
 */
static inline __attribute__((always_inline)) void
hw_wc_store(void *device, const uint64_t *words, bool wide)
{
	volatile uint64_t *dst = device;

#pragma GCC unroll 8
	for (int i = 0; i < 8; i++)
		dst[i] = words[i];
	if (wide) {
#pragma GCC unroll 8
		for (int i = 8; i < 16; i++)
			dst[i] = words[i];
	}
}

#endif /* HW_MMIO_H */
