/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The fid_nic of an fi_info. The core keeps no code for it that a plugin
 * could use: copying, printing and freeing go through the operations that
 * compat_nic_create puts in.
 */
#ifndef COMPAT_NIC_ATTR_H
#define COMPAT_NIC_ATTR_H

#include <rdma/fabric.h>

/*
 * A fid_nic with device_attr, bus_attr and link_attr, zeroed. Its strings
 * must be malloc'ed, NULL where unknown; they become the nic's. It is freed
 * by fi_close, which freeing an fi_info calls. NULL: no memory.
 */
struct fid_nic *compat_nic_create(void);

/* A copy of @nic, which must come from this module. NULL: no memory. */
struct fid_nic *compat_nic_dup(const struct fid_nic *nic);

#endif /* COMPAT_NIC_ATTR_H */
