/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Reports what a driver must never do. The consequence for the queue is the
 * caller's; here the line is written, once per queue and rule.
 */
#ifndef ENGINE_RULE_CHECK_H
#define ENGINE_RULE_CHECK_H

#include <stdint.h>

struct engine_context;

enum engine_rule {
	RULE_SQ_DOORBELL,	/* counts more entries than the ring has */
	RULE_SQ_ENTRY,		/* phase, fixed or reserved bits */
	RULE_RQ_DOORBELL,
	RULE_RQ_ENTRY,		/* first and last bits, reserved bits */
	RULE_CQ_DOORBELL,
};

/*
 * Tells the engine's owner that @ctx broke @rule, unless @reported, the
 * queue's own word, says that it was told before; counts it either way.
 */
void rule_broken(struct engine_context *ctx, uint32_t *reported,
		 enum engine_rule rule, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif /* ENGINE_RULE_CHECK_H */
