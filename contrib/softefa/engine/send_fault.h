/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Faults of the sending side: what is decided when an operation is fetched,
 * and what comes of it when it is carried out. softefa(1), FAULTS, says what
 * each kind means to a client.
 */
#ifndef ENGINE_SEND_FAULT_H
#define ENGINE_SEND_FAULT_H

#include <stdbool.h>

#include "engine/device_state.h"
#include "engine/engine_qp.h"
#include "engine/fault_plan.h"
#include "engine/op_fault.h"
#include "engine/send_op.h"

#define SEND_FAULT_KINDS						\
	(FAULT_BIT(FAULT_REORDER) | FAULT_BIT(FAULT_DROP) |		\
	 FAULT_BIT(FAULT_DUPLICATE) | FAULT_BIT(FAULT_HOLD_CQE) |	\
	 FAULT_BIT(FAULT_STATUS) | FAULT_BIT(FAULT_RNR) |		\
	 FAULT_BIT(FAULT_KILL_QP) | FAULT_BIT(FAULT_BLACKHOLE) |	\
	 FAULT_BIT(FAULT_INVALIDATE_MR) | FAULT_BIT(FAULT_LATE_PACKETS))

bool send_fault_decide(struct send_op *op);

/*
 * Asks the faults about @op, just fetched and in no list. True when it is
 * to be carried out later: then it waits already.
 */
static inline bool send_fault_delays(struct send_op *op)
{
	return fault_plan_watches(&op->qp->ctx->device->engine->faults,
				  SEND_FAULT_KINDS) && send_fault_decide(op);
}

/*
 * Before an attempt at @op, which has a fault. True when there is to be
 * none: @result says what becomes of it, with SEND_OP_DONE also @status.
 */
bool send_fault_preempts(struct send_op *op, enum send_op_result *result,
			 enum efa_io_comp_status *status);

#endif /* ENGINE_SEND_FAULT_H */
