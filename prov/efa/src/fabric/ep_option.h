/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fi_getopt, fi_setopt and the other calls of fi_ops_ep.
 *
 * An option unknown here or a level that is not FI_OPT_ENDPOINT gives
 * -FI_ENOPROTOOPT, a value of the wrong size -FI_EINVAL, a buffer too small
 * -FI_ETOOSMALL. A promise that cannot be kept is refused with
 * -FI_EOPNOTSUPP. The man page lists the options.
 */
#ifndef FABRIC_EP_OPTION_H
#define FABRIC_EP_OPTION_H

#include <rdma/fi_endpoint.h>

/* For an fid_ep that is a fabric_ep. fi_cancel gives -FI_ENOSYS: the device
 * has no way to take a receive back. */
extern struct fi_ops_ep fabric_ep_option_ops;

#endif /* FABRIC_EP_OPTION_H */
