/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/verbs_comp_cntr.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "daemon/efa_abi.h"

#define CNTR_BYTES	sizeof(uint64_t)

int verbs_query_comp_cntr_caps(struct uverbs_context *ctx,
			       struct gate_call *call)
{
	uint32_t most = ctx->device->profile->max_comp_cntr;
	uint32_t ops = engine_comp_cntr_ops(ctx->device->engine);
	uint64_t max_value = UINT64_MAX;

	if (!ops)
		return -EOPNOTSUPP;
	if (gate_write(call, UVERBS_ABI_CNTR_CAPS_MAX_COUNTERS, &most,
		       sizeof(most)) ||
	    gate_write(call, UVERBS_ABI_CNTR_CAPS_MAX_VALUE, &max_value,
		       sizeof(max_value)) ||
	    gate_write(call, UVERBS_ABI_CNTR_CAPS_OPS, &ops, sizeof(ops)))
		return -EFAULT;
	return 0;
}

/* Where one count lives: an address of the process, or a window. */
static int open_buffer(struct uverbs_context *ctx,
		       const struct gate_call *call, uint16_t attr_id,
		       uint64_t *addr, uint64_t *window)
{
	struct uverbs_abi_buffer buffer;
	int fd, ret;

	ret = gate_read(call, attr_id, &buffer, sizeof(buffer));
	if (ret)
		return ret;
	if (buffer.flags || buffer.length < CNTR_BYTES ||
	    buffer.type > UVERBS_ABI_BUFFER_VA)
		return -EINVAL;
	*addr = buffer.addr;
	if (buffer.type == UVERBS_ABI_BUFFER_VA)
		return client_memory_is_window(buffer.addr, CNTR_BYTES) ||
		       ctx->caller != ctx->client ? -EFAULT : 0;
	fd = client_process_get_fd(ctx->caller, (uint32_t)buffer.fd);
	if (fd < 0)
		return fd;
	ret = client_memory_open_window(&ctx->memory, fd, buffer.addr,
					CNTR_BYTES, true, addr);
	close(fd);
	if (!ret)
		*window = *addr;
	return ret;
}

static void cntr_free(struct uverbs_context *ctx,
		      struct uverbs_comp_cntr *cntr)
{
	for (unsigned i = 0; i < ENGINE_CNTR_PARTS; i++)
		client_memory_close_window(&ctx->memory, cntr->window[i]);
	free(cntr);
}

static int open_buffers(struct uverbs_context *ctx,
			const struct gate_call *call,
			struct uverbs_comp_cntr *cntr,
			uint64_t addr[ENGINE_CNTR_PARTS])
{
	int ret;

	ret = open_buffer(ctx, call, EFA_ABI_ATTR_CNTR_COMP_BUFFER,
			  &addr[ENGINE_CNTR_COMP],
			  &cntr->window[ENGINE_CNTR_COMP]);
	if (ret)
		return ret;
	return open_buffer(ctx, call, EFA_ABI_ATTR_CNTR_ERR_BUFFER,
			   &addr[ENGINE_CNTR_ERR],
			   &cntr->window[ENGINE_CNTR_ERR]);
}

int verbs_comp_cntr_create(struct uverbs_context *ctx,
			   struct gate_call *call)
{
	uint64_t addr[ENGINE_CNTR_PARTS];
	struct uverbs_comp_cntr *cntr;
	uint32_t handle;
	int ret;

