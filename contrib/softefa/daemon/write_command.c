/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "daemon/command_fault.h"
#include "daemon/verbs_device.h"
#include "daemon/verbs_memory.h"
#include "daemon/verbs_qp.h"
#include "daemon/write_command.h"

struct write_command {
	uint32_t number;
	const char *name;
	size_t in_bytes;	/* least lengths */
	size_t out_bytes;
	int (*run)(struct uverbs_context *ctx, struct gate_call *call);
};

static const struct write_command commands[] = {
	{ IB_USER_VERBS_CMD_QUERY_DEVICE, "QUERY_DEVICE", 8, 176,
	  verbs_query_device },
	{ WRITE_COMMAND_EXTENDED | IB_USER_VERBS_EX_CMD_QUERY_DEVICE,
	  "EX_QUERY_DEVICE", 8, 184, verbs_ex_query_device },
	{ IB_USER_VERBS_CMD_ALLOC_PD, "ALLOC_PD", 8, 4, verbs_alloc_pd },
	{ IB_USER_VERBS_CMD_REG_MR, "REG_MR", 40, 12, verbs_reg_mr },
	{ IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL, "CREATE_COMP_CHANNEL", 8, 4,
	  verbs_create_comp_channel },
	{ IB_USER_VERBS_CMD_CREATE_AH, "CREATE_AH", 56, 4, verbs_create_ah },
	{ IB_USER_VERBS_CMD_MODIFY_QP, "MODIFY_QP", 112, 0, verbs_modify_qp },
	{ IB_USER_VERBS_CMD_QUERY_QP, "QUERY_QP", 16, 128, verbs_query_qp },
};

static const struct write_command *
write_command_find(const struct gate_call *call)
{
	uint64_t number = gate_value(call, UVERBS_ATTR_WRITE_CMD, 0);

	for (unsigned i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (commands[i].number == number)
			return &commands[i];
	}
	return NULL;
}

const char *write_command_name(const struct gate_call *call)
{
	const struct write_command *command = write_command_find(call);

	return command ? command->name : "?";
}

int write_command_run(struct uverbs_context *ctx, struct gate_call *call)
{
	const struct write_command *command = write_command_find(call);
	uint64_t number = gate_value(call, UVERBS_ATTR_WRITE_CMD, 0);
	int err;

	if (!command)
		return (number & ~(uint64_t)WRITE_COMMAND_EXTENDED) <=
		       IB_USER_VERBS_CMD_OPEN_QP + 20u ? -EOPNOTSUPP : -EINVAL;
	if (gate_length(call, UVERBS_ATTR_CORE_IN) < command->in_bytes ||
	    gate_length(call, UVERBS_ATTR_CORE_OUT) < command->out_bytes)
		return -ENOSPC;
	if (!ctx->engine)
		return -EINVAL;
	err = command_fault_strikes(ctx, call);
	return err ? err : command->run(ctx, call);
}
