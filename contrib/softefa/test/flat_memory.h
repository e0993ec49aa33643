/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The memory of a client that does not exist: one flat range of addresses.
 */
#ifndef TEST_FLAT_MEMORY_H
#define TEST_FLAT_MEMORY_H

#include "engine/engine.h"

#define FLAT_BASE	0x100000u	/* its lowest address */
#define FLAT_BYTES	0x10000u

struct flat_memory {
	struct guest_memory mem;
	unsigned reads;			/* calls of mem.read */
	uint8_t byte[FLAT_BYTES] __attribute__((aligned(64)));
};

/* All zero. Accesses outside the range fail with -EFAULT. */
void flat_memory_init(struct flat_memory *flat);

/* The byte of client address @addr, which lies in the range. */
void *flat_at(struct flat_memory *flat, uint64_t addr);

#endif /* TEST_FLAT_MEMORY_H */
