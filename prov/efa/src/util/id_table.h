/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names for objects that go to a peer and come back from it: 32 bits, of
 * which the lower 20 are a slot and the upper 12 the slot's generation.
 *
 *	[ generation 12 | slot 20 ]
 *
 * A name that comes back late, twice, or made up finds nothing: the slot is
 * out of range, unused, in another generation, or of another owner. Slots
 * are reused in turn, the one free for longest first, so that a name returns
 * after 4095 uses of its slot and at least as many uses of every other free
 * one. No name is 0. No lock inside.
 */
#ifndef UTIL_ID_TABLE_H
#define UTIL_ID_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define UTIL_ID_SLOT_BITS	20u
#define UTIL_ID_MAX_OBJECTS	(1u << UTIL_ID_SLOT_BITS)

struct util_id_slot {
	void *object;		/* NULL: the slot is free */
	uint32_t id;		/* the present name, or the next one */
	uint32_t next_free;
};

struct util_id_table {
	struct util_id_slot *slot;
	uint32_t num_slots;
	uint32_t in_use;
	/* queue of free slots; valid while in_use < num_slots */
	uint32_t first_free, last_free;
};

/* An empty table; allocates nothing. */
void util_id_table_init(struct util_id_table *table);
/* The objects stay the caller's; there may be some. */
void util_id_table_fini(struct util_id_table *table);

/*
 * Names @object, which is not NULL: *@id is set. The table doubles as it
 * fills. 0, -ENOMEM, -ENOSPC when UTIL_ID_MAX_OBJECTS have a name.
 */
int util_id_table_add(struct util_id_table *table, void *object,
		      uint32_t *id);

/* The object named @id, any 32 bits; NULL: there is none. The caller checks
 * whose it is. */
static inline void *util_id_table_find(const struct util_id_table *table,
				       uint32_t id)
{
	uint32_t at = id & (UTIL_ID_MAX_OBJECTS - 1);

	if (__builtin_expect(at >= table->num_slots, 0) ||
	    table->slot[at].id != id)
		return NULL;
	return table->slot[at].object;
}

/* The name @id, which must be in use, is dead. */
void util_id_table_remove(struct util_id_table *table, uint32_t id);

/*
 * All objects in turn, beginning with *@at = 0; NULL at the end. The one
 * just returned may be removed.
 */
void *util_id_table_next(const struct util_id_table *table, uint32_t *at);

#endif /* UTIL_ID_TABLE_H */
