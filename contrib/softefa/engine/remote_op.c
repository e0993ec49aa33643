/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/remote_op.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/engine_qp.h"

#define UNRESPONSIVE	EFA_IO_COMP_STATUS_LOCAL_ERROR_UNRESP_REMOTE

int engine_host_create(struct engine *engine, void *opaque,
		       struct engine_host **out)
{
	struct engine_host *host = calloc(1, sizeof(*host));

	if (!host)
		return -ENOMEM;
	if (!engine->remote_ops.slots &&
	    number_pool_init(&engine->remote_ops, REMOTE_MAX_OPS, 32)) {
		free(host);
		return -ENOMEM;
	}
	host->engine = engine;
	host->opaque = opaque;
	TAILQ_INIT(&host->ops);
	TAILQ_INIT(&host->blocked);
	LIST_INSERT_HEAD(&engine->hosts, host, link);
	*out = host;
	return 0;
}

void engine_host_destroy(struct engine_host *host)
{
	struct send_op *op;

	engine_host_lost(host);
	while ((op = TAILQ_FIRST(&host->ops)))
		remote_op_leave(op);
	LIST_REMOVE(host, link);
	free(host);
}

void engine_host_lost(struct engine_host *host)
{
	struct send_op *op;

	TAILQ_FOREACH(op, &host->ops, host_link) {
		op->is_answered = true;
		op->answer = UNRESPONSIVE;
		remote_op_wake(op);
	}
}

void engine_host_ready(struct engine_host *host, unsigned packets)
{
	struct send_op *op;

	while (packets-- && (op = TAILQ_FIRST(&host->blocked)))
		remote_op_wake(op);
}

void remote_op_fini(struct engine *engine)
{
	number_pool_fini(&engine->remote_ops);
}

int remote_op_start(struct send_op *op, struct engine_host *host)
{
	int err = number_pool_take(&host->engine->remote_ops, op,
				   &op->remote_id);

	if (err)
		return err;
	op->host = host;
	TAILQ_INSERT_TAIL(&host->ops, op, host_link);
	return 0;
}

struct send_op *remote_op_find(const struct engine_host *host, uint32_t id)
{
	struct send_op *op = number_pool_find(&host->engine->remote_ops, id);

	return op && op->host == host ? op : NULL;
}

void remote_op_await(struct send_op *op)
{
	op->remote_state = REMOTE_AWAITING;
}

void remote_op_block(struct send_op *op)
{
	op->remote_state = REMOTE_BLOCKED;
	TAILQ_INSERT_TAIL(&op->host->blocked, op, blocked_link);
}

static void unblock(struct send_op *op)
{
	if (op->remote_state == REMOTE_BLOCKED)
		TAILQ_REMOVE(&op->host->blocked, op, blocked_link);
	op->remote_state = REMOTE_IDLE;
}

void remote_op_wake(struct send_op *op)
{
	if (op->remote_state == REMOTE_IDLE)
		return;
	unblock(op);
	TAILQ_REMOVE(&op->qp->remote, op, link);
	TAILQ_INSERT_TAIL(&op->qp->active, op, link);
}

void remote_op_leave(struct send_op *op)
{
	if (!op->host)
		return;
	unblock(op);
	TAILQ_REMOVE(&op->host->ops, op, host_link);
	number_pool_return(&op->host->engine->remote_ops, op->remote_id);
	op->host = NULL;
	op->remote_id = 0;
}
