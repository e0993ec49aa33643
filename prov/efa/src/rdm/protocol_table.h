/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The table of protocol families. A family is one file with both roles: how
 * its messages are sent, and what its packets do. Nobody calls a family but
 * through these tables; a family calls op, outbox, tx_packet and the pure
 * modules.
 *
 * Under the endpoint's lock; the view and its payload live only during the
 * call.
 */
#ifndef RDM_PROTOCOL_TABLE_H
#define RDM_PROTOCOL_TABLE_H

#include "rdm/wire_decode.h"

struct rdm_ep;
struct rdm_op;
struct rdm_packet;
struct rdm_peer;

struct rdm_protocol {
	const char *name;
	/*
	 * Sender: gives the packets of @op to the outbox, all that go without
	 * an answer or none. 0, -FI_EAGAIN: packets lack. What has been sent
	 * counts in op->tx.sent.
	 */
	int (*start)(struct rdm_ep *ep, struct rdm_op *op);
	/*
	 * Receiver: @view is the first packet of a message, and @op has the
	 * buffer it goes to: peer, msg_id, length, tag, peer_id (the send_id)
	 * are set. Ends @op, in time.
	 */
	void (*begin)(struct rdm_ep *ep, struct rdm_op *op,
		      const struct rdm_wire_view *view);
	/* Receiver, of families whose messages are several requests: one that
	 * is not the first. NULL: there is none. */
	void (*segment)(struct rdm_ep *ep, struct rdm_op *op,
			const struct rdm_wire_view *view);
	/*
	 * The device is done with @packet of @op, whose status was @status;
	 * of an RDMA read for one. True: that was all there is to do; false:
	 * what is done for any packet is done, a failure fails @op. NULL: as
	 * false. @packet is put back afterwards.
	 */
	bool (*completed)(struct rdm_ep *ep, struct rdm_op *op,
			  const struct rdm_packet *packet, uint8_t status);
};

/* The family of a message's packets, by enum rdm_wire_kind; NULL. */
extern const struct rdm_protocol *const rdm_protocols[RDM_KINDS];

/* Packets that answer: CTS, EOR and so on; and requests that have no place in
 * the order of messages: emulated RMA. What names no operation of the
 * peer's is dropped by the handler (rdm_rx_stale). */
typedef void rdm_answer_fn(struct rdm_ep *ep, struct rdm_peer *peer,
			   const struct rdm_wire_view *view);

extern rdm_answer_fn *const rdm_answers[RDM_KINDS];

#endif /* RDM_PROTOCOL_TABLE_H */
