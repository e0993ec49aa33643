/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/poll.h"

#include "engine/comp_ring.h"
#include "engine/held_completion.h"
#include "engine/late_delivery.h"
#include "engine/requester.h"

/*
 * The QPs of @ctx in turn, as far as its share goes; those left out are the
 * first next time. So a guest waits for the shares of the others, not for
 * all the queues they may have.
 */
static unsigned context_turn(struct engine_context *ctx)
{
	struct engine_qp *qp, *first = NULL;
	unsigned count = 0;

	ctx->spent = 0;
	while (ctx->spent < POLL_CONTEXT_SHARE &&
	       (qp = TAILQ_FIRST(&ctx->qps)) && qp != first) {
		if (!first)
			first = qp;
		TAILQ_REMOVE(&ctx->qps, qp, link);
		TAILQ_INSERT_TAIL(&ctx->qps, qp, link);
		count += requester_turn(qp);
	}
	return count;
}

unsigned engine_poll(struct engine *engine, uint64_t now_ns)
{
	struct engine_context *ctx;
	struct engine_cq *cq;
	unsigned count;

	engine->now_ns = now_ns;
	count = requester_wake(engine);
	if (engine->held_due.count)
		count += held_completion_wake(engine);
	if (engine->late_due.count)
		count += late_delivery_wake(engine);
	/* Nothing but a reason to look at the CQs below. */
	while (due_heap_pop(&engine->event_due, now_ns))
		;
	TAILQ_FOREACH(ctx, &engine->turns, turn_link)
		count += context_turn(ctx);
	LIST_FOREACH(cq, &engine->event_cqs, event_link)
		count += comp_ring_give_event(cq);
	return count;
}

bool engine_has_queues(const struct engine *engine)
{
	return engine->num_qps || !LIST_EMPTY(&engine->event_cqs);
}

uint64_t engine_next_timer_ns(const struct engine *engine, uint64_t now_ns)
{
	const struct due_heap *heaps[] = {
		&engine->timers, &engine->held_due, &engine->late_due,
		&engine->event_due,
	};
	uint64_t due_ns = UINT64_MAX, next_ns;
	size_t i;

	for (i = 0; i < sizeof(heaps) / sizeof(heaps[0]); i++) {
		next_ns = due_heap_next_ns(heaps[i]);
		if (next_ns < due_ns)
			due_ns = next_ns;
	}
	if (due_ns == UINT64_MAX)
		return UINT64_MAX;
	return due_ns > now_ns ? due_ns - now_ns : 0;
}
