/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The sender's side of a message: from its memory or its entry to a buffer.
 */
#ifndef ENGINE_PAYLOAD_H
#define ENGINE_PAYLOAD_H

#include "engine/engine_qp.h"

/*
 * Fills @buffer with the request->length bytes of a send. INVALID_LKEY
 * if an SGE is not registered with @qp's PD, or the memory behind its
 * registration has gone. A client that has gone marks its context dead.
 */
enum efa_io_comp_status payload_gather(struct engine_qp *qp,
				       const struct send_request *request,
				       uint8_t *buffer);

/*
 * The same without a copy where there need be none: @data is where the bytes
 * are until the request ends or the turn does, in @buffer or elsewhere.
 */
enum efa_io_comp_status payload_locate(struct engine_qp *qp,
				       const struct send_request *request,
				       uint8_t *buffer, const uint8_t **data);

#endif /* ENGINE_PAYLOAD_H */
