/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/payload_stage.h"

#include "engine/memory_table.h"
#include "engine/send_op.h"

/* What is read by one call. */
struct stage_plan {
	struct send_request *request[GUEST_READ_RANGES];
	struct guest_range range[GUEST_READ_RANGES];
	unsigned requests, ranges;
	uint32_t bytes;
};

static bool fits(const struct stage_plan *plan,
		 const struct send_request *request)
{
	return plan->ranges + request->sge_count <= GUEST_READ_RANGES &&
		plan->requests < GUEST_READ_RANGES &&
		request->length <= PAYLOAD_STAGE_BYTES - plan->bytes;
}

/* Adds @request, or nothing of it when a key of it is wrong. */
static void add(struct stage_plan *plan, struct engine_qp *qp,
		struct send_request *request)
{
	uint8_t *place = qp->ctx->device->engine->stage + plan->bytes;
	struct guest_range *range = &plan->range[plan->ranges];
	const struct send_sge *sge;
	unsigned count = 0;
	uint32_t i;

	for (i = 0; i < request->sge_count; i++) {
		sge = &request->sge[i];
		if (memory_resolve(qp->pd, sge->key, sge->addr, sge->length, 0,
				   &range[count].addr))
			return;
		if (!sge->length)
			continue;
		range[count].len_bytes = sge->length;
		range[count++].dst = place;
		place += sge->length;
	}
	request->staged = qp->ctx->device->engine->stage + plan->bytes;
	plan->request[plan->requests++] = request;
	plan->ranges += count;
	plan->bytes += request->length;
}

static bool is_stageable(const struct send_op *op)
{
	return op->request.op == EFA_IO_SEND && !op->request.is_inline &&
		op->request.length;
}

void payload_stage(struct engine_qp *qp, unsigned max_ops)
{
	struct engine *engine = qp->ctx->device->engine;
	struct guest_memory *mem = qp->ctx->mem;
	struct stage_plan plan;
	struct send_op *op;
	unsigned i;

	op = TAILQ_FIRST(&qp->active);
	/* One alone is read as fast without. */
	if (!mem->read_many || !op || !TAILQ_NEXT(op, link))
		return;
	plan.requests = 0;
	plan.ranges = 0;
	plan.bytes = 0;
	for (; op && max_ops--; op = TAILQ_NEXT(op, link)) {
		if (!is_stageable(op))
			continue;
		if (!fits(&plan, &op->request))
			break;
		add(&plan, qp, &op->request);
	}
	if (plan.requests < 2 || mem->read_many(mem, plan.range, plan.ranges))
		return;
	for (i = 0; i < plan.requests; i++)
		plan.request[i]->stage_turn = engine->stage_turn;
}

void payload_stage_clear(struct engine *engine)
{
	engine->stage_turn++;
}

const uint8_t *payload_staged(const struct engine *engine,
			      const struct send_request *request)
{
	return request->stage_turn == engine->stage_turn ? request->staged :
		NULL;
}
