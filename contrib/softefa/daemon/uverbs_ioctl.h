/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One RDMA_VERBS_IOCTL from the gate to the method that carries it out.
 */
#ifndef DAEMON_UVERBS_IOCTL_H
#define DAEMON_UVERBS_IOCTL_H

#include "daemon/ioctl_gate.h"
#include "daemon/uverbs_context.h"

/*
 * Carries out the ioctl whose header lies at @addr in the memory of @caller,
 * a process that has the context's descriptor. Returns what the ioctl
 * returns to the client: 0 or a negative errno. On success the client gets
 * the descriptors in @call, which the caller of this function takes out;
 * gate_call_fini() ends the call in any case.
 */
int uverbs_ioctl(struct uverbs_context *ctx, struct client_process *caller,
		 uint64_t addr, struct gate_call *call);

#endif /* DAEMON_UVERBS_IOCTL_H */
