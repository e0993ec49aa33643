/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The counters of a device by name, for all that print them. softefa(1) says
 * what each counts.
 */
#ifndef DAEMON_DEVICE_COUNTER_H
#define DAEMON_DEVICE_COUNTER_H

#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

struct named_counter {
	const char *name;
	uint64_t value;
};

#define DEVICE_COUNTERS		19u

/* All of @device's, in the order in which they are printed. */
void device_counter_read(const struct engine_device *device,
			 struct named_counter row[DEVICE_COUNTERS]);

#endif /* DAEMON_DEVICE_COUNTER_H */
