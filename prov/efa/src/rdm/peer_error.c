/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/peer_error.h"

#include <stdio.h>

#include <rdma/fi_errno.h>

#include "fabric/comp_error.h"
#include "hw/efa_io_defs.h"
#include "rdm/ep_state.h"
#include "rdm/wire_encode.h"

/* libfabric's own efa provider has this number for it. */
#define RDM_PROV_ERRNO_PEER_ABORTED	4127

/* ---- telling ---- */

/* Would a packet to the peer end as the one did that ended so? */
static bool rdm_peer_error_is_gone(int prov_errno)
{
	switch (prov_errno) {
	case EFA_IO_COMP_STATUS_FLUSHED:
	case EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_AH:
	case EFA_IO_COMP_STATUS_REMOTE_ERROR_ABORT:
	case EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_DEST_QPN:
	case EFA_IO_COMP_STATUS_LOCAL_ERROR_UNRESP_REMOTE:
	case EFA_IO_COMP_STATUS_REMOTE_ERROR_UNKNOWN_PEER:
	case EFA_IO_COMP_STATUS_LOCAL_ERROR_UNREACH_REMOTE:
	case RDM_PROV_ERRNO_PEER_ABORTED:
		return true;
	default:
		return false;
	}
}

static bool rdm_peer_error_send(struct rdm_ep *ep,
				struct rdm_deferred *deferred)
{
	struct rdm_op *op = util_list_entry(deferred, struct rdm_op, deferred);
	enum rdm_wire_ref_kind ref_kind = RDM_WIRE_REF_SKIP;
	struct rdm_packet *packet = rdm_outbox_packet(ep);
	uint32_t id = op->msg_id;

	if (!packet)
		return false;
	if (op->tx.is_granted) {
		ref_kind = RDM_WIRE_REF_OP;
		id = op->peer_id;
	} else if (op->tx.is_delivered) {
		ref_kind = RDM_WIRE_REF_MSG;
	}
	packet->peer = op->peer;
	packet->len = (uint32_t)rdm_wire_put_peer_error(packet->data,
		ep->base.address.qkey, ref_kind, id,
		(uint32_t)op->prov_errno);
	/* nobody waits for it: it counts for no operation */
	rdm_outbox_send(ep, packet);
	rdm_op_try_end(ep, op);
	return true;
}

void rdm_peer_error_tell(struct rdm_ep *ep, struct rdm_op *op)
{
	/* RMA has no place in the order of messages: the peer waits for what
	 * it has granted, and for nothing else */
	if (!(op->is_rma && !op->tx.is_granted) &&
	    rdm_feature_may_peer_error(&op->peer->features) &&
	    !rdm_peer_error_is_gone(op->prov_errno)) {
		if (rdm_peer_error_send(ep, &op->deferred))
			return;
		op->deferred.run = rdm_peer_error_send;
		rdm_outbox_defer(ep, &op->deferred);
		return;
	}
	rdm_op_try_end(ep, op);
}

/* ---- being told ---- */

void rdm_peer_error_abort(struct rdm_ep *ep, struct rdm_op *op,
			  const struct rdm_wire_view *view)
{
	char text[FABRIC_COMP_ERROR_SIZE];
	int status = (int)view->error.prov_errno;

	/* what the peer's memory would not take, as if its device had said
	 * so */
	if (op->is_rma && status > 0 && status <= UINT8_MAX) {
		rdm_op_fail(ep, op, fabric_comp_errno(status), status, NULL);
		rdm_op_try_end(ep, op);
		return;
	}
	snprintf(text, sizeof(text),
		 "the peer gave up this message: %s; was memory closed that it used?",
		 fabric_comp_strerror((int)view->error.prov_errno));
	rdm_op_fail(ep, op, FI_ECANCELED, RDM_PROV_ERRNO_PEER_ABORTED, text);
	if (op->kind != RDM_OP_UNEXPECTED)
		rdm_op_try_end(ep, op);
}

void rdm_peer_error_answer(struct rdm_ep *ep, struct rdm_peer *peer,
			   const struct rdm_wire_view *view)
{
	uint32_t id = view->error.op_id;
	static const enum rdm_op_kind kinds[] = {
		RDM_OP_RECEIVING, RDM_OP_SEND, RDM_OP_READING, RDM_OP_SERVING,
	};
	struct rdm_op *op = NULL;

	for (size_t i = 0; !op && i < sizeof(kinds) / sizeof(*kinds); i++)
		op = rdm_op_find(ep, peer, kinds[i], id);
	if (op && !op->is_answered)
		rdm_peer_error_abort(ep, op, view);
	else
		rdm_peer_drop(ep, "its error is about no message in flight");
}
