/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* One turn of everything. All of it is engine.h's "running" part. */
#ifndef ENGINE_POLL_H
#define ENGINE_POLL_H

#include "engine/engine.h"

#endif /* ENGINE_POLL_H */
