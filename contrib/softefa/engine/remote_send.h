/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The sending side of an operation whose target is at another host: what
 * srd.h, ud.h and rdma.h do within the engine, by packets.
 *
 * Checks of the sender's side are made here, all others by the target. The
 * statuses are the same, and beside them
 *	UNRESP_REMOTE	the host did not answer, was restarted, or is gone;
 *			whether the operation reached it is not known
 */
#ifndef ENGINE_REMOTE_SEND_H
#define ENGINE_REMOTE_SEND_H

#include "engine/packet.h"
#include "engine/remote_op.h"

/* Of one RDMA operation, sent and not answered. */
#define REMOTE_MAX_SEGMENTS	16u
/* Of one operation at a turn. */
#define REMOTE_TURN_SEGMENTS	8u

/* False: @op, whose dgid is known, stays in the engine or leads nowhere. */
bool remote_send_is_for(const struct send_op *op);

/*
 * One step of @op, running, for which remote_send_is_for holds. Beside the
 * results of the others SEND_OP_PENDING: awaiting or blocked. @moved: the
 * bytes it took.
 */
enum send_op_result remote_send_step(struct send_op *op,
				     enum efa_io_comp_status *status,
				     uint32_t *moved);

/* What @packet, an answer of @host, means for its operation, if that is. */
void remote_send_answered(struct engine_host *host,
			  const struct packet *packet);

#endif /* ENGINE_REMOTE_SEND_H */
