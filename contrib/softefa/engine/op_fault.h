/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the faults have decided about one operation, when it was fetched. It
 * belongs to the operation (send_op.fault) and ends with it.
 */
#ifndef ENGINE_OP_FAULT_H
#define ENGINE_OP_FAULT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "engine/fault_spec.h"

struct send_op;

struct op_fault {
	bool is_dropped, is_duplicated;
	bool kills, invalidates;
	bool is_lost;			/* nobody answers */
	bool has_waited;		/* for an answer, if is_lost */
	bool has_status, is_delivered;	/* ends so; delivered all the same */
	bool is_held;			/* its completion is */
	bool is_late;			/* arrives even if its QP is gone */
	uint8_t status;
	uint32_t rnr_left;		/* times it finds no receive */
	enum fault_side kill_side, mr_side;
	uint64_t mr_at_bytes;
	uint64_t lost_ns;
	uint64_t late_ns;		/* CLOCK_MONOTONIC, if is_late */
	enum fault_until until;
	uint64_t hold_ns;		/* UINT64_MAX: without end */

	/* it waits for the requests behind it (reorder window=) */
	bool in_window;
	uint32_t window_fault;		/* ID */
	uint64_t window_end;		/* number of the last event waited for */
	struct send_op *op;
	LIST_ENTRY(op_fault) window_link;
};

LIST_HEAD(op_fault_list, op_fault);

/* That of @op, made if there is none yet; NULL without memory. */
struct op_fault *op_fault_of(struct send_op *op);
/* Frees that of @op, if there is one. */
void op_fault_free(struct send_op *op);

#endif /* ENGINE_OP_FAULT_H */
