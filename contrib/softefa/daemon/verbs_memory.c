/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "daemon/efa_abi.h"
#include "daemon/verbs_memory.h"

#define PORT_NUM		1u

/* Access bits of verbs: which exist, and which a driver may ignore. */
#define ACCESS_OPTIONAL		(0x3ffu << 20)
#define ACCESS_KNOWN		(0x3ffu | ACCESS_OPTIONAL)
#define ACCESS_REMOTE_ATOMIC	8u

static_assert(sizeof(struct ib_uverbs_reg_mr) == 40, "");
static_assert(sizeof(struct ib_uverbs_create_ah) == 56, "");

/* ---- protection domains ---- */

int verbs_alloc_pd(struct uverbs_context *ctx, struct gate_call *call)
{
	struct efa_abi_alloc_pd_resp driver = { 0 };
	struct ib_uverbs_alloc_pd_resp resp = { 0 };
	struct engine_pd *pd;
	int ret;

	if (gate_check_zero(call, UVERBS_ATTR_UHW_IN, 0))
		return -EINVAL;
	ret = engine_pd_create(ctx->engine, &pd);
	if (ret)
		return ret;
	ret = handle_table_add(&ctx->handles, HANDLE_PD, pd, &resp.pd_handle);
	if (ret)
		goto err_destroy;
	driver.pdn = engine_pd_number(pd);
	if (gate_write_zeroing(call, UVERBS_ATTR_CORE_OUT, &resp,
			       sizeof(resp)) ||
	    gate_write(call, UVERBS_ATTR_UHW_OUT, &driver, sizeof(driver))) {
		ret = -EFAULT;
		goto err_remove;
	}
	return 0;

err_remove:
	handle_table_remove(&ctx->handles, resp.pd_handle);
err_destroy:
	engine_pd_destroy(pd);
	return ret;
}

int verbs_pd_destroy(struct uverbs_context *ctx, struct gate_call *call)
{
	uint64_t handle = gate_object(call, UVERBS_ATTR_DESTROY_PD_HANDLE);
	void *pd;
	int ret;

	ret = handle_table_find(&ctx->handles, handle, HANDLE_PD, &pd);
	if (ret)
		return ret;
	ret = engine_pd_destroy(pd);
	if (ret)
		return ret;
	handle_table_remove(&ctx->handles, handle);
	return 0;
}

/* ---- memory regions ---- */

/* What ib_core asks of any registration, before the driver sees it. */
static int check_access(uint32_t access)
{
	if (access & ~ACCESS_KNOWN)
		return -EINVAL;
	if (access & (ENGINE_ACCESS_REMOTE_WRITE | ACCESS_REMOTE_ATOMIC) &&
	    !(access & ENGINE_ACCESS_LOCAL_WRITE))
		return -EINVAL;
	return 0;
}

static int check_mr(const struct uverbs_context *ctx,
		    const struct ib_uverbs_reg_mr *cmd)
{
	uint64_t in_page = sysconf(_SC_PAGESIZE) - 1;

	if ((cmd->start & in_page) != (cmd->hca_va & in_page))
		return -EINVAL;
	if (ctx->caller != ctx->client) {
		uverbs_context_fault(ctx, "process %d registers memory in "
				     "the context of another process, which "
				     "softefa cannot follow; open the device "
				     "in the process that uses it",
				     (int)ctx->caller->pid);
		return -EINVAL;
	}
	return check_access(cmd->access_flags);
}

/* On failure the window stays the caller's. */
static int mr_create(struct uverbs_context *ctx, struct engine_pd *pd,
		     uint64_t window, const struct ib_uverbs_reg_mr *cmd,
		     struct uverbs_mr **out, uint32_t *handle)
{
	struct uverbs_mr *mr = calloc(1, sizeof(*mr));
	int ret;

