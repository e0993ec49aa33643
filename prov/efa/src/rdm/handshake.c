/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/handshake.h"

#include "rdm/ep_state.h"
#include "rdm/wire_encode.h"

static bool rdm_handshake_send(struct rdm_ep *ep, struct rdm_peer *peer)
{
	const struct rdm_wire_hello hello = {
		.features = ep->own.bits,
		.host_id = ep->host_id,
		.connid = ep->base.address.qkey,
		.device_version = ep->own.device_version,
		.has_p2p = ep->own.has_p2p,
	};
	struct rdm_packet *packet = rdm_outbox_packet(ep);

	if (!packet)
		return false;
	packet->peer = peer;
	packet->len = (uint32_t)rdm_wire_put_handshake(packet->data, &hello);
	rdm_outbox_send(ep, packet);
	return true;
}

static bool rdm_handshake_resume(struct rdm_ep *ep,
				 struct rdm_deferred *deferred)
{
	return rdm_handshake_send(ep, (struct rdm_peer *)
				  ((char *)deferred -
				   offsetof(struct rdm_peer, hello)));
}

void rdm_handshake_offer(struct rdm_ep *ep, struct rdm_peer *peer)
{
	if (__builtin_expect(peer->handshake_sent, 1))
		return;
	peer->handshake_sent = true;
	if (rdm_handshake_send(ep, peer))
		return;
	peer->hello.run = rdm_handshake_resume;
	rdm_outbox_defer(ep, &peer->hello);
}

void rdm_handshake_answer(struct rdm_ep *ep, struct rdm_peer *peer,
			  const struct rdm_wire_view *view)
{
	struct util_list *parked = &peer->parked;
	struct rdm_op *op;

	peer->features = rdm_feature_set_of(&view->handshake);
	/* who waited for it is called once this packet is dealt with */
	while (!util_list_is_empty(parked)) {
		op = util_list_entry(util_list_pop(parked), struct rdm_op,
				     tx.parked);
		op->tx.is_parked = false;
		rdm_outbox_defer(ep, &op->deferred);
	}
}
