/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The payloads of a turn's sends, read together: a client's memory is another
 * process's, and the call that reads a message of some bytes costs far more
 * than the bytes.
 *
 * A shortcut of payload_gather, which looks for its message here first and
 * checks the keys as ever. What cannot be staged is left to it.
 */
#ifndef ENGINE_PAYLOAD_STAGE_H
#define ENGINE_PAYLOAD_STAGE_H

#include "engine/engine_qp.h"

#define PAYLOAD_STAGE_BYTES	(256u * 1024)

/*
 * Reads the payloads of the sends at the head of @qp->active, up to @max_ops
 * of them and as many as the stage holds.
 */
void payload_stage(struct engine_qp *qp, unsigned max_ops);

/* Forgets all of them: the turn has ended. */
void payload_stage_clear(struct engine *engine);

/* The staged bytes of @request, of which there are request->length, or NULL. */
const uint8_t *payload_staged(const struct engine *engine,
			      const struct send_request *request);

#endif /* ENGINE_PAYLOAD_STAGE_H */
