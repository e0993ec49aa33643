/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Queue pairs as verbs objects: creation, the rings' place, the state
 * machine. Driving the rings is hw/send_queue's and hw/recv_queue's.
 */
#ifndef DEV_QUEUE_PAIR_H
#define DEV_QUEUE_PAIR_H

#include "dev/cq_create.h"
#include "dev/protection_domain.h"
#include "hw/work_queue.h"

enum dev_qp_type { DEV_QP_SRD, DEV_QP_UD };

struct dev_qp {
	const struct dev_device *device;
	struct ibv_qp *verbs;
	uint16_t qpn;
	uint32_t qkey;
	struct hw_wq_geometry sq;
	struct hw_wq_geometry rq;
	uint32_t inline_size;	/* bytes a send WQE of this QP can carry */
};

struct dev_qp_attr {
	enum dev_qp_type type;
	struct dev_cq *send_cq;
	struct dev_cq *recv_cq;
	uint32_t send_depth, recv_depth;	/* work requests */
	uint32_t send_sge, recv_sge;
	uint32_t inline_size;	/* above 32: 128-byte WQEs */
	bool unsolicited_write_recv;
	bool low_latency;	/* service level 8; SRD alone */
	uint32_t qkey;
	uint8_t rnr_retry;	/* 0-6 tries, 7 without end; SRD alone, and
				 * ignored by a device without rnr_retry */
};

/*
 * Creates the QP in RESET and asks for its rings, which may have more
 * entries than asked for: powers of two, and the device has a minimum. The
 * CQs outlive it. Device and PD must be of one device. 0, or a negative
 * errno (logged): -EOPNOTSUPP when the rings cannot be given or the device
 * lacks what @attr asks for, -EINVAL beyond the device's limits.
 */
int dev_qp_create(struct dev_pd *pd, const struct dev_qp_attr *attr,
		  struct dev_qp *qp);
/* RESET -> INIT -> RTR -> RTS. 0, or a negative errno (logged). */
int dev_qp_enable(struct dev_qp *qp, const struct dev_qp_attr *attr);
/* To ERR: the device flushes what is posted. 0, or a negative errno
 * (logged); -EINVAL when it was never enabled. */
int dev_qp_flush(struct dev_qp *qp);
/* The device completes nothing of it afterwards; entries already in the
 * CQ stay there. The rings are unmapped. 0, or a negative errno (logged):
 * the QP is then still there. */
int dev_qp_destroy(struct dev_qp *qp);

#endif /* DEV_QUEUE_PAIR_H */
