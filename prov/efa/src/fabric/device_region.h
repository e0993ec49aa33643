/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Registers the memory of an accelerator with a device: by a dma-buf, or,
 * where there are none, by its address, which needs a kernel module that
 * knows the accelerator (peer memory).
 */
#ifndef FABRIC_DEVICE_REGION_H
#define FABRIC_DEVICE_REGION_H

#include <stdbool.h>

#include <rdma/fi_domain.h>

#include "dev/mem_region.h"
#include "fabric/domain.h"
#include "hmem/accelerator.h"

/* Does the environment (FI_HMEM_DISABLE_P2P) let devices at the memory of
 * accelerators? */
bool fabric_device_region_permitted(void);

/*
 * Registers @range of @iface with IBV_ACCESS_* @verbs_access; work requests
 * use its own addresses. The first region of an interface opens the
 * library of the accelerator. Each failure is one line of the log, which
 * says what library and kernel answered, and the remedy:
 *	-FI_EINVAL	no such interface, a range that is empty or that the
 *			library does not know
 *	-FI_ENOSYS	an interface that EFA does not have; its library
 *			cannot be loaded; peer access is forbidden
 *	others		what the library or the kernel says
 */
int fabric_device_region_create(struct fabric_domain *domain,
				enum fi_hmem_iface iface,
				const struct hmem_range *range,
				int verbs_access, struct dev_mr *mr);

#endif /* FABRIC_DEVICE_REGION_H */
