/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include "daemon/efa_abi.h"
#include "daemon/verbs_cq.h"
#include "hw/efa_io_defs.h"

#define CREATE_CQ_BUFFER_VA	8
#define CREATE_CQ_BUFFER_LENGTH	9
#define CREATE_CQ_BUFFER_FD	10
#define CREATE_CQ_BUFFER_OFFSET	11

/* Flags that ib_core knows; the EFA driver takes none of them. */
#define CQ_FLAGS_KNOWN		3u

/* Not at the start of its page, so that a client must add db_off. */
#define CQ_DOORBELL_OFFSET	64u

#define DOORBELL_BYTES		4096u

struct cq_request {
	uint32_t depth;
	struct efa_abi_create_cq driver;
	bool is_external;		/* the ring is the client's memory */
};

static int read_driver_part(const struct uverbs_context *ctx,
			    const struct gate_call *call,
			    struct efa_abi_create_cq *cmd)
{
	const size_t least = offsetof(struct efa_abi_create_cq, flags);
	static const uint8_t zero[sizeof(cmd->reserved_58)];

	if (gate_length(call, UVERBS_ATTR_UHW_IN) < least ||
	    gate_check_zero(call, UVERBS_ATTR_UHW_IN, sizeof(*cmd)))
		return -EINVAL;
	if (gate_read(call, UVERBS_ATTR_UHW_IN, cmd, sizeof(*cmd)))
		return -EFAULT;
	if (cmd->comp_mask || memcmp(cmd->reserved_58, zero, sizeof(zero)))
		return -EINVAL;
	/* Entries of 16 bytes are older than any libefa softefa serves. */
	if (cmd->cq_entry_size != EFA_IO_CDESC_SIZE ||
	    cmd->num_sub_cqs != ctx->device->profile->sub_cqs_per_cq)
		return -EINVAL;
	return 0;
}

/* Memory of the process itself cannot be mapped here, a dma-buf can. */
static int read_buffer(const struct uverbs_context *ctx,
		       const struct gate_call *call,
		       struct cq_request *request)
{
	uint32_t caps = ctx->device->profile->device_caps;
	bool has_fd = gate_has(call, CREATE_CQ_BUFFER_FD);
	bool has_va = gate_has(call, CREATE_CQ_BUFFER_VA);

	request->is_external = has_fd;
	if (!has_fd && !has_va)
		return gate_has(call, CREATE_CQ_BUFFER_OFFSET) ||
		       gate_has(call, CREATE_CQ_BUFFER_LENGTH) ? -EINVAL : 0;
	if (!(caps & DEVICE_CAP_CQ_WITH_EXT_MEM))
		return -EOPNOTSUPP;
	if (has_va)
		return has_fd || gate_has(call, CREATE_CQ_BUFFER_OFFSET) ?
		       -EINVAL : -EOPNOTSUPP;
	return gate_has(call, CREATE_CQ_BUFFER_OFFSET) &&
	       gate_has(call, CREATE_CQ_BUFFER_LENGTH) ? 0 : -EINVAL;
}

static int read_request(const struct uverbs_context *ctx,
			const struct gate_call *call,
			struct cq_request *request)
{
	const struct device_profile *profile = ctx->device->profile;
	uint64_t flags = gate_value(call, UVERBS_ATTR_CREATE_CQ_FLAGS, 0);
	int ret;

	if (flags)
		return flags & ~(uint64_t)CQ_FLAGS_KNOWN ? -EINVAL :
		       -EOPNOTSUPP;
	if (gate_value(call, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 0) >=
	    (profile->num_comp_vectors ? profile->num_comp_vectors : 1))
		return -EINVAL;
	ret = read_buffer(ctx, call, request);
	if (ret)
		return ret;
	request->depth = gate_value(call, UVERBS_ATTR_CREATE_CQ_CQE, 0);
	if (request->depth < 1 || request->depth > profile->max_cqe)
		return -EINVAL;
	return read_driver_part(ctx, call, &request->driver);
}

/* Attaches the channel that the client names by a descriptor of its own. */
static int cq_attach_channel(struct uverbs_context *ctx,
			     const struct gate_call *call,
			     struct uverbs_cq *cq)
{
	uint64_t number;
	int fd;

	if (!gate_has(call, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL))
		return 0;
	number = gate_object(call, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL);
	fd = client_process_get_fd(ctx->caller, number);
	if (fd < 0)
		return fd;
	for (unsigned i = 0; i < ctx->channel_count; i++) {
		if (event_channel_is(ctx->channel[i], fd)) {
			cq->channel = ctx->channel[i];
			event_channel_attach(cq->channel, fd);
			return 0;
		}
	}
	close(fd);
	return -EBADF;
}

/*
 * A ring in a dma-buf, whose bytes the driver leaves as they are. The engine
 * writes to it directly, so that it must not become shorter.
 */
static int cq_open_external(struct uverbs_context *ctx, struct uverbs_cq *cq,
			    const struct gate_call *call, size_t ring_bytes)
{
	uint64_t offset = gate_value(call, CREATE_CQ_BUFFER_OFFSET, 0);
	int fd, ret = -EINVAL;

	fd = client_process_get_fd(ctx->caller,
				   gate_object(call, CREATE_CQ_BUFFER_FD));
	if (fd < 0)
		return fd;
	if (gate_value(call, CREATE_CQ_BUFFER_LENGTH, 0) >= ring_bytes &&
	    offset % EFA_IO_CDESC_SIZE == 0 && dmabuf_map_is_fixed(fd))
		ret = client_memory_open_window(&ctx->memory, fd, offset,
						ring_bytes, true, &cq->window);
	close(fd);
	return ret;
}

