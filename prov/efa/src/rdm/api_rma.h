/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* fi_rma of RDM endpoints with FI_RMA. One remote range, as rma_iov_limit
 * says; refusals as rdm/one_sided.h. */
#ifndef RDM_API_RMA_H
#define RDM_API_RMA_H

#include <rdma/fi_rma.h>

extern struct fi_ops_rma rdm_rma_ops;

#endif /* RDM_API_RMA_H */
