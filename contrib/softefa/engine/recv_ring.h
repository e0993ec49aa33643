/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The receive ring of a QP, seen from the device. A receive is a chain of
 * descriptors, the first and the last of which say so; the doorbell counts
 * descriptors.
 */
#ifndef ENGINE_RECV_RING_H
#define ENGINE_RECV_RING_H

#include <stdbool.h>
#include <stdint.h>

#define RECV_MAX_SGE	16	/* no profile has more */

struct recv_ring {
	const uint8_t *ring;
	volatile uint32_t *doorbell;
	uint32_t depth;			/* a power of two; 0: no queue */
	uint32_t max_sge;
	uint32_t consumed;		/* descriptors, freely since reset */
	uint32_t last_doorbell;
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

/*
 * Looks at the oldest receive, which stays in the queue: 1 if there is one,
 * 0 if not (an incomplete chain is none). When the driver broke the rules
 * @rule says how, with -EPROTO for the doorbell and -EBADMSG for the
 * descriptors; @request->req_id is then the first one's.
 * @is_rung: the doorbell changed since it was last read.
 */
int recv_ring_peek(struct recv_ring *rq, struct recv_request *request,
		    bool *is_rung, const char **rule);

/* Takes the receive that was just peeked. */
void recv_ring_take(struct recv_ring *rq, const struct recv_request *request);

/* As after creation: everything is forgotten, the doorbell word is zero. */
void recv_ring_reset(struct recv_ring *rq);

#endif /* ENGINE_RECV_RING_H */
