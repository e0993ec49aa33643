/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Messages that a fault (late-packets) lets arrive after the QP that sent
 * them was destroyed, as packets do that were in the network at that time.
 * Nobody learns what becomes of one.
 */
#ifndef ENGINE_LATE_MESSAGE_H
#define ENGINE_LATE_MESSAGE_H

#include "engine/device_state.h"
#include "engine/engine_qp.h"
#include "engine/message.h"

#define LATE_MESSAGES_MAX	4096u	/* of an engine; more are lost */

struct late_message {
	struct due_entry due;
	TAILQ_ENTRY(late_message) link;		/* of the engine */
	struct message message;
	uint8_t src_gid[16], dst_gid[16];	/* message points here */
	uint8_t payload[];
};

/*
 * @qp is being destroyed: takes the messages of its operations that are to
 * come late, with their bytes as they are now. RDMA is not a message.
 */
void late_message_take(struct engine_qp *qp);

/* The end of each. */
void late_message_forget(struct engine *engine, struct late_message *late);

/* Forgets all. */
void late_message_fini(struct engine *engine);

#endif /* ENGINE_LATE_MESSAGE_H */
