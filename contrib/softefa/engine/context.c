/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/context.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "engine/device_state.h"

int engine_context_create(struct engine_device *device,
			  struct guest_memory *mem, void *opaque,
			  struct engine_context **out)
{
	struct engine_context *ctx = calloc(1, sizeof(*ctx));

	if (!ctx)
		return -ENOMEM;
	ctx->device = device;
	ctx->mem = mem;
	ctx->opaque = opaque;
	TAILQ_INIT(&ctx->qps);
	LIST_INIT(&ctx->pds);
	LIST_INIT(&ctx->cqs);
	LIST_INIT(&ctx->cntrs);
	LIST_INSERT_HEAD(&device->contexts, ctx, link);
	TAILQ_INSERT_TAIL(&device->engine->turns, ctx, turn_link);
	device->counters.contexts++;
	*out = ctx;
	return 0;
}

/* A handle may have been created several times, hence the loops on head. */
static void empty_pd(struct engine_pd *pd)
{
	while (!TAILQ_EMPTY(&pd->qps))
		engine_qp_destroy(TAILQ_FIRST(&pd->qps));
	while (!LIST_EMPTY(&pd->ahs))
		engine_ah_destroy(LIST_FIRST(&pd->ahs));
	while (!LIST_EMPTY(&pd->mrs))
		engine_mr_destroy(LIST_FIRST(&pd->mrs));
}

void engine_context_destroy(struct engine_context *ctx)
{
	int err;

	/* QPs first: they hold the CQs, the counters and the PDs. */
	while (!LIST_EMPTY(&ctx->pds)) {
		empty_pd(LIST_FIRST(&ctx->pds));
		err = engine_pd_destroy(LIST_FIRST(&ctx->pds));
		assert(!err);
	}
	while (!LIST_EMPTY(&ctx->cqs)) {
		err = engine_cq_destroy(LIST_FIRST(&ctx->cqs));
		assert(!err);
	}
	while (!LIST_EMPTY(&ctx->cntrs)) {
		err = engine_comp_cntr_destroy(LIST_FIRST(&ctx->cntrs));
		assert(!err);
	}
	(void)err;
	LIST_REMOVE(ctx, link);
	TAILQ_REMOVE(&ctx->device->engine->turns, ctx, turn_link);
	ctx->device->counters.contexts--;
	free(ctx);
}
