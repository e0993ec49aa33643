/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The FAULT_* requests of a control connection (protocol.h). */
#ifndef DAEMON_FAULT_CONTROL_H
#define DAEMON_FAULT_CONTROL_H

#include "daemon/peer_message.h"
#include "engine/engine.h"

/*
 * Does what @request asks, if its type is SOFTEFA_FAULT_*, and fills
 * @answer, whose result may be a negative errno. False for another type.
 */
bool fault_control_answer(struct engine *engine,
			  const struct peer_request *request,
			  struct softefa_text *answer);

#endif /* DAEMON_FAULT_CONTROL_H */
