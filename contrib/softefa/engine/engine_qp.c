/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/engine_qp.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/comp_cntr.h"
#include "engine/comp_ring.h"
#include "engine/held_completion.h"
#include "engine/late_message.h"
#include "engine/qp_completion.h"
#include "engine/qp_transition.h"
#include "engine/trace_point.h"

#define MASK_KNOWN	(ENGINE_QPA_STATE | ENGINE_QPA_CUR_STATE |	\
			 ENGINE_QPA_EN_SQD_ASYNC | ENGINE_QPA_PKEY_INDEX | \
			 ENGINE_QPA_PORT | ENGINE_QPA_QKEY |		\
			 ENGINE_QPA_SQ_PSN | ENGINE_QPA_RNR_RETRY)

/* The doorbell has 16 bits: a deeper ring could not tell full from empty. */
#define MAX_RING_DEPTH	(EFA_IO_DB_PROD_MASK / 2 + 1)

static bool is_power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

static int check_send_side(const struct device_profile *profile,
			   const struct engine_qp_attr *attr)
{
	uint32_t inline_max, wqe_size;

	if (!attr->sq_depth)
		return attr->sq_ring_bytes ? -EINVAL : 0;
	wqe_size = attr->sq_ring_bytes / attr->sq_depth;
	if (!is_power_of_two(attr->sq_depth) ||
	    attr->sq_depth < profile->min_sq_wr ||
	    attr->sq_depth > profile->max_sq_wr ||
	    attr->sq_ring_bytes > profile->max_llq_size ||
	    wqe_size * attr->sq_depth != attr->sq_ring_bytes)
		return -EINVAL;
	if (wqe_size == EFA_IO_TX_WQE_SIZE)
		inline_max = profile->inline_buf_size;
	else if (wqe_size == EFA_IO_TX_WQE_SIZE_WIDE &&
		 profile->inline_buf_size_ex)
		inline_max = profile->inline_buf_size_ex;
	else
		return -EINVAL;
	if (attr->max_inline > inline_max ||
	    attr->max_send_sge > profile->max_sq_sge)
		return -EINVAL;
	return 0;
}

static int check_recv_side(const struct device_profile *profile,
			   const struct engine_qp_attr *attr)
{
	uint32_t depth = attr->rq_ring_bytes / sizeof(struct efa_io_rx_desc);

	if (!attr->rq_ring_bytes)
		return 0;
	if (!is_power_of_two(depth) || depth > profile->max_rq_wr ||
	    depth > MAX_RING_DEPTH ||
	    depth * sizeof(struct efa_io_rx_desc) != attr->rq_ring_bytes ||
	    attr->max_recv_sge > profile->max_rq_sge)
		return -EINVAL;
	return 0;
}

int engine_qp_attr_check(const struct engine_pd *pd,
			 const struct engine_qp_attr *attr)
{
	const struct device_profile *profile = pd->ctx->device->profile;
	uint32_t flags = 0;
	int err;

	if (profile->device_caps & DEVICE_CAP_UNSOLICITED_WRITE_RECV)
		flags |= ENGINE_QP_UNSOLICITED_WRITE_RECV;
	if (profile->device_caps & DEVICE_CAP_SQ_64_BIT_REQ_ID)
		flags |= ENGINE_QP_SQ_REQ_ID_64;
	if (attr->flags & ~flags)
		return -EOPNOTSUPP;
	if ((attr->type != ENGINE_QP_SRD && attr->type != ENGINE_QP_UD) ||
	    !attr->send_cq || attr->send_cq->ctx != pd->ctx ||
	    !attr->recv_cq || attr->recv_cq->ctx != pd->ctx)
		return -EINVAL;
	/* A wide ID needs a place in the completion. */
	if ((attr->flags & ENGINE_QP_SQ_REQ_ID_64) &&
	    !(attr->send_cq->flags & ENGINE_CQ_SQ_REQ_ID_64))
		return -EINVAL;
	err = check_send_side(profile, attr);
	return err ? err : check_recv_side(profile, attr);
}

static void free_rings(struct engine_qp *qp)
{
	send_ring_fini(&qp->sq);
	recv_ring_fini(&qp->rq);
	req_id_set_fini(&qp->sq_ids);
}

