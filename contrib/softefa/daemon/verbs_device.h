/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Methods and commands about the device, its port and its events.
 *
 * As in all verbs_*.h: the call passed the gate; 0 or a negative errno as
 * the kernel's ib_uverbs and the EFA driver give it; what a call created is
 * undone when a later step of it fails. "W" names a legacy command carried
 * by INVOKE_WRITE, its core input and output in CORE_IN and CORE_OUT.
 */
#ifndef DAEMON_VERBS_DEVICE_H
#define DAEMON_VERBS_DEVICE_H

#include "daemon/ioctl_gate.h"
#include "daemon/uverbs_context.h"

/*
 * Opens the engine's context. -EOPNOTSUPP when the client does not know a
 * restriction the device has (TX batch, least SQ depth).
 */
int verbs_get_context(struct uverbs_context *ctx, struct gate_call *call);

int verbs_query_port(struct uverbs_context *ctx, struct gate_call *call);
int verbs_query_port_speed(struct uverbs_context *ctx,
			   struct gate_call *call);
int verbs_query_gid_table(struct uverbs_context *ctx, struct gate_call *call);
int verbs_query_gid_entry(struct uverbs_context *ctx, struct gate_call *call);

/* W 1 and W 0x80000001. */
int verbs_query_device(struct uverbs_context *ctx, struct gate_call *call);
int verbs_ex_query_device(struct uverbs_context *ctx, struct gate_call *call);

/* One asynchronous event descriptor a context; -EBUSY for a second one. */
int verbs_async_event_alloc(struct uverbs_context *ctx,
			    struct gate_call *call);

/* W 17. -EMFILE beyond CONTEXT_MAX_CHANNELS or the client's quota. */
int verbs_create_comp_channel(struct uverbs_context *ctx,
			      struct gate_call *call);

#endif /* DAEMON_VERBS_DEVICE_H */
