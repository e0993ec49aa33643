/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * FI_EFA_GDA_OPS of rdma/fi_ext_efa.h: for programs that drive the queues
 * of an endpoint themselves, from a GPU for instance. Such a program posts
 * to a send queue and reads a CQ in the place of fi_send and fi_cq_read,
 * which it must then leave alone: this provider keeps no count of what
 * others post.
 */
#ifndef FABRIC_EXT_GDA_H
#define FABRIC_EXT_GDA_H

#include <rdma/fi_ext_efa.h>

/*
 * query_addr		-FI_EINVAL: no endpoint with an address vector, or
 *			no place for the answer; -FI_EADDRNOTAVAIL
 * query_qp_wqs		-FI_EOPBADSTATE before fi_enable. A receive queue
 *			that is not there has no entries.
 * query_cq		never fails on a CQ
 * cq_open_ext		-FI_EOPNOTSUPP for memory of the application's;
 *			otherwise fi_cq_open
 * get_mr_lkey		FI_KEY_NOTAVAIL: no region
 * cntr_open_ext	a counter of the device alone, in memory of the
 *			application's where the flags say so, which stays
 *			there until it is closed; a dma-buf's descriptor may
 *			be closed at once. -FI_EINVAL: an unknown flag or
 *			place, or one that is no multiple of 8; else as
 *			fabric_cntr_open_device
 */
extern struct fi_efa_ops_gda fabric_ext_gda_ops;

#endif /* FABRIC_EXT_GDA_H */
