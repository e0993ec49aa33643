/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/send_fault.h"

#include "engine/address_table.h"
#include "engine/memory_table.h"
#include "engine/qp_completion.h"
#include "engine/responder.h"

#define OK		EFA_IO_COMP_STATUS_OK
#define UNRESPONSIVE	EFA_IO_COMP_STATUS_LOCAL_ERROR_UNRESP_REMOTE

/* How long SRD tries to reach a host that does not answer. A guess: real
 * devices take seconds, which no test wants to wait for. */
#define BLACKHOLE_TIME_NS	100000000u

static struct engine *engine_of(const struct send_op *op)
{
	return op->qp->ctx->device->engine;
}

/* ---- the event ---- */

static uint32_t op_bit(const struct send_request *request)
{
	switch (request->op) {
	case EFA_IO_RDMA_READ: return FAULT_OP_READ;
	case EFA_IO_RDMA_WRITE:
		return request->has_imm ? FAULT_OP_WRITE_IMM : FAULT_OP_WRITE;
	default: return FAULT_OP_SEND;
	}
}

/* The first byte of a message, which is what names a packet above SRD. */
static uint32_t payload_type(const struct send_op *op)
{
	const struct send_request *request = &op->request;
	struct guest_memory *mem = op->qp->ctx->mem;
	uint64_t guest_addr;
	uint8_t type;

	if (request->op != EFA_IO_SEND || !request->length)
		return FAULT_ANY;
	if (request->is_inline)
		return request->inline_data[0];
	if (!request->sge[0].length ||
	    memory_resolve(op->qp->pd, request->sge[0].key,
			   request->sge[0].addr, 1, 0, &guest_addr) ||
	    mem->read(mem, guest_addr, &type, 1))
		return FAULT_ANY;
	return type;
}

static struct fault_event event_of(const struct send_op *op)
{
	return (struct fault_event) {
		.device = op->qp->ctx->device->index,
		.qp = op->qp->number,
		.peer = op->request.dest_qpn,
		.cq = FAULT_ANY,
		.type = engine_of(op)->faults.wants_type ?
			payload_type(op) : FAULT_ANY,
		.op = op_bit(&op->request),
		.queue = FAULT_QUEUE_SEND,
		.command = FAULT_ANY,
	};
}

/* ---- decisions ---- */

static void take_decision(struct op_fault *fault,
			  const struct fault_decision *decision)
{
	const struct fault_spec *spec = &decision->spec;

	switch (spec->kind) {
	case FAULT_DROP:
		fault->is_dropped = true;
		break;
	case FAULT_DUPLICATE:
		fault->is_duplicated = true;
		break;
	case FAULT_HOLD_CQE:
		fault->is_held = true;
		fault->until = spec->until;
		fault->hold_ns = spec->time_ns;
		break;
	case FAULT_STATUS:
		fault->has_status = true;
		fault->status = spec->status;
		fault->is_delivered = spec->is_delivered;
		break;
	case FAULT_RNR:
		fault->rnr_left = spec->times;
		break;
	case FAULT_KILL_QP:
		fault->kills = true;
		fault->kill_side = spec->side;
		break;
	case FAULT_BLACKHOLE:
		fault->is_lost = true;
		fault->lost_ns = spec->time_ns == UINT64_MAX ?
			BLACKHOLE_TIME_NS : spec->time_ns;
		break;
	case FAULT_INVALIDATE_MR:
		fault->invalidates = true;
		fault->mr_side = spec->side;
		fault->mr_at_bytes = spec->at_bytes;
		break;
	default:
		break;
	}
}

/* A kind that this operation cannot suffer does not see it as an event. */
static bool applies_to(enum fault_kind kind, const struct send_op *op)
{
	bool is_ud = op->qp->type == ENGINE_QP_UD;

	switch (kind) {
	case FAULT_DROP:
	case FAULT_DUPLICATE:
		return is_ud;
	case FAULT_RNR:
		return op->request.op == EFA_IO_SEND ||
			(op->request.has_imm && !(op->qp->flags &
				ENGINE_QP_UNSOLICITED_WRITE_RECV));
	default:
		return true;
	}
}

