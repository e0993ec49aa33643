/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/one_sided.h"

#include <rdma/fi_errno.h>

#include "compat/log.h"
#include "rdm/emulated_read.h"
#include "rdm/ep_state.h"
#include "rdm/protocol_select.h"
#include "rdm/protocol_table.h"
#include "rdm/rma_device.h"
#include "rdm/supply.h"
#include "rdm/tx_packet.h"

static ssize_t rdm_rma_refuse(ssize_t error, const char *why)
{
	compat_debug(FI_LOG_EP_DATA, "RMA refused: %s", why);
	return error;
}

/* What can be said without the lock. */
static ssize_t rdm_rma_check(const struct rdm_ep *ep,
			     const struct rdm_rma_request *request,
			     size_t *length)
{
	size_t total = 0;

	if (request->count > RDM_OP_IOV)
		return rdm_rma_refuse(-FI_EINVAL,
				      "more buffers than iov_limit");
	for (size_t i = 0; i < request->count; i++)
		if (__builtin_add_overflow(total, request->iov[i].iov_len,
					   &total))
			return rdm_rma_refuse(-FI_EMSGSIZE,
					      "more bytes than there are");
	if (total > ep->base.max_rma_bytes)
		return rdm_rma_refuse(-FI_EMSGSIZE, "longer than the RMA size");
	if (request->flags & FI_INJECT && total > ep->base.inject_rma_bytes)
		return rdm_rma_refuse(-FI_EMSGSIZE,
				      "longer than the RMA inject size");
	if (total && request->remote_addr > UINT64_MAX - total)
		return rdm_rma_refuse(-FI_EINVAL,
				      "a remote range beyond the last address");
	*length = total;
	return 0;
}

static void rdm_rma_fill(struct rdm_op *op,
			 const struct rdm_rma_request *request, size_t length)
{
	uint64_t flags = request->flags;

	rdm_op_set_buffers(op, request->iov, request->desc, request->count);
	op->is_rma = true;
	op->is_get = request->is_get;
	op->length = length;
	op->context = request->context;
	op->cq_data = request->data;
	op->has_cq_data = flags & FI_REMOTE_CQ_DATA;
	op->is_inject = flags & FI_INJECT;
	op->is_more = flags & FI_MORE;
	op->report = flags & FI_COMPLETION;
	/* what was read is here: nobody is to be asked for a receipt */
	op->is_delivery_complete = !op->is_get &&
		flags & (FI_DELIVERY_COMPLETE | FI_MATCH_COMPLETE);
	op->comp_flags = FI_RMA | (op->is_get ? FI_READ : FI_WRITE);
	op->tx.range_count = 1;
	op->tx.range[0] = (struct rdm_wire_iov) {
		.addr = request->remote_addr,
		.len = length,
		.key = request->key,
	};
}

/* ---- which way ---- */

static const struct rdm_protocol *rdm_rma_choose_packets(struct rdm_ep *ep,
							 struct rdm_op *op)
{
	struct rdm_protocol_choice choice = {
		.length = op->length,
		.read_min = ep->settings.min_read,
		.is_delivery_complete = op->is_delivery_complete,
	};
	struct rdm_wire_message msg;

	if (op->is_get)
		return &rdm_emulated_read;
	rdm_tx_message(ep, op, &msg);
	choice.eager_max = rdm_wire_max_payload(ep->mtu,
		rdm_wire_header_len(rdm_wire_eager_type(&msg), &msg, 0));
	choice.may_read = op->length && !op->is_inject &&
			  rdm_feature_may_read(&ep->own, &op->peer->features) &&
			  rdm_op_is_registered(op);
	return rdm_protocols[rdm_protocol_select(&choice)];
}

static bool rdm_rma_may_use_device(const struct rdm_ep *ep,
				   const struct rdm_op *op,
				   const struct rdm_feature_set *peer)
{
	/* a longer key is none that a device has given */
	if (op->tx.range[0].key > UINT32_MAX)
		return false;
	if (op->is_get)
		return rdm_feature_may_read(&ep->own, peer);
	return op->has_cq_data ? rdm_feature_may_write_data(&ep->own, peer)
			       : rdm_feature_may_write(&ep->own, peer);
}

static const struct rdm_protocol *rdm_rma_choose(struct rdm_ep *ep,
						 struct rdm_op *op)
{
	return rdm_rma_may_use_device(ep, op, &op->peer->features) ?
	       &rdm_rma_device : rdm_rma_choose_packets(ep, op);
}

/* ---- waiting for the peer's handshake ---- */

/* Now that it is there, or has not come. */
static bool rdm_rma_resume(struct rdm_ep *ep, struct rdm_deferred *deferred)
{
	struct rdm_op *op = util_list_entry(deferred, struct rdm_op, deferred);

	if (op->err)
		return true;
	op->protocol = rdm_rma_choose(ep, op);
	return !op->protocol->start(ep, op);
}

