/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/qp_completion.h"

#include <errno.h>
#include <string.h>

#include "engine/address_table.h"
#include "engine/comp_cntr.h"
#include "engine/comp_ring.h"
#include "engine/held_completion.h"
#include "engine/op_fault.h"
#include "engine/queue_rules.h"
#include "engine/recv_fault.h"
#include "engine/trace_point.h"

static uint8_t entry_flags(enum efa_io_queue_type queue,
			   enum efa_io_send_op_type op)
{
	return queue << EFA_IO_CDESC_Q_TYPE_SHIFT |
		((op << EFA_IO_CDESC_OP_TYPE_SHIFT) & EFA_IO_CDESC_OP_TYPE);
}

static uint32_t packets_of(const struct engine_qp *qp, uint32_t len_bytes)
{
	uint32_t mtu = qp->ctx->device->profile->mtu;

	return len_bytes > mtu ? (len_bytes + mtu - 1) / mtu : 1;
}

static void count_send(struct engine_qp *qp, const struct send_request *request,
		       enum efa_io_comp_status status)
{
	struct engine_qp_counters *counters = &qp->counters;
	uint32_t packets = packets_of(qp, request->length);

	counters->completions++;
	if (status != EFA_IO_COMP_STATUS_OK) {
		counters->errors++;
	} else if (request->op == EFA_IO_RDMA_READ) {
		counters->rx_packets += packets;
		counters->rx_bytes += request->length;
	} else {
		counters->tx_packets += packets;
		counters->tx_bytes += request->length;
	}
}

static void count_recv(struct engine_qp *qp, const struct recv_completion *comp)
{
	struct engine_qp_counters *counters = &qp->counters;

	counters->completions++;
	counters->receives++;
	if (comp->status != EFA_IO_COMP_STATUS_OK) {
		counters->errors++;
		return;
	}
	counters->rx_packets += packets_of(qp, comp->length);
	counters->rx_bytes += comp->length;
}

static unsigned counted_op(enum efa_io_send_op_type op)
{
	switch (op) {
	case EFA_IO_RDMA_READ:
		return ENGINE_CNTR_READ;
	case EFA_IO_RDMA_WRITE:
		return ENGINE_CNTR_WRITE;
	default:
		return ENGINE_CNTR_SEND;
	}
}

static void post_send(struct send_op *op, const struct efa_io_cdesc *entry)
{
	const struct op_fault *fault = op->fault;
	struct engine_qp *qp = op->qp;

	if (__builtin_expect(fault != NULL, 0) && fault->is_held) {
		held_completion_add(qp, qp->send_cq, entry, fault->until,
				    fault->hold_ns);
		return;
	}
	comp_ring_post(qp->send_cq, entry);
	if (!TAILQ_EMPTY(&qp->held))
		held_completion_release(qp, FAULT_UNTIL_SEND);
}

/* What a fault makes of the status of an operation that succeeded. */
static enum efa_io_comp_status status_by_fault(const struct op_fault *fault,
					       enum efa_io_comp_status status)
{
	return fault->has_status && status == EFA_IO_COMP_STATUS_OK ?
		fault->status : status;
}

static void complete_send(struct send_op *op, enum efa_io_comp_status status)
{
	const struct send_request *request = &op->request;
	struct engine_qp *qp = op->qp;
	struct efa_io_cdesc entry = {
		.req_id = request->req_id,
		.status = status,
		.flags = entry_flags(EFA_IO_SEND_QUEUE, request->op),
		.qp_num = qp->number,
	};

	if (qp->flags & ENGINE_QP_SQ_REQ_ID_64)
		memcpy(entry.tx.req_id_ex,
		       (const uint8_t *)&request->req_id +
		       sizeof(entry.req_id), sizeof(entry.tx.req_id_ex));
	comp_cntr_count(qp, counted_op(request->op),
			status == EFA_IO_COMP_STATUS_OK);
	/* Slot and ID are free before the guest can know of it. */
	queue_rules_sq_completing(op);
	count_send(qp, request, status);
	if (!qp->ctx->dead &&
	    (request->comp_requested || status != EFA_IO_COMP_STATUS_OK))
		post_send(op, &entry);
	send_op_free(qp->ctx->device->engine, op);
}

