/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "hw/req_id.h"

#include <errno.h>
#include <stdlib.h>

int hw_req_table_init(struct hw_req_table *table, uint32_t num_slots,
		      bool wide, uint64_t first_generation)
{
	*table = (struct hw_req_table){
		.id_mask = wide ? UINT64_MAX : UINT16_MAX,
		.slot_mask = num_slots - 1,
	};
	if (!num_slots || num_slots > HW_REQ_MAX_SLOTS ||
	    num_slots & (num_slots - 1))
		return -EINVAL;
	table->slots = calloc(num_slots, sizeof(*table->slots));
	table->free_ids = calloc(num_slots, sizeof(*table->free_ids));
	if (!table->slots || !table->free_ids) {
		hw_req_table_fini(table);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < num_slots; i++) {
		uint64_t id = (first_generation * num_slots + i) &
			      table->id_mask;

		table->slots[i].id = HW_REQ_ID_NONE;
		table->free_ids[i] = id == HW_REQ_ID_NONE ? i : id;
	}
	table->limit = num_slots;
	return 0;
}

void hw_req_table_fini(struct hw_req_table *table)
{
	free(table->slots);
	free(table->free_ids);
	table->slots = NULL;
	table->free_ids = NULL;
}