	if (!mr)
		return -ENOMEM;
	ret = engine_mr_create(pd, cmd->start, cmd->length, cmd->hca_va,
			       cmd->access_flags & ~ACCESS_OPTIONAL,
			       &mr->engine);
	if (ret)
		goto err_free;
	ret = handle_table_add(&ctx->handles, HANDLE_MR, mr, handle);
	if (ret)
		goto err_destroy;
	mr->window = window;
	*out = mr;
	return 0;

err_destroy:
	engine_mr_destroy(mr->engine);
err_free:
	free(mr);
	return ret;
}

static void mr_destroy(struct uverbs_context *ctx, struct uverbs_mr *mr,
		       uint32_t handle)
{
	engine_mr_destroy(mr->engine);
	client_memory_close_window(&ctx->memory, mr->window);
	handle_table_remove(&ctx->handles, handle);
	free(mr);
}

int verbs_reg_mr(struct uverbs_context *ctx, struct gate_call *call)
{
	struct ib_uverbs_reg_mr_resp resp = { 0 };
	struct ib_uverbs_reg_mr cmd;
	struct uverbs_mr *mr;
	void *pd;
	int ret;

	ret = gate_read(call, UVERBS_ATTR_CORE_IN, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	ret = check_mr(ctx, &cmd);
	if (ret)
		return ret;
	if (handle_table_find(&ctx->handles, cmd.pd_handle, HANDLE_PD, &pd))
		return -EINVAL;
	/* A range that wraps is the engine's to refuse. */
	if (cmd.start + cmd.length >= cmd.start &&
	    client_memory_is_window(cmd.start, cmd.length))
		return -EFAULT;
	ret = mr_create(ctx, pd, 0, &cmd, &mr, &resp.mr_handle);
	if (ret)
		return ret;
	resp.lkey = engine_mr_key(mr->engine);
	resp.rkey = resp.lkey;
	ret = gate_write_zeroing(call, UVERBS_ATTR_CORE_OUT, &resp,
				 sizeof(resp));
	if (ret)
		mr_destroy(ctx, mr, resp.mr_handle);
	return ret;
}

/* The range of the dma-buf in @cmd->start becomes one of its window. */
static int open_dmabuf(struct uverbs_context *ctx,
		       const struct gate_call *call,
		       struct ib_uverbs_reg_mr *cmd)
{
	uint32_t write = ENGINE_ACCESS_LOCAL_WRITE |
			 ENGINE_ACCESS_REMOTE_WRITE;
	uint64_t addr;
	int fd, ret;

	fd = client_process_get_fd(ctx->caller, gate_value(
		call, UVERBS_ATTR_REG_DMABUF_MR_FD, 0));
	if (fd < 0)
		return fd;
	ret = client_memory_open_window(&ctx->memory, fd, cmd->start,
					cmd->length, cmd->access_flags & write,
					&addr);
	close(fd);
	if (!ret)
		cmd->start = addr;
	return ret;
}

static int dmabuf_answer(const struct gate_call *call, uint32_t key,
			 uint32_t handle)
{
	if (gate_write(call, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, &key,
		       sizeof(key)) ||
	    gate_write(call, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, &key,
		       sizeof(key)) ||
	    gate_write_handle(call, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, handle))
		return -EFAULT;
	return 0;
}

int verbs_reg_dmabuf_mr(struct uverbs_context *ctx, struct gate_call *call)
{
	struct ib_uverbs_reg_mr cmd = {
		.start = gate_value(call, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 0),
		.length = gate_value(call, UVERBS_ATTR_REG_DMABUF_MR_LENGTH,
				     0),
		.hca_va = gate_value(call, UVERBS_ATTR_REG_DMABUF_MR_IOVA, 0),
		.access_flags = gate_value(
			call, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, 0),
	};
	uint64_t in_page = sysconf(_SC_PAGESIZE) - 1;
	struct uverbs_mr *mr;
	uint32_t handle;
	void *pd;
	int ret;

	if ((cmd.start & in_page) != (cmd.hca_va & in_page))
		return -EINVAL;
	ret = check_access(cmd.access_flags);
	if (ret)
		return ret;
	ret = handle_table_find(&ctx->handles, gate_object(
		call, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE), HANDLE_PD, &pd);
	if (ret)
		return ret;
	ret = open_dmabuf(ctx, call, &cmd);
	if (ret)
		return ret;
	ret = mr_create(ctx, pd, cmd.start, &cmd, &mr, &handle);
	if (ret) {
		client_memory_close_window(&ctx->memory, cmd.start);
		return ret;
	}
	ret = dmabuf_answer(call, engine_mr_key(mr->engine), handle);
	if (ret)
		mr_destroy(ctx, mr, handle);
	return ret;
}

int verbs_mr_destroy(struct uverbs_context *ctx, struct gate_call *call)
{
	uint64_t handle = gate_object(call, UVERBS_ATTR_DESTROY_MR_HANDLE);
	void *mr;
	int ret;

	ret = handle_table_find(&ctx->handles, handle, HANDLE_MR, &mr);
	if (ret)
		return ret;
	mr_destroy(ctx, mr, handle);
	return 0;
}

int verbs_efa_mr_query(struct uverbs_context *ctx, struct gate_call *call)
{
	uint16_t none = 0;
	void *mr;
	int ret;

	ret = handle_table_find(&ctx->handles,
				gate_object(call,
					    EFA_ABI_ATTR_QUERY_MR_HANDLE),
				HANDLE_MR, &mr);
	if (ret)
		return ret;
	for (uint16_t id = EFA_ABI_ATTR_QUERY_MR_VALIDITY;
	     id <= EFA_ABI_ATTR_QUERY_MR_RDMA_RECV_IC_ID; id++) {
		ret = gate_write(call, id, &none, sizeof(none));
		if (ret)
			return ret;
	}
	return 0;
}

/* ---- address handles ---- */

int verbs_create_ah(struct uverbs_context *ctx, struct gate_call *call)
{
	struct efa_abi_create_ah_resp driver = { 0 };
	struct ib_uverbs_create_ah_resp resp = { 0 };
	struct ib_uverbs_create_ah cmd;
	struct engine_ah *ah;
	void *pd;
	int ret;

	ret = gate_read(call, UVERBS_ATTR_CORE_IN, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (cmd.attr.port_num != PORT_NUM ||
	    (cmd.attr.is_global && cmd.attr.grh.sgid_index) ||
	    gate_check_zero(call, UVERBS_ATTR_UHW_IN, 0) ||
	    handle_table_find(&ctx->handles, cmd.pd_handle, HANDLE_PD, &pd))
		return -EINVAL;
	ret = engine_ah_create(pd, cmd.attr.grh.dgid, &ah);
	if (ret)
		return ret;
	ret = handle_table_add(&ctx->handles, HANDLE_AH, ah, &resp.ah_handle);
	if (ret)
		goto err_destroy;
	driver.efa_address_handle = engine_ah_number(ah);
	if (gate_write_zeroing(call, UVERBS_ATTR_CORE_OUT, &resp,
			       sizeof(resp)) ||
	    gate_write(call, UVERBS_ATTR_UHW_OUT, &driver, sizeof(driver))) {
		ret = -EFAULT;
		goto err_remove;
	}
	return 0;

err_remove:
	handle_table_remove(&ctx->handles, resp.ah_handle);
err_destroy:
	engine_ah_destroy(ah);
	return ret;
}

int verbs_ah_destroy(struct uverbs_context *ctx, struct gate_call *call)
{
	uint64_t handle = gate_object(call, UVERBS_ATTR_DESTROY_AH_HANDLE);
	void *ah;
	int ret;

	ret = handle_table_find(&ctx->handles, handle, HANDLE_AH, &ah);
	if (ret)
		return ret;
	engine_ah_destroy(ah);
	handle_table_remove(&ctx->handles, handle);
	return 0;
}