/* As the driver: a ring in external memory comes without a doorbell. */
static int cq_create_regions(struct uverbs_context *ctx, struct uverbs_cq *cq,
			     const struct gate_call *call,
			     const struct cq_request *request)
{
	size_t ring_bytes = (size_t)request->depth * EFA_IO_CDESC_SIZE *
			    request->driver.num_sub_cqs;
	int ret;

	if (request->is_external)
		return cq_open_external(ctx, cq, call, ring_bytes);
	ret = mmap_region_create(ctx->regions, ring_bytes, &cq->ring);
	if (ret)
		return ret;
	return mmap_region_create(ctx->regions, DOORBELL_BYTES,
				  &cq->doorbell);
}

static int cq_create_engine(struct uverbs_context *ctx, struct uverbs_cq *cq,
			    const struct cq_request *request)
{
	struct engine_cq_attr attr = {
		.depth = request->depth,
		.flags = request->driver.flags &
			 (ENGINE_CQ_EVENTS | ENGINE_CQ_SGID |
			  ENGINE_CQ_SQ_REQ_ID_64),
		.opaque = cq,
	};

	if (request->is_external) {
		attr.ring = client_memory_window_base(&ctx->memory,
						      cq->window);
	} else {
		attr.ring = cq->ring->base;
		attr.doorbell = (volatile uint32_t *)
			((char *)cq->doorbell->base + CQ_DOORBELL_OFFSET);
	}

	static_assert(ENGINE_CQ_EVENTS == EFA_ABI_CQ_COMP_CHANNEL &&
		      ENGINE_CQ_SGID == EFA_ABI_CQ_SGID &&
		      ENGINE_CQ_SQ_REQ_ID_64 == EFA_ABI_CQ_SQ_REQ_ID_64, "");
	return engine_cq_create(ctx->engine, &attr, &cq->engine);
}

static int cq_answer(const struct gate_call *call, const struct uverbs_cq *cq,
		     uint32_t depth, uint32_t handle)
{
	struct efa_abi_create_cq_resp driver = {
		.cq_idx = engine_cq_number(cq->engine),
	};

	if (cq->ring) {
		driver.comp_mask = EFA_ABI_CQ_RESP_DB_OFF;
		driver.q_mmap_key = cq->ring->key;
		driver.q_mmap_size = cq->ring->length_bytes;
		driver.db_off = CQ_DOORBELL_OFFSET;
		driver.db_mmap_key = cq->doorbell->key;
	}
	if (gate_write(call, UVERBS_ATTR_UHW_OUT, &driver, sizeof(driver)) ||
	    gate_write(call, UVERBS_ATTR_CREATE_CQ_RESP_CQE, &depth,
		       sizeof(depth)) ||
	    gate_write_handle(call, UVERBS_ATTR_CREATE_CQ_HANDLE, handle))
		return -EFAULT;
	return 0;
}

/* Frees what a CQ has beside the engine's part; any of it may be missing. */
static void cq_free(struct uverbs_context *ctx, struct uverbs_cq *cq)
{
	if (cq->doorbell)
		mmap_region_destroy(ctx->regions, cq->doorbell);
	if (cq->ring)
		mmap_region_destroy(ctx->regions, cq->ring);
	client_memory_close_window(&ctx->memory, cq->window);
	if (cq->channel)
		event_channel_detach(cq->channel);
	free(cq);
}

int verbs_cq_create(struct uverbs_context *ctx, struct gate_call *call)
{
	struct cq_request request;
	struct uverbs_cq *cq;
	uint32_t handle;
	int ret;

	ret = read_request(ctx, call, &request);
	if (ret)
		return ret;
	cq = calloc(1, sizeof(*cq));
	if (!cq)
		return -ENOMEM;
	cq->user_handle = gate_value(call, UVERBS_ATTR_CREATE_CQ_USER_HANDLE,
				     0);
	ret = cq_attach_channel(ctx, call, cq);
	if (ret)
		goto err_free;
	ret = cq_create_regions(ctx, cq, call, &request);
	if (ret)
		goto err_free;
	ret = cq_create_engine(ctx, cq, &request);
	if (ret)
		goto err_free;
	ret = handle_table_add(&ctx->handles, HANDLE_CQ, cq, &handle);
	if (ret)
		goto err_destroy;
	ret = cq_answer(call, cq, request.depth, handle);
	if (ret)
		goto err_remove;
	return 0;

err_remove:
	handle_table_remove(&ctx->handles, handle);
err_destroy:
	engine_cq_destroy(cq->engine);
err_free:
	cq_free(ctx, cq);
	return ret;
}

int verbs_cq_destroy(struct uverbs_context *ctx, struct gate_call *call)
{
	uint64_t handle = gate_object(call, UVERBS_ATTR_DESTROY_CQ_HANDLE);
	struct ib_uverbs_destroy_cq_resp resp = { 0 };
	struct uverbs_cq *cq;
	void *object;
	int ret;

	ret = handle_table_find(&ctx->handles, handle, HANDLE_CQ, &object);
	if (ret)
		return ret;
	cq = object;
	ret = engine_cq_destroy(cq->engine);
	if (ret)
		return ret;
	handle_table_remove(&ctx->handles, handle);
	resp.comp_events_reported = cq->events_given;
	if (cq->channel)
		resp.comp_events_reported -=
			event_channel_drop(cq->channel, cq->user_handle);
	cq_free(ctx, cq);
	uverbs_context_sweep_channels(ctx);
	return gate_write(call, UVERBS_ATTR_DESTROY_CQ_RESP, &resp,
			  sizeof(resp));
}

void verbs_cq_give_event(struct uverbs_cq *cq)
{
	struct ib_uverbs_comp_event_desc event = {
		.cq_handle = cq->user_handle,
	};

	if (cq->channel && !event_channel_push(cq->channel, &event))
		cq->events_given++;
}
