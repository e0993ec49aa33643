/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/recv_fault.h"

#include "engine/held_completion.h"

static struct fault_event event_of(const struct engine_qp *qp,
				   const struct efa_io_cdesc *entry)
{
	bool is_write = (entry->flags & EFA_IO_CDESC_OP_TYPE) >>
		EFA_IO_CDESC_OP_TYPE_SHIFT == EFA_IO_RDMA_WRITE;

	return (struct fault_event) {
		.device = qp->ctx->device->index,
		.qp = qp->number,
		.peer = entry->rx.src_qp_num,
		.cq = FAULT_ANY,
		.type = FAULT_ANY,
		.op = is_write ? FAULT_OP_WRITE_IMM : FAULT_OP_SEND,
		.queue = FAULT_QUEUE_RECV,
		.command = FAULT_ANY,
	};
}

bool recv_fault_takes(struct engine_qp *qp, struct efa_io_cdesc *entry)
{
	struct fault_plan *plan = &qp->ctx->device->engine->faults;
	struct fault_event event = event_of(qp, entry);
	struct fault_decision decision;

	if (fault_plan_decide(plan, FAULT_STATUS, &event, &decision)) {
		entry->status = decision.spec.status;
		entry->rx.length = 0;
	}
	if (!fault_plan_decide(plan, FAULT_HOLD_CQE, &event, &decision))
		return false;
	held_completion_add(qp, qp->recv_cq, entry, decision.spec.until,
			    decision.spec.time_ns);
	return true;
}
