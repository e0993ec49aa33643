/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Operations at other hosts: which are out, and what becomes of them when
 * an answer comes, there is room on the link again, or the host is lost.
 *
 * From its start to its end an operation is in its host's list and has a
 * number, by which answers name it. Beside that it is in one of the states
 * of send_op.h, or in one that is known here alone:
 *	awaiting	in qp->remote, until an answer comes
 *	blocked		in qp->remote and host->blocked, until there is room
 * The engine.h half is engine_host_create, _destroy, _lost and _ready.
 */
#ifndef ENGINE_REMOTE_OP_H
#define ENGINE_REMOTE_OP_H

#include "engine/device_state.h"
#include "engine/send_op.h"

#define REMOTE_MAX_OPS	(1u << 18)	/* out at a time, of an engine */

struct engine_host {
	struct engine *engine;
	void *opaque;
	TAILQ_HEAD(, send_op) ops;	/* by host_link */
	TAILQ_HEAD(, send_op) blocked;	/* by blocked_link */
	LIST_ENTRY(engine_host) link;
};

/* The last step of engine_destroy; the hosts are gone. */
void remote_op_fini(struct engine *engine);

/* @op, running, goes to @host from now on. -ENOMEM. */
int remote_op_start(struct send_op *op, struct engine_host *host);

/* The operation of @host with number @id, or NULL; any @id is allowed. */
struct send_op *remote_op_find(const struct engine_host *host, uint32_t id);

/* @op, running, becomes awaiting or blocked; its holder lists it in qp->remote. */
void remote_op_await(struct send_op *op);
void remote_op_block(struct send_op *op);

/* @op becomes active if it is awaiting or blocked; else nothing changes. */
void remote_op_wake(struct send_op *op);

/* The end of @op, in no list of its QP: it leaves those of its host, if any. */
void remote_op_leave(struct send_op *op);

#endif /* ENGINE_REMOTE_OP_H */
