/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/message.h"

#include "engine/engine_qp.h"
#include "engine/send_op.h"

void message_of_op(const struct send_op *op, struct message *message)
{
	const struct send_request *request = &op->request;
	const struct engine_qp *qp = op->qp;

	*message = (struct message) {
		.op = request->op,
		.qp_type = qp->type,
		.src_gid = qp->ctx->device->gid,
		.dst_gid = op->dgid,
		.src_qpn = qp->number,
		.dst_qpn = request->dest_qpn,
		.qkey = request->qkey,
		.imm = request->imm,
		.length = request->length,
		.has_imm = request->has_imm,
		.is_unsolicited = qp->flags & ENGINE_QP_UNSOLICITED_WRITE_RECV,
		.remote = request->remote,
		.req_id = request->req_id,
		.inline_data = request->is_inline ? request->inline_data :
			NULL,
	};
}
