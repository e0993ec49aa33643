/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The queues of an endpoint: the device's queue pair, its rings, and their
 * place at the completion queues.
 */
#ifndef FABRIC_EP_QUEUE_H
#define FABRIC_EP_QUEUE_H

#include "fabric/ep_base.h"

/*
 * Creates and enables the QP of @ep, whose bindings are complete; @source
 * reads its completions. Sets @ep->address. -FI_ENOSPC: the CQ has no room
 * left for one more endpoint; other negative errnos are the device's. All
 * logged; nothing stays behind.
 */
int fabric_ep_queue_open(struct fabric_ep *ep,
			 const struct fabric_cq_source *source);

/*
 * Destroys the QP. Afterwards the device writes to no buffer of @ep, and
 * no completion of it will be read: those of work in flight never, those
 * that were not read yet neither. A negative errno, logged: the device did
 * not let go of it; to be called again.
 */
int fabric_ep_queue_close(struct fabric_ep *ep);

/*
 * Posters, under the tx or rx lock, when the queue is full or a receive of
 * @descriptors finds no room: lets more of the ring be used, as far as the
 * endpoint's size goes and the CQ has credits. False: it stays full until
 * something completes.
 */
bool fabric_ep_queue_grow_tx(struct fabric_ep *ep);
bool fabric_ep_queue_grow_rx(struct fabric_ep *ep, uint32_t descriptors);

#endif /* FABRIC_EP_QUEUE_H */
