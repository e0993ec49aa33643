/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/queue_rules.h"

#include <inttypes.h>

#include "engine/memory_table.h"
#include "engine/rule_check.h"
#include "engine/trace_point.h"

/* ---- send queue ---- */

void queue_rules_sq_doorbell(struct engine_qp *qp)
{
	const struct send_ring *sq = &qp->sq;
	bool is_back = (sq->last_doorbell - sq->good_doorbell) & 0x8000;

	qp->sq_broken = true;
	rule_broken(qp->ctx, &qp->reported, ENGINE_RULE_SQ_DOORBELL,
		    "QP %u: send queue: doorbell %s from %u to %#x, with %u of %u entries in flight",
		    qp->number, is_back ? "back" : "beyond the ring",
		    sq->good_doorbell, sq->last_doorbell, sq->in_flight,
		    sq->depth);
}

void queue_rules_sq_staged(struct engine_qp *qp, uint32_t pending)
{
	if (send_ring_is_overstaged(&qp->sq, pending))
		rule_broken(qp->ctx, &qp->reported, ENGINE_RULE_SQ_BATCH,
			    "QP %u: send queue, entry %u: more than %u entries since the last doorbell (%u)",
			    qp->number,
			    qp->sq.fetched + pending + qp->sq.max_batch,
			    qp->sq.max_batch, qp->sq.last_doorbell);
}

void queue_rules_sq_taken(struct send_op *op)
{
	struct engine_qp *qp = op->qp;
	uint16_t req_id = op->request.req_id;

	op->holds_req_id = req_id_set_add(&qp->sq_ids, req_id);
	if (!op->holds_req_id)
		rule_broken(qp->ctx, &qp->reported, ENGINE_RULE_SQ_REQ_ID,
			    "QP %u: send queue, entry %u: request ID %#x is in use by an earlier entry",
			    qp->number, op->index, req_id);
}

/*
 * A slot as it was the last time around, where the phase or the fixed bits
 * say that it should not be: its doorbell came first.
 */
void queue_rules_sq_refused(const struct send_op *op, enum engine_rule rule,
			    const char *text, bool is_new)
{
	struct engine_qp *qp = op->qp;

	if (!is_new && (rule == ENGINE_RULE_SQ_PHASE ||
			rule == ENGINE_RULE_SQ_MALFORMED)) {
		rule = ENGINE_RULE_SQ_LATE;
		text = "not written when its doorbell was rung";
	}
	rule_broken(qp->ctx, &qp->reported, rule,
		    "QP %u: send queue, entry %u: %s", qp->number, op->index,
		    text);
}

void queue_rules_sq_completing(struct send_op *op)
{
	struct engine_qp *qp = op->qp;
	enum send_ring_slot slot;
	uint32_t index;

	if (op->holds_req_id)
		req_id_set_remove(&qp->sq_ids, op->request.req_id);
	slot = send_ring_give_back(&qp->sq, &index);
	if (slot == SEND_RING_INTACT || qp->sq_broken)
		return;
	if (slot == SEND_RING_CHANGED)
		rule_broken(qp->ctx, &qp->reported, ENGINE_RULE_SQ_TORN,
			    "QP %u: send queue, entry %u: written to after its doorbell",
			    qp->number, index);
	else
		rule_broken(qp->ctx, &qp->reported, ENGINE_RULE_SQ_OVERWRITE,
			    "QP %u: send queue, entry %u: overwritten by a later one before %u entries had completed",
			    qp->number, index, index + 1);
}

/* ---- memory ---- */

/*
 * Only what the tables refuse is the driver's fault; memory that a client
 * has unmapped is reached by a device that pins it.
 */
static void check_sge(struct engine_qp *qp, const char *queue, uint32_t index,
		      const struct recv_sge *sge, uint32_t access)
{
	uint64_t guest_addr;
	const char *refusal;

	if (!memory_resolve(qp->pd, sge->lkey, sge->addr, sge->length, access,
			    &guest_addr))
		return;
	refusal = memory_refusal(qp->pd, sge->lkey, access);
	if (!refusal)
		return;
	rule_broken(qp->ctx, &qp->reported, ENGINE_RULE_LKEY,
		    "QP %u: %s queue, entry %u: %u bytes at %#" PRIx64 " with lkey %#x: %s",
		    qp->number, queue, index, sge->length, sge->addr,
		    sge->lkey, refusal);
}

void queue_rules_sq_lkey(const struct send_op *op)
{
	const struct send_request *request = &op->request;
	struct recv_sge sge;
	uint32_t access = 0, i;

	if (op->qp->ctx->dead)
		return;
	if (request->op == EFA_IO_RDMA_READ)
		access = ENGINE_ACCESS_LOCAL_WRITE;
	for (i = 0; i < request->sge_count; i++) {
		sge = (struct recv_sge) {
			.addr = request->sge[i].addr,
			.length = request->sge[i].length,
			.lkey = request->sge[i].key,
		};
		check_sge(op->qp, "send", op->index, &sge, access);
	}
}

void queue_rules_rq_lkey(struct engine_qp *qp,
			 const struct recv_request *request)
{
	uint32_t first = qp->rq.consumed - request->sge_count, i;

	if (qp->ctx->dead)
		return;
	for (i = 0; i < request->sge_count; i++)
		check_sge(qp, "receive", first + i, &request->sge[i],
			  ENGINE_ACCESS_LOCAL_WRITE);
}

/* ---- receive queue ---- */

static void tell(struct engine_qp *qp, const struct recv_ring_finding *finding)
{
	if (finding->text)
		rule_broken(qp->ctx, &qp->reported, finding->rule,
			    "QP %u: receive queue, descriptor %u: %s",
			    qp->number, finding->index, finding->text);
}

uint32_t queue_rules_rq_accept(struct engine_qp *qp)
{
	struct recv_ring_finding finding;
	uint32_t count;
	bool is_rung;

	count = recv_ring_accept(&qp->rq, QUEUE_RULES_ACCEPT, &is_rung,
				 &finding);
	if (is_rung) {
		qp->ctx->device->counters.rq_doorbells++;
		qp->counters.rq_doorbells++;
		trace_doorbell(qp, TRACE_RQ);
	}
	tell(qp, &finding);
	return count;
}

void queue_rules_rq_take(struct engine_qp *qp,
			 const struct recv_request *request)
{
	struct recv_ring_finding finding;

	recv_ring_take(&qp->rq, request, &finding);
	tell(qp, &finding);
}
