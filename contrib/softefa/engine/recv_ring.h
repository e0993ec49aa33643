/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The receive ring of a QP, seen from the device. A receive is a chain of
 * descriptors, the first and the last of which say so; the doorbell counts
 * descriptors.
 *
 * The device accepts descriptors soon after their doorbell, as one does that
 * prefetches them: each is read once, checked, and kept. What is received
 * goes by the kept copy. When a receive is taken, the ring is looked at again,
 * for until then the slots are the device's.
 */
#ifndef ENGINE_RECV_RING_H
#define ENGINE_RECV_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/req_id_set.h"
#include "engine/rule.h"

#define RECV_MAX_SGE	16	/* no profile has more */

struct efa_io_rx_desc;

struct recv_ring {
	const uint8_t *ring;
	volatile uint32_t *doorbell;
	struct efa_io_rx_desc *kept;	/* as accepted, by slot */
	struct req_id_set ids;		/* of accepted receives */
	uint32_t depth;			/* a power of two; 0: no queue */
	uint32_t max_sge;
	uint32_t consumed;		/* descriptors, freely since reset */
	uint32_t accepted;		/* likewise */
	uint32_t chain;			/* accepted of an unfinished one */
	uint32_t last_doorbell;		/* as read last, */
	uint32_t good_doorbell;		/* and the last that was right */
	int refusal;			/* why no more are accepted, or 0 */
};

struct recv_sge {
	uint64_t addr;
	uint32_t length;
	uint32_t lkey;
};

/* A posted receive, checked. */
struct recv_request {
	uint16_t req_id;
	uint32_t sge_count;
	struct recv_sge sge[RECV_MAX_SGE];
};

/* A broken rule: which, at which descriptor since the reset, and how. */
struct recv_ring_finding {
	const char *text;		/* NULL: none */
	enum engine_rule rule;
	uint32_t index;
};

/*
 * @ring and @doorbell stay the caller's, of @depth descriptors; @depth 0:
 * there is no queue. Resets it. -ENOMEM.
 */
int recv_ring_init(struct recv_ring *rq, const void *ring,
		   volatile uint32_t *doorbell, uint32_t depth,
		   uint32_t max_sge);
void recv_ring_fini(struct recv_ring *rq);

/*
 * Accepts up to @max descriptors that the doorbell offers, and returns how
 * many were. It stops at the first finding; when that means that there is no
 * going on, rq->refusal is set, to -EPROTO for the doorbell and to -EBADMSG
 * for a descriptor, and nothing is accepted any more.
 * @is_rung: the doorbell changed since it was last read.
 */
uint32_t recv_ring_accept(struct recv_ring *rq, uint32_t max, bool *is_rung,
			  struct recv_ring_finding *finding);

/*
 * Looks at the oldest accepted receive, which stays in the queue: 1 if there
 * is one, 0 if not (an incomplete chain is none), or rq->refusal: at once
 * for the doorbell, for a descriptor when its turn comes. @request->req_id
 * is then that of the descriptor at fault, 0 for the doorbell.
 */
int recv_ring_peek(const struct recv_ring *rq, struct recv_request *request);

/*
 * Takes the receive that was just peeked, before the driver can know of it.
 * Finds whether the driver has written to its descriptors meanwhile.
 */
void recv_ring_take(struct recv_ring *rq, const struct recv_request *request,
		    struct recv_ring_finding *finding);

/* As after creation: everything is forgotten, the doorbell word is zero. */
void recv_ring_reset(struct recv_ring *rq);

#endif /* ENGINE_RECV_RING_H */
