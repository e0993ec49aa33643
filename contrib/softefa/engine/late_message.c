/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/late_message.h"

#include <stdlib.h>
#include <string.h>

#include "engine/address_table.h"
#include "engine/payload.h"
#include "engine/send_op.h"

void late_message_forget(struct engine *engine, struct late_message *late)
{
	if (due_entry_is_waiting(&late->due))
		due_heap_remove(&engine->late_due, &late->due);
	TAILQ_REMOVE(&engine->late_messages, late, link);
	engine->late_count--;
	free(late);
}

static struct late_message *copy_of(const struct send_op *op)
{
	const struct send_request *request = &op->request;
	struct engine_qp *qp = op->qp;
	const uint8_t *dgid = address_gid(qp->pd, request->ah);
	struct late_message *late;

	late = dgid ? malloc(sizeof(*late) + request->length) : NULL;
	if (!late)
		return NULL;
	memset(late, 0, sizeof(*late));
	if (payload_gather(qp, request, late->payload) !=
	    EFA_IO_COMP_STATUS_OK) {
		free(late);
		return NULL;
	}
	message_of_op(op, &late->message);
	memcpy(late->src_gid, late->message.src_gid, sizeof(late->src_gid));
	memcpy(late->dst_gid, dgid, sizeof(late->dst_gid));
	late->message.src_gid = late->src_gid;
	late->message.dst_gid = late->dst_gid;
	late->message.inline_data = NULL;
	return late;
}

static void take(const struct send_op *op)
{
	struct engine *engine = op->qp->ctx->device->engine;
	struct late_message *late;

	if (!op->fault || !op->fault->is_late ||
	    op->request.op != EFA_IO_SEND ||
	    engine->late_count == LATE_MESSAGES_MAX)
		return;
	late = copy_of(op);
	if (!late)
		return;
	if (due_heap_insert(&engine->late_due, &late->due,
			    op->fault->late_ns)) {
		free(late);
		return;
	}
	TAILQ_INSERT_TAIL(&engine->late_messages, late, link);
	engine->late_count++;
}

void late_message_take(struct engine_qp *qp)
{
	const struct send_op *op;

	TAILQ_FOREACH(op, &qp->waiting, link)
		take(op);
}

void late_message_fini(struct engine *engine)
{
	while (!TAILQ_EMPTY(&engine->late_messages))
		late_message_forget(engine,
				    TAILQ_FIRST(&engine->late_messages));
	due_heap_fini(&engine->late_due);
}
