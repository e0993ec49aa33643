/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "dev/pci_location.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the link @ibdev_path/@entry leads to in the end: its last component,
 * or NULL. */
static const char *link_target(const char *ibdev_path, const char *entry,
			       char target[PATH_MAX])
{
	char path[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s/%s", ibdev_path, entry);
	const char *slash;

	if (len >= (int)sizeof(path) || !realpath(path, target))
		return NULL;
	slash = strrchr(target, '/');
	return slash ? slash + 1 : target;
}

bool dev_pci_find(const char *ibdev_path, struct dev_pci_location *location)
{
	unsigned int domain, bus, device, function;
	char target[PATH_MAX], end;
	const char *name = link_target(ibdev_path, "device", target);

	if (!name || sscanf(name, "%4x:%2x:%2x.%1x%c", &domain, &bus, &device,
			    &function, &end) != 4)
		return false;
	location->domain = domain;
	location->bus = bus;
	location->device = device;
	location->function = function;
	return true;
}

void dev_pci_driver(const char *ibdev_path, char *driver, size_t size)
{
	char target[PATH_MAX];
	const char *name = link_target(ibdev_path, "device/driver", target);

	snprintf(driver, size, "%s", name ? name : "");
}

uint16_t dev_pci_vendor(const char *ibdev_path)
{
	char path[PATH_MAX], text[16];
	ssize_t len;
	int fd;

	if (snprintf(path, sizeof(path), "%s/device/vendor", ibdev_path) >=
	    (int)sizeof(path))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (len <= 0)
		return 0;
	text[len] = 0;
	return strtoul(text, NULL, 16);
}