	if (!engine_comp_cntr_ops(ctx->device->engine))
		return -EOPNOTSUPP;
	cntr = calloc(1, sizeof(*cntr));
	if (!cntr)
		return -ENOMEM;
	ret = open_buffers(ctx, call, cntr, addr);
	if (ret)
		goto err_free;
	ret = engine_comp_cntr_create(ctx->engine, addr, &cntr->engine);
	if (ret)
		goto err_free;
	ret = handle_table_add(&ctx->handles, HANDLE_COMP_CNTR, cntr,
			       &handle);
	if (ret)
		goto err_destroy;
	ret = gate_write_handle(call, UVERBS_ABI_CNTR_HANDLE, handle);
	if (ret)
		goto err_remove;
	return 0;

err_remove:
	handle_table_remove(&ctx->handles, handle);
err_destroy:
	engine_comp_cntr_destroy(cntr->engine);
err_free:
	cntr_free(ctx, cntr);
	return ret;
}

static int find(const struct uverbs_context *ctx,
		const struct gate_call *call, uint16_t attr_id,
		struct uverbs_comp_cntr **cntr)
{
	void *object;
	int ret;

	ret = handle_table_find(&ctx->handles, gate_object(call, attr_id),
				HANDLE_COMP_CNTR, &object);
	if (!ret)
		*cntr = object;
	return ret;
}

int verbs_comp_cntr_destroy(struct uverbs_context *ctx,
			    struct gate_call *call)
{
	struct uverbs_comp_cntr *cntr;
	int ret;

	ret = find(ctx, call, UVERBS_ABI_CNTR_HANDLE, &cntr);
	if (ret)
		return ret;
	ret = engine_comp_cntr_destroy(cntr->engine);
	if (ret)
		return ret;
	handle_table_remove(&ctx->handles,
			    gate_object(call, UVERBS_ABI_CNTR_HANDLE));
	cntr_free(ctx, cntr);
	return 0;
}

int verbs_comp_cntr_modify(struct uverbs_context *ctx,
			   struct gate_call *call)
{
	uint64_t part = gate_value(call, UVERBS_ABI_CNTR_PART, 0);
	uint64_t op = gate_value(call, UVERBS_ABI_CNTR_MODIFY_OP, 0);
	uint64_t value = gate_value(call, UVERBS_ABI_CNTR_MODIFY_VALUE, 0);
	struct uverbs_comp_cntr *cntr;
	int ret;

	ret = find(ctx, call, UVERBS_ABI_CNTR_HANDLE, &cntr);
	if (ret)
		return ret;
	if (part >= ENGINE_CNTR_PARTS || op > 1)
		return -EINVAL;
	if (op == 1)
		value += engine_comp_cntr_read(cntr->engine, part);
	engine_comp_cntr_set(cntr->engine, part, value);
	return 0;
}

int verbs_comp_cntr_read(struct uverbs_context *ctx, struct gate_call *call)
{
	uint64_t part = gate_value(call, UVERBS_ABI_CNTR_PART, 0);
	struct uverbs_comp_cntr *cntr;
	uint64_t value;
	int ret;

	ret = find(ctx, call, UVERBS_ABI_CNTR_HANDLE, &cntr);
	if (ret)
		return ret;
	if (part >= ENGINE_CNTR_PARTS)
		return -EINVAL;
	value = engine_comp_cntr_read(cntr->engine, part);
	return gate_write(call, UVERBS_ABI_CNTR_READ_VALUE, &value,
			  sizeof(value));
}

int verbs_qp_attach_comp_cntr(struct uverbs_context *ctx,
			      struct gate_call *call)
{
	uint64_t ops = gate_value(call, UVERBS_ABI_ATTACH_OPS, 0);
	struct uverbs_comp_cntr *cntr;
	struct uverbs_qp *qp;
	void *object;
	int ret;

	ret = handle_table_find(&ctx->handles,
				gate_object(call, UVERBS_ABI_ATTACH_QP),
				HANDLE_QP, &object);
	if (ret)
		return ret;
	qp = object;
	ret = find(ctx, call, UVERBS_ABI_ATTACH_CNTR, &cntr);
	if (ret)
		return ret;
	if (ops > UINT32_MAX)
		return -EINVAL;
	return engine_qp_attach_comp_cntr(qp->engine, cntr->engine,
					  (uint32_t)ops);
}
