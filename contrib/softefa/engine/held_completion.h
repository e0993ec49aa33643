/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Completions that a fault (hold-cqe) keeps back: the operation has ended,
 * the entry is written to its queue later.
 *
 * One is in the list of its QP until the QP goes; what still has a time to
 * wait for then is the engine's, and is written as an entry of a QP that is
 * no more. The queue is looked up when the entry is written: it may be gone.
 */
#ifndef ENGINE_HELD_COMPLETION_H
#define ENGINE_HELD_COMPLETION_H

#include <stdint.h>

#include "engine/comp_ring.h"
#include "engine/engine_qp.h"
#include "engine/fault_spec.h"

#define HELD_COMPLETIONS_MAX	65536u	/* of an engine */

/*
 * Keeps @entry of @qp back from @cq: until @until (FAULT_UNTIL_TIME: no
 * event), or for @time_ns (UINT64_MAX: without end), whichever comes first;
 * with FAULT_UNTIL_DESTROY the time starts when the QP is destroyed. Written
 * at once when there is no room for it.
 */
void held_completion_add(struct engine_qp *qp, struct engine_cq *cq,
			 const struct efa_io_cdesc *entry,
			 enum fault_until until, uint64_t time_ns);

/* A completion of @qp was written, one of the kind @until names. */
void held_completion_release(struct engine_qp *qp, enum fault_until until);

/* @qp is being destroyed. */
void held_completion_orphan(struct engine_qp *qp);

/* Writes those whose time has come; returns how many. */
unsigned held_completion_wake(struct engine *engine);

/* Forgets all; no QP is left. */
void held_completion_fini(struct engine *engine);

#endif /* ENGINE_HELD_COMPLETION_H */
