/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * INVOKE_WRITE: the legacy commands, carried by an ioctl.
 */
#ifndef DAEMON_WRITE_COMMAND_H
#define DAEMON_WRITE_COMMAND_H

#include "daemon/ioctl_gate.h"
#include "daemon/uverbs_context.h"

/* In WRITE_CMD: the extended variant of a command. */
#define WRITE_COMMAND_EXTENDED	0x80000000u

/*
 * Runs the command in WRITE_CMD. -ENOSPC when its input or output is
 * shorter than the command needs (libibverbs probes with that), -EOPNOTSUPP
 * for a command that EFA does not have, -EINVAL for a number that is none.
 */
int write_command_run(struct uverbs_context *ctx, struct gate_call *call);

/* Its name for people; "?" for a command softefa does not have. */
const char *write_command_name(const struct gate_call *call);

#endif /* DAEMON_WRITE_COMMAND_H */
