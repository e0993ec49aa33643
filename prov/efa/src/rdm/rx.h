/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A packet's way in: the gate, its sender, the order of messages, its
 * receive or the operation it answers. A packet that is a lie, stale or
 * nobody's costs itself and nothing else.
 */
#ifndef RDM_RX_H
#define RDM_RX_H

#include <stdint.h>

struct efa_io_cdesc;
struct rdm_ep;

/* Takes in the @len bytes of a packet, of whose sender @cqe tells. The buffer
 * is the caller's again afterwards. Under the endpoint's lock. */
void rdm_rx_packet(struct rdm_ep *ep, const struct efa_io_cdesc *cqe,
		   const void *bytes, uint32_t len);

#endif /* RDM_RX_H */
