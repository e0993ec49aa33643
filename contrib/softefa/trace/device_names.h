/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The devices a trace has told of: names for indices and addresses. */
#ifndef TRACE_DEVICE_NAMES_H
#define TRACE_DEVICE_NAMES_H

#include <stdint.h>

#include "trace_file_defs.h"

#define DEVICE_NAMES_MAX	64u	/* those beyond stay nameless */

struct device_names {
	struct {
		char name[sizeof(((struct trace_device *)0)->name) + 1];
		uint8_t gid[16];
	} device[DEVICE_NAMES_MAX];	/* by index; name "": not told of */
};

void device_names_learn(struct device_names *names, uint16_t index,
			const struct trace_device *device);

/* NULL: nobody told. */
const char *device_names_of(const struct device_names *names, uint16_t index);
const char *device_names_of_gid(const struct device_names *names,
				const uint8_t gid[16]);

#endif /* TRACE_DEVICE_NAMES_H */
