/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Faults of receive completions: another status, written later. */
#ifndef ENGINE_RECV_FAULT_H
#define ENGINE_RECV_FAULT_H

#include <stdbool.h>

#include "engine/engine_qp.h"
#include "engine/fault_plan.h"
#include "hw/efa_io_defs.h"

#define RECV_FAULT_KINDS						\
	(FAULT_BIT(FAULT_HOLD_CQE) | FAULT_BIT(FAULT_STATUS))

/*
 * Asks the faults about @entry, complete and about to be written to the
 * receive CQ of @qp. May
 * change its status. True when it was taken to be written later.
 */
bool recv_fault_takes(struct engine_qp *qp, struct efa_io_cdesc *entry);

#endif /* ENGINE_RECV_FAULT_H */
