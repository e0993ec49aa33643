/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Completion counters: what ended well and what did not, as two numbers in
 * the guest's memory. The engine.h half is engine_comp_cntr_*.
 *
 * The device keeps the numbers and writes each change out; what the guest
 * stores there is overwritten by the next one. Memory that cannot be written
 * any more takes no numbers, and nobody is told (a guess: real devices have
 * it pinned).
 */
#ifndef ENGINE_COMP_CNTR_H
#define ENGINE_COMP_CNTR_H

#include <stdbool.h>

#include "engine/engine_qp.h"

/*
 * An operation of @qp ended: @op is one of ENGINE_CNTR_SEND ..., counted
 * where a counter is attached for it. O(1).
 */
void comp_cntr_count(struct engine_qp *qp, unsigned op, bool is_ok);

/* @qp is about to go: its counters can be destroyed. */
void comp_cntr_detach(struct engine_qp *qp);

#endif /* ENGINE_COMP_CNTR_H */
