/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* fi_setopt, fi_getopt and fi_cancel of RDM endpoints. */
#ifndef RDM_RDM_OPTION_H
#define RDM_RDM_OPTION_H

#include <rdma/fi_endpoint.h>

extern struct fi_ops_ep rdm_option_ops;

#endif /* RDM_RDM_OPTION_H */
