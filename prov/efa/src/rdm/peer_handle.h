/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Address handles for peers that are not in the address vector. */
#ifndef RDM_PEER_HANDLE_H
#define RDM_PEER_HANDLE_H

struct rdm_ep;

/*
 * Makes the handles that are wanted, and lets go what waits for them; what
 * waits for one that the device does not give fails. Calls verbs: without the
 * endpoint's lock, by one thread at a time.
 */
void rdm_peer_handle_resolve(struct rdm_ep *ep);

#endif /* RDM_PEER_HANDLE_H */
