/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reports what a driver must never do. The consequence for the queue is the
 * caller's; here it is counted, and told once per queue and rule.
 */
#ifndef ENGINE_RULE_CHECK_H
#define ENGINE_RULE_CHECK_H

#include <stdint.h>

#include "engine/rule.h"

struct engine_context;

/*
 * Counts that @ctx broke @rule, and tells the engine's owner, unless
 * @reported, the queue's own word, says that it was told before. The text
 * says which queue, which entry, and what was found there.
 */
void rule_broken(struct engine_context *ctx, uint32_t *reported,
		 enum engine_rule rule, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif /* ENGINE_RULE_CHECK_H */
