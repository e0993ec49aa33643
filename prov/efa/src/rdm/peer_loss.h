/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Peers that cannot be talked to any more: the application removed their
 * address, or the device gives no handle for it. What waits for them ends;
 * the peer itself stays, with its place in the order of messages, because it
 * may still be there and be inserted again. It then misses the messages that
 * were given up on their way, and takes no later ones before them.
 */
#ifndef RDM_PEER_LOSS_H
#define RDM_PEER_LOSS_H

struct rdm_ep;
struct rdm_peer;

/*
 * Looks for peers whose address is not in the address vector any more. Ends
 * with FI_ECANCELED what waits for an answer of theirs or to be sent to them;
 * what the device has, it tells the end of. Takes a time proportional to the
 * addresses and operations there are. Under the endpoint's lock.
 */
void rdm_peer_loss_of_removed(struct rdm_ep *ep);

/* Nothing can be sent to @peer: the packets that wait for that are put back,
 * and their operations fail with FI_EHOSTUNREACH for the reason @why. */
void rdm_peer_loss_of_handle(struct rdm_ep *ep, struct rdm_peer *peer,
			     const char *why);

#endif /* RDM_PEER_LOSS_H */
