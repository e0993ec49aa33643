/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include "daemon/efa_abi.h"
#include "daemon/verbs_qp.h"

/* Values of CREATE_QP_TYPE. */
#define QPT_RC			2u
#define QPT_UC			3u
#define QPT_UD			4u
#define QPT_DRIVER		0xffu

/* CREATE_QP_FLAGS: what ib_core knows; the first never reaches a driver. */
#define QP_FLAG_SIGNAL_ALL	(1u << 12)
#define QP_FLAGS_KNOWN		(QP_FLAG_SIGNAL_ALL | 1u << 1 | 1u << 8 | \
				 1u << 9 | 1u << 11)

/* Places in their pages that are not the start: a client must add them. */
#define SQ_DOORBELL_OFFSET	16u
#define RQ_DOORBELL_OFFSET	32u
#define SQ_RING_OFFSET		128u
#define DOORBELL_BYTES		4096u

/* Bits of enum ibv_qp_attr_mask that query_qp of the driver takes. */
#define QUERY_MASK		(ENGINE_QPA_STATE | ENGINE_QPA_PKEY_INDEX | \
				 ENGINE_QPA_PORT | ENGINE_QPA_QKEY | \
				 ENGINE_QPA_SQ_PSN | ENGINE_QPA_RNR_RETRY | \
				 1u << 19)	/* CAP */
#define MODIFY_MASK		(ENGINE_QPA_STATE | ENGINE_QPA_CUR_STATE | \
				 ENGINE_QPA_EN_SQD_ASYNC | \
				 ENGINE_QPA_PKEY_INDEX | ENGINE_QPA_PORT | \
				 ENGINE_QPA_QKEY | ENGINE_QPA_SQ_PSN | \
				 ENGINE_QPA_RNR_RETRY)
#define PORT_NUM		1u

static_assert(sizeof(struct ib_uverbs_modify_qp) == 112, "");
static_assert(sizeof(struct ib_uverbs_query_qp_resp) == 128, "");
static_assert(sizeof(struct ib_uverbs_qp_cap) == 20, "");

struct qp_request {
	struct ib_uverbs_qp_cap cap;
	struct efa_abi_create_qp driver;
	struct engine_qp_attr attr;
	struct engine_pd *pd;
	bool signal_all;
};

static int check_cap(const struct device_profile *profile,
		     const struct ib_uverbs_qp_cap *cap)
{
	uint32_t max_inline = profile->inline_buf_size_ex ?
			      profile->inline_buf_size_ex :
			      profile->inline_buf_size;

	if (cap->max_send_wr > profile->max_sq_wr ||
	    cap->max_recv_wr > profile->max_rq_wr ||
	    cap->max_send_sge > profile->max_sq_sge ||
	    cap->max_recv_sge > profile->max_rq_sge ||
	    cap->max_inline_data > max_inline)
		return -EINVAL;
	return 0;
}

static int check_flags(const struct gate_call *call, bool *signal_all)
{
	uint64_t flags = gate_value(call, UVERBS_ATTR_CREATE_QP_FLAGS, 0);

	if (flags & ~(uint64_t)QP_FLAGS_KNOWN)
		return -EINVAL;
	*signal_all = flags & QP_FLAG_SIGNAL_ALL;
	if (flags & ~(uint64_t)QP_FLAG_SIGNAL_ALL ||
	    gate_has(call, UVERBS_ATTR_CREATE_QP_SOURCE_QPN))
		return -EOPNOTSUPP;
	return 0;
}

static int read_driver_part(const struct uverbs_context *ctx,
			    const struct gate_call *call,
			    struct efa_abi_create_qp *cmd)
{
	const size_t least = offsetof(struct efa_abi_create_qp, flags);
	static const uint8_t zero[sizeof(cmd->reserved_98)];
	uint32_t caps = ctx->device->profile->device_caps;
	uint16_t flags = 0;

