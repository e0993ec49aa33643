/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How the work of a QP ends: with a completion, flushed, or silently.
 */
#ifndef ENGINE_QP_COMPLETION_H
#define ENGINE_QP_COMPLETION_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine_qp.h"
#include "engine/send_op.h"
#include "hw/efa_io_defs.h"

/*
 * The one end of each operation: writes the completion if it was asked for
 * or is an error, and frees @op, which is in no list. A fault may give it
 * another status, keep the completion back, and stop the QP.
 */
void qp_complete_send(struct send_op *op, enum efa_io_comp_status status);

/* What a receive completion says beside the QP it is of. */
struct recv_completion {
	uint16_t req_id;		/* 0 when unsolicited */
	enum efa_io_comp_status status;
	enum efa_io_send_op_type op;
	bool has_imm, is_unsolicited;
	uint32_t length;
	uint32_t imm;
	const uint8_t *sender_gid;	/* NULL: flushed */
	uint32_t sender_qpn;
};
void qp_complete_recv(struct engine_qp *qp, const struct recv_completion *comp);

/*
 * Looks at the oldest receive: 1 if there is one, 0 if not. A broken ring is
 * reported, completes with QP_INTERNAL_ERROR and stops the QP: negative.
 */
int qp_peek_recv(struct engine_qp *qp, struct recv_request *request);

/*
 * To ERR, as modify_qp would: everything outstanding completes with FLUSHED.
 * An operation that is running stays its holder's to complete.
 */
void qp_stop(struct engine_qp *qp);

/*
 * In ERR: flushes what was posted since, at most @limit of each queue.
 * Returns the number of WRs.
 */
unsigned qp_flush(struct engine_qp *qp, unsigned limit);

/* Ends all operations in flight, not running, without a completion. */
void qp_drop(struct engine_qp *qp);

/* Ends @op, which is running or in no list, without a completion. */
void qp_drop_op(struct send_op *op);

/*
 * What a fault does: as if @qp were destroyed, while its owner still has it.
 * Nothing of it completes, nobody reaches it, and it stays so.
 */
void qp_kill(struct engine_qp *qp);

#endif /* ENGINE_QP_COMPLETION_H */
