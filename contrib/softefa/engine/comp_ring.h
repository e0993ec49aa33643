/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Completion queues: the device writes entries and never reads them back.
 * The engine.h half is engine_cq_*.
 */
#ifndef ENGINE_COMP_RING_H
#define ENGINE_COMP_RING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "engine/due_heap.h"
#include "engine/engine.h"
#include "hw/efa_io_defs.h"

/* A fault's decision about the event of one sequence number. */
struct cq_event_fault {
	bool is_decided;		/* until the event is given */
	int sn;				/* the number it is about */
	uint64_t plan_changes;		/* and the faults it was made by */
	bool is_spurious;
	uint32_t coalesce;		/* completions to wait for */
	uint64_t delay_ns;		/* or this long, */
	bool has_started;
	uint64_t since_ns;		/* once it has started */
	struct due_entry due;
};

struct engine_cq {
	/* for each entry */
	uint8_t *ring;
	const volatile uint32_t *doorbell;	/* may be NULL */
	uint32_t depth;			/* a power of two */
	uint32_t produced;		/* counts freely */
	uint32_t flags;			/* ENGINE_CQ_* */
	uint32_t consumed;		/* as the doorbell told, at least */
	uint32_t last_doorbell;
	uint32_t seen_produced;		/* when the doorbell was last read */
	struct engine_cq_counters counters;
	bool broken;			/* takes no more entries */

	/* events: at most one for each sequence number of the consumer */
	int event_sn;			/* the last one served, -1: none */
	uint32_t event_count;
	void *opaque;
	struct cq_event_fault event_fault;

	struct engine_context *ctx;
	uint64_t serial;		/* unique in the engine */
	uint32_t number;
	uint32_t users;			/* queues of QPs that report here */
	uint32_t reported;		/* by rule_broken */
	LIST_ENTRY(engine_cq) link;	/* of the context */
	LIST_ENTRY(engine_cq) event_link;	/* of the engine */
};

/*
 * Appends @entry, complete but for its phase bit. A queue whose doorbell
 * claims more than was written is broken: it drops the entry, and the poll
 * loop stops its QPs.
 */
void comp_ring_post(struct engine_cq *cq, const struct efa_io_cdesc *entry);

/*
 * Gives the completion event of @cq, which must have ENGINE_CQ_EVENTS, when
 * entries lie beyond the consumer's index and none was given for its
 * present sequence number; whether or not the queue is armed: the request
 * bit shares a word with the index, whose next store wipes it out, so it
 * can be missed. The index is exact at the one time that matters, when the
 * driver arms; before that it may lag, and the event be a spurious one,
 * which a driver must expect anyway. True if one was given.
 */
bool comp_ring_give_event(struct engine_cq *cq);

#endif /* ENGINE_COMP_RING_H */
