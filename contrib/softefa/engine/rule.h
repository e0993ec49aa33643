/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The rules of the device, by name: what no driver may do, whatever it is
 * given. Each is something that can be proven from the memory the device
 * and its driver share; what a correct driver can be mistaken for is none.
 * man/softefa.1 lists them for people.
 */
#ifndef ENGINE_RULE_H
#define ENGINE_RULE_H

#include <stddef.h>

enum engine_rule {
	/* send queue */
	ENGINE_RULE_SQ_DOORBELL,	/* backwards, or beyond the ring */
	ENGINE_RULE_SQ_BATCH,		/* too many entries without doorbell */
	ENGINE_RULE_SQ_LATE,		/* doorbell before its entry */
	ENGINE_RULE_SQ_TORN,		/* entry changed after its doorbell */
	ENGINE_RULE_SQ_OVERWRITE,	/* next entry over one not given back */
	ENGINE_RULE_SQ_PHASE,
	ENGINE_RULE_SQ_RESERVED,	/* reserved bits set */
	ENGINE_RULE_SQ_MALFORMED,	/* fixed bits, count of SGEs */
	ENGINE_RULE_SQ_REQ_ID,		/* 16-bit ID in use twice */
	/* receive queue */
	ENGINE_RULE_RQ_DOORBELL,
	ENGINE_RULE_RQ_OVERWRITE,	/* descriptor changed after doorbell */
	ENGINE_RULE_RQ_RESERVED,
	ENGINE_RULE_RQ_MALFORMED,	/* first and last bits */
	ENGINE_RULE_RQ_REQ_ID,
	/* completion queue */
	ENGINE_RULE_CQ_DOORBELL,	/* more consumed than was written */
	ENGINE_RULE_CQ_OVERRUN,		/* lapped its consumer */
	/* memory */
	ENGINE_RULE_LKEY,		/* own memory that is not registered */
	ENGINE_RULES
};

/* "sq-torn". @rule is less than ENGINE_RULES. Static. */
const char *engine_rule_name(enum engine_rule rule);

/* The rule whose name the @len bytes at @name are, or -1. */
int engine_rule_find(const char *name, size_t len);

#endif /* ENGINE_RULE_H */
