/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "dev/queue_pair.h"

#include <errno.h>
#include <string.h>

#include "compat/log.h"
#include "compat/verbs_symbols.h"
#include "hw/efa_io_defs.h"

/* The service level of low latency traffic. */
#define LOW_LATENCY_SL 8

static const char *type_name(const struct dev_qp_attr *attr)
{
	return attr->type == DEV_QP_SRD ? "SRD" : "UD";
}

static void fill_cap(const struct dev_qp_attr *attr, struct ibv_qp_cap *cap)
{
	*cap = (struct ibv_qp_cap) {
		.max_send_wr = attr->send_depth,
		.max_recv_wr = attr->recv_depth,
		.max_send_sge = attr->send_sge,
		.max_recv_sge = attr->recv_sge,
		.max_inline_data = attr->inline_size,
	};
}

/* Of UD QPs libefa knows the plain call alone. */
static struct ibv_qp *create_ud(struct dev_pd *pd,
				const struct dev_qp_attr *attr,
				struct ibv_qp_cap *cap)
{
	struct ibv_qp_init_attr verbs_attr = {
		.send_cq = ibv_cq_ex_to_cq(attr->send_cq->verbs),
		.recv_cq = ibv_cq_ex_to_cq(attr->recv_cq->verbs),
		.qp_type = IBV_QPT_UD,
	};
	struct ibv_qp *qp;

	fill_cap(attr, &verbs_attr.cap);
	qp = compat_verbs()->create_qp(pd->verbs, &verbs_attr);
	*cap = verbs_attr.cap;
	return qp;
}

static struct ibv_qp *create_srd(struct dev_pd *pd,
				 const struct dev_qp_attr *attr, uint8_t sl,
				 struct ibv_qp_cap *cap)
{
	struct compat_efadv_qp_init_attr efa_attr = {
		.driver_qp_type = COMPAT_EFADV_QP_DRIVER_TYPE_SRD,
		.sl = sl,
	};
	struct ibv_qp_init_attr_ex verbs_attr = {
		.send_cq = ibv_cq_ex_to_cq(attr->send_cq->verbs),
		.recv_cq = ibv_cq_ex_to_cq(attr->recv_cq->verbs),
		.qp_type = IBV_QPT_DRIVER,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd->verbs,
	};
	struct ibv_qp *qp;

	if (attr->unsolicited_write_recv)
		efa_attr.flags |= COMPAT_EFADV_QP_UNSOLICITED_WRITE_RECV;
	fill_cap(attr, &verbs_attr.cap);
	qp = compat_verbs()->efadv_create_qp_ex(pd->device->verbs,
						&verbs_attr, &efa_attr,
						sizeof(efa_attr));
	*cap = verbs_attr.cap;
	return qp;
}

/* A service level is a wish, which older devices refuse. */
static struct ibv_qp *create_any(struct dev_pd *pd,
				 const struct dev_qp_attr *attr,
				 struct ibv_qp_cap *cap)
{
	struct ibv_qp *qp;

	if (attr->type == DEV_QP_UD)
		return create_ud(pd, attr, cap);
	if (!attr->low_latency)
		return create_srd(pd, attr, 0, cap);
	qp = create_srd(pd, attr, LOW_LATENCY_SL, cap);
	if (qp)
		return qp;
	compat_info(FI_LOG_EP_CTRL,
		    "%s: no QP of service level %d (%s), trying the default",
		    pd->device->name, LOW_LATENCY_SL, strerror(errno));
	return create_srd(pd, attr, 0, cap);
}

static bool is_ring(const struct compat_efadv_wq_attr *wq)
{
	return wq->buffer && wq->doorbell && wq->num_entries &&
	       !(wq->num_entries & (wq->num_entries - 1));
}

static void fill_geometry(const struct compat_efadv_wq_attr *wq,
			  struct hw_wq_geometry *geometry)
{
	*geometry = (struct hw_wq_geometry) {
		.buffer = wq->buffer,
		.entry_size = wq->entry_size,
		.num_entries = wq->num_entries,
		.doorbell = wq->doorbell,
		.max_batch = wq->max_batch,
	};
	if (wq->caps & COMPAT_EFADV_WQ_REQ_ID_64)
		geometry->caps |= HW_WQ_REQ_ID_64;
}

static int query_rings(struct dev_qp *qp)
{
	struct compat_efadv_wq_attr sq = { 0 }, rq = { 0 };
	int err = compat_verbs()->efadv_query_qp_wqs(qp->verbs, &sq, &rq,
						     sizeof(sq));

	if (err)
		return -err;
	if (!is_ring(&sq) || !is_ring(&rq) ||
	    (sq.entry_size != EFA_IO_TX_WQE_SIZE &&
	     sq.entry_size != EFA_IO_TX_WQE_SIZE_WIDE) ||
	    rq.entry_size != sizeof(struct efa_io_rx_desc))
		return -EOPNOTSUPP;
	fill_geometry(&sq, &qp->sq);
	fill_geometry(&rq, &qp->rq);
	return 0;
}

