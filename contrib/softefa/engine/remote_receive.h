/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Packets of other hosts come in. All of it is engine.h's engine_host_receive. */
#ifndef ENGINE_REMOTE_RECEIVE_H
#define ENGINE_REMOTE_RECEIVE_H

#include "engine/engine.h"

#endif /* ENGINE_REMOTE_RECEIVE_H */
