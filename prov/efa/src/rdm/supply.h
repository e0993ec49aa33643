/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What an endpoint needs from the kernel while it works: more registered
 * packets, more receive buffers, address handles for senders that nobody
 * inserted. Such calls may sleep: they are made between progress, without a
 * lock, by one thread at a time, and an endpoint is pinned meanwhile.
 */
#ifndef RDM_SUPPLY_H
#define RDM_SUPPLY_H

#include <stdbool.h>
#include <stdint.h>

struct rdm_ep;

/* Packets an endpoint starts with. 0, or a negative errno (logged). Before
 * it is enabled. */
int rdm_supply_open(struct rdm_ep *ep);

/* Does anything lack? Under the endpoint's lock. */
bool rdm_supply_lacks(const struct rdm_ep *ep);
/* The same, of which nobody takes care yet: then the caller pins the endpoint
 * and has to call rdm_supply_run. */
bool rdm_supply_begin(struct rdm_ep *ep);
/* Without any lock; unpins. */
void rdm_supply_run(struct rdm_ep *ep);
/* For close: waits until nobody is in between the two. */
void rdm_supply_wait(struct rdm_ep *ep);

/* Gives all free receive buffers to the device, as far as its queue goes.
 * Under the endpoint's lock. */
void rdm_supply_post_receives(struct rdm_ep *ep);

#endif /* RDM_SUPPLY_H */
