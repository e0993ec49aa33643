/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/eager.h"

#include <rdma/fi_errno.h>

#include "rdm/ep_state.h"
#include "rdm/receipt.h"
#include "rdm/tx_packet.h"

static int rdm_eager_start(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_packet *packet = rdm_outbox_packet(ep);
	struct rdm_wire_message msg;

	if (!packet)
		return -FI_EAGAIN;
	rdm_tx_message(ep, op, &msg);
	rdm_tx_put_payload(ep, op, packet,
			   rdm_wire_put_eager(packet->data, &msg), 0,
			   op->length);
	packet->op = op;
	packet->more = op->is_more;
	op->tx.sent = op->length;
	op->is_answered = !op->is_delivery_complete;
	rdm_outbox_send(ep, packet);
	return 0;
}

static void rdm_eager_begin(struct rdm_ep *ep, struct rdm_op *op,
			    const struct rdm_wire_view *view)
{
	rdm_op_place(ep, op, 0, view->payload, view->payload_len);
	rdm_receipt_end(ep, op);
}

const struct rdm_protocol rdm_eager = {
	.name = "eager",
	.start = rdm_eager_start,
	.begin = rdm_eager_begin,
};
