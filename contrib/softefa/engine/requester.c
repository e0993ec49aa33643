/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/requester.h"

#include <string.h>

#include "engine/address_table.h"
#include "engine/comp_ring.h"
#include "engine/payload_stage.h"
#include "engine/qp_completion.h"
#include "engine/queue_rules.h"
#include "engine/rdma.h"
#include "engine/remote_send.h"
#include "engine/send_fault.h"
#include "engine/srd.h"
#include "engine/trace_point.h"
#include "engine/ud.h"

#define OK		EFA_IO_COMP_STATUS_OK
#define FLUSHED		EFA_IO_COMP_STATUS_FLUSHED
#define INTERNAL_ERROR	EFA_IO_COMP_STATUS_LOCAL_ERROR_QP_INTERNAL_ERROR
#define INVALID_AH	EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_AH
#define INVALID_LKEY	EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_LKEY
#define RNR		EFA_IO_COMP_STATUS_REMOTE_ERROR_RNR

/* The doorbell counts entries that cannot be there. */
static void stop_for_doorbell(struct engine_qp *qp)
{
	struct engine *engine = qp->ctx->device->engine;
	struct send_wqe_finding finding;
	struct efa_io_tx_wqe wqe;
	struct send_op *op = NULL;

	queue_rules_sq_doorbell(qp);
	/* One completion says so, if there is an entry to name. */
	if (qp->sq.in_flight < qp->sq.depth)
		op = send_op_alloc(engine, qp);
	if (op) {
		send_ring_fetch(&qp->sq, &wqe);
		trace_wqe(qp, &wqe);
		send_wqe_decode(&wqe, 0, &qp->limits, &op->request, &finding);
		qp_complete_send(op, INTERNAL_ERROR);
	}
	qp_stop(qp);
}

/* Takes the next entry through the gate. */
static void fetch_one(struct engine_qp *qp, struct send_op *op)
{
	uint8_t phase = send_ring_phase(&qp->sq);
	enum efa_io_comp_status status;
	struct send_wqe_finding finding;
	struct efa_io_tx_wqe wqe;
	bool is_new;

	op->index = qp->sq.fetched;
	qp->counters.wqes++;
	is_new = send_ring_fetch(&qp->sq, &wqe);
	trace_wqe(qp, &wqe);
	status = send_wqe_decode(&wqe, phase, &qp->limits, &op->request,
				 &finding);
	if (status == INTERNAL_ERROR)
		queue_rules_sq_refused(op, finding.rule, finding.text, is_new);
	else
		queue_rules_sq_taken(op);
	if (status == OK) {
		if (!send_fault_delays(op))
			TAILQ_INSERT_TAIL(&qp->active, op, link);
		return;
	}
	qp_complete_send(op, status);
	if (status == INTERNAL_ERROR)
		qp_stop(qp);
}

static unsigned fetch(struct engine_qp *qp)
{
	struct engine *engine = qp->ctx->device->engine;
	struct send_op *op;
	bool is_rung;
	int pending, i;

	if (qp->sq_broken)
		return 0;
	pending = send_ring_pending(&qp->sq, &is_rung);
	if (is_rung) {
		qp->ctx->device->counters.sq_doorbells++;
		qp->counters.sq_doorbells++;
		trace_doorbell(qp, TRACE_SQ);
	}
	if (pending < 0) {
		stop_for_doorbell(qp);
		return 1;
	}
	queue_rules_sq_staged(qp, pending);
	if (pending > REQUESTER_TURN_OPS)
		pending = REQUESTER_TURN_OPS;
	for (i = 0; i < pending && qp->state == ENGINE_QP_RTS; i++) {
		op = send_op_alloc(engine, qp);
		if (!op)
			break;
		fetch_one(qp, op);
	}
	return i;
}

/*
 * The GID behind the entry's AH. An AH that is destroyed meanwhile flushes
 * the operation (the SRD description that comes with the kernel driver says
 * so), whoever has its number by then.
 */
static enum efa_io_comp_status resolve_address(struct send_op *op)
{
	const uint8_t *gid = address_gid(op->qp->pd, op->request.ah);

	if (op->is_started)
		return gid && !memcmp(gid, op->dgid, sizeof(op->dgid)) ?
			OK : FLUSHED;
	if (!gid)
		return INVALID_AH;
	memcpy(op->dgid, gid, sizeof(op->dgid));
	op->is_started = true;
	return OK;
}

