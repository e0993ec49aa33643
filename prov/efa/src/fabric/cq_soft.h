/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * CQs of the fabric efa's RDM endpoints, whose completions are made by
 * software. Reading takes from the done list; when there is nothing, it
 * lets the protocol make progress and looks again.
 */
#ifndef FABRIC_CQ_SOFT_H
#define FABRIC_CQ_SOFT_H

#include "fabric/cq.h"

/* Gives @cq, which fabric_cq_init has made, its done list. 0, -FI_ENOMEM.
 * fabric_cq_fini takes it away. */
int fabric_cq_soft_init(struct fabric_cq *cq);

/* fi_cq_* of the same names. */
ssize_t fabric_cq_soft_read(struct fid_cq *cq, void *buf, size_t count);
ssize_t fabric_cq_soft_readfrom(struct fid_cq *cq, void *buf, size_t count,
				fi_addr_t *source);
ssize_t fabric_cq_soft_readerr(struct fid_cq *cq,
			       struct fi_cq_err_entry *entry, uint64_t flags);

#endif /* FABRIC_CQ_SOFT_H */
