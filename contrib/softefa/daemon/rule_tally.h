/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How often the rules of the devices were broken, all devices taken
 * together: what decides the exit status of `softefa run` and `stop`.
 */
#ifndef DAEMON_RULE_TALLY_H
#define DAEMON_RULE_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "daemon/emulated_device.h"

uint64_t rule_tally(const struct emulated_devices *devices,
		    enum engine_rule rule);

/* The sum of the rules that devices->allowed_rules has no bit of. */
uint64_t rule_tally_forbidden(const struct emulated_devices *devices);

/*
 * Writes "sq-late 2, lkey 1 (allowed)": the rules that were broken, with a
 * NUL, cut at @text_bytes. An empty text when there are none.
 */
void rule_tally_text(const struct emulated_devices *devices, char *text,
		     size_t text_bytes);

#endif /* DAEMON_RULE_TALLY_H */
