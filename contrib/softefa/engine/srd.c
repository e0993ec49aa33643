/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/srd.h"

#include "engine/payload.h"
#include "engine/responder.h"
#include "engine/trace_point.h"

#define OK	EFA_IO_COMP_STATUS_OK

/*
 * Gathered anew at each attempt: the device does not keep a message that
 * was not accepted, and until it completes the memory is the device's.
 */
enum send_op_result srd_send(struct send_op *op,
			     enum efa_io_comp_status *status)
{
	const struct send_request *request = &op->request;
	struct engine_device_counters *counters;
	struct engine_qp *qp = op->qp, *receiver;
	struct engine *engine = qp->ctx->device->engine;
	struct message message;
	const uint8_t *data;

	*status = payload_locate(qp, request, engine->bounce, &data);
	if (*status != OK)
		return SEND_OP_DONE;
	trace_op(TRACE_SENT, op, data, request->length);
	message_of_op(op, &message);
	*status = responder_find(engine, &message, &receiver);
	if (*status != OK)
		return SEND_OP_DONE;
	if (!responder_deliver(receiver, &message, data, request->length,
			       status))
		return SEND_OP_NOT_READY;
	if (*status == OK) {
		counters = &qp->ctx->device->counters;
		counters->tx_messages++;
		counters->tx_bytes += request->length;
	}
	return SEND_OP_DONE;
}
