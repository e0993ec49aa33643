/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "hw/comp_queue.h"

#include <errno.h>

static uint32_t hw_cq_publish_step(uint32_t num_entries)
{
	return num_entries >= 8 ? num_entries / 8 : 1;
}

int hw_cq_init(struct hw_cq *cq, const struct hw_cq_geometry *geometry)
{
	uint32_t count = geometry->num_entries;

	*cq = (struct hw_cq){
		.next = geometry->buffer,
		.phase = 1,
		.ring = geometry->buffer,
		.doorbell = geometry->doorbell,
		.entry_mask = count - 1,
		.publish_step = hw_cq_publish_step(count),
	};
	/* the doorbell counts entries in 16 bits */
	if (!geometry->buffer || geometry->entry_size != EFA_IO_CDESC_SIZE ||
	    !count || count & (count - 1) || count > EFA_IO_DB_CONS_MASK)
		return -EINVAL;
	cq->phase_shift = (uint32_t)__builtin_ctz(count);
	cq->publish_at = cq->publish_step;
	return 0;
}

const struct efa_io_cdesc *hw_cq_turn(struct hw_cq *cq)
{
	__atomic_store_n(&cq->phase, cq->phase ^ 1, __ATOMIC_RELAXED);
	return (const struct efa_io_cdesc *)cq->ring;
}

void hw_cq_write_doorbell(struct hw_cq *cq, bool arm)
{
	uint32_t word = cq->consumed & EFA_IO_DB_CONS_MASK;

	cq->publish_at = cq->consumed + cq->publish_step;
	if (!cq->doorbell)
		return;
	word |= cq->cmd_sn << EFA_IO_DB_CMD_SN_SHIFT & EFA_IO_DB_CMD_SN;
	if (arm)
		word |= EFA_IO_DB_ARM;
	hw_order_reads_before_doorbell();
	hw_doorbell_write(cq->doorbell, word);
}

uint32_t hw_cq_capacity(uint32_t num_entries)
{
	return num_entries - hw_cq_publish_step(num_entries);
}

uint32_t hw_cq_depth(uint32_t outstanding)
{
	return outstanding + outstanding / 4 + 1;
}
