/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/held_completion.h"

#include <stddef.h>
#include <stdlib.h>

struct held_completion {
	TAILQ_ENTRY(held_completion) link;	/* of qp, or of the engine */
	struct due_entry due;
	struct engine *engine;
	struct engine_qp *qp;		/* NULL: destroyed */
	struct engine_device *device;
	uint32_t cq_number;
	uint64_t cq_serial;
	enum fault_until until;
	uint64_t time_ns;
	struct efa_io_cdesc entry;
};

static struct held_list *list_of(struct held_completion *held)
{
	return held->qp ? &held->qp->held : &held->engine->orphan_completions;
}

static void forget(struct held_completion *held)
{
	if (due_entry_is_waiting(&held->due))
		due_heap_remove(&held->engine->held_due, &held->due);
	TAILQ_REMOVE(list_of(held), held, link);
	held->engine->held_count--;
	free(held);
}

/* Its end: the entry goes where it was to go, if that is still there. */
static void write_out(struct held_completion *held)
{
	struct engine_cq *cq = number_pool_find(&held->device->cqs,
						held->cq_number);

	if (cq && cq->serial == held->cq_serial)
		comp_ring_post(cq, &held->entry);
	forget(held);
}

static enum fault_until kind_of(const struct efa_io_cdesc *entry)
{
	return (entry->flags & EFA_IO_CDESC_Q_TYPE) >>
		EFA_IO_CDESC_Q_TYPE_SHIFT == EFA_IO_SEND_QUEUE ?
		FAULT_UNTIL_SEND : FAULT_UNTIL_RECV;
}

/* False when there is no memory to wait with. */
static bool start_time(struct held_completion *held)
{
	return held->time_ns == UINT64_MAX ||
		!due_heap_insert(&held->engine->held_due, &held->due,
				 held->engine->now_ns + held->time_ns);
}

void held_completion_add(struct engine_qp *qp, struct engine_cq *cq,
			 const struct efa_io_cdesc *entry,
			 enum fault_until until, uint64_t time_ns)
{
	struct engine *engine = qp->ctx->device->engine;
	struct held_completion *held = NULL;

	if (engine->held_count < HELD_COMPLETIONS_MAX)
		held = calloc(1, sizeof(*held));
	if (!held) {
		comp_ring_post(cq, entry);
		return;
	}
	*held = (struct held_completion) {
		.engine = engine,
		.qp = qp,
		.device = qp->ctx->device,
		.cq_number = cq->number,
		.cq_serial = cq->serial,
		.until = until,
		.time_ns = time_ns,
		.entry = *entry,
	};
	TAILQ_INSERT_TAIL(&qp->held, held, link);
	engine->held_count++;
	if (until != FAULT_UNTIL_DESTROY && !start_time(held))
		write_out(held);
}

/* Writes the first one of @qp that waits for one of @happened, if any. */
static bool release_one(struct engine_qp *qp, unsigned *happened)
{
	struct held_completion *held;

	TAILQ_FOREACH(held, &qp->held, link) {
		if (!(*happened & (1u << held->until)))
			continue;
		*happened |= 1u << kind_of(&held->entry);
		write_out(held);
		return true;
	}
	return false;
}

/* Those written may be what others wait for. */
void held_completion_release(struct engine_qp *qp, enum fault_until until)
{
	unsigned happened = 1u << until;

	while (release_one(qp, &happened))
		;
}

void held_completion_orphan(struct engine_qp *qp)
{
	struct held_completion *held;

	while ((held = TAILQ_FIRST(&qp->held))) {
		if (held->until != FAULT_UNTIL_DESTROY &&
		    held->time_ns == UINT64_MAX) {
			forget(held);
			continue;
		}
		TAILQ_REMOVE(&qp->held, held, link);
		held->qp = NULL;
		TAILQ_INSERT_TAIL(&held->engine->orphan_completions, held,
				  link);
		if (held->until != FAULT_UNTIL_DESTROY)
			continue;
		if (held->time_ns == UINT64_MAX || !start_time(held))
			write_out(held);
	}
}

unsigned held_completion_wake(struct engine *engine)
{
	struct held_completion *held;
	struct due_entry *entry;
	enum fault_until kind;
	struct engine_qp *qp;
	unsigned count = 0;

	while ((entry = due_heap_pop(&engine->held_due, engine->now_ns))) {
		held = (struct held_completion *)((char *)entry -
			offsetof(struct held_completion, due));
		qp = held->qp;
		kind = kind_of(&held->entry);
		write_out(held);
		if (qp)
			held_completion_release(qp, kind);
		count++;
	}
	return count;
}

void held_completion_fini(struct engine *engine)
{
	while (!TAILQ_EMPTY(&engine->orphan_completions))
		forget(TAILQ_FIRST(&engine->orphan_completions));
	due_heap_fini(&engine->held_due);
}
