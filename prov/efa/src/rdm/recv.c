/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/recv.h"

#include <rdma/fi_errno.h>

#include "compat/log.h"
#include "rdm/ep_state.h"
#include "rdm/incoming.h"
#include "rdm/supply.h"

static ssize_t rdm_recv_refuse(ssize_t error, const char *why)
{
	compat_debug(FI_LOG_EP_DATA, "receive refused: %s", why);
	return error;
}

bool rdm_recv_set_match(struct rdm_ep *ep,
			const struct rdm_recv_request *request,
			struct rdm_match_recv *recv)
{
	uint64_t source = RDM_MATCH_ANY_SOURCE;
	struct rdm_peer *peer;

	if (ep->is_directed && request->addr != FI_ADDR_UNSPEC) {
		peer = rdm_peer_of_addr(ep, request->addr);
		if (!peer)
			return false;
		source = peer->number;
	}
	rdm_match_recv_set(recv, source, request->tag, request->ignore);
	return true;
}

void rdm_recv_fill(struct rdm_op *op, const struct rdm_recv_request *request)
{
	rdm_op_set_buffers(op, request->iov, request->desc, request->count);
	op->context = request->context;
	op->report = request->flags & FI_COMPLETION;
}

/* A receive of one message. */
static ssize_t rdm_recv_post_one(struct rdm_ep *ep,
				 const struct rdm_recv_request *request,
				 struct rdm_match_recv *recv)
{
	struct rdm_match *match = rdm_message_space(ep, request->is_tagged);
	struct rdm_match_message *message = rdm_match_find_message(match,
								   recv);
	struct rdm_op *op;

	if (message) {
		op = util_list_entry(message, struct rdm_op, rx.unexpected);
		rdm_match_remove_message(match, message);
		rdm_recv_fill(op, request);
		rdm_message_take(ep, op);
		return 0;
	}
	op = rdm_op_create(ep, RDM_OP_POSTED);
	if (!op)
		return -FI_EAGAIN;
	rdm_recv_fill(op, request);
	op->is_tagged = request->is_tagged;
	op->rx.posted = *recv;
	rdm_match_add_recv(match, &op->rx.posted);
	return 0;
}

/* A buffer for many: those that have come go into it first. */
static ssize_t rdm_recv_post_multi(struct rdm_ep *ep,
				   const struct rdm_recv_request *request,
				   struct rdm_match_recv *recv)
{
	struct rdm_match *match = rdm_message_space(ep, request->is_tagged);
	struct rdm_op *op = rdm_op_create(ep, RDM_OP_POSTED);
	struct rdm_match_message *message;
	bool is_spent = false;

	if (!op)
		return -FI_EAGAIN;
	rdm_recv_fill(op, request);
	op->is_tagged = request->is_tagged;
	op->rx.is_multi = true;
	while (!is_spent && (message = rdm_match_find_message(match, recv)))
		is_spent = rdm_message_move(ep, op,
					    util_list_entry(message,
							    struct rdm_op,
							    rx.unexpected));
	if (is_spent)
		return 0;
	op->rx.posted = *recv;
	rdm_match_add_recv(match, &op->rx.posted);
	return 0;
}

static ssize_t rdm_recv_post_locked(struct rdm_ep *ep,
				    const struct rdm_recv_request *request)
{
	struct rdm_match_recv recv;

	if (!rdm_recv_set_match(ep, request, &recv))
		return rdm_recv_refuse(-FI_EADDRNOTAVAIL, "unknown address");
	if (__builtin_expect(request->flags & FI_MULTI_RECV, 0))
		return rdm_recv_post_multi(ep, request, &recv);
	return rdm_recv_post_one(ep, request, &recv);
}

ssize_t rdm_recv_post(struct rdm_ep *ep,
		      const struct rdm_recv_request *request)
{
	bool lacks;
	ssize_t ret;

	if (request->count > RDM_OP_IOV ||
	    (request->flags & FI_MULTI_RECV && request->count != 1))
		return rdm_recv_refuse(-FI_EINVAL,
				       "more buffers than iov_limit");
	rdm_ep_lock(ep);
	ret = rdm_recv_post_locked(ep, request);
	lacks = __builtin_expect(ep->outbox.wants_packets, 0) &&
		rdm_supply_begin(ep);
	rdm_ep_unlock(ep);
	if (lacks)
		rdm_supply_run(ep);
	return ret;
}

/* ---- cancelling ---- */

static struct rdm_op *rdm_recv_find(struct rdm_ep *ep, const void *context)
{
	struct rdm_op *op;
	uint32_t at = 0;

	while ((op = util_id_table_next(&ep->ids, &at)))
		if (op->kind == RDM_OP_POSTED && op->context == context &&
		    !op->is_answered)
			return op;
	return NULL;
}

static void rdm_recv_cancel_op(struct rdm_ep *ep, struct rdm_op *op)
{
	rdm_match_remove_recv(rdm_message_space(ep, op->is_tagged),
			      &op->rx.posted);
	op->comp_flags = FI_RECV | (op->is_tagged ? FI_TAGGED : FI_MSG);
	op->tag = op->rx.posted.tag;
	if (op->rx.is_multi)
		op->comp_flags |= FI_MULTI_RECV;
	rdm_op_fail(ep, op, FI_ECANCELED, 0, "cancelled by fi_cancel");
	/* messages that go into a multi-receive buffer come to their end */
	if (op->rx.is_multi && op->rx.children)
		return;
	rdm_op_try_end(ep, op);
}

ssize_t rdm_recv_cancel(struct rdm_ep *ep, const void *context)
{
	struct rdm_op *op;

	rdm_ep_lock(ep);
	op = rdm_recv_find(ep, context);
	if (op)
		rdm_recv_cancel_op(ep, op);
	rdm_ep_unlock(ep);
	return op ? 0 : -FI_ENOENT;
}
