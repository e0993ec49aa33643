/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "trace/device_names.h"

#include <string.h>

void device_names_learn(struct device_names *names, uint16_t index,
			const struct trace_device *device)
{
	char *name;
	size_t i;

	if (index >= DEVICE_NAMES_MAX)
		return;
	name = names->device[index].name;
	for (i = 0; i < sizeof(device->name) && device->name[i]; i++)
		name[i] = device->name[i] < '!' || device->name[i] > '~' ?
			'?' : device->name[i];
	name[i] = '\0';
	memcpy(names->device[index].gid, device->gid, sizeof(device->gid));
}

const char *device_names_of(const struct device_names *names, uint16_t index)
{
	if (index >= DEVICE_NAMES_MAX || !names->device[index].name[0])
		return NULL;
	return names->device[index].name;
}

const char *device_names_of_gid(const struct device_names *names,
				const uint8_t gid[16])
{
	unsigned i;

	for (i = 0; i < DEVICE_NAMES_MAX; i++)
		if (names->device[i].name[0] &&
		    !memcmp(names->device[i].gid, gid, 16))
			return names->device[i].name;
	return NULL;
}
