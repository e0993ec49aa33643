/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The rules of a QP's queues, where they are checked and told: between the
 * rings, which find what is wrong, and rule_check, which says so.
 */
#ifndef ENGINE_QUEUE_RULES_H
#define ENGINE_QUEUE_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine_qp.h"
#include "engine/send_op.h"

/* Receive descriptors accepted at one turn of a QP. */
#define QUEUE_RULES_ACCEPT	64u

/* The doorbell that send_ring_pending refused. Marks the queue broken. */
void queue_rules_sq_doorbell(struct engine_qp *qp);

/* That @pending entries lie beyond the fetched: are there more, unrung? */
void queue_rules_sq_staged(struct engine_qp *qp, uint32_t pending);

/* An entry was fetched and is fit to be carried out: its request ID. */
void queue_rules_sq_taken(struct send_op *op);

/*
 * An entry was fetched and is none, for @rule and @text; @is_new as
 * send_ring_fetch said.
 */
void queue_rules_sq_refused(const struct send_op *op, enum engine_rule rule,
			    const char *text, bool is_new);

/* @op is about to complete: the slot given back, and its request ID. */
void queue_rules_sq_completing(struct send_op *op);

/* An operation ended with INVALID_LKEY: which SGE, if it was the driver's. */
void queue_rules_sq_lkey(const struct send_op *op);

/*
 * Accepts what the receive doorbell offers, at most QUEUE_RULES_ACCEPT
 * descriptors. Returns their number.
 */
uint32_t queue_rules_rq_accept(struct engine_qp *qp);

/* Takes the receive that was peeked; its slots, and its request ID. */
void queue_rules_rq_take(struct engine_qp *qp,
			 const struct recv_request *request);

/* A receive that was just taken ended with INVALID_LKEY. */
void queue_rules_rq_lkey(struct engine_qp *qp,
			 const struct recv_request *request);

#endif /* ENGINE_QUEUE_RULES_H */
