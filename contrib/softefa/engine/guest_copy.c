/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/guest_copy.h"

#include "engine/engine.h"

enum guest_copy_side guest_copy(struct guest_memory *source,
				uint64_t source_addr,
				struct guest_memory *target,
				uint64_t target_addr, uint64_t len_bytes,
				void *bounce, int *error)
{
	while (len_bytes) {
		size_t part = GUEST_COPY_BOUNCE_BYTES;

		if (part > len_bytes)
			part = len_bytes;
		*error = source->read(source, source_addr, bounce, part);
		if (*error)
			return GUEST_COPY_SOURCE;
		*error = target->write(target, target_addr, bounce, part);
		if (*error)
			return GUEST_COPY_TARGET;
		source_addr += part;
		target_addr += part;
		len_bytes -= part;
	}
	*error = 0;
	return GUEST_COPY_OK;
}
