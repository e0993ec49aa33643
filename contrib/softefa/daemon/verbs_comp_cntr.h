/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Methods about completion counters. See verbs_device.h for what holds of
 * all of them. No released driver has them; where rdma-core says nothing,
 * the errors are guesses: all fail with -EOPNOTSUPP on a device without the
 * capability.
 */
#ifndef DAEMON_VERBS_COMP_CNTR_H
#define DAEMON_VERBS_COMP_CNTR_H

#include "daemon/ioctl_gate.h"
#include "daemon/uverbs_context.h"

int verbs_query_comp_cntr_caps(struct uverbs_context *ctx,
			       struct gate_call *call);

/*
 * Each of the two counts lives in 8 bytes of the process or of a dma-buf.
 * -EINVAL for flags, a type, a length or an address that cannot be, -EFAULT
 * for memory that cannot be written.
 */
int verbs_comp_cntr_create(struct uverbs_context *ctx,
			   struct gate_call *call);
/* -EBUSY while a QP counts with it. */
int verbs_comp_cntr_destroy(struct uverbs_context *ctx,
			    struct gate_call *call);
int verbs_comp_cntr_modify(struct uverbs_context *ctx,
			   struct gate_call *call);
int verbs_comp_cntr_read(struct uverbs_context *ctx, struct gate_call *call);

int verbs_qp_attach_comp_cntr(struct uverbs_context *ctx,
			      struct gate_call *call);

#endif /* DAEMON_VERBS_COMP_CNTR_H */
