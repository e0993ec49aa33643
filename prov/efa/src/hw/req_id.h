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
 * told from a live one by one compare. Free slots queue up, so that with 16
 * bits an ID returns after 65536 requests at the earliest.
 *
 * Two threads work on a table without a lock between them: the poster takes
 * IDs (get), the completer finds and returns them (find, put). Posters
 * serialise among themselves, and so do completers.
 */
#ifndef HW_REQ_ID_H
#define HW_REQ_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/work_queue.h"

/* No live request ever has this ID: 16-bit IDs are below it, and the
 * 64-bit generation skips it. */
#define HW_REQ_ID_NONE	UINT64_MAX

#define HW_REQ_MAX_SLOTS	32768u

/* A request in flight; all but the ID is the owner's. */
struct hw_req_slot {
	uint64_t id;		/* or HW_REQ_ID_NONE */
	void *context;
	uint32_t peer;		/* whom a send goes to; room of a receive */
	union {
		struct {
			uint16_t flags;
			uint16_t units;	/* ring entries the request occupies */
		};
		uint32_t flags_units;	/* both, for one store */
	};
};

struct hw_req_table {
	/* constant after init */
	struct hw_req_slot *slots;
	uint64_t *free_ids;	/* ring: the next ID of each free slot */
	uint64_t id_mask;	/* 0xffff or UINT64_MAX */
	uint32_t slot_mask;
	/* the poster's: IDs taken, free running, and how many may be out */
	uint32_t taken;
	uint32_t limit;
	/* written by the completer: IDs returned, free running */
	uint32_t returned __attribute__((aligned(64)));
};

/*
 * Allocates a table of @num_slots (a power of two, 1..HW_REQ_MAX_SLOTS,
 * else -EINVAL; -ENOMEM). @wide: 64-bit IDs. @first_generation: differs
 * between QPs that may bear the same number.
 */
int hw_req_table_init(struct hw_req_table *table, uint32_t num_slots,
		      bool wide, uint64_t first_generation);
/* Frees the table; requests still in flight are forgotten. */
void hw_req_table_fini(struct hw_req_table *table);

/*
 * Poster: are as many requests in flight as may be? That is the number of
 * slots, unless the owner sets a lower @limit, to raise it later.
 */
static HW_INLINE bool hw_req_is_full(const struct hw_req_table *table)
{
	/* pairs with hw_req_put: the returned ID is there to be read */
	uint32_t returned = __atomic_load_n(&table->returned,
					    __ATOMIC_ACQUIRE);

	return table->taken - returned >= table->limit;
}

/*
 * Poster: takes a free slot for a request, and returns the ID that goes to
 * the device; assumes that the table is not full.
 */
static HW_INLINE uint64_t hw_req_get(struct hw_req_table *table, void *context,
				  uint32_t peer, uint16_t flags,
				  uint16_t units)
{
	uint64_t id = table->free_ids[table->taken++ & table->slot_mask];
	struct hw_req_slot *slot = &table->slots[id & table->slot_mask];

	slot->context = context;
	slot->peer = peer;
	slot->flags_units = flags | (uint32_t)units << 16;
	/* pairs with hw_req_find: who finds the ID finds what it is for */
	__atomic_store_n(&slot->id, id, __ATOMIC_RELEASE);
	return id;
}

/* Completer: the slot @id is in flight in, or NULL when there is none. */
static HW_INLINE struct hw_req_slot *
hw_req_find(const struct hw_req_table *table, uint64_t id)
{
	struct hw_req_slot *slot = &table->slots[id & table->slot_mask];
	uint64_t live = __atomic_load_n(&slot->id, __ATOMIC_ACQUIRE);

	return __builtin_expect(live == id, 1) ? slot : NULL;
}

/* Completer: ends the request of @slot; its ID is dead, the slot free. */
static HW_INLINE void hw_req_put(struct hw_req_table *table,
			      struct hw_req_slot *slot)
{
	uint64_t next = (slot->id + table->slot_mask + 1) & table->id_mask;

	if (__builtin_expect(next == HW_REQ_ID_NONE, 0))
		next &= table->slot_mask;
	__atomic_store_n(&slot->id, HW_REQ_ID_NONE, __ATOMIC_RELAXED);
	table->free_ids[table->returned & table->slot_mask] = next;
	__atomic_store_n(&table->returned, table->returned + 1,
			 __ATOMIC_RELEASE);
}

/* Requests in flight; a snapshot. */
static inline uint32_t hw_req_count(const struct hw_req_table *table)
{
	return table->taken -
	       __atomic_load_n(&table->returned, __ATOMIC_RELAXED);
}

#endif /* HW_REQ_ID_H */
