/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A packet that came too early, copied out of its receive buffer into
 * memory of exactly its size; and queues of them, in the order of arrival.
 */
#ifndef RDM_STORED_PACKET_H
#define RDM_STORED_PACKET_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct rdm_stored_packet {
	struct rdm_stored_packet *next;
	uint32_t len;
	_Alignas(8) uint8_t bytes[];
};

/* Memory it takes. */
static inline size_t
rdm_stored_packet_size(const struct rdm_stored_packet *stored)
{
	return sizeof(*stored) + stored->len;
}

struct rdm_stored_queue {
	struct rdm_stored_packet *first, *last;
};

/* NULL: no memory. For free(). */
static inline struct rdm_stored_packet *
rdm_stored_packet_create(const void *bytes, uint32_t len)
{
	struct rdm_stored_packet *stored = malloc(sizeof(*stored) + len);

	if (!stored)
		return NULL;
	stored->next = NULL;
	stored->len = len;
	memcpy(stored->bytes, bytes, len);
	return stored;
}

static inline void rdm_stored_queue_append(struct rdm_stored_queue *queue,
					   struct rdm_stored_packet *stored)
{
	stored->next = NULL;
	if (queue->last)
		queue->last->next = stored;
	else
		queue->first = stored;
	queue->last = stored;
}

/* The oldest, or NULL; the caller's then. */
static inline struct rdm_stored_packet *
rdm_stored_queue_pop(struct rdm_stored_queue *queue)
{
	struct rdm_stored_packet *first = queue->first;

	if (first) {
		queue->first = first->next;
		if (!queue->first)
			queue->last = NULL;
	}
	return first;
}

#endif /* RDM_STORED_PACKET_H */
