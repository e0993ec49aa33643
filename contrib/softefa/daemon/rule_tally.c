/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/rule_tally.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

uint64_t rule_tally(const struct emulated_devices *devices,
		    enum engine_rule rule)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < devices->count; i++)
		count += engine_device_rule_breaks(devices->device[i].engine,
						   rule);
	return count;
}

static bool is_allowed(const struct emulated_devices *devices, unsigned rule)
{
	return devices->allowed_rules & (1u << rule);
}

uint64_t rule_tally_forbidden(const struct emulated_devices *devices)
{
	uint64_t count = 0;

	for (unsigned rule = 0; rule < ENGINE_RULES; rule++) {
		if (!is_allowed(devices, rule))
			count += rule_tally(devices, rule);
	}
	return count;
}

void rule_tally_text(const struct emulated_devices *devices, char *text,
		     size_t text_bytes)
{
	size_t used = 0;
	uint64_t count;
	int len;

	*text = '\0';
	for (unsigned rule = 0; rule < ENGINE_RULES; rule++) {
		count = rule_tally(devices, rule);
		if (!count || used >= text_bytes)
			continue;
		len = snprintf(text + used, text_bytes - used,
			       "%s%s %" PRIu64 "%s", used ? ", " : "",
			       engine_rule_name(rule), count,
			       is_allowed(devices, rule) ? " (allowed)" : "");
		if (len > 0)
			used += (size_t)len;
	}
}
