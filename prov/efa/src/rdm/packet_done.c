/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/packet_done.h"

#include "rdm/ep_state.h"
#include "rdm/peer_error.h"
#include "rdm/protocol_table.h"

void rdm_packet_done(struct rdm_ep *ep, struct rdm_packet *packet,
		     uint8_t status)
{
	struct rdm_op *op = packet->op;
	bool is_done = false;

	if (op) {
		op->packets--;
		if (op->protocol && op->protocol->completed)
			is_done = op->protocol->completed(ep, op, packet,
							  status);
	}
	rdm_packet_put(&ep->tx_packets, packet);
	if (!op || is_done)
		return;
	if (__builtin_expect(status, 0))
		rdm_op_fail(ep, op, fabric_comp_errno(status), status, NULL);
	else if (op->kind == RDM_OP_SEND)
		op->tx.is_delivered = true;
	if (__builtin_expect(op->err && op->kind == RDM_OP_SEND &&
			     !op->packets, 0))
		rdm_peer_error_tell(ep, op);
	else
		rdm_op_try_end(ep, op);
}
