/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/poll.h"

#include "engine/comp_ring.h"
#include "engine/requester.h"

unsigned engine_poll(struct engine *engine, uint64_t now_ns)
{
	struct engine_qp *qp;
	struct engine_cq *cq;
	unsigned count;

	engine->now_ns = now_ns;
	count = requester_wake(engine);
	TAILQ_FOREACH(qp, &engine->qps, link)
		count += requester_turn(qp);
	LIST_FOREACH(cq, &engine->event_cqs, event_link)
		count += comp_ring_give_event(cq);
	return count;
}

bool engine_has_queues(const struct engine *engine)
{
	return !TAILQ_EMPTY(&engine->qps) || !LIST_EMPTY(&engine->event_cqs);
}

uint64_t engine_next_timer_ns(const struct engine *engine, uint64_t now_ns)
{
	uint64_t due_ns = due_heap_next_ns(&engine->timers);

	if (due_ns == UINT64_MAX)
		return UINT64_MAX;
	return due_ns > now_ns ? due_ns - now_ns : 0;
}
