/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/op.h"

#include <stdlib.h>
#include <string.h>

#include <rdma/fi_errno.h>

#include "fabric/comp_error.h"
#include "rdm/ep_state.h"
#include "rdm/target_memory.h"
#include "util/iov_copy.h"

static struct rdm_rights *rdm_op_rights(struct rdm_ep *ep,
					const struct rdm_op *op)
{
	return rdm_op_is_own(op) ? &ep->tx_rights : &ep->rx_rights;
}

struct rdm_op *rdm_op_create(struct rdm_ep *ep, enum rdm_op_kind kind)
{
	struct rdm_rights *rights = kind == RDM_OP_SEND ? &ep->tx_rights
							: &ep->rx_rights;
	struct rdm_op *op;

	if (!rdm_rights_take(rights))
		return NULL;
	op = util_pool_get(&ep->ops);
	if (!op)
		goto err_return;
	memset(op, 0, sizeof(*op));
	if (util_id_table_add(&ep->ids, op, &op->id))
		goto err_put;
	op->kind = (uint8_t)kind;
	return op;

err_put:
	util_pool_put(&ep->ops, op);
err_return:
	rdm_rights_return(rights);
	return NULL;
}

static void rdm_op_leave_messages(struct rdm_op *op)
{
	if (!op->in_messages)
		return;
	util_hash_remove(&op->peer->messages, &op->rx.by_msg_id);
	op->in_messages = false;
}

/* Its memory; the right is gone already. */
static void rdm_op_free(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_stored_packet *stored;

	rdm_outbox_forget(&op->deferred);
	if (!rdm_op_is_outgoing(op)) {
		rdm_op_leave_messages(op);
		while ((stored = rdm_stored_queue_pop(&op->rx.stored)))
			free(stored);
		rdm_reassembly_fini(&op->rx.segments);
		free(op->rx.read);
	} else if (op->peer) {
		op->peer->runt_bytes -= op->tx.runt;
		if (op->tx.is_parked)
			util_list_remove(&op->tx.parked);
	}
	util_id_table_remove(&ep->ids, op->id);
	free(op->copied);
	free(op->text);
	op->kind = RDM_OP_FREE;
	util_pool_put(&ep->ops, op);
}

void rdm_op_forget(struct rdm_ep *ep, struct rdm_op *op)
{
	rdm_op_free(ep, op);
}

void rdm_op_destroy(struct rdm_ep *ep, struct rdm_op *op)
{
	rdm_rights_return(rdm_op_rights(ep, op));
	rdm_op_free(ep, op);
}

struct rdm_op *rdm_op_find(struct rdm_ep *ep, const struct rdm_peer *peer,
			   enum rdm_op_kind kind, uint32_t id)
{
	struct rdm_op *op = util_id_table_find(&ep->ids, id);

	return op && op->kind == kind && op->peer == peer ? op : NULL;
}

void rdm_op_fail(struct rdm_ep *ep, struct rdm_op *op, int err,
		 int prov_errno, const char *text)
{
	char buf[FABRIC_COMP_ERROR_SIZE];

	op->is_answered = true;
	if (op->err)
		return;
	op->err = err;
	op->prov_errno = prov_errno;
	if (!text) {
		fabric_comp_error_text(buf, sizeof(buf), prov_errno,
				       &ep->base.address,
				       op->peer ? &op->peer->address : NULL);
		text = buf;
	}
	/* without memory for its text, the error has no text */
	op->text = strdup(text);
}

/* ---- the end ---- */

static enum fabric_ep_op rdm_op_counted_as(const struct rdm_op *op)
{
	if (__builtin_expect(op->is_rma, 0))
		return op->is_get ? FABRIC_EP_READ : FABRIC_EP_WRITE;
	if (__builtin_expect(op->is_target, 0))
		return FABRIC_EP_REMOTE_WRITE;
	return rdm_op_is_own(op) ? FABRIC_EP_SEND : FABRIC_EP_RECV;
}

static void rdm_op_count(struct rdm_ep *ep, const struct rdm_op *op)
{
	struct fabric_cntr *cntr = ep->base.cntrs[rdm_op_counted_as(op)];

	if (__builtin_expect(!cntr, 1))
		return;
	if (op->err)
		fabric_cntr_add_error(cntr);
	else
		fabric_cntr_add(cntr, 1);
}

