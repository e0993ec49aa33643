/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Protection domains. All of it is engine.h's engine_pd_*; the contents of
 * a domain belong to the modules of its elements.
 */
#ifndef ENGINE_ENGINE_PD_H
#define ENGINE_ENGINE_PD_H

#include "engine/engine.h"

#endif /* ENGINE_ENGINE_PD_H */
