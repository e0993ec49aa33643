/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the packets of a message being sent have in common: its header's
 * fields, and how its bytes get into a packet.
 */
#ifndef RDM_TX_PACKET_H
#define RDM_TX_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rdm/wire_encode.h"

struct rdm_ep;
struct rdm_op;
struct rdm_packet;

/* Fills *@msg for the headers of @op, with the raw address or the connid
 * that its peer expects. */
void rdm_tx_message(const struct rdm_ep *ep, const struct rdm_op *op,
		    struct rdm_wire_message *msg);

/*
 * Of an operation that serves a peer's read, the bytes are copied; false: the
 * memory may not be read any more, and nothing has been done. Else true:
 * puts @len bytes at @offset of @op's message behind the @header_len bytes
 * that are in @packet: copied, or as a buffer for the device to read when it
 * is registered, not about to be reused by the application, and worth it.
 * The packet is then complete but for its op.
 */
bool rdm_tx_put_payload(struct rdm_ep *ep, const struct rdm_op *op,
			struct rdm_packet *packet, size_t header_len,
			uint64_t offset, size_t len);

#endif /* RDM_TX_PACKET_H */