/*
 * 64-bit request IDs are not kept account of: rdma-core puts the wr_id of
 * the application there, which may use one as often as it likes.
 */
static int set_up_rings(struct engine_qp *qp,
			const struct engine_qp_attr *attr)
{
	const struct device_profile *profile = qp->ctx->device->profile;
	uint32_t wqe_size = 0;

	if (attr->sq_depth)
		wqe_size = attr->sq_ring_bytes / attr->sq_depth;
	if (send_ring_init(&qp->sq, attr->sq_ring, attr->sq_doorbell,
			   attr->sq_depth, wqe_size) ||
	    recv_ring_init(&qp->rq, attr->rq_ring, attr->rq_doorbell,
			   attr->rq_ring_bytes / sizeof(struct efa_io_rx_desc),
			   profile->max_rq_sge))
		goto err;
	if (wqe_size)
		qp->sq.max_batch = profile->max_tx_batch * EFA_IO_TX_WQE_SIZE /
			wqe_size;
	if (wqe_size && !(attr->flags & ENGINE_QP_SQ_REQ_ID_64) &&
	    req_id_set_init(&qp->sq_ids))
		goto err;
	return 0;
err:
	free_rings(qp);
	return -ENOMEM;
}

/*
 * The device is told of rings alone when a QP is created, not of the SGEs
 * and inline bytes its driver promised to stay within: its own limits count.
 */
static void set_up_limits(struct engine_qp *qp,
			  const struct engine_qp_attr *attr)
{
	const struct device_profile *profile = qp->ctx->device->profile;
	bool is_wide = qp->sq.wqe_size == EFA_IO_TX_WQE_SIZE_WIDE;
	bool is_srd = attr->type == ENGINE_QP_SRD;

	qp->limits = (struct send_wqe_limits) {
		.wqe_size = qp->sq.wqe_size,
		.max_sge = profile->max_sq_sge,
		.max_inline = is_wide ? profile->inline_buf_size_ex :
			profile->inline_buf_size,
		.mtu = profile->mtu,
		.max_rdma_size = profile->max_rdma_size,
		.has_rdma_read = is_srd &&
			(profile->device_caps & DEVICE_CAP_RDMA_READ),
		.has_rdma_write = is_srd &&
			(profile->device_caps & DEVICE_CAP_RDMA_WRITE),
		.req_id_is_64_bit = attr->flags & ENGINE_QP_SQ_REQ_ID_64,
	};
}

int engine_qp_create(struct engine_pd *pd, const struct engine_qp_attr *attr,
		     struct engine_qp **out)
{
	struct engine_device *device = pd->ctx->device;
	struct engine_qp *qp;
	int err;

	err = engine_qp_attr_check(pd, attr);
	if (err)
		return err;
	qp = calloc(1, sizeof(*qp));
	if (!qp)
		return -ENOMEM;
	qp->ctx = pd->ctx;
	err = set_up_rings(qp, attr);
	if (err)
		goto err_qp;
	err = number_pool_take(&device->qpns, qp, &qp->number);
	if (err)
		goto err_rings;
	qp->pd = pd;
	qp->type = attr->type;
	qp->flags = attr->flags;
	qp->state = ENGINE_QP_RESET;
	qp->rnr_retry = attr->type == ENGINE_QP_SRD ? RNR_RETRY_WITHOUT_END : 0;
	qp->serial = ++device->engine->next_qp_serial;
	qp->send_cq = attr->send_cq;
	qp->recv_cq = attr->recv_cq;
	qp->send_cq->users++;
	qp->recv_cq->users++;
	pd->users++;
	TAILQ_INIT(&qp->active);
	TAILQ_INIT(&qp->waiting);
	TAILQ_INIT(&qp->remote);
	TAILQ_INIT(&qp->held);
	set_up_limits(qp, attr);
	TAILQ_INSERT_TAIL(&qp->ctx->qps, qp, link);
	device->engine->num_qps++;
	TAILQ_INSERT_TAIL(&pd->qps, qp, pd_link);
	trace_qp_created(qp);
	*out = qp;
	return 0;

err_rings:
	free_rings(qp);
err_qp:
	free(qp);
	return err;
}

