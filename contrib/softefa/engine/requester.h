/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The sending side: from the doorbell of a QP through its entries to their
 * completions.
 *
 * An operation becomes runnable in one place, when it is fetched. There the
 * order of things is decided: as posted, unless a fault delays it.
 */
#ifndef ENGINE_REQUESTER_H
#define ENGINE_REQUESTER_H

#include "engine/engine_qp.h"

/* Between two attempts at a receiver that has no receive posted. A guess. */
#define RNR_RETRY_NS		1000000ull

/* What one QP may do at one turn of the poll loop. */
#define REQUESTER_TURN_OPS	32
#define REQUESTER_TURN_BYTES	(512u * 1024)

/* Receives and entries flushed at a turn of a QP in ERR. */
#define REQUESTER_TURN_FLUSHES	256

/* Operations woken at one pass of the poll loop, the others at the next. */
#define REQUESTER_WAKE_OPS	1024

/*
 * What things cost of a context's share, in bytes that take as long to move.
 */
#define REQUESTER_OP_COST	2048u
#define REQUESTER_FLUSH_COST	256u

/*
 * The turn of @qp. Returns the number of things done, and adds to what its
 * context has spent.
 */
unsigned requester_turn(struct engine_qp *qp);

/*
 * Makes the operations active whose time has come, those that have waited
 * longest if they are many. Returns their number.
 */
unsigned requester_wake(struct engine *engine);

#endif /* ENGINE_REQUESTER_H */
