/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/send_op.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "engine/device_state.h"
#include "engine/remote_op.h"
#include "engine/op_fault.h"

#define OPS_PER_SLAB	64

struct send_op_slab {
	SLIST_ENTRY(send_op_slab) link;
	struct send_op op[OPS_PER_SLAB];
};

static int add_slab(struct engine *engine)
{
	struct send_op_slab *slab = malloc(sizeof(*slab));
	int i;

	if (!slab)
		return -1;
	SLIST_INSERT_HEAD(&engine->op_slabs, slab, link);
	for (i = 0; i < OPS_PER_SLAB; i++)
		TAILQ_INSERT_TAIL(&engine->free_ops, &slab->op[i], link);
	return 0;
}

struct send_op *send_op_alloc(struct engine *engine, struct engine_qp *qp)
{
	struct send_op *op;

	if (TAILQ_EMPTY(&engine->free_ops) && add_slab(engine))
		return NULL;
	op = TAILQ_FIRST(&engine->free_ops);
	TAILQ_REMOVE(&engine->free_ops, op, link);
	memset(op, 0, offsetof(struct send_op, request));
	op->qp = qp;
	return op;
}

void send_op_free(struct engine *engine, struct send_op *op)
{
	remote_op_leave(op);
	if (__builtin_expect(op->fault != NULL, 0))
		op_fault_free(op);
	/* Last in, first out: the next operation finds it in the cache. */
	TAILQ_INSERT_HEAD(&engine->free_ops, op, link);
}

void send_op_fini(struct engine *engine)
{
	struct send_op_slab *slab;

	TAILQ_INIT(&engine->free_ops);
	while ((slab = SLIST_FIRST(&engine->op_slabs))) {
		SLIST_REMOVE_HEAD(&engine->op_slabs, link);
		free(slab);
	}
}
