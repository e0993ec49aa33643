/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Request IDs: what a work request carries to the device and a completion
 * brings back. An ID is a slot and a generation, never a pointer:
 *
 *	16 bit:  [ generation | slot ]	generation = bits above the slot mask
 *	64 bit:  [ generation | slot ]	the same, with 64 - log2(slots) bits
 *
 * Each use of a slot has a generation of its own, so a completion that is
 * stale (of an earlier use, an earlier QP with this number) or made up is
 * told from a live one by one compare. With 16 bits and n slots the
 * generation returns after 65536 / n uses of the slot.
 *
 * Not thread safe: the owner of the queue serialises.
 */
#ifndef HW_REQ_ID_H
#define HW_REQ_ID_H

#include <stdbool.h>
#include <stdint.h>

/* No live request ever has this ID: 16-bit IDs are below it, and the
 * 64-bit generation skips it. */
#define HW_REQ_ID_NONE	UINT64_MAX

struct hw_req_slot {
	uint64_t id;		/* of the request in flight, or HW_REQ_ID_NONE */
	void *context;		/* the owner's */
	uint32_t flags;		/* the owner's */
	uint32_t units;		/* ring entries the request occupies */
};

struct hw_req_table {
	struct hw_req_slot *slots;
	uint64_t *free_ids;	/* stack of the next ID of each free slot */
	uint32_t free_count;
	uint32_t slot_mask;
	uint64_t id_mask;	/* 0xffff or UINT64_MAX */
};

/*
 * Allocates a table of @num_slots (a power of two, 1..32768, else -EINVAL;
 * -ENOMEM). @wide: 64-bit IDs. @first_generation: differs between QPs that
 * may bear the same number (a counter or a random number).
 */
int hw_req_table_init(struct hw_req_table *table, uint32_t num_slots,
		      bool wide, uint64_t first_generation);
/* Frees the table; requests still in flight are forgotten. */
void hw_req_table_fini(struct hw_req_table *table);

/*
 * Takes a free slot; assumes free_count > 0 (the caller has just tested for
 * a full queue). The slot's context, flags and units are the caller's to
 * set. Returns the slot, whose id goes to the device.
 */
static inline struct hw_req_slot *hw_req_get(struct hw_req_table *table)
{
	uint64_t id = table->free_ids[--table->free_count];
	struct hw_req_slot *slot = &table->slots[id & table->slot_mask];

	slot->id = id;
	return slot;
}

/* The slot @id is in flight in, or NULL when no such request is. */
static inline struct hw_req_slot *
hw_req_find(const struct hw_req_table *table, uint64_t id)
{
	struct hw_req_slot *slot = &table->slots[id & table->slot_mask];

	return __builtin_expect(slot->id == id, 1) ? slot : (void *)0;
}

/* Ends the request of @slot: its ID is dead, the slot free. */
static inline void hw_req_put(struct hw_req_table *table,
			      struct hw_req_slot *slot)
{
	uint64_t next = (slot->id + table->slot_mask + 1) & table->id_mask;

	if (__builtin_expect(next == HW_REQ_ID_NONE, 0))
		next = HW_REQ_ID_NONE & table->slot_mask;
	slot->id = HW_REQ_ID_NONE;
	table->free_ids[table->free_count++] = next;
}

/* Requests in flight. */
static inline uint32_t hw_req_count(const struct hw_req_table *table)
{
	return table->slot_mask + 1 - table->free_count;
}

/*
 * Ends some request in flight and tells its context and flags; false when
 * there is none. For closing a queue: O(slots) in total when called with
 * the same *@cursor, which starts at 0.
 */
bool hw_req_drain(struct hw_req_table *table, uint32_t *cursor,
		  struct hw_req_slot *out);

#endif /* HW_REQ_ID_H */
