/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/late_delivery.h"

#include <stddef.h>
#include <string.h>

#include "engine/late_message.h"
#include "engine/responder.h"
#include "engine/ud.h"

static void deliver(struct engine *engine, struct late_message *late)
{
	const struct message *message = &late->message;
	enum efa_io_comp_status ignored;
	struct engine_qp *receiver;

	if (message->qp_type == ENGINE_QP_UD) {
		memcpy((uint8_t *)engine->bounce + UD_HEADER_BYTES,
		       late->payload, message->length);
		ud_arrive(engine, message);
	} else if (responder_find(engine, message, &receiver) ==
		   EFA_IO_COMP_STATUS_OK) {
		responder_deliver(receiver, message, late->payload,
				  message->length, &ignored);
	}
}

unsigned late_delivery_wake(struct engine *engine)
{
	struct late_message *late;
	struct due_entry *entry;
	unsigned count = 0;

	while ((entry = due_heap_pop(&engine->late_due, engine->now_ns))) {
		late = (struct late_message *)((char *)entry -
			offsetof(struct late_message, due));
		deliver(engine, late);
		late_message_forget(engine, late);
		count++;
	}
	return count;
}