void qp_complete_send(struct send_op *op, enum efa_io_comp_status status)
{
	struct engine_qp *qp = op->qp;
	bool stops = false;

	if (__builtin_expect(op->fault != NULL, 0)) {
		status = status_by_fault(op->fault, status);
		stops = op->fault->has_status && status ==
			EFA_IO_COMP_STATUS_LOCAL_ERROR_QP_INTERNAL_ERROR;
	}
	complete_send(op, status);
	if (stops)
		qp_stop(qp);
}

/*
 * Who sent it: the receiver's number for the GID, else the GID itself. The
 * entry of a write has the upper half of its length where the GID would be;
 * its target knows the sender, unless the profile says rdma_without_ah.
 */
static void name_sender(struct engine_qp *qp,
			const struct recv_completion *comp,
			struct efa_io_cdesc *entry)
{
	entry->rx.src_qp_num = comp->sender_qpn;
	entry->rx.ah = address_number_of(qp->pd, comp->sender_gid);
	if (entry->rx.ah == EFA_IO_AH_UNKNOWN &&
	    comp->op != EFA_IO_RDMA_WRITE &&
	    (qp->recv_cq->flags & ENGINE_CQ_SGID))
		memcpy(entry->rx.src_gid, comp->sender_gid,
		       sizeof(entry->rx.src_gid));
}

void qp_complete_recv(struct engine_qp *qp, const struct recv_completion *comp)
{
	struct efa_io_cdesc entry = {
		.req_id = comp->req_id,
		.status = comp->status,
		.flags = entry_flags(EFA_IO_RECV_QUEUE, comp->op),
		.qp_num = qp->number,
	};

	entry.rx.length = comp->length;
	entry.rx.ah = EFA_IO_AH_UNKNOWN;
	if (comp->sender_gid)
		name_sender(qp, comp, &entry);
	/* Where name_sender has put no GID. */
	if (comp->op == EFA_IO_RDMA_WRITE)
		entry.rx.length_hi = comp->length >> 16;
	if (comp->has_imm) {
		entry.flags |= EFA_IO_CDESC_HAS_IMM;
		entry.rx.imm = comp->imm;
	}
	count_recv(qp, comp);
	if (comp->is_unsolicited)
		entry.flags |= EFA_IO_CDESC_UNSOLICITED;
	else
		comp_cntr_count(qp, ENGINE_CNTR_RECV,
				comp->status == EFA_IO_COMP_STATUS_OK);
	if (qp->ctx->dead)
		return;
	if (fault_plan_watches(&qp->ctx->device->engine->faults,
			       RECV_FAULT_KINDS) &&
	    comp->sender_gid && recv_fault_takes(qp, &entry))
		return;
	comp_ring_post(qp->recv_cq, &entry);
	if (!TAILQ_EMPTY(&qp->held))
		held_completion_release(qp, FAULT_UNTIL_RECV);
}

static int peek(struct engine_qp *qp, struct recv_request *request)
{
	int ret = recv_ring_peek(&qp->rq, request);

	if (ret)
		return ret;
	queue_rules_rq_accept(qp);
	return recv_ring_peek(&qp->rq, request);
}

int qp_peek_recv(struct engine_qp *qp, struct recv_request *request)
{
	struct recv_completion comp = {
		.status = EFA_IO_COMP_STATUS_LOCAL_ERROR_QP_INTERNAL_ERROR,
	};
	int ret = peek(qp, request);

	if (ret < 0) {
		comp.req_id = request->req_id;
		qp_complete_recv(qp, &comp);
		qp_stop(qp);
	}
	return ret;
}

