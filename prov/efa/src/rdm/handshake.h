/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* HANDSHAKE: what an endpoint can do, told once to each peer that has sent
 * it anything. */
#ifndef RDM_HANDSHAKE_H
#define RDM_HANDSHAKE_H

#include "rdm/protocol_table.h"

/* Tells @peer, unless it has been told. */
void rdm_handshake_offer(struct rdm_ep *ep, struct rdm_peer *peer);

/* A HANDSHAKE has come. */
rdm_answer_fn rdm_handshake_answer;

#endif /* RDM_HANDSHAKE_H */
