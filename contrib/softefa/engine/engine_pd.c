/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/engine_pd.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/device_state.h"
#include "engine/trace_point.h"

int engine_pd_create(struct engine_context *ctx, struct engine_pd **out)
{
	struct engine_pd *pd = calloc(1, sizeof(*pd));
	int err;

	if (!pd)
		return -ENOMEM;
	err = number_pool_take(&ctx->device->pds, pd, &pd->number);
	if (err) {
		free(pd);
		return err;
	}
	pd->ctx = ctx;
	LIST_INIT(&pd->mrs);
	LIST_INIT(&pd->ahs);
	TAILQ_INIT(&pd->qps);
	LIST_INSERT_HEAD(&ctx->pds, pd, link);
	trace_command(ctx->device, TRACE_CREATE_PD, pd->number, 0);
	*out = pd;
	return 0;
}

uint16_t engine_pd_number(const struct engine_pd *pd)
{
	return pd->number;
}

int engine_pd_destroy(struct engine_pd *pd)
{
	if (pd->users)
		return -EBUSY;
	trace_command(pd->ctx->device, TRACE_DESTROY_PD, pd->number, 0);
	number_pool_return(&pd->ctx->device->pds, pd->number);
	LIST_REMOVE(pd, link);
	free(pd);
	return 0;
}
