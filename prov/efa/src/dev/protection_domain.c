/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "dev/protection_domain.h"

#include <errno.h>
#include <string.h>

#include "compat/log.h"
#include "compat/verbs_symbols.h"

int dev_pd_create(const struct dev_device *device, struct dev_pd *pd)
{
	struct ibv_pd *verbs = compat_verbs()->alloc_pd(device->verbs);
	int ret = verbs ? 0 : -(errno ? errno : ENOMEM);

	if (ret) {
		compat_warn(FI_LOG_DOMAIN,
			    "%s: no protection domain: %s; the device allows %d, close some",
			    device->name, strerror(-ret),
			    device->attr.max_pd);
		return ret;
	}
	pd->device = device;
	pd->verbs = verbs;
	return 0;
}

int dev_pd_destroy(struct dev_pd *pd)
{
	int err = compat_verbs()->dealloc_pd(pd->verbs);

	if (err)
		compat_warn(FI_LOG_DOMAIN,
			    "%s: the protection domain stays: %s; close what was made from it first",
			    pd->device->name, strerror(err));
	return -err;
}
