/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Moves bytes from one client's memory to another's, as the DMA of two
 * devices would, through a buffer of the engine.
 */
#ifndef ENGINE_GUEST_COPY_H
#define ENGINE_GUEST_COPY_H

#include <stddef.h>
#include <stdint.h>

struct guest_memory;

#define GUEST_COPY_BOUNCE_BYTES	(256u * 1024)

enum guest_copy_side { GUEST_COPY_OK, GUEST_COPY_SOURCE, GUEST_COPY_TARGET };

/*
 * Copies @len_bytes. @bounce: GUEST_COPY_BOUNCE_BYTES, the caller's. Says
 * whose memory failed, with the errno (-EFAULT, -ESRCH) in @error; what
 * precedes the fault may have been copied.
 */
enum guest_copy_side guest_copy(struct guest_memory *source,
				uint64_t source_addr,
				struct guest_memory *target,
				uint64_t target_addr, uint64_t len_bytes,
				void *bounce, int *error);

#endif /* ENGINE_GUEST_COPY_H */
