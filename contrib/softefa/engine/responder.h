/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The receiving side of a message: which QP it is for, whether that one has
 * a receive posted, and what becomes of it. What goes wrong here is the
 * receiver's business; the sender gets a status, and its QP is not touched.
 */
#ifndef ENGINE_RESPONDER_H
#define ENGINE_RESPONDER_H

#include "engine/engine_qp.h"
#include "engine/message.h"

/*
 * The device of @engine with @gid, or NULL. There are few: O(devices).
 */
struct engine_device *responder_device(const struct engine *engine,
				       const uint8_t gid[16]);

/*
 * The QP that @message reaches:
 *	UNREACH_REMOTE	no device has that GID
 *	BAD_DEST_QPN	no such QP, of the sender's type, in a state that
 *			receives; or its qkey is another one. (That a wrong
 *			qkey looks like this to the sender is a guess.)
 */
enum efa_io_comp_status responder_find(const struct engine *engine,
				       const struct message *message,
				       struct engine_qp **receiver);

/*
 * Puts the @len_bytes of @data into the oldest receive of @receiver and
 * completes that. 1 when there was one, whatever came of it, with what the
 * sender is told in @status; 0 when there is none.
 *	BAD_DEST_QPN	the receive queue was broken, the QP has stopped
 *	REMOTE_ERROR_BAD_LENGTH
 *			the receive is too short; it completes with
 *			LOCAL_ERROR_BAD_LENGTH, and nothing is written
 *	REMOTE_ERROR_BAD_STATUS
 *			its memory is not registered or not writable; it
 *			completes with INVALID_LKEY
 * (The receiver's half of the last two is a guess.)
 */
int responder_deliver(struct engine_qp *receiver,
		      const struct message *message, const uint8_t *data,
		      uint32_t len_bytes, enum efa_io_comp_status *status);

#endif /* ENGINE_RESPONDER_H */
