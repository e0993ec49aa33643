/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Registered memory: the device's translation of (key, address) to the
 * guest's. The engine.h half is engine_mr_*.
 */
#ifndef ENGINE_MEMORY_TABLE_H
#define ENGINE_MEMORY_TABLE_H

#include <stdint.h>

#include "engine/engine.h"

/*
 * Where in the guest @pd's range of @len_bytes at device address @addr is,
 * if @key is one of @pd's, covers the range and grants all of @access
 * (ENGINE_ACCESS_*, 0: reading for oneself), else -EACCES. Of an empty
 * range only the key and the access are checked.
 *
 * The answer holds until the next destroy: who works on across polls asks
 * again.
 */
int memory_resolve(const struct engine_pd *pd, uint32_t key, uint64_t addr,
		   uint64_t len_bytes, uint32_t access, uint64_t *guest_addr);

/*
 * In words, why memory_resolve refuses a range; NULL when a fault is to blame
 * and not who gave the key. Static.
 */
const char *memory_refusal(const struct engine_pd *pd, uint32_t key,
			   uint32_t access);

/*
 * A fault: whatever region has @key resolves to nothing any more, until its
 * owner, who does not know, destroys it.
 */
void memory_invalidate(struct engine_device *device, uint32_t key);

#endif /* ENGINE_MEMORY_TABLE_H */
