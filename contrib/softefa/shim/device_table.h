/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The daemon's device table, kept for the life of the process: devices do
 * not come and go while a daemon runs, and sysfs stays readable when it has
 * gone. Safe in threads, signal handlers and after fork(), without a lock.
 */
#ifndef SHIM_DEVICE_TABLE_H
#define SHIM_DEVICE_TABLE_H

#include "protocol.h"

/*
 * The table; asked of the daemon until it has answered once. @storage is
 * the caller's and may hold the result, which is valid as long as it is.
 * NULL when the shim has no daemon or the daemon is gone.
 */
const struct softefa_devices *device_table_get(struct softefa_devices *storage);

#endif /* SHIM_DEVICE_TABLE_H */
