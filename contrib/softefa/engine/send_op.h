/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An operation in flight: a send queue entry that was fetched and has not
 * completed.
 *
 * Its QP owns it, in one of these states:
 *	active		in qp->active, to be worked on by the poll loop
 *	waiting		in engine.timers and qp->waiting, until due
 *	remote		in qp->remote: with another host, see remote_op.h
 *	running		in neither, while the poll loop works on it
 * It ends in send_op_free. It names other objects by their numbers and looks
 * them up each time it is worked on, since any may be gone by then.
 */
#ifndef ENGINE_SEND_OP_H
#define ENGINE_SEND_OP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "engine/due_heap.h"
#include "engine/send_wqe_decode.h"

struct engine;
struct engine_host;
struct engine_qp;
struct op_fault;

/* What one attempt at an operation comes to. */
enum send_op_result {
	SEND_OP_DONE,		/* to be completed with the status given */
	SEND_OP_AGAIN,		/* a slice is done, go on at the next turn */
	SEND_OP_NOT_READY,	/* the target has no receive posted */
	SEND_OP_PENDING,	/* with another host: to go into qp->remote */
	SEND_OP_TAKEN,		/* it waits, or has ended: leave it alone */
};

enum remote_op_state { REMOTE_IDLE, REMOTE_AWAITING, REMOTE_BLOCKED };

struct send_op {
	struct engine_qp *qp;
	TAILQ_ENTRY(send_op) link;
	struct due_entry due;
	uint32_t bytes_done;		/* RDMA, by slices */
	uint32_t index;			/* of its entry, since the reset */
	bool holds_req_id;		/* in qp->sq_ids */
	uint8_t rnr_retries;		/* made so far */
	bool is_started;		/* dgid is known */
	uint64_t target_serial;		/* RDMA: the QP reached first, or 0 */
	uint8_t dgid[16];		/* behind request.ah at the start */
	struct op_fault *fault;		/* NULL: none strikes it */

	/* of operations to another host, remote_op.h */
	struct engine_host *host;
	uint32_t remote_id;
	enum remote_op_state remote_state;
	bool is_answered;		/* to end with answer, or RNR */
	enum efa_io_comp_status answer;
	bool is_all_sent, is_end_sent;	/* RDMA */
	uint16_t unanswered;		/* RDMA: packets */
	uint32_t bytes_sent;		/* RDMA */
	TAILQ_ENTRY(send_op) host_link, blocked_link;

	struct send_request request;	/* last: send_wqe_decode fills it */
};

/*
 * An operation of @qp, running, or NULL without memory; zeroed but for its
 * request, which is the caller's to decode next.
 */
struct send_op *send_op_alloc(struct engine *engine, struct engine_qp *qp);
/* @op is in no list. */
void send_op_free(struct engine *engine, struct send_op *op);
/* Gives back the memory of all operations, none of which is in use. */
void send_op_fini(struct engine *engine);

#endif /* ENGINE_SEND_OP_H */