static void decide_kind(struct send_op *op, enum fault_kind kind,
			const struct fault_event *event)
{
	struct fault_plan *plan = &engine_of(op)->faults;
	struct fault_decision decision;
	struct op_fault *fault;

	if (!fault_plan_watches(plan, FAULT_BIT(kind)) ||
	    !applies_to(kind, op) ||
	    !fault_plan_decide(plan, kind, event, &decision))
		return;
	fault = op_fault_of(op);
	if (fault)
		take_decision(fault, &decision);
}

/* ---- order ---- */

static void make_active(struct send_op *op)
{
	struct engine *engine = engine_of(op);

	due_heap_remove(&engine->timers, &op->due);
	TAILQ_REMOVE(&op->qp->waiting, op, link);
	TAILQ_INSERT_TAIL(&op->qp->active, op, link);
}

/* Those that waited for strike @number of fault @id, the last one first. */
static void release_window(struct engine *engine, uint32_t id,
			   uint64_t number)
{
	struct op_fault_list *bucket;
	struct op_fault *fault, *next;

	bucket = &engine->fault_window[number % FAULT_MAX_WINDOW];
	for (fault = LIST_FIRST(bucket); fault; fault = next) {
		next = LIST_NEXT(fault, window_link);
		if (fault->window_fault != id ||
		    fault->window_end != number)
			continue;
		LIST_REMOVE(fault, window_link);
		fault->in_window = false;
		/* Unless its time has come just now. */
		if (due_entry_is_waiting(&fault->op->due))
			make_active(fault->op);
	}
}

static bool wait_for(struct send_op *op, uint64_t delay_ns)
{
	struct engine *engine = engine_of(op);

	if (due_heap_insert(&engine->timers, &op->due,
			    engine->now_ns + delay_ns))
		return false;
	TAILQ_INSERT_TAIL(&op->qp->waiting, op, link);
	return true;
}

static void enter_window(struct send_op *op,
			 const struct fault_decision *decision)
{
	struct op_fault *fault = op_fault_of(op);

	if (!fault)
		return;
	fault->in_window = true;
	fault->window_fault = decision->id;
	fault->window_end = decision->strike + decision->later;
	LIST_INSERT_HEAD(&engine_of(op)->fault_window[fault->window_end %
						      FAULT_MAX_WINDOW],
			 fault, window_link);
}

/* True when @op waits. */
static bool reorder(struct send_op *op, const struct fault_event *event)
{
	struct engine *engine = engine_of(op);
	struct fault_decision decision;
	bool waits = false;

	if (!fault_plan_decide(&engine->faults, FAULT_REORDER, event,
			       &decision))
		return false;
	if (!decision.spec.window) {
		waits = decision.delay_ns && wait_for(op, decision.delay_ns);
	} else if (decision.later) {
		waits = wait_for(op, decision.delay_ns);
		if (waits)
			enter_window(op, &decision);
	}
	if (!decision.spec.window)
		return waits;
	/* Behind this one, which is to be in front of those it releases. */
	if (!waits)
		TAILQ_INSERT_TAIL(&op->qp->active, op, link);
	release_window(engine, decision.id, decision.strike);
	return true;
}

/* True when @op waits, and its message with it. */
static bool come_late(struct send_op *op, const struct fault_event *event)
{
	struct engine *engine = engine_of(op);
	struct fault_decision decision;
	struct op_fault *fault;

	if (op->request.op != EFA_IO_SEND ||
	    !fault_plan_decide(&engine->faults, FAULT_LATE_PACKETS, event,
			       &decision))
		return false;
	fault = op_fault_of(op);
	if (!fault || !wait_for(op, decision.delay_ns))
		return false;
	fault->is_late = true;
	fault->late_ns = engine->now_ns + decision.delay_ns;
	return true;
}

