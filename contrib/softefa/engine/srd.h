/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Sends over the scalable reliable datagram: a message arrives once, in any
 * order, and the sender learns what the receiver made of it.
 */
#ifndef ENGINE_SRD_H
#define ENGINE_SRD_H

#include "engine/send_op.h"

/* One attempt at @op, a send of an SRD QP. SEND_OP_DONE sets @status. */
enum send_op_result srd_send(struct send_op *op,
			     enum efa_io_comp_status *status);

#endif /* ENGINE_SRD_H */
