/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/rule.h"

#include <assert.h>
#include <string.h>

static const char *const names[ENGINE_RULES] = {
	[ENGINE_RULE_SQ_DOORBELL] = "sq-doorbell",
	[ENGINE_RULE_SQ_BATCH] = "sq-batch",
	[ENGINE_RULE_SQ_LATE] = "sq-late",
	[ENGINE_RULE_SQ_TORN] = "sq-torn",
	[ENGINE_RULE_SQ_OVERWRITE] = "sq-overwrite",
	[ENGINE_RULE_SQ_PHASE] = "sq-phase",
	[ENGINE_RULE_SQ_RESERVED] = "sq-reserved",
	[ENGINE_RULE_SQ_MALFORMED] = "sq-malformed",
	[ENGINE_RULE_SQ_REQ_ID] = "sq-req-id",
	[ENGINE_RULE_RQ_DOORBELL] = "rq-doorbell",
	[ENGINE_RULE_RQ_OVERWRITE] = "rq-overwrite",
	[ENGINE_RULE_RQ_RESERVED] = "rq-reserved",
	[ENGINE_RULE_RQ_MALFORMED] = "rq-malformed",
	[ENGINE_RULE_RQ_REQ_ID] = "rq-req-id",
	[ENGINE_RULE_CQ_DOORBELL] = "cq-doorbell",
	[ENGINE_RULE_CQ_OVERRUN] = "cq-overrun",
	[ENGINE_RULE_LKEY] = "lkey",
};

const char *engine_rule_name(enum engine_rule rule)
{
	assert(rule < ENGINE_RULES);
	return names[rule];
}

int engine_rule_find(const char *name, size_t len)
{
	int rule;

	for (rule = 0; rule < ENGINE_RULES; rule++)
		if (strlen(names[rule]) == len &&
		    !memcmp(names[rule], name, len))
			return rule;
	return -1;
}
