/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The functions engine_fault_* of engine.h. */
#ifndef ENGINE_ENGINE_FAULT_H
#define ENGINE_ENGINE_FAULT_H

#include "engine/engine.h"

#endif /* ENGINE_ENGINE_FAULT_H */
