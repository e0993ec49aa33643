/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/ud.h"

#include <string.h>

#include "engine/payload.h"
#include "engine/responder.h"
#include "engine/trace_point.h"

#define OK	EFA_IO_COMP_STATUS_OK

enum efa_io_comp_status ud_send(struct send_op *op)
{
	const struct send_request *request = &op->request;
	struct engine_device_counters *counters;
	struct engine_qp *qp = op->qp, *receiver;
	uint8_t *message = qp->ctx->device->engine->bounce;
	enum efa_io_comp_status status, ignored;

	status = payload_gather(qp, request, message + UD_HEADER_BYTES);
	if (status != OK)
		return status;
	trace_op(TRACE_SENT, op, message + UD_HEADER_BYTES, request->length);
	counters = &qp->ctx->device->counters;
	counters->tx_messages++;
	counters->tx_bytes += request->length;
	if (responder_find(qp, op->dgid, request, &receiver) != OK) {
		counters->ud_drops++;
		trace_op(TRACE_DROPPED, op, NULL, request->length);
		return OK;
	}
	memset(message, UD_HEADER_FILL, UD_HEADER_BYTES);
	if (!responder_deliver(receiver, qp, request, message,
			       request->length + UD_HEADER_BYTES, &ignored))
		receiver->ctx->device->counters.ud_drops++;
	return OK;
}
