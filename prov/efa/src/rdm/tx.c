/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/tx.h"

#include <rdma/fi_errno.h>

#include "compat/log.h"
#include "rdm/ep_state.h"
#include "rdm/protocol_table.h"
#include "rdm/protocol_select.h"
#include "rdm/supply.h"
#include "rdm/tx_packet.h"

static ssize_t rdm_tx_refuse(ssize_t error, const char *why)
{
	compat_debug(FI_LOG_EP_DATA, "send refused: %s", why);
	return error;
}

/* What can be said without the lock. */
static ssize_t rdm_tx_check(const struct rdm_ep *ep,
			    const struct rdm_tx_request *request,
			    size_t *length)
{
	size_t total = 0;

	if (request->count > RDM_OP_IOV)
		return rdm_tx_refuse(-FI_EINVAL,
				     "more buffers than iov_limit");
	for (size_t i = 0; i < request->count; i++)
		if (__builtin_add_overflow(total, request->iov[i].iov_len,
					   &total))
			return rdm_tx_refuse(-FI_EMSGSIZE,
					     "more bytes than there are");
	if (total > ep->base.max_msg_bytes)
		return rdm_tx_refuse(-FI_EMSGSIZE, "longer than max_msg_size");
	if (request->flags & FI_INJECT && total > ep->base.inject_bytes)
		return rdm_tx_refuse(-FI_EMSGSIZE, "longer than inject_size");
	*length = total;
	return 0;
}

static void rdm_tx_fill(const struct rdm_ep *ep, struct rdm_op *op,
			const struct rdm_tx_request *request, size_t length)
{
	uint64_t flags = request->flags;

	rdm_op_set_buffers(op, request->iov, request->desc, request->count);
	op->length = length;
	op->context = request->context;
	op->tag = request->tag;
	op->cq_data = request->data;
	op->has_cq_data = flags & FI_REMOTE_CQ_DATA;
	op->is_tagged = request->is_tagged;
	op->is_inject = flags & FI_INJECT;
	op->is_more = flags & FI_MORE;
	op->report = flags & FI_COMPLETION;
	op->is_delivery_complete =
		flags & (FI_DELIVERY_COMPLETE | FI_MATCH_COMPLETE);
	op->comp_flags = FI_SEND | (op->is_tagged ? FI_TAGGED : FI_MSG);
}

static const struct rdm_protocol *rdm_tx_choose(const struct rdm_ep *ep,
						const struct rdm_op *op)
{
	const struct rdm_feature_set *peer = &op->peer->features;
	struct rdm_protocol_choice choice = {
		.length = op->length,
		.medium_max = ep->settings.max_medium,
		.read_min = ep->settings.min_read,
		.runt = ep->settings.runt,
		.is_delivery_complete = op->is_delivery_complete,
	};
	struct rdm_wire_message msg;

	rdm_tx_message(ep, op, &msg);
	choice.eager_max = rdm_wire_max_payload(ep->mtu,
		rdm_wire_header_len(rdm_wire_eager_type(&msg), &msg, 0));
	if (op->length >= choice.read_min && op->length && !op->is_inject) {
		choice.may_read = rdm_feature_may_read(&ep->own, peer) &&
				  rdm_op_is_registered(op);
		choice.may_runt = rdm_feature_may_runt(&ep->own, peer);
	}
	return rdm_protocols[rdm_protocol_select(&choice)];
}

/* Under the lock. */
static ssize_t rdm_tx_start(struct rdm_ep *ep, struct rdm_peer *peer,
			    const struct rdm_tx_request *request,
			    size_t length)
{
	struct rdm_op *op = rdm_op_create(ep, RDM_OP_SEND);
	int ret;

	if (!op)
		return -FI_EAGAIN;
	op->peer = peer;
	rdm_tx_fill(ep, op, request, length);
	op->msg_id = peer->next_msg_id;
	op->protocol = rdm_tx_choose(ep, op);
	ret = op->protocol->start(ep, op);
	if (ret) {
		rdm_op_destroy(ep, op);
		return ret;
	}
	peer->next_msg_id++;
	ep->tx_ops++;
	return 0;
}

static ssize_t rdm_tx_send_locked(struct rdm_ep *ep,
				  const struct rdm_tx_request *request,
				  size_t length)
{
	struct rdm_peer *peer = rdm_peer_of_addr(ep, request->addr);

	if (__builtin_expect(!peer, 0))
		return rdm_tx_refuse(-FI_EADDRNOTAVAIL, "unknown address");
	if (__builtin_expect(ep->tx_ops >= ep->tx_ops_max, 0))
		return -FI_EAGAIN;
	return rdm_tx_start(ep, peer, request, length);
}

ssize_t rdm_tx_send(struct rdm_ep *ep, const struct rdm_tx_request *request)
{
	bool lacks;
	size_t length;
	ssize_t ret;

	ret = rdm_tx_check(ep, request, &length);
	if (__builtin_expect(ret != 0, 0))
		return ret;
	rdm_ep_lock(ep);
	ret = rdm_tx_send_locked(ep, request, length);
	if (__builtin_expect(ret != 0, 0))
		rdm_outbox_flush(ep);
	lacks = __builtin_expect(ep->outbox.wants_packets, 0) &&
		rdm_supply_begin(ep);
	rdm_ep_unlock(ep);
	if (!lacks)
		return ret;
	rdm_supply_run(ep);
	return ret == -FI_EAGAIN ? rdm_tx_send(ep, request) : ret;
}
