/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What sysfs says about the PCI function behind an RDMA device. */
#ifndef DEV_PCI_LOCATION_H
#define DEV_PCI_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dev_pci_location {
	uint16_t domain;
	uint8_t bus, device, function;
};

/* @ibdev_path is struct ibv_device's: /sys/class/infiniband/NAME. False when
 * sysfs does not tell, or the device is no PCI function. */
bool dev_pci_find(const char *ibdev_path, struct dev_pci_location *location);

/* Its kernel driver's name, cut to @size; "" when sysfs does not tell. */
void dev_pci_driver(const char *ibdev_path, char *driver, size_t size);

/* Its vendor ID, or 0 when sysfs does not tell. */
uint16_t dev_pci_vendor(const char *ibdev_path);

#endif /* DEV_PCI_LOCATION_H */
