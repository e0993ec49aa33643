/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What is to happen later, in the order of its time; at equal times in the
 * order of insertion, so that one schedule of calls gives one order.
 */
#ifndef ENGINE_DUE_HEAP_H
#define ENGINE_DUE_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Part of the thing that waits; the heap holds a pointer to it. */
struct due_entry {
	uint64_t due_ns;
	uint64_t serial;
	size_t position;	/* in the heap, plus 1; 0: not in it */
};

struct due_heap {
	struct due_entry **entry;
	size_t count, capacity;
	uint64_t next_serial;
};

/* A zeroed heap is an empty one. */
void due_heap_fini(struct due_heap *heap);

static inline bool due_entry_is_waiting(const struct due_entry *entry)
{
	return entry->position != 0;
}

/* @entry, not waiting, stays the caller's until popped or removed. -ENOMEM */
int due_heap_insert(struct due_heap *heap, struct due_entry *entry,
		    uint64_t due_ns);
/* @entry must be waiting. */
void due_heap_remove(struct due_heap *heap, struct due_entry *entry);
/* Takes out the earliest entry with due_ns <= @now_ns, else NULL. */
struct due_entry *due_heap_pop(struct due_heap *heap, uint64_t now_ns);
/* UINT64_MAX when empty. */
uint64_t due_heap_next_ns(const struct due_heap *heap);

#endif /* ENGINE_DUE_HEAP_H */
