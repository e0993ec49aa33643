/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The engine and its devices. All of it is engine.h's engine_create,
 * engine_destroy and engine_device_*. Destroying the engine destroys what is
 * left in it.
 */
#ifndef ENGINE_DEVICE_H
#define ENGINE_DEVICE_H

#include "engine/engine.h"

#endif /* ENGINE_DEVICE_H */
