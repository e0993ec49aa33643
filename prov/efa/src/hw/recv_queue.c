/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "hw/recv_queue.h"

#include <errno.h>

static bool hw_rq_is_possible(const struct hw_wq_geometry *geometry)
{
	uint32_t count = geometry->num_entries;

	return geometry->buffer && geometry->doorbell &&
	       geometry->entry_size == sizeof(struct efa_io_rx_desc) &&
	       count && !(count & (count - 1)) && count <= HW_REQ_MAX_SLOTS;
}

int hw_rq_init(struct hw_rq *rq, const struct hw_wq_geometry *geometry,
	       uint64_t first_generation)
{
	*rq = (struct hw_rq){
		.ring = geometry->buffer,
		.doorbell = geometry->doorbell,
		.entry_mask = geometry->num_entries - 1,
		.limit = geometry->num_entries,
	};
	if (!hw_rq_is_possible(geometry))
		return -EINVAL;
	/* a slot for each descriptor: a receive has one at least */
	return hw_req_table_init(&rq->ids, geometry->num_entries, false,
				 first_generation);
}

void hw_rq_fini(struct hw_rq *rq)
{
	hw_req_table_fini(&rq->ids);
}
