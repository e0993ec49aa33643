/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/command_fault.h"
#include "daemon/uverbs_ioctl.h"
#include "daemon/verbs_comp_cntr.h"
#include "daemon/verbs_cq.h"
#include "daemon/verbs_device.h"
#include "daemon/verbs_memory.h"
#include "daemon/verbs_qp.h"
#include "daemon/write_command.h"

typedef int (*method_call)(struct uverbs_context *ctx,
			   struct gate_call *call);

static const method_call methods[METHOD_COUNT] = {
	[METHOD_INVOKE_WRITE] = write_command_run,
	[METHOD_QUERY_PORT] = verbs_query_port,
	[METHOD_GET_CONTEXT] = verbs_get_context,
	[METHOD_QUERY_GID_TABLE] = verbs_query_gid_table,
	[METHOD_QUERY_GID_ENTRY] = verbs_query_gid_entry,
	[METHOD_QUERY_PORT_SPEED] = verbs_query_port_speed,
	[METHOD_PD_DESTROY] = verbs_pd_destroy,
	[METHOD_CQ_CREATE] = verbs_cq_create,
	[METHOD_CQ_DESTROY] = verbs_cq_destroy,
	[METHOD_QP_CREATE] = verbs_qp_create,
	[METHOD_QP_DESTROY] = verbs_qp_destroy,
	[METHOD_AH_DESTROY] = verbs_ah_destroy,
	[METHOD_MR_DESTROY] = verbs_mr_destroy,
	[METHOD_REG_DMABUF_MR] = verbs_reg_dmabuf_mr,
	[METHOD_EFA_MR_QUERY] = verbs_efa_mr_query,
	[METHOD_ASYNC_EVENT_ALLOC] = verbs_async_event_alloc,
	[METHOD_QUERY_COMP_CNTR_CAPS] = verbs_query_comp_cntr_caps,
	[METHOD_QP_ATTACH_COMP_CNTR] = verbs_qp_attach_comp_cntr,
	[METHOD_COMP_CNTR_CREATE] = verbs_comp_cntr_create,
	[METHOD_COMP_CNTR_DESTROY] = verbs_comp_cntr_destroy,
	[METHOD_COMP_CNTR_MODIFY] = verbs_comp_cntr_modify,
	[METHOD_COMP_CNTR_READ] = verbs_comp_cntr_read,
};

/* ENOSPC is how libibverbs asks whether INVOKE_WRITE exists: no fault. */
static void tell_failure(const struct uverbs_context *ctx,
			 const struct gate_call *call, int result)
{
	const char *command = "", *name = "?";
	char text[128];

	if (result == -ENOSPC)
		return;
	if (call->schema && call->id == METHOD_INVOKE_WRITE)
		command = write_command_name(call);
	if (call->schema)
		name = call->schema->name;
	snprintf(text, sizeof(text), "ioctl %s %s: %s", name, command,
		 strerror(-result));
	uverbs_context_fault(ctx, "%s", text);
	engine_trace_text(ctx->device->engine, TRACE_FAULT, text);
}

int uverbs_ioctl(struct uverbs_context *ctx, struct client_process *caller,
		 uint64_t addr, struct gate_call *call)
{
	int ret = gate_call_init(call, &caller->mem, addr);

	if (!ret && !ctx->engine && call->id != METHOD_GET_CONTEXT &&
	    call->id != METHOD_INVOKE_WRITE)
		ret = -EINVAL;
	/* A written command meets its fault once its lengths are known. */
	if (!ret && call->id != METHOD_INVOKE_WRITE)
		ret = command_fault_strikes(ctx, call);
	if (!ret) {
		ctx->caller = caller;
		ret = methods[call->id](ctx, call);
		ctx->caller = NULL;
	}
	if (ret)
		tell_failure(ctx, call, ret);
	return ret;
}
