/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Queue pairs. See verbs_device.h for what holds of all methods.
 */
#ifndef DAEMON_VERBS_QP_H
#define DAEMON_VERBS_QP_H

#include "daemon/ioctl_gate.h"
#include "daemon/uverbs_context.h"

/*
 * UD and SRD (driver type). -EINVAL for sizes beyond the profile,
 * -EOPNOTSUPP for other types and flags the device does not have.
 */
int verbs_qp_create(struct uverbs_context *ctx, struct gate_call *call);

/* Outstanding work ends without completions. */
int verbs_qp_destroy(struct uverbs_context *ctx, struct gate_call *call);

/* W 26 and W 25. */
int verbs_modify_qp(struct uverbs_context *ctx, struct gate_call *call);
int verbs_query_qp(struct uverbs_context *ctx, struct gate_call *call);

#endif /* DAEMON_VERBS_QP_H */
