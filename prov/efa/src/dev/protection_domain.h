/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A protection domain: the owner of memory regions, address handles, QPs. */
#ifndef DEV_PROTECTION_DOMAIN_H
#define DEV_PROTECTION_DOMAIN_H

#include "dev/device_list.h"

struct dev_pd {
	const struct dev_device *device;
	struct ibv_pd *verbs;
};

/* Returns 0 or a negative errno; logged. @device outlives the PD. */
int dev_pd_create(const struct dev_device *device, struct dev_pd *pd);
/* Everything made from it must be gone: -EBUSY otherwise, and logged. */
int dev_pd_destroy(struct dev_pd *pd);

#endif /* DEV_PROTECTION_DOMAIN_H */
