/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/ud.h"

#include <string.h>

#include "engine/payload.h"
#include "engine/responder.h"
#include "engine/trace_point.h"

#define OK	EFA_IO_COMP_STATUS_OK

enum efa_io_comp_status ud_arrive(struct engine *engine,
				  const struct message *message)
{
	enum efa_io_comp_status status, ignored;
	struct engine_qp *receiver;

	status = responder_find(engine, message, &receiver);
	if (status != OK)
		return status;
	memset(engine->bounce, UD_HEADER_FILL, UD_HEADER_BYTES);
	if (!responder_deliver(receiver, message, engine->bounce,
			       message->length + UD_HEADER_BYTES, &ignored))
		receiver->ctx->device->counters.ud_drops++;
	return OK;
}

enum efa_io_comp_status ud_send(struct send_op *op)
{
	const struct send_request *request = &op->request;
	struct engine_device_counters *counters;
	struct engine_qp *qp = op->qp;
	struct engine *engine = qp->ctx->device->engine;
	uint8_t *payload = (uint8_t *)engine->bounce + UD_HEADER_BYTES;
	enum efa_io_comp_status status;
	struct message message;

	status = payload_gather(qp, request, payload);
	if (status != OK)
		return status;
	trace_op(TRACE_SENT, op, payload, request->length);
	counters = &qp->ctx->device->counters;
	counters->tx_messages++;
	counters->tx_bytes += request->length;
	message_of_op(op, &message);
	if (ud_arrive(engine, &message) != OK) {
		counters->ud_drops++;
		trace_op(TRACE_DROPPED, op, NULL, request->length);
	}
	return OK;
}
