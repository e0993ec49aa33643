/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Methods and commands about protection domains, memory regions and
 * address handles. See verbs_device.h for what holds of all of them.
 */
#ifndef DAEMON_VERBS_MEMORY_H
#define DAEMON_VERBS_MEMORY_H

#include "daemon/ioctl_gate.h"
#include "daemon/uverbs_context.h"

int verbs_alloc_pd(struct uverbs_context *ctx, struct gate_call *call);
int verbs_pd_destroy(struct uverbs_context *ctx, struct gate_call *call);

/*
 * W 9. The memory is that of the process which opened the device; -EINVAL
 * for a caller that is another process (a forked child).
 */
int verbs_reg_mr(struct uverbs_context *ctx, struct gate_call *call);
/*
 * Memory behind a descriptor, which dmabuf_map.h says more of. -EBADF for a
 * number that is no descriptor of the caller.
 */
int verbs_reg_dmabuf_mr(struct uverbs_context *ctx, struct gate_call *call);
int verbs_mr_destroy(struct uverbs_context *ctx, struct gate_call *call);
/* efadv_query_mr: no interconnect IDs are valid. */
int verbs_efa_mr_query(struct uverbs_context *ctx, struct gate_call *call);

int verbs_create_ah(struct uverbs_context *ctx, struct gate_call *call);
int verbs_ah_destroy(struct uverbs_context *ctx, struct gate_call *call);

#endif /* DAEMON_VERBS_MEMORY_H */
