/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Completion queues: create, destroy, and the events they give.
 * See verbs_device.h for what holds of all methods.
 */
#ifndef DAEMON_VERBS_CQ_H
#define DAEMON_VERBS_CQ_H

#include "daemon/ioctl_gate.h"
#include "daemon/uverbs_context.h"

/*
 * -EBADF when the completion channel is not one of this context,
 * -EOPNOTSUPP for a ring in memory of the client's choice on a device
 * without that, or named by an address instead of a descriptor.
 */
int verbs_cq_create(struct uverbs_context *ctx, struct gate_call *call);

/*
 * -EBUSY while a QP uses it. Events of the CQ that the client did not read
 * are taken back; the answer counts those it did read.
 */
int verbs_cq_destroy(struct uverbs_context *ctx, struct gate_call *call);

/* The engine says that @cq has an event to give. */
void verbs_cq_give_event(struct uverbs_cq *cq);

#endif /* DAEMON_VERBS_CQ_H */
