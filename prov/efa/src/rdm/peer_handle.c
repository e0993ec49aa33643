/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/peer_handle.h"

#include <string.h>

#include "rdm/ep_state.h"
#include "rdm/peer_loss.h"

/* It gets no answer, but may ask again. */
static void rdm_peer_handle_give_up(struct rdm_ep *ep, struct rdm_peer *peer)
{
	rdm_peer_loss_of_handle(ep, peer,
				"the device has no address handle to give for a peer that is not in the address vector: remove addresses that are not used, or insert this one");
	peer->handshake_sent = false;
}

static void rdm_peer_handle_resolve_one(struct rdm_ep *ep,
				 const struct fabric_address *address)
{
	const struct dev_ah *ah;
	struct rdm_peer *peer;
	union ibv_gid gid;

	memcpy(gid.raw, address->gid, sizeof(gid.raw));
	if (dev_ah_get(ep->base.domain->ahs, &gid, &ah))
		ah = NULL;	/* logged */
	rdm_ep_lock(ep);
	peer = rdm_peer_find(&ep->peers, address);
	if (!ah && peer && !peer->has_dest)
		rdm_peer_handle_give_up(ep, peer);
	if (ah && peer && peer->is_unknown && !peer->ah) {
		struct hw_dest dest = {
			.ahn = ah->ahn,
			.qpn = address->qpn,
			.qkey = address->qkey,
		};

		peer->ah = ah;
		rdm_peer_set_dest(ep, peer, &dest);
		ah = NULL;
	}
	rdm_ep_unlock(ep);
	if (ah)
		dev_ah_put(ep->base.domain->ahs, ah);
}

void rdm_peer_handle_resolve(struct rdm_ep *ep)
{
	struct fabric_address address;
	struct util_list *node;
	bool found;

	do {
		rdm_ep_lock(ep);
		found = !util_list_is_empty(&ep->peers.nameless);
		if (found) {
			node = util_list_pop(&ep->peers.nameless);
			util_list_init(node);
			address = util_list_entry(node, struct rdm_peer,
						  nameless)->address;
		}
		rdm_ep_unlock(ep);
		if (found)
			rdm_peer_handle_resolve_one(ep, &address);
	} while (found);
}
