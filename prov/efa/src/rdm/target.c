/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/target.h"

#include <string.h>

#include <rdma/fi_errno.h>

#include "compat/log.h"
#include "rdm/ep_state.h"
#include "rdm/receipt.h"
#include "rdm/refusal.h"
#include "rdm/target_memory.h"

static struct rdm_op *rdm_target_create(struct rdm_ep *ep,
					struct rdm_peer *peer,
					const struct rdm_wire_view *view)
{
	struct rdm_op *op = rdm_op_create(ep, RDM_OP_RECEIVING);

	if (!op) {
		rdm_peer_drop(ep, "no memory for its write");
		return NULL;
	}
	op->is_target = true;
	op->peer = peer;
	op->peer_id = view->send_id;
	op->length = view->msg_length;
	op->room = op->length;
	op->is_delivery_complete = view->is_delivery_complete;
	op->has_cq_data = view->has_cq_data;
	op->cq_data = view->cq_data;
	op->comp_flags = FI_RMA | FI_REMOTE_WRITE;
	op->rx.range_count = view->rma_iov_count;
	memcpy(op->rx.range, view->rma_iov, sizeof(op->rx.range));
	return op;
}

/* For the reads of LONGREAD_RTW: its memory as that of a receive. */
static void rdm_target_set_buffers(struct rdm_op *op,
				   const struct rdm_op_key *key)
{
	op->iov_count = op->rx.range_count;
	for (unsigned int i = 0; i < op->iov_count; i++) {
		op->iov[i].iov_base =
			(void *)(uintptr_t)op->rx.range[i].addr;
		op->iov[i].iov_len = op->rx.range[i].len;
		op->key[i] = key[i];
	}
}

static void rdm_target_refuse(struct rdm_ep *ep, struct rdm_op *op)
{
	rdm_op_fail(ep, op, FI_EACCES,
		    EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_ADDRESS, NULL);
	rdm_refusal_tell(ep, op);
}

static void rdm_target_take_eager(struct rdm_ep *ep, struct rdm_peer *peer,
				  const struct rdm_wire_view *view)
{
	bool is_stored = rdm_target_store(ep, view->rma_iov,
					  view->rma_iov_count, 0,
					  view->payload, view->payload_len);
	struct rdm_op *op;

	if (!is_stored && !view->is_delivery_complete) {
		rdm_peer_drop(ep, "it writes to memory that is not registered for that");
		return;
	}
	if (is_stored && !view->is_delivery_complete && !view->has_cq_data)
		return;
	op = rdm_target_create(ep, peer, view);
	if (!op)
		return;
	if (is_stored)
		rdm_receipt_end(ep, op);
	else
		rdm_target_refuse(ep, op);
}

static enum rdm_wire_kind rdm_target_kind(const struct rdm_wire_view *view)
{
	return view->kind == RDM_KIND_LONGCTS_RTW ? RDM_KIND_LONGCTS
						  : RDM_KIND_LONGREAD;
}

void rdm_target_write(struct rdm_ep *ep, struct rdm_peer *peer,
		      const struct rdm_wire_view *view)
{
	struct rdm_op_key key[RDM_WIRE_IOV_MAX];
	struct rdm_op *op;

	/* a write of nothing asks for a handshake, which is on its way */
	if (!view->rma_iov_count)
		return;
	if (!rdm_target_check(ep, view->rma_iov, view->rma_iov_count,
			      FI_REMOTE_WRITE, key)) {
		if (view->kind == RDM_KIND_EAGER_RTW &&
		    !view->is_delivery_complete) {
			rdm_peer_drop(ep, "it writes to memory that is not registered for that");
			return;
		}
		op = rdm_target_create(ep, peer, view);
		if (op)
			rdm_target_refuse(ep, op);
		return;
	}
	if (view->kind == RDM_KIND_EAGER_RTW) {
		rdm_target_take_eager(ep, peer, view);
		return;
	}
	op = rdm_target_create(ep, peer, view);
	if (!op)
		return;
	op->protocol = rdm_protocols[rdm_target_kind(view)];
	if (view->kind == RDM_KIND_LONGREAD_RTW)
		rdm_target_set_buffers(op, key);
	op->protocol->begin(ep, op, view);
}

void rdm_target_written(struct rdm_ep *ep, uint16_t ahn, uint16_t qpn,
			uint32_t len, uint32_t data)
{
	struct fabric_cntr *cntr = ep->base.cntrs[FABRIC_EP_REMOTE_WRITE];
	struct fabric_completion completion = {
		.flags = FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA,
		.source = FI_ADDR_NOTAVAIL,
		.len = len,
		.data = data,
		.owner = &ep->base,
	};

	if (cntr)
		fabric_cntr_add(cntr, 1);
	if (!ep->base.rx_bound)
		return;
	if (!rdm_rights_take(&ep->rx_rights)) {
		compat_warn(FI_LOG_EP_DATA,
			    "no memory for the completion of a peer's write: its data 0x%x are lost",
			    data);
		return;
	}
	if (ep->base.wants_source)
		completion.source = fabric_av_sender(ep->base.av, ahn, qpn);
	rdm_rights_use(&ep->rx_rights, &completion);
}
