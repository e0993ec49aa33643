/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "compat/nic_attr.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The strings of @nic in one row, to free and to copy them alike. */
enum { NIC_STRINGS = 8 };

static void nic_strings(const struct fid_nic *nic, char **row[NIC_STRINGS])
{
	row[0] = &nic->device_attr->name;
	row[1] = &nic->device_attr->device_id;
	row[2] = &nic->device_attr->device_version;
	row[3] = &nic->device_attr->vendor_id;
	row[4] = &nic->device_attr->driver;
	row[5] = &nic->device_attr->firmware;
	row[6] = &nic->link_attr->address;
	row[7] = &nic->link_attr->network_type;
}

static int nic_close(struct fid *fid)
{
	struct fid_nic *nic = (struct fid_nic *)fid;
	char **row[NIC_STRINGS];

	nic_strings(nic, row);
	for (int i = 0; i < NIC_STRINGS; i++)
		free(*row[i]);
	free(nic->device_attr);
	free(nic->bus_attr);
	free(nic->link_attr);
	free(nic);
	return 0;
}

static int nic_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	return -ENOSYS;
}

static int nic_control(struct fid *fid, int command, void *arg)
{
	struct fid_nic **dup = arg;

	if (command != FI_DUP)
		return -ENOSYS;
	*dup = compat_nic_dup((struct fid_nic *)fid);
	return *dup ? 0 : -ENOMEM;
}

static int nic_ops_open(struct fid *fid, const char *name, uint64_t flags,
			void **ops, void *context)
{
	return -ENOSYS;
}

static void __attribute__((format(printf, 3, 4)))
append(char *buf, size_t len, const char *format, ...)
{
	size_t used = strnlen(buf, len);
	va_list args;

	va_start(args, format);
	vsnprintf(buf + used, len - used, format, args);
	va_end(args);
}

static const char *or_unknown(const char *text)
{
	return text ? text : "unknown";
}

static const char *link_state_text(enum fi_link_state state)
{
	switch (state) {
	case FI_LINK_UP:
		return "FI_LINK_UP";
	case FI_LINK_DOWN:
		return "FI_LINK_DOWN";
	default:
		return "FI_LINK_UNKNOWN";
	}
}

/* Appends to what is in @buf: the core prints an fi_info piece by piece. */
static int nic_tostr(const struct fid *fid, char *buf, size_t len)
{
	const struct fid_nic *nic = (const struct fid_nic *)fid;
	const struct fi_device_attr *device = nic->device_attr;
	const struct fi_pci_attr *pci = &nic->bus_attr->attr.pci;
	const struct fi_link_attr *link = nic->link_attr;

	append(buf, len, "    nic:\n        fi_device_attr:\n"
	       "            name: %s\n            device_id: %s\n"
	       "            device_version: %s\n            vendor_id: %s\n"
	       "            driver: %s\n            firmware: %s\n",
	       or_unknown(device->name), or_unknown(device->device_id),
	       or_unknown(device->device_version),
	       or_unknown(device->vendor_id), or_unknown(device->driver),
	       or_unknown(device->firmware));
	if (nic->bus_attr->bus_type == FI_BUS_PCI)
		append(buf, len, "        fi_bus_attr:\n"
		       "            bus_type: FI_BUS_PCI\n"
		       "            fi_pci_attr:\n"
		       "                domain_id: %u\n"
		       "                bus_id: %u\n"
		       "                device_id: %u\n"
		       "                function_id: %u\n",
		       pci->domain_id, pci->bus_id, pci->device_id,
		       pci->function_id);
	append(buf, len, "        fi_link_attr:\n            address: %s\n"
	       "            mtu: %zu\n            speed: %zu\n"
	       "            state: %s\n            network_type: %s\n",
	       or_unknown(link->address), link->mtu, link->speed,
	       link_state_text(link->state), or_unknown(link->network_type));
	return 0;
}

static int nic_ops_set(struct fid *fid, const char *name, uint64_t flags,
		       void *ops, void *context)
{
	return -FI_ENOSYS;
}

static struct fi_ops nic_ops = {
	.size = sizeof(struct fi_ops),
	.close = nic_close,
	.bind = nic_bind,
	.control = nic_control,
	.ops_open = nic_ops_open,
	.tostr = nic_tostr,
	.ops_set = nic_ops_set,
};

struct fid_nic *compat_nic_create(void)
{
	struct fid_nic *nic = calloc(1, sizeof(*nic));

	if (!nic)
		return NULL;
	nic->fid.fclass = FI_CLASS_NIC;
	nic->fid.ops = &nic_ops;
	nic->device_attr = calloc(1, sizeof(*nic->device_attr));
	nic->bus_attr = calloc(1, sizeof(*nic->bus_attr));
	nic->link_attr = calloc(1, sizeof(*nic->link_attr));
	if (!nic->device_attr || !nic->bus_attr || !nic->link_attr) {
		free(nic->device_attr);
		free(nic->bus_attr);
		free(nic->link_attr);
		free(nic);
		return NULL;
	}
	return nic;
}

struct fid_nic *compat_nic_dup(const struct fid_nic *nic)
{
	char **from[NIC_STRINGS], **to[NIC_STRINGS];
	struct fid_nic *dup = compat_nic_create();

	if (!dup)
		return NULL;
	assert(nic->fid.ops == &nic_ops);
	*dup->bus_attr = *nic->bus_attr;
	dup->link_attr->mtu = nic->link_attr->mtu;
	dup->link_attr->speed = nic->link_attr->speed;
	dup->link_attr->state = nic->link_attr->state;
	nic_strings(nic, from);
	nic_strings(dup, to);
	for (int i = 0; i < NIC_STRINGS; i++) {
		if (!*from[i])
			continue;
		*to[i] = strdup(*from[i]);
		if (!*to[i]) {
			nic_close(&dup->fid);
			return NULL;
		}
	}
	return dup;
}
