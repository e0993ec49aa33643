/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The places where the engine can be watched. Each is one call, and one
 * predictable branch when nobody watches; the event is built out of line.
 * None changes anything, or may be relied on for an effect.
 */
#ifndef ENGINE_TRACE_POINT_H
#define ENGINE_TRACE_POINT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/comp_ring.h"
#include "engine/engine_qp.h"
#include "engine/message.h"
#include "engine/send_op.h"
#include "engine/trace_event.h"

static inline bool trace_is_on(const struct engine_device *device)
{
	return __builtin_expect(device->engine->is_traced, false);
}

#define TRACE_POINT(device, emit) \
	do { \
		if (trace_is_on(device)) \
			emit; \
	} while (0)

/* The doorbell of @queue was read and had changed; before entries are taken. */
void trace_emit_doorbell(const struct engine_qp *qp, enum trace_queue queue);
static inline void trace_doorbell(const struct engine_qp *qp,
				  enum trace_queue queue)
{
	TRACE_POINT(qp->ctx->device, trace_emit_doorbell(qp, queue));
}

/* @wqe was just fetched. */
void trace_emit_wqe(const struct engine_qp *qp,
		    const struct efa_io_tx_wqe *wqe);
static inline void trace_wqe(const struct engine_qp *qp,
			     const struct efa_io_tx_wqe *wqe)
{
	TRACE_POINT(qp->ctx->device, trace_emit_wqe(qp, wqe));
}

/* @recv was just taken. */
void trace_emit_recv(const struct engine_qp *qp,
		     const struct recv_request *recv);
static inline void trace_recv(const struct engine_qp *qp,
			      const struct recv_request *recv)
{
	TRACE_POINT(qp->ctx->device, trace_emit_recv(qp, recv));
}

/*
 * A packet of @op leaves its device, or (TRACE_DROPPED) gets lost there.
 * @segment: its bytes; @payload: those, or NULL if they are not at hand.
 */
void trace_emit_op(enum trace_packet_event event, const struct send_op *op,
		   const void *payload, uint32_t segment);
static inline void trace_op(enum trace_packet_event event,
			    const struct send_op *op, const void *payload,
			    uint32_t segment)
{
	TRACE_POINT(op->qp->ctx->device,
		    trace_emit_op(event, op, payload, segment));
}

/* @message has reached @receiver. */
void trace_emit_message(enum trace_packet_event event,
			const struct engine_qp *receiver,
			const struct message *message, const void *payload,
			enum efa_io_comp_status status);
static inline void trace_message(enum trace_packet_event event,
				 const struct engine_qp *receiver,
				 const struct message *message,
				 const void *payload,
				 enum efa_io_comp_status status)
{
	TRACE_POINT(receiver->ctx->device,
		    trace_emit_message(event, receiver, message, payload,
				       status));
}

/* The segment of the RDMA operation @message from @offset, at @target. */
void trace_emit_rdma(enum trace_packet_event event,
		     const struct engine_qp *target,
		     const struct message *message, uint32_t offset,
		     uint32_t segment);
static inline void trace_rdma(enum trace_packet_event event,
			      const struct engine_qp *target,
			      const struct message *message, uint32_t offset,
			      uint32_t segment)
{
	TRACE_POINT(target->ctx->device,
		    trace_emit_rdma(event, target, message, offset, segment));
}

/* @entry was just written. */
void trace_emit_cqe(const struct engine_cq *cq,
		    const struct efa_io_cdesc *entry);
static inline void trace_cqe(const struct engine_cq *cq,
			     const struct efa_io_cdesc *entry)
{
	TRACE_POINT(cq->ctx->device, trace_emit_cqe(cq, entry));
}

/* @arg: TRACE_COMMAND_ARGS words as trace_file_defs.h says; NULL: zeros. */
void trace_emit_command(const struct engine_device *device,
			enum trace_command_type command, uint32_t number,
			const uint64_t *arg);
#define trace_command(device, command, number, ...) \
	TRACE_POINT(device, \
		    trace_emit_command(device, command, number, \
				       (const uint64_t[TRACE_COMMAND_ARGS]) \
				       { __VA_ARGS__ }))

void trace_emit_ah(const struct engine_pd *pd, uint32_t number,
		   const uint8_t gid[16]);
static inline void trace_ah(const struct engine_pd *pd, uint32_t number,
			    const uint8_t gid[16])
{
	TRACE_POINT(pd->ctx->device, trace_emit_ah(pd, number, gid));
}

void trace_emit_qp_created(const struct engine_qp *qp);
static inline void trace_qp_created(const struct engine_qp *qp)
{
	TRACE_POINT(qp->ctx->device, trace_emit_qp_created(qp));
}

/* TRACE_RULE or TRACE_FAULT. */
void trace_emit_text(const struct engine_device *device, enum trace_kind kind,
		     const char *text);
static inline void trace_text(const struct engine_device *device,
			      enum trace_kind kind, const char *text)
{
	TRACE_POINT(device, trace_emit_text(device, kind, text));
}

#endif /* ENGINE_TRACE_POINT_H */