bool send_fault_decide(struct send_op *op)
{
	struct fault_event event = event_of(op);

	decide_kind(op, FAULT_HOLD_CQE, &event);
	decide_kind(op, FAULT_STATUS, &event);
	decide_kind(op, FAULT_RNR, &event);
	decide_kind(op, FAULT_DROP, &event);
	decide_kind(op, FAULT_DUPLICATE, &event);
	decide_kind(op, FAULT_KILL_QP, &event);
	decide_kind(op, FAULT_BLACKHOLE, &event);
	decide_kind(op, FAULT_INVALIDATE_MR, &event);
	return (fault_plan_watches(&engine_of(op)->faults,
				   FAULT_BIT(FAULT_LATE_PACKETS)) &&
		come_late(op, &event)) ||
		(fault_plan_watches(&engine_of(op)->faults,
				    FAULT_BIT(FAULT_REORDER)) &&
		 reorder(op, &event));
}

/* ---- effects ---- */

/* Not if it is a QP of another host. */
static enum efa_io_comp_status find_peer(const struct send_op *op,
					 struct engine_qp **peer)
{
	struct message message;

	message_of_op(op, &message);
	return responder_find(engine_of(op), &message, peer);
}

/* True when it was the QP of @op, which has ended with it. */
static bool kill_qp(struct send_op *op)
{
	struct engine_qp *victim = op->qp;

	if (op->fault->kill_side == FAULT_SIDE_REMOTE &&
	    find_peer(op, &victim) != OK)
		return false;
	op->fault->kills = false;
	qp_kill(victim);
	if (victim != op->qp)
		return false;
	qp_drop_op(op);
	return true;
}

/* The region of the receive that @op is going to fill, if there is one. */
static void invalidate_receive(struct send_op *op)
{
	struct recv_request recv;
	struct engine_qp *peer;

	if (find_peer(op, &peer) != OK || qp_peek_recv(peer, &recv) <= 0)
		return;
	op->fault->invalidates = false;
	memory_invalidate(peer->ctx->device, recv.sge[0].lkey);
}

static void invalidate_mr(struct send_op *op)
{
	struct op_fault *fault = op->fault;
	struct engine_qp *peer;

	if (op->bytes_done < fault->mr_at_bytes)
		return;
	if (fault->mr_side == FAULT_SIDE_REMOTE &&
	    op->request.op == EFA_IO_SEND) {
		invalidate_receive(op);
		return;
	}
	fault->invalidates = false;
	if (fault->mr_side == FAULT_SIDE_LOCAL) {
		if (!op->request.is_inline)
			memory_invalidate(op->qp->ctx->device,
					  op->request.sge[0].key);
	} else if (find_peer(op, &peer) == OK) {
		memory_invalidate(peer->ctx->device, op->request.remote.key);
	}
}

/* Nobody answers: the sender tries for a time, and a datagram is gone. */
static bool lose(struct send_op *op, enum send_op_result *result,
		 enum efa_io_comp_status *status)
{
	struct op_fault *fault = op->fault;

	*status = op->qp->type == ENGINE_QP_UD ? OK : UNRESPONSIVE;
	*result = SEND_OP_DONE;
	if (fault->has_waited || op->qp->type == ENGINE_QP_UD)
		return true;
	fault->has_waited = true;
	if (wait_for(op, fault->lost_ns))
		*result = SEND_OP_TAKEN;
	return true;
}

static bool forces_rnr(struct send_op *op)
{
	if (!op->fault->rnr_left)
		return false;
	op->fault->rnr_left--;
	return true;
}

bool send_fault_preempts(struct send_op *op, enum send_op_result *result,
			 enum efa_io_comp_status *status)
{
	struct op_fault *fault = op->fault;

	if (fault->in_window) {
		LIST_REMOVE(fault, window_link);
		fault->in_window = false;
	}
	*result = SEND_OP_TAKEN;
	if (fault->kills && kill_qp(op))
		return true;
	if (fault->invalidates)
		invalidate_mr(op);
	if (fault->is_lost)
		return lose(op, result, status);
	*result = SEND_OP_DONE;
	*status = fault->status;
	if (fault->has_status && !fault->is_delivered)
		return true;
	*status = OK;
	if (forces_rnr(op)) {
		if (op->qp->type == ENGINE_QP_UD)
			fault->is_dropped = true;
		else
			*result = SEND_OP_NOT_READY;
	}
	if (!fault->is_dropped)
		return *result == SEND_OP_NOT_READY;
	op->qp->ctx->device->counters.ud_drops++;
	return true;
}
