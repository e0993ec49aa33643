/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Opens of a device. All of it is engine.h's engine_context_*. */
#ifndef ENGINE_CONTEXT_H
#define ENGINE_CONTEXT_H

#include "engine/engine.h"

#endif /* ENGINE_CONTEXT_H */
