/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/long_read.h"

#include <rdma/fi_errno.h>

#include "rdm/ep_state.h"
#include "rdm/long_cts.h"
#include "rdm/read_answer.h"
#include "rdm/remote_read.h"
#include "rdm/tx_packet.h"

/* ---- sender ---- */

unsigned int rdm_long_read_ranges(const struct rdm_op *op,
				  struct rdm_wire_iov *iov)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < op->iov_count; i++) {
		if (!op->iov[i].iov_len)
			continue;
		iov[count++] = (struct rdm_wire_iov) {
			.addr = (uintptr_t)op->iov[i].iov_base,
			.len = op->iov[i].iov_len,
			.key = op->key[i].rkey,
		};
	}
	return count;
}

static int rdm_long_read_start(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_packet *packet = rdm_outbox_packet(ep);
	struct rdm_wire_iov iov[RDM_WIRE_IOV_MAX];
	struct rdm_wire_message msg;
	unsigned int count;

	if (!packet)
		return -FI_EAGAIN;
	rdm_tx_message(ep, op, &msg);
	count = rdm_long_read_ranges(op, iov);
	packet->peer = op->peer;
	packet->op = op;
	packet->more = op->is_more;
	packet->len = (uint32_t)rdm_wire_put_longread(packet->data, &msg, iov,
						      count);
	op->tx.is_read = true;
	rdm_outbox_send(ep, packet);
	return 0;
}

/* A message that waits to be read by @peer, or NULL. */
static struct rdm_op *rdm_long_read_find(struct rdm_ep *ep,
					 struct rdm_peer *peer,
					 const struct rdm_wire_view *view)
{
	struct rdm_op *op = rdm_op_find(ep, peer, RDM_OP_SEND, view->send_id);

	if (op && !op->is_answered && op->tx.is_read)
		return op;
	rdm_peer_drop(ep, "its answer is for no message that waits to be read");
	return NULL;
}

void rdm_long_read_answered(struct rdm_ep *ep, struct rdm_peer *peer,
			    const struct rdm_wire_view *view)
{
	struct rdm_op *op = rdm_long_read_find(ep, peer, view);

	if (!op)
		return;
	op->is_answered = true;
	rdm_op_try_end(ep, op);
}

static bool rdm_long_read_offer_again(struct rdm_ep *ep,
				      struct rdm_deferred *deferred)
{
	struct rdm_op *op = util_list_entry(deferred, struct rdm_op, deferred);

	return op->err || rdm_long_cts_fall_back(ep, op);
}

void rdm_long_read_refused(struct rdm_ep *ep, struct rdm_peer *peer,
			   const struct rdm_wire_view *view)
{
	struct rdm_op *op = rdm_long_read_find(ep, peer, view);

	if (!op)
		return;
	op->tx.is_read = false;
	if (rdm_long_cts_fall_back(ep, op))
		return;
	op->deferred.run = rdm_long_read_offer_again;
	rdm_outbox_defer(ep, &op->deferred);
}

/* ---- receiver ---- */

static void rdm_long_read_begin(struct rdm_ep *ep, struct rdm_op *op,
				const struct rdm_wire_view *view)
{
	rdm_reassembly_init(&op->rx.segments, op->length);
	if (!rdm_remote_read_begin(ep, op, view, 0))
		rdm_read_answer_refuse(ep, op);
	else if (rdm_remote_read_is_done(op))
		rdm_read_answer_done(ep, op);
}

bool rdm_long_read_is_offer(struct rdm_ep *ep, struct rdm_op *op,
			    const struct rdm_wire_view *view)
{
	if (view->kind != RDM_KIND_LONGCTS ||
	    !(view->flags & RDM_WIRE_AFTER_NACK) || op->err ||
	    op->rx.read || view->msg_length != op->length)
		return false;
	rdm_long_cts_take_over(ep, op, view);
	return true;
}

static void rdm_long_read_segment(struct rdm_ep *ep, struct rdm_op *op,
				  const struct rdm_wire_view *view)
{
	if (!rdm_long_read_is_offer(ep, op, view))
		rdm_peer_drop(ep, "its message has been here before");
}

static bool rdm_long_read_completed(struct rdm_ep *ep, struct rdm_op *op,
				    const struct rdm_packet *packet,
				    uint8_t status)
{
	if (packet->work != RDM_WORK_READ)
		return false;
	if (!rdm_remote_read_completed(ep, op, packet, status))
		rdm_read_answer_failed(ep, op);
	else if (!op->err && rdm_remote_read_is_done(op))
		rdm_read_answer_done(ep, op);
	return true;
}

const struct rdm_protocol rdm_long_read = {
	.name = "long-read",
	.start = rdm_long_read_start,
	.begin = rdm_long_read_begin,
	.segment = rdm_long_read_segment,
	.completed = rdm_long_read_completed,
};