static void rdm_op_describe_receive(struct rdm_ep *ep, struct rdm_op *op,
				    struct fabric_completion *out)
{
	out->len = op->length < op->room ? op->length : op->room;
	out->buf = op->is_target ? NULL : op->iov[0].iov_base;
	out->tag = op->tag;
	if (op->has_cq_data) {
		out->flags |= FI_REMOTE_CQ_DATA;
		out->data = op->cq_data;
	}
	if (op->peer && ep->base.wants_source)
		out->source = rdm_peer_addr(ep, op->peer);
}

static void rdm_op_tell(struct rdm_ep *ep, struct rdm_op *op)
{
	struct fabric_completion completion = {
		.op_context = op->context,
		.flags = op->comp_flags,
		.source = FI_ADDR_NOTAVAIL,
		.owner = &ep->base,
		.err = op->err,
		.prov_errno = op->prov_errno,
		.text = op->text,
	};

	if (!op->report && (!op->err || op->is_target)) {
		rdm_rights_return(rdm_op_rights(ep, op));
		return;
	}
	if (!rdm_op_is_own(op))
		rdm_op_describe_receive(ep, op, &completion);
	if (op->err == FI_ETRUNC)
		completion.olen = op->length - op->room;
	op->text = NULL;	/* the completion's now */
	rdm_rights_use(rdm_op_rights(ep, op), &completion);
}

/* The last message of a multi-receive buffer hands the buffer back; but one
 * that was cancelled has an entry of its own, after the message's: it is
 * what this returns. */
static struct rdm_op *rdm_op_leave_parent(struct rdm_ep *ep,
					  struct rdm_op *op)
{
	struct rdm_op *parent = op->rx.parent;

	parent->rx.children--;
	if (parent->rx.children || !parent->is_answered)
		return NULL;
	if (parent->err)
		return parent;
	op->comp_flags |= FI_MULTI_RECV;
	op->report = true;
	rdm_op_destroy(ep, parent);
	return NULL;
}

static void rdm_op_end(struct rdm_ep *ep, struct rdm_op *op)
{
	/* of what a peer does here, only its data are noticed */
	if (__builtin_expect(op->is_target, 0)) {
		op->report = op->has_cq_data && ep->base.rx_bound && !op->err;
		if (op->has_cq_data && !op->err)
			rdm_op_count(ep, op);
	} else {
		rdm_op_count(ep, op);
	}
	rdm_op_tell(ep, op);
	rdm_op_free(ep, op);
}

/* Nobody asked for a discarded message, nor for what became of it. */
static bool rdm_op_is_nobodys(const struct rdm_op *op)
{
	return !rdm_op_is_outgoing(op) && op->rx.is_discarded;
}

void rdm_op_try_end(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_op *cancelled = NULL;

	if (!op->is_answered || op->packets)
		return;
	if (__builtin_expect(rdm_op_is_nobodys(op), 0)) {
		rdm_op_destroy(ep, op);
		return;
	}
	if (rdm_op_is_own(op))
		ep->tx_ops--;
	else if (!op->is_target && op->rx.parent)
		cancelled = rdm_op_leave_parent(ep, op);
	rdm_op_end(ep, op);
	if (__builtin_expect(cancelled != NULL, 0))
		rdm_op_end(ep, cancelled);
}

/* ---- data ---- */

void rdm_op_place(struct rdm_ep *ep, struct rdm_op *op, uint64_t offset,
		  const void *payload, size_t len)
{
	if (__builtin_expect(op->is_target, 0)) {
		if (!rdm_target_store(ep, op->rx.range, op->rx.range_count,
				      offset, payload, len))
			rdm_op_fail(ep, op, FI_EACCES,
				    EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_ADDRESS,
				    NULL);
		return;
	}
	if (op->rx.is_discarded || offset >= op->room)
		return;
	if (len > op->room - offset)
		len = (size_t)(op->room - offset);
	util_iov_copy_to(op->iov, op->iov_count, offset, payload, len);
}

bool rdm_op_keep_copy(struct rdm_op *op)
{
	if (op->copied || !op->length)
		return true;
	op->copied = malloc(op->length);
	if (!op->copied)
		return false;
	util_iov_copy_from(op->copied, op->iov, op->iov_count, 0, op->length);
	op->iov_count = 1;
	op->iov[0].iov_base = op->copied;
	op->iov[0].iov_len = op->length;
	op->key[0].is_registered = false;
	return true;
}
