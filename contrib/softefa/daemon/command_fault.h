/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Faults of control commands: which fault a request of a client meets. */
#ifndef DAEMON_COMMAND_FAULT_H
#define DAEMON_COMMAND_FAULT_H

#include "daemon/ioctl_gate.h"
#include "daemon/uverbs_context.h"

/*
 * @call passed the gate and has not run. 0, or the negative errno that a
 * fault wants it to end with instead.
 */
int command_fault_strikes(const struct uverbs_context *ctx,
			  const struct gate_call *call);

#endif /* DAEMON_COMMAND_FAULT_H */
