/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Waiting for completions: fi_cq_sread, fi_cq_signal, fi_trywait and the
 * wait object, a file descriptor on which the device announces entries.
 */
#ifndef FABRIC_CQ_WAIT_H
#define FABRIC_CQ_WAIT_H

#include "fabric/cq.h"

/* Before and after the life of the CQ's wait object; @cq->dev is there.
 * 0 or a negative errno, logged. */
int fabric_cq_wait_init(struct fabric_cq *cq);
void fabric_cq_wait_fini(struct fabric_cq *cq);

/* fi_cq_sread and fi_cq_sreadfrom: -FI_ENOSYS without wait object,
 * -FI_EAGAIN after fi_cq_signal and at the end of time. */
ssize_t fabric_cq_sread(struct fid_cq *cq, void *buf, size_t count,
			const void *cond, int timeout_ms);
ssize_t fabric_cq_sreadfrom(struct fid_cq *cq, void *buf, size_t count,
			    fi_addr_t *source, const void *cond,
			    int timeout_ms);

/* fi_cq_signal: wakes those who wait now, or else the next one. */
int fabric_cq_signal(struct fid_cq *cq);

/*
 * fi_trywait: 0 when the application may wait on the file descriptor,
 * -FI_EAGAIN when it must read first; -FI_EINVAL without wait object.
 */
int fabric_cq_trywait(struct fid_cq *cq);

#endif /* FABRIC_CQ_WAIT_H */