	if (gate_length(call, UVERBS_ATTR_UHW_IN) < least ||
	    gate_check_zero(call, UVERBS_ATTR_UHW_IN, sizeof(*cmd)))
		return -EINVAL;
	if (gate_read(call, UVERBS_ATTR_UHW_IN, cmd, sizeof(*cmd)))
		return -EFAULT;
	if (cmd->comp_mask || memcmp(cmd->reserved_98, zero, sizeof(zero)))
		return -EINVAL;
	if (caps & DEVICE_CAP_UNSOLICITED_WRITE_RECV)
		flags |= EFA_ABI_QP_UNSOLICITED_WRITE_RECV;
	if (caps & DEVICE_CAP_SQ_64_BIT_REQ_ID)
		flags |= EFA_ABI_QP_SQ_REQ_ID_64;
	return cmd->flags & ~flags ? -EOPNOTSUPP : 0;
}

static int choose_type(const struct gate_call *call,
		       const struct efa_abi_create_qp *cmd,
		       enum engine_qp_type *type)
{
	switch (gate_value(call, UVERBS_ATTR_CREATE_QP_TYPE, 0)) {
	case QPT_UD:
		*type = ENGINE_QP_UD;
		return 0;
	case QPT_DRIVER:
		*type = ENGINE_QP_SRD;
		return cmd->driver_qp_type == EFA_ABI_QP_DRIVER_TYPE_SRD ? 0 :
		       -EOPNOTSUPP;
	case QPT_RC:
	case QPT_UC:
		return -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

static int find_object(const struct uverbs_context *ctx,
		       const struct gate_call *call, uint16_t attr_id,
		       enum handle_type type, void **object)
{
	if (!gate_has(call, attr_id))
		return -ENOENT;
	return handle_table_find(&ctx->handles, gate_object(call, attr_id),
				 type, object);
}

static int find_objects(const struct uverbs_context *ctx,
			const struct gate_call *call,
			struct qp_request *request)
{
	void *pd, *send_cq, *recv_cq;
	int ret;

	ret = find_object(ctx, call, UVERBS_ATTR_CREATE_QP_PD_HANDLE,
			  HANDLE_PD, &pd);
	if (ret)
		return ret;
	ret = find_object(ctx, call, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE,
			  HANDLE_CQ, &send_cq);
	if (ret)
		return ret;
	ret = find_object(ctx, call, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE,
			  HANDLE_CQ, &recv_cq);
	if (ret)
		return ret;
	request->pd = pd;
	request->attr.send_cq = ((struct uverbs_cq *)send_cq)->engine;
	request->attr.recv_cq = ((struct uverbs_cq *)recv_cq)->engine;
	return 0;
}

static int read_request(const struct uverbs_context *ctx,
			const struct gate_call *call,
			struct qp_request *request)
{
	int ret;

	ret = gate_read(call, UVERBS_ATTR_CREATE_QP_CAP, &request->cap,
			sizeof(request->cap));
	if (ret)
		return ret;
	ret = find_objects(ctx, call, request);
	if (ret)
		return ret;
	ret = check_flags(call, &request->signal_all);
	if (ret)
		return ret;
	ret = check_cap(ctx->device->profile, &request->cap);
	if (ret)
		return ret;
	ret = read_driver_part(ctx, call, &request->driver);
	if (ret)
		return ret;
	return choose_type(call, &request->driver, &request->attr.type);
}

static void fill_engine_attr(struct qp_request *request)
{
	struct engine_qp_attr *attr = &request->attr;

	static_assert(ENGINE_QP_UNSOLICITED_WRITE_RECV ==
		      EFA_ABI_QP_UNSOLICITED_WRITE_RECV &&
		      ENGINE_QP_SQ_REQ_ID_64 == EFA_ABI_QP_SQ_REQ_ID_64, "");
	attr->sq_depth = request->cap.max_send_wr;
	attr->sq_ring_bytes = request->driver.sq_ring_size;
	attr->rq_ring_bytes = request->driver.rq_ring_size;
	attr->max_send_sge = request->cap.max_send_sge;
	attr->max_recv_sge = request->cap.max_recv_sge;
	attr->max_inline = request->cap.max_inline_data;
	attr->flags = request->driver.flags;
}

static volatile uint32_t *doorbell_at(const struct mmap_region *region,
				      size_t offset)
{
	return (volatile uint32_t *)((char *)region->base + offset);
}

/* The engine accepted the sizes, so they are bounded by the profile. */
static int qp_create_regions(struct uverbs_context *ctx, struct uverbs_qp *qp,
			     struct engine_qp_attr *attr)
{
	struct region_file *file = ctx->regions;
	int ret;

	ret = mmap_region_create(file, attr->sq_ring_bytes + SQ_RING_OFFSET,
				 &qp->sq);
	if (ret)
		return ret;
	ret = mmap_region_create(file, DOORBELL_BYTES, &qp->sq_doorbell);
	if (ret)
		return ret;
	attr->sq_ring = (char *)qp->sq->base + SQ_RING_OFFSET;
	attr->sq_doorbell = doorbell_at(qp->sq_doorbell, SQ_DOORBELL_OFFSET);
	if (!attr->rq_ring_bytes)
		return 0;
	ret = mmap_region_create(file, attr->rq_ring_bytes, &qp->rq);
	if (ret)
		return ret;
	ret = mmap_region_create(file, DOORBELL_BYTES, &qp->rq_doorbell);
	if (ret)
		return ret;
	attr->rq_ring = qp->rq->base;
	attr->rq_doorbell = doorbell_at(qp->rq_doorbell, RQ_DOORBELL_OFFSET);
	return 0;
}

/* Frees what a QP has beside the engine's part; any of it may be missing. */
static void qp_free(struct uverbs_context *ctx, struct uverbs_qp *qp)
{
	struct mmap_region *region[] = {
		qp->rq_doorbell, qp->rq, qp->sq_doorbell, qp->sq,
	};

	for (unsigned i = 0; i < sizeof(region) / sizeof(region[0]); i++) {
		if (region[i])
			mmap_region_destroy(ctx->regions, region[i]);
	}
	free(qp);
}

static int qp_answer(const struct gate_call *call, const struct uverbs_qp *qp,
		     const struct ib_uverbs_qp_cap *cap, uint32_t handle)
{
	struct efa_abi_create_qp_resp driver = {
		.sq_db_offset = SQ_DOORBELL_OFFSET,
		.llq_desc_offset = SQ_RING_OFFSET,
		.sq_db_mmap_key = qp->sq_doorbell->key,
		.llq_desc_mmap_key = qp->sq->key,
	};
	uint32_t number = engine_qp_number(qp->engine);

	if (qp->rq) {
		driver.rq_db_offset = RQ_DOORBELL_OFFSET;
		driver.rq_mmap_key = qp->rq->key;
		driver.rq_mmap_size = qp->rq->length_bytes;
		driver.rq_db_mmap_key = qp->rq_doorbell->key;
	}
	if (gate_write(call, UVERBS_ATTR_UHW_OUT, &driver, sizeof(driver)) ||
	    gate_write_zeroing(call, UVERBS_ATTR_CREATE_QP_RESP_CAP, cap,
			       sizeof(*cap)) ||
	    gate_write(call, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &number,
		       sizeof(number)) ||
	    gate_write_handle(call, UVERBS_ATTR_CREATE_QP_HANDLE, handle))
		return -EFAULT;
	return 0;
}

static void qp_remember(struct uverbs_qp *qp,
			const struct qp_request *request)
{
	qp->max_send_wr = request->cap.max_send_wr;
	qp->max_recv_wr = request->cap.max_recv_wr;
	qp->max_send_sge = request->cap.max_send_sge;
	qp->max_recv_sge = request->cap.max_recv_sge;
	qp->max_inline = request->cap.max_inline_data;
	qp->signal_all = request->signal_all;
}

int verbs_qp_create(struct uverbs_context *ctx, struct gate_call *call)
{
	struct qp_request request = { 0 };
	struct uverbs_qp *qp;
	uint32_t handle;
	int ret;

	ret = read_request(ctx, call, &request);
	if (ret)
		return ret;
	fill_engine_attr(&request);
	ret = engine_qp_attr_check(request.pd, &request.attr);
	if (ret)
		return ret;
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return -ENOMEM;
	qp_remember(qp, &request);
	ret = qp_create_regions(ctx, qp, &request.attr);
	if (ret)
		goto err_free;
	ret = engine_qp_create(request.pd, &request.attr, &qp->engine);
	if (ret)
		goto err_free;
	ret = handle_table_add(&ctx->handles, HANDLE_QP, qp, &handle);
	if (ret)
		goto err_destroy;
	ret = qp_answer(call, qp, &request.cap, handle);
	if (ret)
		goto err_remove;
	return 0;

err_remove:
	handle_table_remove(&ctx->handles, handle);
err_destroy:
	engine_qp_destroy(qp->engine);
err_free:
	qp_free(ctx, qp);
	return ret;
}

int verbs_qp_destroy(struct uverbs_context *ctx, struct gate_call *call)
{
	uint64_t handle = gate_object(call, UVERBS_ATTR_DESTROY_QP_HANDLE);
	struct ib_uverbs_destroy_qp_resp resp = { 0 };
	struct uverbs_qp *qp;
	void *object;
	int ret;

	ret = handle_table_find(&ctx->handles, handle, HANDLE_QP, &object);
	if (ret)
		return ret;
	qp = object;
	engine_qp_destroy(qp->engine);
	handle_table_remove(&ctx->handles, handle);
	qp_free(ctx, qp);
	return gate_write(call, UVERBS_ATTR_DESTROY_QP_RESP, &resp,
			  sizeof(resp));
}

/* What ib_core and the driver check before the device is asked. */
static int check_modify(const struct uverbs_qp *qp,
			const struct ib_uverbs_modify_qp *cmd)
{
	struct engine_qp_state_attr now;

	if (cmd->attr_mask & ENGINE_QPA_PORT && cmd->port_num != PORT_NUM)
		return -EINVAL;
	if (cmd->attr_mask & ~MODIFY_MASK)
		return -EOPNOTSUPP;
	if (cmd->attr_mask & ENGINE_QPA_PKEY_INDEX && cmd->pkey_index)
		return -EOPNOTSUPP;
	if (cmd->attr_mask & ENGINE_QPA_CUR_STATE) {
		engine_qp_query(qp->engine, &now);
		if (cmd->cur_qp_state != now.state)
			return -EINVAL;
	}
	return 0;
}

int verbs_modify_qp(struct uverbs_context *ctx, struct gate_call *call)
{
	struct engine_qp_state_attr attr;
	struct ib_uverbs_modify_qp cmd;
	struct uverbs_qp *qp;
	void *object;
	int ret;

	ret = gate_read(call, UVERBS_ATTR_CORE_IN, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (handle_table_find(&ctx->handles, cmd.qp_handle, HANDLE_QP,
			      &object))
		return -EINVAL;
	qp = object;
	ret = check_modify(qp, &cmd);
	if (ret)
		return ret;
	attr = (struct engine_qp_state_attr) {
		.state = cmd.qp_state,
		.qkey = cmd.qkey,
		.sq_psn = cmd.sq_psn,
		.rnr_retry = cmd.rnr_retry,
		.pkey_index = cmd.pkey_index,
		.port = cmd.port_num,
	};
	return engine_qp_modify(qp->engine, &attr, cmd.attr_mask);
}

int verbs_query_qp(struct uverbs_context *ctx, struct gate_call *call)
{
	struct ib_uverbs_query_qp_resp resp = { 0 };
	struct engine_qp_state_attr now;
	struct ib_uverbs_query_qp cmd;
	struct uverbs_qp *qp;
	void *object;
	int ret;

	ret = gate_read(call, UVERBS_ATTR_CORE_IN, &cmd, sizeof(cmd));
	if (ret)
		return ret;
	if (handle_table_find(&ctx->handles, cmd.qp_handle, HANDLE_QP,
			      &object))
		return -EINVAL;
	if (cmd.attr_mask & ~QUERY_MASK)
		return -EOPNOTSUPP;
	qp = object;
	engine_qp_query(qp->engine, &now);
	resp.qp_state = now.state;
	resp.qkey = now.qkey;
	resp.sq_psn = now.sq_psn;
	resp.rnr_retry = now.rnr_retry;
	resp.port_num = PORT_NUM;
	resp.max_send_wr = qp->max_send_wr;
	resp.max_recv_wr = qp->max_recv_wr;
	resp.max_send_sge = qp->max_send_sge;
	resp.max_recv_sge = qp->max_recv_sge;
	resp.max_inline_data = qp->max_inline;
	resp.sq_sig_all = qp->signal_all;
	return gate_write_zeroing(call, UVERBS_ATTR_CORE_OUT, &resp,
				  sizeof(resp));
}
