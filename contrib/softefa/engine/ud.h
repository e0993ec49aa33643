/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sends over the unreliable datagram: the sender is done when the message
 * has left, and what cannot be received is dropped.
 *
 * As for every UD QP of verbs, the first 40 bytes of a receive are kept for
 * a routing header: the payload starts behind them, and the length of the
 * completion counts them. EFA has no such header (libefa never reports
 * IBV_WC_GRH), so what the 40 bytes hold is undefined; here they are
 * overwritten with UD_HEADER_FILL.
 */
#ifndef ENGINE_UD_H
#define ENGINE_UD_H

#include "engine/message.h"
#include "engine/send_op.h"

#define UD_HEADER_BYTES	40
#define UD_HEADER_FILL	0xa5

/* Carries out @op, a send of a UD QP, and returns its status. */
enum efa_io_comp_status ud_send(struct send_op *op);

/*
 * Gives @message, whose payload is in the engine's bounce buffer from
 * UD_HEADER_BYTES on, to its receiver. Anything but OK: it has none.
 */
enum efa_io_comp_status ud_arrive(struct engine *engine,
				  const struct message *message);

#endif /* ENGINE_UD_H */
