/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * FI_EFA_DOMAIN_OPS of rdma/fi_ext_efa.h: what EFA tells of a domain's
 * objects beyond libfabric's interface.
 */
#ifndef FABRIC_EXT_DOMAIN_H
#define FABRIC_EXT_DOMAIN_H

#include <rdma/fi_ext_efa.h>

/*
 * query_mr: which interconnects reach a region. -FI_EINVAL: no region;
 * -FI_EOPNOTSUPP or another error of a kernel that cannot tell.
 */
extern struct fi_efa_ops_domain fabric_ext_domain_ops;

#endif /* FABRIC_EXT_DOMAIN_H */
