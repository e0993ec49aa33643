/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/probe.h"

#include <rdma/fi_errno.h>

#include "rdm/ep_state.h"
#include "rdm/incoming.h"

static void rdm_probe_tell(struct rdm_ep *ep,
			   const struct rdm_recv_request *request,
			   const struct rdm_op *found)
{
	struct fabric_completion completion = {
		.op_context = request->context,
		.flags = FI_RECV | (request->is_tagged ? FI_TAGGED : FI_MSG),
		.source = FI_ADDR_NOTAVAIL,
		.tag = request->tag,
		.owner = &ep->base,
		.err = found ? 0 : FI_ENOMSG,
	};

	if (found) {
		completion.len = found->length;
		completion.tag = found->tag;
		if (found->has_cq_data) {
			completion.flags |= FI_REMOTE_CQ_DATA;
			completion.data = found->cq_data;
		}
		if (ep->base.wants_source)
			completion.source = rdm_peer_addr(ep, found->peer);
	}
	rdm_rights_use(&ep->rx_rights, &completion);
}

/* Receives @op, which is in no list any more, into nothing. */
static void rdm_probe_discard(struct rdm_ep *ep, struct rdm_op *op)
{
	op->rx.is_discarded = true;
	op->report = false;
	op->room = 0;
	op->iov_count = 0;
	rdm_message_take(ep, op);
}

static void rdm_probe_keep(struct rdm_ep *ep, struct rdm_op *op,
			   void *context)
{
	op->context = context;
	util_list_append(&ep->claimed, &op->rx.claimed);
}

static ssize_t rdm_probe_peek(struct rdm_ep *ep,
			      const struct rdm_recv_request *request)
{
	struct rdm_match *match = rdm_message_space(ep, request->is_tagged);
	struct rdm_match_message *message;
	struct rdm_match_recv recv;
	struct rdm_op *op = NULL;

	if (!rdm_recv_set_match(ep, request, &recv))
		return -FI_EADDRNOTAVAIL;
	if (!rdm_rights_take(&ep->rx_rights))
		return -FI_EAGAIN;
	message = rdm_match_find_message(match, &recv);
	if (message)
		op = util_list_entry(message, struct rdm_op, rx.unexpected);
	rdm_probe_tell(ep, request, op);
	if (!op || !(request->flags & (FI_CLAIM | FI_DISCARD)))
		return 0;
	rdm_match_remove_message(match, message);
	if (request->flags & FI_CLAIM)
		rdm_probe_keep(ep, op, request->context);
	else
		rdm_probe_discard(ep, op);
	return 0;
}

static ssize_t rdm_probe_claim(struct rdm_ep *ep,
			       const struct rdm_recv_request *request)
{
	struct util_list *node = util_list_first(&ep->claimed);
	struct rdm_op *op;

	while (node != &ep->claimed &&
	       util_list_entry(node, struct rdm_op, rx.claimed)->context !=
	       request->context)
		node = node->next;
	if (node == &ep->claimed)
		return -FI_EINVAL;
	util_list_remove(node);
	op = util_list_entry(node, struct rdm_op, rx.claimed);
	if (!(request->flags & FI_DISCARD)) {
		rdm_recv_fill(op, request);
		rdm_message_take(ep, op);
		return 0;
	}
	rdm_probe_discard(ep, op);
	return 0;
}

ssize_t rdm_probe(struct rdm_ep *ep, const struct rdm_recv_request *request)
{
	ssize_t ret;

	if (request->count > RDM_OP_IOV || !(request->flags &
					     (FI_PEEK | FI_CLAIM)))
		return -FI_EINVAL;
	/* who does nothing but look would otherwise never see anything: what
	 * it is told keeps its reads of the CQ busy */
	ep->base.rx_cq->source->progress(ep->base.rx_cq);
	rdm_ep_lock(ep);
	if (request->flags & FI_PEEK)
		ret = rdm_probe_peek(ep, request);
	else
		ret = rdm_probe_claim(ep, request);
	rdm_ep_unlock(ep);
	return ret;
}