/* The first that waits asks for it. */
static bool rdm_rma_greet(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_packet *packet = rdm_outbox_packet(ep);

	if (!packet)
		return false;
	packet->peer = op->peer;
	packet->op = op;
	packet->len = (uint32_t)rdm_wire_put_greeting(packet->data,
						      &ep->base.address);
	rdm_outbox_send(ep, packet);
	return true;
}

static int rdm_rma_parked_start(struct rdm_ep *ep, struct rdm_op *op)
{
	if (util_list_is_empty(&op->peer->parked) && !rdm_rma_greet(ep, op))
		return -FI_EAGAIN;
	op->deferred.run = rdm_rma_resume;
	op->tx.is_parked = true;
	util_list_append(&op->peer->parked, &op->tx.parked);
	return 0;
}

/* The peer cannot be reached: so none of those that wait for it can. */
static bool rdm_rma_parked_completed(struct rdm_ep *ep, struct rdm_op *op,
				     const struct rdm_packet *packet,
				     uint8_t status)
{
	struct util_list *parked = &op->peer->parked;
	struct rdm_op *other;

	while (status && !util_list_is_empty(parked)) {
		other = util_list_entry(util_list_pop(parked), struct rdm_op,
					tx.parked);
		other->tx.is_parked = false;
		rdm_op_fail(ep, other, fabric_comp_errno(status), status,
			    NULL);
		if (other != op)
			rdm_op_try_end(ep, other);
	}
	return false;
}

static const struct rdm_protocol rdm_rma_parked = {
	.name = "RMA that waits for a handshake",
	.start = rdm_rma_parked_start,
	.completed = rdm_rma_parked_completed,
};

/* Would it make a difference? */
static bool rdm_rma_must_wait(const struct rdm_ep *ep, const struct rdm_op *op)
{
	return !op->peer->features.is_known &&
	       rdm_rma_may_use_device(ep, op, &ep->own);
}

/* ---- the call ---- */

/* May some of its bytes not be in a packet when the call ends? */
static bool rdm_rma_outlives_call(const struct rdm_ep *ep,
				  const struct rdm_op *op)
{
	return op->protocol == &rdm_rma_parked ||
	       op->protocol == rdm_protocols[RDM_KIND_LONGCTS] ||
	       op->length > ep->mtu || op->iov_count > 1;
}

static ssize_t rdm_rma_start(struct rdm_ep *ep, struct rdm_peer *peer,
			     const struct rdm_rma_request *request,
			     size_t length)
{
	struct rdm_op *op = rdm_op_create(ep, RDM_OP_SEND);
	int ret = 0;

	if (!op)
		return -FI_EAGAIN;
	op->peer = peer;
	rdm_rma_fill(op, request, length);
	op->protocol = rdm_rma_must_wait(ep, op) ? &rdm_rma_parked
						 : rdm_rma_choose(ep, op);
	if (op->is_inject && rdm_rma_outlives_call(ep, op) &&
	    !rdm_op_keep_copy(op))
		ret = -FI_ENOMEM;
	if (!ret)
		ret = op->protocol->start(ep, op);
	if (ret) {
		rdm_op_destroy(ep, op);
		return ret;
	}
	ep->tx_ops++;
	return 0;
}

static ssize_t rdm_rma_locked(struct rdm_ep *ep,
			      const struct rdm_rma_request *request,
			      size_t length)
{
	struct rdm_peer *peer = rdm_peer_of_addr(ep, request->addr);

	if (__builtin_expect(!peer, 0))
		return rdm_rma_refuse(-FI_EADDRNOTAVAIL, "unknown address");
	if (__builtin_expect(ep->tx_ops >= ep->tx_ops_max, 0))
		return -FI_EAGAIN;
	return rdm_rma_start(ep, peer, request, length);
}

ssize_t rdm_rma(struct rdm_ep *ep, const struct rdm_rma_request *request)
{
	bool lacks;
	size_t length;
	ssize_t ret;

	ret = rdm_rma_check(ep, request, &length);
	if (__builtin_expect(ret != 0, 0))
		return ret;
	rdm_ep_lock(ep);
	ret = rdm_rma_locked(ep, request, length);
	if (__builtin_expect(ret != 0, 0))
		rdm_outbox_flush(ep);
	lacks = __builtin_expect(ep->outbox.wants_packets, 0) &&
		rdm_supply_begin(ep);
	rdm_ep_unlock(ep);
	if (!lacks)
		return ret;
	rdm_supply_run(ep);
	return ret == -FI_EAGAIN ? rdm_rma(ep, request) : ret;
}
