/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/due_heap.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void due_heap_fini(struct due_heap *heap)
{
	free(heap->entry);
	memset(heap, 0, sizeof(*heap));
}

static bool is_before(const struct due_entry *a, const struct due_entry *b)
{
	if (a->due_ns != b->due_ns)
		return a->due_ns < b->due_ns;
	return a->serial < b->serial;
}

static void put(struct due_heap *heap, size_t index, struct due_entry *entry)
{
	heap->entry[index] = entry;
	entry->position = index + 1;
}

static void sift_up(struct due_heap *heap, size_t index,
		    struct due_entry *entry)
{
	while (index) {
		size_t parent = (index - 1) / 2;

		if (!is_before(entry, heap->entry[parent]))
			break;
		put(heap, index, heap->entry[parent]);
		index = parent;
	}
	put(heap, index, entry);
}

static void sift_down(struct due_heap *heap, size_t index,
		      struct due_entry *entry)
{
	for (;;) {
		size_t child = 2 * index + 1;

		if (child >= heap->count)
			break;
		if (child + 1 < heap->count &&
		    is_before(heap->entry[child + 1], heap->entry[child]))
			child++;
		if (!is_before(heap->entry[child], entry))
			break;
		put(heap, index, heap->entry[child]);
		index = child;
	}
	put(heap, index, entry);
}

int due_heap_insert(struct due_heap *heap, struct due_entry *entry,
		    uint64_t due_ns)
{
	assert(!due_entry_is_waiting(entry));
	if (heap->count == heap->capacity) {
		size_t capacity = heap->capacity ? 2 * heap->capacity : 64;
		struct due_entry **larger;

		larger = reallocarray(heap->entry, capacity, sizeof(*larger));
		if (!larger)
			return -ENOMEM;
		heap->entry = larger;
		heap->capacity = capacity;
	}
	entry->due_ns = due_ns;
	entry->serial = heap->next_serial++;
	sift_up(heap, heap->count++, entry);
	return 0;
}

void due_heap_remove(struct due_heap *heap, struct due_entry *entry)
{
	size_t index = entry->position - 1;
	struct due_entry *last;

	assert(index < heap->count && heap->entry[index] == entry);
	entry->position = 0;
	last = heap->entry[--heap->count];
	if (last == entry)
		return;
	if (index && is_before(last, heap->entry[(index - 1) / 2]))
		sift_up(heap, index, last);
	else
		sift_down(heap, index, last);
}

struct due_entry *due_heap_pop(struct due_heap *heap, uint64_t now_ns)
{
	struct due_entry *first;

	if (!heap->count || heap->entry[0]->due_ns > now_ns)
		return NULL;
	first = heap->entry[0];
	due_heap_remove(heap, first);
	return first;
}

uint64_t due_heap_next_ns(const struct due_heap *heap)
{
	return heap->count ? heap->entry[0]->due_ns : UINT64_MAX;
}
