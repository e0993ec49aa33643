/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fi_cm calls of an endpoint without connections: fi_getname, and -FI_ENOSYS
 * for all others (fi_setname too: the device gives the address).
 */
#ifndef FABRIC_EP_CM_H
#define FABRIC_EP_CM_H

#include <rdma/fi_cm.h>

/*
 * For an fid_ep that is a fabric_ep. fi_getname: *addrlen is the bytes
 * there are and becomes the bytes needed; -FI_ETOOSMALL, and
 * -FI_EOPBADSTATE before enable.
 */
extern struct fi_ops_cm fabric_ep_cm_ops;

#endif /* FABRIC_EP_CM_H */
