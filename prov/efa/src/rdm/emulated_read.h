/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reads of a peer's memory that the device cannot do:
 *
 *	reader			whose memory it is
 *	SHORT_RTR ->
 *			     <-	READRSP, all data
 * or
 *	LONGCTS_RTR, a window ->
 *			     <-	READRSP, first data; CTSDATA ...
 *	CTS, the next window ->
 *			     <-	CTSDATA ...
 *
 * The data come as those of a long-CTS message.
 */
#ifndef RDM_EMULATED_READ_H
#define RDM_EMULATED_READ_H

#include "rdm/protocol_table.h"

extern const struct rdm_protocol rdm_emulated_read;

/* SHORT_RTR and LONGCTS_RTR: a peer reads. */
rdm_answer_fn rdm_emulated_read_serve;
/* READRSP: the first data have come. */
rdm_answer_fn rdm_emulated_read_begun;

#endif /* RDM_EMULATED_READ_H */
