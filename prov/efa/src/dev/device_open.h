/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Opening one device and asking it for all that is constant about it. */
#ifndef DEV_DEVICE_OPEN_H
#define DEV_DEVICE_OPEN_H

#include "dev/device_list.h"

/* Why a device is left out, and what to do, as half a sentence. */
struct dev_open_failure {
	char reason[256];
};

/*
 * Opens @ibv and fills *@device, but for caps.sq_req_id_64. Returns 0;
 * -EPROTONOSUPPORT when it is no EFA device; or another negative errno with
 * *@failure filled. Logs nothing: the caller knows how many devices fail
 * alike.
 */
int dev_device_open(struct ibv_device *ibv, struct dev_device *device,
		    struct dev_open_failure *failure);
void dev_device_close(struct dev_device *device);

#endif /* DEV_DEVICE_OPEN_H */
