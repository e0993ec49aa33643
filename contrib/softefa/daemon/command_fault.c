/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "daemon/command_fault.h"
#include "daemon/write_command.h"

static enum fault_command of_write_command(uint64_t number)
{
	switch (number & ~(uint64_t)WRITE_COMMAND_EXTENDED) {
	case IB_USER_VERBS_CMD_QUERY_DEVICE: return FAULT_CMD_QUERY_DEVICE;
	case IB_USER_VERBS_CMD_ALLOC_PD: return FAULT_CMD_ALLOC_PD;
	case IB_USER_VERBS_CMD_REG_MR: return FAULT_CMD_REG_MR;
	case IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL:
		return FAULT_CMD_CREATE_COMP_CHANNEL;
	case IB_USER_VERBS_CMD_CREATE_AH: return FAULT_CMD_CREATE_AH;
	case IB_USER_VERBS_CMD_MODIFY_QP: return FAULT_CMD_MODIFY_QP;
	case IB_USER_VERBS_CMD_QUERY_QP: return FAULT_CMD_QUERY_QP;
	default: return FAULT_CMD_OTHER;
	}
}

static enum fault_command command_of(const struct gate_call *call)
{
	switch (call->id) {
	case METHOD_INVOKE_WRITE:
		return of_write_command(gate_value(call,
						   UVERBS_ATTR_WRITE_CMD, 0));
	case METHOD_QUERY_PORT:
	case METHOD_QUERY_PORT_SPEED: return FAULT_CMD_QUERY_PORT;
	case METHOD_GET_CONTEXT: return FAULT_CMD_OPEN;
	case METHOD_QUERY_GID_TABLE:
	case METHOD_QUERY_GID_ENTRY: return FAULT_CMD_QUERY_GID;
	case METHOD_PD_DESTROY: return FAULT_CMD_DEALLOC_PD;
	case METHOD_CQ_CREATE: return FAULT_CMD_CREATE_CQ;
	case METHOD_CQ_DESTROY: return FAULT_CMD_DESTROY_CQ;
	case METHOD_QP_CREATE: return FAULT_CMD_CREATE_QP;
	case METHOD_QP_DESTROY: return FAULT_CMD_DESTROY_QP;
	case METHOD_AH_DESTROY: return FAULT_CMD_DESTROY_AH;
	case METHOD_MR_DESTROY: return FAULT_CMD_DEREG_MR;
	case METHOD_REG_DMABUF_MR: return FAULT_CMD_REG_DMABUF_MR;
	case METHOD_EFA_MR_QUERY: return FAULT_CMD_QUERY_MR;
	default: return FAULT_CMD_OTHER;
	}
}

int command_fault_strikes(const struct uverbs_context *ctx,
			  const struct gate_call *call)
{
	return engine_fault_command(ctx->device->engine, command_of(call));
}
