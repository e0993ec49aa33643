/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The only poster of an endpoint. A packet given to it goes to the device
 * at once when it can, else when it can: it waits for room in the send
 * queue, for its peer's address handle, or for the end of the pause that a
 * peer without receive buffers asked for. Nobody waits for another peer.
 *
 * What has no packet to give (none is free) leaves a deferred call, which is
 * made once some are. A handler thus never fails for want of one.
 *
 * All under the endpoint's lock.
 */
#ifndef RDM_OUTBOX_H
#define RDM_OUTBOX_H

#include <stdbool.h>
#include <stdint.h>

#include "rdm/packet_pool.h"
#include "util/list.h"

struct rdm_ep;
struct rdm_op;
struct rdm_peer;

/* What is to be done when packets are free. */
struct rdm_deferred {
	struct util_list node;
	/* true: done; false: it needs more, and is called again */
	bool (*run)(struct rdm_ep *ep, struct rdm_deferred *deferred);
	bool is_waiting;
};

struct rdm_outbox {
	struct util_list queue;		/* packets without room in the queue */
	struct util_list paused;	/* peers, of rdm_peer.paused */
	struct util_list deferred;
	uint32_t in_flight;		/* work requests with the device */
	uint64_t next_deadline_ns;	/* of @paused, or UINT64_MAX */
	bool wants_packets;		/* the pool ought to grow */
};

void rdm_outbox_init(struct rdm_outbox *outbox);

/* A packet of the send pool, or NULL: then the pool ought to grow, and grows
 * with the next progress. */
struct rdm_packet *rdm_outbox_packet(struct rdm_ep *ep);
/* Are there @count of them? If not, as above. */
bool rdm_outbox_has_packets(struct rdm_ep *ep, uint32_t count);

/*
 * Sends @packet to its peer (a read: posts it). It counts for its op, if it
 * has one, until rdm_outbox_completed says that it is over.
 */
void rdm_outbox_send(struct rdm_ep *ep, struct rdm_packet *packet);

/* Rings the doorbell for what FI_MORE held back. */
void rdm_outbox_flush(struct rdm_ep *ep);

/*
 * The device is done with @packet, whose status was @status. True: it is
 * over, and the caller puts it back; false: it goes out again.
 */
bool rdm_outbox_completed(struct rdm_ep *ep, struct rdm_packet *packet,
			  uint8_t status);

/* What waits for @peer may go: it has its address handle now. */
void rdm_outbox_release(struct rdm_ep *ep, struct rdm_peer *peer);

/* Of the clock that does not jump. */
uint64_t rdm_outbox_now_ns(void);

/* Posts what waits and may go, then makes deferred calls. */
void rdm_outbox_drain(struct rdm_ep *ep);

/* Calls @deferred->run when packets are free; once, however often it is
 * deferred before. */
void rdm_outbox_defer(struct rdm_ep *ep, struct rdm_deferred *deferred);
void rdm_outbox_forget(struct rdm_deferred *deferred);

/* Does anything wait for time to pass? */
static inline bool rdm_outbox_is_paused(const struct rdm_outbox *outbox)
{
	return outbox->next_deadline_ns != UINT64_MAX;
}

#endif /* RDM_OUTBOX_H */
