/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Queue pairs: what one consists of, its life and its states. The engine.h
 * half is engine_qp_*; completions and flushing are qp_completion.h.
 */
#ifndef ENGINE_ENGINE_QP_H
#define ENGINE_ENGINE_QP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "engine/device_state.h"
#include "engine/recv_ring.h"
#include "engine/send_ring.h"
#include "engine/send_wqe_decode.h"

struct engine_qp {
	/* for each operation */
	enum engine_qp_type type;
	enum engine_qp_state state;
	struct send_ring sq;
	struct recv_ring rq;
	struct req_id_set sq_ids;	/* of entries in flight, if 16 bits */
	struct engine_cq *send_cq, *recv_cq;
	struct op_list active;		/* to be worked on, in this order */
	struct op_list waiting;		/* in engine.timers */
	struct op_list remote;		/* awaiting or blocked, remote_op.h */
	struct held_list held;		/* completions kept back by a fault */
	struct send_wqe_limits limits;
	struct engine_context *ctx;
	struct engine_pd *pd;
	uint32_t number;
	uint32_t qkey;
	uint32_t flags;			/* ENGINE_QP_* */
	uint8_t rnr_retry;
	bool sq_broken;			/* not to be read before a reset */
	bool is_killed;			/* by a fault; in RESET for good */

	struct engine_qp_counters counters;
	struct engine_comp_cntr *cntr[ENGINE_CNTR_OPS];	/* NULL: not counted */

	/* set up once */
	uint64_t serial;		/* unique in the engine */
	uint32_t sq_psn;
	uint32_t reported;		/* by rule_broken */
	TAILQ_ENTRY(engine_qp) link;	/* of the context */
	TAILQ_ENTRY(engine_qp) pd_link;
};

#define RNR_RETRY_WITHOUT_END	7	/* engine_qp.rnr_retry */

/* The QP of @device with @number, or NULL; good until it is destroyed. */
struct engine_qp *engine_qp_find(const struct engine_device *device,
				  uint32_t number);

#endif /* ENGINE_ENGINE_QP_H */
