/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* One turn of everything. All of it is engine.h's "running" part. */
#ifndef ENGINE_POLL_H
#define ENGINE_POLL_H

#include "engine/engine.h"

/*
 * What the queues of one context may cost in a pass, in bytes moved or what
 * takes as long; the turn that passes this limit is the last.
 */
#define POLL_CONTEXT_SHARE	(1u << 20)

#endif /* ENGINE_POLL_H */
