/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A packet's way in: the gate, its sender, the order of messages, its
 * receive or the operation it answers. A packet that is a lie, stale or
 * nobody's costs itself and nothing else.
 */
#ifndef RDM_RX_H
#define RDM_RX_H

#include <stdint.h>

struct rdm_ep;

/* Takes in the @len bytes of a packet whose sender's address handle and QP
 * number the device has told. The buffer is the caller's again afterwards.
 * Under the endpoint's lock. */
void rdm_rx_packet(struct rdm_ep *ep, uint16_t ahn, uint16_t qpn,
		   const void *bytes, uint32_t len);

#endif /* RDM_RX_H */
