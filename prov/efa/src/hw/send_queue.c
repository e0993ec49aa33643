/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "hw/send_queue.h"

#include <errno.h>

static bool hw_sq_is_possible(const struct hw_wq_geometry *geometry)
{
	uint32_t count = geometry->num_entries;

	return geometry->buffer && geometry->doorbell &&
	       (geometry->entry_size == EFA_IO_TX_WQE_SIZE ||
		geometry->entry_size == EFA_IO_TX_WQE_SIZE_WIDE) &&
	       count && !(count & (count - 1)) && count <= HW_REQ_MAX_SLOTS;
}

int hw_sq_init(struct hw_sq *sq, const struct hw_wq_geometry *geometry,
	       uint64_t first_generation)
{
	*sq = (struct hw_sq){
		.ring = geometry->buffer,
		.doorbell = geometry->doorbell,
		.entry_mask = geometry->num_entries - 1,
		.entry_size = geometry->entry_size,
		.max_batch = geometry->max_batch ? geometry->max_batch
						 : geometry->num_entries,
		.wide_ids = geometry->caps & HW_WQ_REQ_ID_64,
	};
	if (!hw_sq_is_possible(geometry))
		return -EINVAL;
	sq->entry_shift = (uint32_t)__builtin_ctz(geometry->entry_size);
	sq->phase_shift = (uint32_t)__builtin_ctz(geometry->num_entries);
	return hw_req_table_init(&sq->ids, geometry->num_entries,
				 sq->wide_ids, first_generation);
}

void hw_sq_fini(struct hw_sq *sq)
{
	hw_req_table_fini(&sq->ids);
}
