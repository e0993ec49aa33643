/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which state changes a QP can make, and which attributes each needs and
 * takes: the tables of the efa kernel driver for SRD and of the kernel's
 * verbs core for UD, which EFA uses. Pure.
 */
#ifndef ENGINE_QP_TRANSITION_H
#define ENGINE_QP_TRANSITION_H

#include <stdint.h>

#include "engine/engine.h"

/*
 * 0, or -EINVAL when a QP of @type cannot go from @from to @to with the
 * attributes of @mask (ENGINE_QPA_*, none but these).
 */
int qp_transition_check(enum engine_qp_type type, enum engine_qp_state from,
			enum engine_qp_state to, uint32_t mask);

#endif /* ENGINE_QP_TRANSITION_H */