static enum send_op_result attempt(struct send_op *op,
				   enum efa_io_comp_status *status,
				   uint32_t *moved)
{
	enum send_op_result result;

	*moved = op->request.length;
	*status = resolve_address(op);
	if (*status != OK)
		return SEND_OP_DONE;
	if (__builtin_expect(op->fault != NULL, 0) &&
	    send_fault_preempts(op, &result, status))
		return result;
	if (remote_send_is_for(op))
		return remote_send_step(op, status, moved);
	if (op->request.op != EFA_IO_SEND)
		return rdma_step(op, status, moved);
	if (op->qp->type == ENGINE_QP_SRD)
		return srd_send(op, status);
	*status = ud_send(op);
	if (__builtin_expect(op->fault != NULL, 0) && op->fault->is_duplicated)
		ud_send(op);
	return SEND_OP_DONE;
}

static void retry_later(struct send_op *op)
{
	struct engine_qp *qp = op->qp;
	struct engine *engine = qp->ctx->device->engine;

	qp->counters.rnr++;
	if (qp->rnr_retry != RNR_RETRY_WITHOUT_END &&
	    op->rnr_retries >= qp->rnr_retry) {
		qp_complete_send(op, RNR);
		return;
	}
	if (due_heap_insert(&engine->timers, &op->due,
			    engine->now_ns + RNR_RETRY_NS)) {
		qp_complete_send(op, INTERNAL_ERROR);
		return;
	}
	if (op->rnr_retries < qp->rnr_retry)
		op->rnr_retries++;
	TAILQ_INSERT_TAIL(&qp->waiting, op, link);
}

/* Works on @op, which is in no list, and decides what becomes of it. */
static uint32_t run(struct send_op *op)
{
	struct engine_qp *qp = op->qp;
	enum efa_io_comp_status status;
	enum send_op_result result;
	uint32_t moved;

	result = attempt(op, &status, &moved);
	if (result == SEND_OP_TAKEN)
		return moved;
	/* A message to oneself can have stopped the QP. */
	if (result != SEND_OP_DONE && qp->state == ENGINE_QP_ERR) {
		result = SEND_OP_DONE;
		status = FLUSHED;
	}
	switch (result) {
	case SEND_OP_DONE:
		if (status == INVALID_LKEY)
			queue_rules_sq_lkey(op);
		qp_complete_send(op, status);
		break;
	case SEND_OP_AGAIN:
		TAILQ_INSERT_TAIL(&qp->active, op, link);
		break;
	case SEND_OP_NOT_READY:
		retry_later(op);
		break;
	case SEND_OP_PENDING:
		TAILQ_INSERT_TAIL(&qp->remote, op, link);
		break;
	case SEND_OP_TAKEN:
		break;
	}
	return moved;
}

static unsigned run_active(struct engine_qp *qp)
{
	uint64_t bytes = 0;
	struct send_op *op;
	unsigned count = 0;

	payload_stage(qp, REQUESTER_TURN_OPS);
	while (count < REQUESTER_TURN_OPS && bytes < REQUESTER_TURN_BYTES &&
	       !qp->ctx->dead && (op = TAILQ_FIRST(&qp->active))) {
		TAILQ_REMOVE(&qp->active, op, link);
		bytes += run(op);
		count++;
	}
	payload_stage_clear(qp->ctx->device->engine);
	qp->ctx->spent += bytes + count * REQUESTER_OP_COST;
	return count;
}

static unsigned flush(struct engine_qp *qp)
{
	unsigned count = qp_flush(qp, REQUESTER_TURN_FLUSHES);

	qp->ctx->spent += count * REQUESTER_FLUSH_COST;
	return count;
}

unsigned requester_turn(struct engine_qp *qp)
{
	unsigned count = 0;

	if (qp->ctx->dead) {
		qp_drop(qp);
		return 0;
	}
	if (qp->state == ENGINE_QP_RESET)
		return 0;
	if (qp->state != ENGINE_QP_ERR &&
	    (qp->send_cq->broken || qp->recv_cq->broken))
		qp_stop(qp);
	if (qp->state == ENGINE_QP_ERR)
		return flush(qp);
	count = queue_rules_rq_accept(qp);
	if (qp->state == ENGINE_QP_RTS)
		count += fetch(qp);
	if (qp->state == ENGINE_QP_RTS || qp->state == ENGINE_QP_SQD)
		count += run_active(qp);
	return count;
}

unsigned requester_wake(struct engine *engine)
{
	struct due_entry *entry;
	struct send_op *op;
	unsigned count = 0;

	while (count < REQUESTER_WAKE_OPS &&
	       (entry = due_heap_pop(&engine->timers, engine->now_ns))) {
		op = (struct send_op *)((char *)entry -
					offsetof(struct send_op, due));
		TAILQ_REMOVE(&op->qp->waiting, op, link);
		TAILQ_INSERT_TAIL(&op->qp->active, op, link);
		count++;
	}
	return count;
}
