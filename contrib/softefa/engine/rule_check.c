/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/rule_check.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "engine/device_state.h"
#include "engine/trace_point.h"

static_assert(ENGINE_RULES <= 32, "a bit of a word for each");

void rule_broken(struct engine_context *ctx, uint32_t *reported,
		 enum engine_rule rule, const char *format, ...)
{
	struct engine *engine = ctx->device->engine;
	char text[ENGINE_RULE_TEXT];
	va_list args;

	ctx->device->counters.rule_breaks++;
	ctx->device->rule_breaks[rule]++;
	if (*reported & (1u << rule))
		return;
	*reported |= 1u << rule;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	trace_text(ctx->device, TRACE_RULE, text);
	if (engine->ops->rule_broken)
		engine->ops->rule_broken(engine->owner, ctx->opaque, rule,
					 text);
}
