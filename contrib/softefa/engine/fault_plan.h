/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The faults that are set, and the decision at each event which of them
 * strikes. Pure: knows no queue and no clock.
 *
 * A decision depends on the fault's text and on how many events it has
 * matched before, on nothing else: the same faults and the same events give
 * the same decisions, which the log of decisions shows.
 *
 * Who has an event looks at fault_plan_watches() first, which is all that
 * an engine without faults pays.
 */
#ifndef ENGINE_FAULT_PLAN_H
#define ENGINE_FAULT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "engine/fault_spec.h"

#define FAULT_PLAN_MAX		64u	/* faults at a time */
#define FAULT_LOG_LINES		4096u	/* decisions remembered */
#define FAULT_LOG_LINE_BYTES	192u	/* longest line, with its NUL */

struct fault;
struct fault_record;

struct fault_plan {
	uint32_t watched;	/* FAULT_BIT of each kind that is set */
	bool wants_type;	/* some fault looks at a payload's first byte */
	TAILQ_HEAD(, fault) faults;
	uint32_t count, next_id;
	uint64_t changes;		/* faults set and cleared so far */
	struct fault_record *log;	/* NULL before the first fault */
	uint64_t logged;		/* decisions since the start */
};

/* What happened; what does not apply is FAULT_ANY, of ops 0. */
struct fault_event {
	uint32_t device;
	uint32_t qp, peer;	/* peer: the QPN at the other end */
	uint32_t cq;
	uint32_t type;
	uint32_t op;		/* one FAULT_OP_* */
	enum fault_queue queue;
	uint32_t command;
	const char *host;	/* address of the other end; NULL: no link */
};

/* What is to be done about it. */
struct fault_decision {
	uint32_t id;		/* of the fault, not given again */
	uint64_t number;	/* of the event among those it matched, from 1 */
	uint64_t strike;	/* how many times it has struck by now */
	uint64_t delay_ns;	/* chosen from delay= */
	uint32_t later;		/* chosen from window=: 0 .. window - 1 */
	struct fault_spec spec;
};

void fault_plan_init(struct fault_plan *plan);
void fault_plan_fini(struct fault_plan *plan);

/*
 * Sets the fault of @text. Its ID, from 1; -EINVAL when the text is wrong,
 * -ENOSPC beyond FAULT_PLAN_MAX, -ENOMEM; @error then says so.
 */
int fault_plan_add(struct fault_plan *plan, const char *text,
		   char error[FAULT_ERROR_BYTES]);

/* Takes back fault @id, or all with 0. -ENOENT when there is none. */
int fault_plan_clear(struct fault_plan *plan, uint32_t id);

static inline bool fault_plan_watches(const struct fault_plan *plan,
				      uint32_t kinds)
{
	return __builtin_expect(plan->watched & kinds, 0);
}

/*
 * Counts @event for each fault of @kind that selects it. True when one of
 * them strikes, the oldest if several: then @decision says how.
 */
bool fault_plan_decide(struct fault_plan *plan, enum fault_kind kind,
		       const struct fault_event *event,
		       struct fault_decision *decision);

/* One line a fault: ID, text, events matched, times struck. */
size_t fault_plan_list(const struct fault_plan *plan, char *text,
		       size_t text_bytes);

/*
 * Decision lines from number @from (0: the oldest remembered) on, as many
 * as @text has room for. Returns the number after the last one written, the
 * @from of the next call; equal to @from when there is no more.
 */
uint64_t fault_plan_log(const struct fault_plan *plan, uint64_t from,
			char *text, size_t text_bytes, size_t *len_bytes);

#endif /* ENGINE_FAULT_PLAN_H */
