/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/cq_event_fault.h"

#include "engine/device_state.h"

#define COALESCE_TIME_NS	1000000u	/* coalesce= without delay= */

static void decide(struct engine_cq *cq)
{
	struct engine *engine = cq->ctx->device->engine;
	struct fault_event event = {
		.device = cq->ctx->device->index,
		.qp = FAULT_ANY,
		.peer = FAULT_ANY,
		.cq = cq->number,
		.type = FAULT_ANY,
		.queue = FAULT_QUEUE_SEND,
		.command = FAULT_ANY,
	};
	struct cq_event_fault *fault = &cq->event_fault;
	struct fault_decision decision;

	fault->is_spurious = false;
	fault->delay_ns = 0;
	fault->coalesce = 1;
	if (!fault_plan_decide(&engine->faults, FAULT_CQ_EVENT, &event,
			       &decision))
		return;
	fault->is_spurious = decision.spec.is_spurious;
	fault->delay_ns = decision.delay_ns;
	if (!decision.spec.coalesce)
		return;
	fault->coalesce = decision.spec.coalesce;
	if (!fault->delay_ns)
		fault->delay_ns = COALESCE_TIME_NS;
}

void cq_event_fault_forget(struct engine_cq *cq)
{
	if (due_entry_is_waiting(&cq->event_fault.due))
		due_heap_remove(&cq->ctx->device->engine->event_due,
				&cq->event_fault.due);
}

/* The time runs from the first completion that could be told of. */
static bool has_waited(struct engine_cq *cq)
{
	struct engine *engine = cq->ctx->device->engine;
	struct cq_event_fault *fault = &cq->event_fault;

	if (!fault->delay_ns)
		return true;
	if (!fault->has_started) {
		fault->has_started = true;
		fault->since_ns = engine->now_ns;
		/* So that the poll loop is awake then; what it cannot
		 * remember it finds out at its next turn anyway. */
		if (due_heap_insert(&engine->event_due, &fault->due,
				    engine->now_ns + fault->delay_ns))
			return false;
	}
	return engine->now_ns - fault->since_ns >= fault->delay_ns;
}

bool cq_event_fault_gives(struct engine_cq *cq, int sn, uint32_t unread)
{
	uint64_t changes = cq->ctx->device->engine->faults.changes;
	struct cq_event_fault *fault = &cq->event_fault;
	bool is_due;

	if (!fault->is_decided || fault->sn != sn ||
	    fault->plan_changes != changes) {
		cq_event_fault_forget(cq);
		fault->is_decided = true;
		fault->sn = sn;
		fault->plan_changes = changes;
		fault->has_started = false;
		decide(cq);
	}
	if (!unread && !fault->is_spurious)
		return false;
	is_due = has_waited(cq) ||
		(fault->coalesce > 1 && unread >= fault->coalesce);
	if (is_due)
		cq_event_fault_forget(cq);
	return is_due;
}