uint32_t engine_qp_number(const struct engine_qp *qp)
{
	return qp->number;
}

void engine_qp_read_counters(const struct engine_qp *qp,
			     struct engine_qp_counters *out)
{
	*out = qp->counters;
}

void engine_qp_destroy(struct engine_qp *qp)
{
	struct engine_device *device = qp->ctx->device;

	trace_command(device, TRACE_DESTROY_QP, qp->number, 0);
	late_message_take(qp);
	qp_drop(qp);
	if (!TAILQ_EMPTY(&qp->held))
		held_completion_orphan(qp);
	TAILQ_REMOVE(&qp->ctx->qps, qp, link);
	device->engine->num_qps--;
	TAILQ_REMOVE(&qp->pd->qps, qp, pd_link);
	number_pool_return(&device->qpns, qp->number);
	comp_cntr_detach(qp);
	qp->send_cq->users--;
	qp->recv_cq->users--;
	qp->pd->users--;
	free_rings(qp);
	free(qp);
}

static int check_values(const struct engine_qp *qp,
			const struct engine_qp_state_attr *attr, uint32_t mask)
{
	uint32_t caps = qp->ctx->device->profile->device_caps;

	if (mask & ~MASK_KNOWN)
		return -EOPNOTSUPP;
	if ((mask & ENGINE_QPA_CUR_STATE) && attr->cur_state != qp->state)
		return -EINVAL;
	if ((mask & ENGINE_QPA_PORT) && attr->port != 1)
		return -EOPNOTSUPP;
	if ((mask & ENGINE_QPA_PKEY_INDEX) && attr->pkey_index)
		return -EOPNOTSUPP;
	if (mask & ENGINE_QPA_RNR_RETRY) {
		if (!(caps & DEVICE_CAP_RNR_RETRY))
			return -EOPNOTSUPP;
		if (attr->rnr_retry > RNR_RETRY_WITHOUT_END)
			return -EINVAL;
	}
	return 0;
}

static void enter_state(struct engine_qp *qp, enum engine_qp_state state)
{
	if (state == ENGINE_QP_ERR) {
		qp_stop(qp);
	} else if (state == ENGINE_QP_RESET) {
		qp_drop(qp);
		send_ring_reset(&qp->sq);
		recv_ring_reset(&qp->rq);
		req_id_set_clear(&qp->sq_ids);
		qp->sq_broken = false;
	}
	qp->state = state;
}

int engine_qp_modify(struct engine_qp *qp,
		     const struct engine_qp_state_attr *attr, uint32_t mask)
{
	enum engine_qp_state state = qp->state;
	int err;

	if (mask & ENGINE_QPA_STATE)
		state = attr->state;
	if (qp->is_killed)
		return -EINVAL;
	err = check_values(qp, attr, mask);
	if (!err)
		err = qp_transition_check(qp->type, qp->state, state, mask);
	if (err)
		return err;
	trace_command(qp->ctx->device, TRACE_MODIFY_QP, qp->number, mask,
		      state, attr->qkey, attr->sq_psn, attr->rnr_retry);
	if (mask & ENGINE_QPA_QKEY)
		qp->qkey = attr->qkey;
	if (mask & ENGINE_QPA_SQ_PSN)
		qp->sq_psn = attr->sq_psn;
	if (mask & ENGINE_QPA_RNR_RETRY)
		qp->rnr_retry = attr->rnr_retry;
	if (mask & ENGINE_QPA_STATE)
		enter_state(qp, state);
	return 0;
}

void engine_qp_query(const struct engine_qp *qp,
		     struct engine_qp_state_attr *out)
{
	*out = (struct engine_qp_state_attr) {
		.state = qp->state,
		.qkey = qp->qkey,
		.sq_psn = qp->sq_psn,
		.rnr_retry = qp->rnr_retry,
		.port = 1,
		.cur_state = qp->state,
	};
}

struct engine_qp *engine_qp_find(const struct engine_device *device,
				  uint32_t number)
{
	return number_pool_find(&device->qpns, number);
}