static unsigned flush_ops(struct op_list *ops, struct due_heap *timers)
{
	struct send_op *op;
	unsigned count = 0;

	while ((op = TAILQ_FIRST(ops))) {
		TAILQ_REMOVE(ops, op, link);
		if (due_entry_is_waiting(&op->due))
			due_heap_remove(timers, &op->due);
		qp_complete_send(op, EFA_IO_COMP_STATUS_FLUSHED);
		count++;
	}
	return count;
}

/* Entries that were never fetched; only their request ID is looked at. */
static unsigned flush_send_ring(struct engine_qp *qp, unsigned limit)
{
	struct engine *engine = qp->ctx->device->engine;
	struct send_wqe_finding finding;
	struct efa_io_tx_wqe wqe;
	struct send_op *op;
	bool is_rung;
	int pending;
	unsigned i;

	if (qp->sq_broken)
		return 0;
	pending = send_ring_pending(&qp->sq, &is_rung);
	if (is_rung) {
		qp->ctx->device->counters.sq_doorbells++;
		qp->counters.sq_doorbells++;
		trace_doorbell(qp, TRACE_SQ);
	}
	if (pending < 0) {
		queue_rules_sq_doorbell(qp);
		return 0;
	}
	for (i = 0; i < limit && i < (unsigned)pending; i++) {
		op = send_op_alloc(engine, qp);
		if (!op)
			break;
		send_ring_fetch(&qp->sq, &wqe);
		trace_wqe(qp, &wqe);
		qp->counters.wqes++;
		send_wqe_decode(&wqe, 0, &qp->limits, &op->request, &finding);
		qp_complete_send(op, EFA_IO_COMP_STATUS_FLUSHED);
	}
	return i;
}

static unsigned flush_recv_ring(struct engine_qp *qp, unsigned limit)
{
	struct recv_completion comp = {
		.status = EFA_IO_COMP_STATUS_FLUSHED,
	};
	struct recv_request request;
	unsigned count = 0;

	/* A guest that keeps posting waits for the next poll. */
	while (count < limit && peek(qp, &request) > 0) {
		queue_rules_rq_take(qp, &request);
		trace_recv(qp, &request);
		comp.req_id = request.req_id;
		qp_complete_recv(qp, &comp);
		count++;
	}
	return count;
}

unsigned qp_flush(struct engine_qp *qp, unsigned limit)
{
	struct due_heap *timers = &qp->ctx->device->engine->timers;
	unsigned count;

	count = flush_ops(&qp->active, timers);
	count += flush_ops(&qp->waiting, timers);
	count += flush_ops(&qp->remote, timers);
	count += flush_send_ring(qp, limit);
	count += flush_recv_ring(qp, limit);
	return count;
}

void qp_stop(struct engine_qp *qp)
{
	qp->state = ENGINE_QP_ERR;
	qp_flush(qp, qp->sq.depth > qp->rq.depth ? qp->sq.depth : qp->rq.depth);
}

void qp_drop_op(struct send_op *op)
{
	op->qp->sq.in_flight--;
	send_op_free(op->qp->ctx->device->engine, op);
}

static void drop_ops(struct op_list *ops, struct engine *engine)
{
	struct send_op *op;

	while ((op = TAILQ_FIRST(ops))) {
		TAILQ_REMOVE(ops, op, link);
		if (due_entry_is_waiting(&op->due))
			due_heap_remove(&engine->timers, &op->due);
		qp_drop_op(op);
	}
}

void qp_drop(struct engine_qp *qp)
{
	struct engine *engine = qp->ctx->device->engine;

	drop_ops(&qp->active, engine);
	drop_ops(&qp->waiting, engine);
	drop_ops(&qp->remote, engine);
}

void qp_kill(struct engine_qp *qp)
{
	qp_drop(qp);
	held_completion_orphan(qp);
	qp->state = ENGINE_QP_RESET;
	qp->is_killed = true;
}
