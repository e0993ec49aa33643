/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Runting reads: as long-read messages, but the first bytes, the runt, go
 * along in packets, so that something is under way while the receiver's
 * device begins to read the rest.
 *
 *	sender				receiver
 *	RUNTREAD, a segment ->
 *	RUNTREAD, a segment ->	     <-	reads of what is behind the runt
 *	...				...
 *				     <-	EOR, or READ_NACK behind the runt
 *
 * The bytes of runts in flight to one peer are bounded by FI_EFA_RUNT_SIZE;
 * where that leaves none, the message is a long-read one. A message that is
 * all runt needs no answer.
 */
#ifndef RDM_RUNT_READ_H
#define RDM_RUNT_READ_H

#include "rdm/protocol_table.h"

extern const struct rdm_protocol rdm_runt_read;

#endif /* RDM_RUNT_READ_H */