/* What is wrong with @attr on this device, or NULL. */
static const char *attr_fault(const struct dev_device *device,
			      const struct dev_qp_attr *attr, int *ret)
{
	bool wide = attr->inline_size > device->inline_size;

	*ret = -EOPNOTSUPP;
	if (attr->unsolicited_write_recv &&
	    !device->caps.unsolicited_write_recv)
		return "the device has no unsolicited write completions";
	*ret = -EINVAL;
	if (attr->inline_size > (device->caps.wide_wqe ?
				 device->inline_size_wide :
				 device->inline_size))
		return "too much inline data";
	if (attr->send_depth == 0 ||
	    attr->send_depth > (wide ? device->max_send_depth_wide :
				device->max_send_depth))
		return "too many sends";
	if (attr->send_sge == 0 || attr->send_sge > device->efa.max_sq_sge)
		return "too many send buffers";
	if (attr->recv_sge == 0 || attr->recv_sge > device->efa.max_rq_sge)
		return "too many receive buffers";
	if (attr->recv_depth == 0 ||
	    (uint64_t)attr->recv_depth * attr->recv_sge >
	    device->efa.max_rq_wr)
		return "too many receives";
	return NULL;
}

static void log_create_failure(const struct dev_device *device,
			       const struct dev_qp_attr *attr,
			       const char *what, int ret)
{
	compat_warn(FI_LOG_EP_CTRL,
		    "%s: %s QP with %u sends of %u, %u receives of %u buffers, %u bytes inline: %s: %s; "
		    "limits: %u sends of %u, %u receive buffers, %u a receive, %d QPs",
		    device->name, type_name(attr), attr->send_depth,
		    attr->send_sge, attr->recv_depth, attr->recv_sge,
		    attr->inline_size, what, strerror(-ret),
		    device->max_send_depth, device->efa.max_sq_sge,
		    device->efa.max_rq_wr, device->efa.max_rq_sge,
		    device->attr.max_qp);
}

/* How the QP falls short of what was asked for, or NULL. */
static const char *qp_fault(const struct dev_qp *qp,
			    const struct dev_qp_attr *attr)
{
	if (attr->inline_size > qp->device->inline_size &&
	    qp->sq.entry_size != EFA_IO_TX_WQE_SIZE_WIDE)
		return "its send entries are too short for the inline data";
	if (qp->inline_size < attr->inline_size)
		return "the device gave less inline data";
	return NULL;
}

static int qp_make(struct dev_pd *pd, const struct dev_qp_attr *attr,
		   struct dev_qp *qp, const char **what)
{
	struct ibv_qp_cap cap;
	int ret;

	memset(qp, 0, sizeof(*qp));
	qp->verbs = create_any(pd, attr, &cap);
	if (!qp->verbs) {
		*what = "not created";
		return -(errno ? errno : ENOMEM);
	}
	qp->device = pd->device;
	qp->qpn = qp->verbs->qp_num;
	qp->qkey = attr->qkey;
	qp->inline_size = cap.max_inline_data;
	*what = "its rings cannot be found";
	ret = query_rings(qp);
	if (!ret) {
		*what = qp_fault(qp, attr);
		ret = *what ? -EOPNOTSUPP : 0;
	}
	if (ret)
		compat_verbs()->destroy_qp(qp->verbs);
	return ret;
}

int dev_qp_create(struct dev_pd *pd, const struct dev_qp_attr *attr,
		  struct dev_qp *qp)
{
	struct dev_qp made;
	const char *what;
	int ret;

	what = attr_fault(pd->device, attr, &ret);
	if (!what)
		ret = qp_make(pd, attr, &made, &what);
	if (ret) {
		log_create_failure(pd->device, attr, what, ret);
		return ret;
	}
	*qp = made;
	return 0;
}

static int modify(struct dev_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	int err = compat_verbs()->modify_qp(qp->verbs, attr,
					    mask | IBV_QP_STATE);

	if (err)
		compat_warn(FI_LOG_EP_CTRL,
			    "%s: QP %u: state %d refused: %s; see the kernel's log",
			    qp->device->name, qp->qpn, attr->qp_state,
			    strerror(err));
	return -err;
}

int dev_qp_enable(struct dev_qp *qp, const struct dev_qp_attr *attr)
{
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = attr->qkey,
	};
	struct ibv_qp_attr rtr = { .qp_state = IBV_QPS_RTR };
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS, .rnr_retry = attr->rnr_retry,
	};
	bool has_rnr_retry = attr->type == DEV_QP_SRD &&
			     qp->device->caps.rnr_retry;
	int ret;

	ret = modify(qp, &init, IBV_QP_PKEY_INDEX | IBV_QP_PORT |
		     IBV_QP_QKEY);
	if (!ret)
		ret = modify(qp, &rtr, 0);
	if (!ret)
		ret = modify(qp, &rts, IBV_QP_SQ_PSN |
			     (has_rnr_retry ? IBV_QP_RNR_RETRY : 0));
	return ret;
}

int dev_qp_flush(struct dev_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	return modify(qp, &attr, 0);
}

int dev_qp_destroy(struct dev_qp *qp)
{
	int err = compat_verbs()->destroy_qp(qp->verbs);

	if (err)
		compat_warn(FI_LOG_EP_CTRL, "%s: QP %u stays: %s",
			    qp->device->name, qp->qpn, strerror(err));
	return -err;
}
