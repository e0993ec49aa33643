/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "daemon/emulated_device.h"

#define FIRST_BUS	0x10u
#define SLOT		0x1bu

static int random_bytes(void *dst, size_t len_bytes)
{
	ssize_t n = getrandom(dst, len_bytes, 0);

	if (n < 0)
		return -errno;
	return (size_t)n == len_bytes ? 0 : -EIO;
}

/* "xxxx:xxxx:...", four hex digits a group. */
static void format_groups(char *dst, size_t dst_bytes, const uint8_t *src,
			  size_t src_bytes)
{
	size_t at = 0;

	assert(dst_bytes >= src_bytes / 2 * 5);
	for (size_t i = 0; i < src_bytes; i += 2)
		at += snprintf(dst + at, dst_bytes - at, "%s%02x%02x",
			       i ? ":" : "", src[i], src[i + 1]);
}

/* Link local, with an interface part in the form of a local MAC address. */
static int device_choose_addresses(struct emulated_device *device)
{
	int ret = random_bytes(device->guid, sizeof(device->guid));

	if (ret)
		return ret;
	ret = random_bytes(device->gid + 8, 8);
	if (ret)
		return ret;
	device->gid[0] = 0xfe;
	device->gid[1] = 0x80;
	device->gid[8] &= 0xfc;
	device->gid[11] = 0xff;
	device->gid[12] = 0xfe;
	return 0;
}

static void device_describe(struct emulated_device *device, unsigned index)
{
	struct softefa_device_entry *entry = &device->entry;

	snprintf(entry->ibdev, sizeof(entry->ibdev), "efa_%u", index);
	snprintf(entry->uverbs, sizeof(entry->uverbs), "uverbs%u", index);
	snprintf(entry->pci, sizeof(entry->pci), "0000:%02x:%02x.0",
		 FIRST_BUS + index, SLOT);
	format_groups(entry->node_guid, sizeof(entry->node_guid),
		      device->guid, sizeof(device->guid));
	format_groups(entry->gid, sizeof(entry->gid), device->gid,
		      sizeof(device->gid));
	entry->vendor_id = device->profile->vendor_id;
	entry->device_id = device->profile->vendor_part_id;
	entry->minor = SOFTEFA_UVERBS_MINOR + index;
	entry->numa_node = 0;
}

int emulated_devices_init(struct emulated_devices *devices,
			  struct engine *engine,
			  const struct device_profile *profile,
			  unsigned count)
{
	int ret;

	assert(count >= 1 && count <= SOFTEFA_MAX_DEVICES);
	memset(devices, 0, sizeof(*devices));
	devices->owner = engine;
	for (unsigned i = 0; i < count; i++) {
		struct emulated_device *device = &devices->device[i];

		device->profile = &profile[i];
		ret = device_choose_addresses(device);
		if (ret)
			return ret;
		ret = engine_device_create(engine, &profile[i], device->gid,
					   &device->engine);
		if (ret)
			return ret;
		device_describe(device, i);
	}
	devices->count = count;
	return 0;
}

void emulated_devices_describe(const struct emulated_devices *devices,
			       struct softefa_devices *out)
{
	memset(out, 0, sizeof(*out));
	out->count = devices->count;
	for (unsigned i = 0; i < devices->count; i++)
		out->entry[i] = devices->device[i].entry;
}
