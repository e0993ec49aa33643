/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/ep_base.h"

#include <rdma/fi_errno.h>

#include "compat/log.h"
#include "fabric/ep_cm.h"
#include "fabric/ep_option.h"
#include "fabric/ep_refusal.h"

#define FABRIC_EP_RNR_WITHOUT_END	7
/* Where software goes on trying when the device gives up. */
#define FABRIC_EP_RNR_RDM		3

/* What fi_control may make a default of sending and receiving. */
#define FABRIC_EP_TX_OP_FLAGS	(FI_INJECT | FI_COMPLETION | \
				 FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | \
				 FI_DELIVERY_COMPLETE | FI_MATCH_COMPLETE)
#define FABRIC_EP_RX_OP_FLAGS	FI_COMPLETION

/*
 * Flags of a send that are refused rather than ignored: the device keeps no
 * order to fence, waits for no trigger, and nobody tells the sender what
 * became of a datagram.
 */
static uint64_t fabric_ep_refused(enum fabric_info_kind kind)
{
	uint64_t refused = FI_FENCE | FI_TRIGGER | FI_MULTICAST |
			   FI_COMMIT_COMPLETE;

	if (kind == FABRIC_INFO_DGRAM)
		refused |= FI_DELIVERY_COMPLETE | FI_MATCH_COMPLETE;
	return refused;
}

static bool fabric_ep_is_low_latency(const struct fi_info *info)
{
	if (info->tx_attr->tclass != FI_TC_UNSPEC)
		return info->tx_attr->tclass == FI_TC_LOW_LATENCY;
	return info->domain_attr &&
	       info->domain_attr->tclass == FI_TC_LOW_LATENCY;
}

static void fabric_ep_set_limits(struct fabric_ep *ep,
				 const struct fi_info *info)
{
	const struct dev_device *device = ep->domain->device;

	ep->max_msg_bytes = info->ep_attr->max_msg_size;
	ep->max_rma_bytes = ep->max_msg_bytes;
	if (ep->max_msg_bytes > device->mtu)
		ep->max_msg_bytes = device->mtu;
	if (ep->max_rma_bytes > device->max_rdma_size)
		ep->max_rma_bytes = device->max_rdma_size;
	ep->prefix_bytes = info->ep_attr->msg_prefix_size;
	ep->inject_limit = info->tx_attr->inject_size;
	ep->inject_asked = ep->inject_limit;
	/* an entry of a remote write has room for data only if it is long */
	if (ep->inject_limit > device->inline_size)
		ep->inject_rma_asked = ep->inject_limit;
	fabric_ep_bound_inject(ep);
	ep->tx_iov_limit = info->tx_attr->iov_limit;
	if (ep->tx_iov_limit > EFA_IO_TX_MAX_SGE)
		ep->tx_iov_limit = EFA_IO_TX_MAX_SGE;
	ep->rx_iov_limit = info->rx_attr->iov_limit;
	if (ep->rx_iov_limit > FABRIC_EP_MAX_RX_IOV)
		ep->rx_iov_limit = FABRIC_EP_MAX_RX_IOV;
	ep->tx_size = (uint32_t)info->tx_attr->size;
	ep->rx_size = (uint32_t)info->rx_attr->size;
	ep->send_sge = (uint32_t)ep->tx_iov_limit;
	ep->recv_sge = (uint32_t)ep->rx_iov_limit;
	ep->inline_bytes = (uint32_t)ep->inject_limit;
}

/* Messages are of any length, and buffers not the device's. */
static void fabric_ep_set_rdm_limits(struct fabric_ep *ep,
				     const struct fi_info *info)
{
	ep->max_msg_bytes = info->ep_attr->max_msg_size;
	ep->max_rma_bytes = info->ep_attr->max_msg_size;
	ep->inject_rma_bytes = ep->inject_bytes;
	ep->send_sge = EFA_IO_TX_MAX_SGE;
	ep->recv_sge = 1;
	ep->inline_bytes = ep->domain->device->inline_size;
	ep->rnr_retry = FABRIC_EP_RNR_RDM;
}

void fabric_ep_init(struct fabric_ep *ep, struct fabric_domain *domain,
		    const struct fi_info *info, enum fabric_info_kind kind,
		    void *context)
{
	fabric_ep_refuse_all(&ep->fid);
	ep->fid.fid.fclass = FI_CLASS_EP;
	ep->fid.fid.context = context;
	ep->fid.ops = &fabric_ep_option_ops;
	ep->fid.cm = &fabric_ep_cm_ops;
	ep->domain = domain;
	ep->kind = kind;
	ep->lock_data_path = domain->lock_data_path;
	ep->tx_refused = fabric_ep_refused(kind);
	util_lock_init(&ep->tx_lock);
	util_lock_init(&ep->rx_lock);
	ep->rnr_retry = FABRIC_EP_RNR_WITHOUT_END;
	fabric_ep_set_limits(ep, info);
	if (kind == FABRIC_INFO_RDM)
		fabric_ep_set_rdm_limits(ep, info);
	ep->wants_source = info->caps & FI_SOURCE;
	ep->rma = info->caps & FI_RMA;
	if (ep->rma)
		fabric_ep_refuse_early_rma(&ep->fid);
	ep->unsolicited = ep->rma && domain->device->caps.unsolicited_write_recv &&
			  !(fabric_info_given_mode(info) & FI_RX_CQ_DATA);
	ep->tx_op_flags = info->tx_attr->op_flags;
	ep->rx_op_flags = info->rx_attr->op_flags;
	ep->low_latency = fabric_ep_is_low_latency(info);
	fabric_reference_get(&domain->users);
}

void fabric_ep_fini(struct fabric_ep *ep)
{
	if (ep->av)
		fabric_reference_put(&ep->av->users);
	if (ep->tx_cq && ep->tx_bound)
		fabric_reference_put(&ep->tx_cq->users);
	if (ep->rx_cq && ep->rx_bound)
		fabric_reference_put(&ep->rx_cq->users);
	for (size_t i = 0; i < FABRIC_EP_OPS; i++)
		if (ep->bound_cntrs[i])
			fabric_reference_put(&ep->bound_cntrs[i]->users);
	if (ep->eq)
		fabric_reference_put(&ep->eq->users);
	fabric_reference_put(&ep->domain->users);
}

/* ---- binding ---- */

static int fabric_ep_bind_refused(int error, const char *what)
{
	compat_warn(FI_LOG_EP_CTRL, "fi_ep_bind: %s", what);
	return error;
}

static int fabric_ep_bind_cq(struct fabric_ep *ep, struct fabric_cq *cq,
			     uint64_t flags)
{
	const uint64_t directions = FI_TRANSMIT | FI_RECV;

	if (flags & ~(directions | FI_SELECTIVE_COMPLETION) ||
	    !(flags & directions))
		return fabric_ep_bind_refused(-FI_EBADFLAGS,
			"a CQ takes FI_TRANSMIT, FI_RECV or both, and FI_SELECTIVE_COMPLETION");
	if (cq->domain != ep->domain)
		return fabric_ep_bind_refused(-FI_EINVAL,
			"the CQ is of another domain");
	if ((flags & FI_TRANSMIT && ep->tx_bound) ||
	    (flags & FI_RECV && ep->rx_bound))
		return fabric_ep_bind_refused(-FI_EINVAL,
			"the endpoint has a CQ for this direction");
	if (flags & FI_TRANSMIT) {
		ep->tx_cq = cq;
		ep->tx_bound = true;
		ep->tx_selective = flags & FI_SELECTIVE_COMPLETION;
		fabric_reference_get(&cq->users);
	}
	if (flags & FI_RECV) {
		ep->rx_cq = cq;
		ep->rx_bound = true;
		ep->rx_selective = flags & FI_SELECTIVE_COMPLETION;
		fabric_reference_get(&cq->users);
	}
	return 0;
}

static int fabric_ep_bind_av(struct fabric_ep *ep, struct fabric_av *av)
{
	if (av->domain != ep->domain)
		return fabric_ep_bind_refused(-FI_EINVAL,
			"the address vector is of another domain");
	if (ep->av)
		return fabric_ep_bind_refused(-FI_EINVAL,
			"the endpoint has an address vector");
	ep->av = av;
	fabric_reference_get(&av->users);
	return 0;
}

static int fabric_ep_bind_cntr(struct fabric_ep *ep, struct fabric_cntr *cntr,
			       uint64_t flags)
{
	static const uint64_t flag_of[FABRIC_EP_OPS] = {
		[FABRIC_EP_SEND] = FI_SEND,
		[FABRIC_EP_READ] = FI_READ,
		[FABRIC_EP_WRITE] = FI_WRITE,
		[FABRIC_EP_RECV] = FI_RECV,
		[FABRIC_EP_REMOTE_WRITE] = FI_REMOTE_WRITE,
		[FABRIC_EP_REMOTE_READ] = FI_REMOTE_READ,
	};
	uint64_t unknown = flags;

	if (cntr->domain != ep->domain)
		return fabric_ep_bind_refused(-FI_EINVAL,
			"the counter is of another domain");
	for (size_t i = 0; i < FABRIC_EP_OPS; i++) {
		unknown &= ~flag_of[i];
		if (flags & flag_of[i] && ep->bound_cntrs[i])
			return fabric_ep_bind_refused(-FI_EINVAL,
				"the endpoint has a counter for this operation");
	}
	if (unknown || !flags)
		return fabric_ep_bind_refused(-FI_EBADFLAGS,
			"a counter takes FI_SEND, FI_RECV, FI_READ, FI_WRITE, FI_REMOTE_READ, FI_REMOTE_WRITE");
	for (size_t i = 0; i < FABRIC_EP_OPS; i++) {
		if (!(flags & flag_of[i]))
			continue;
		ep->bound_cntrs[i] = cntr;
		fabric_reference_get(&cntr->users);
	}
	return 0;
}

static int fabric_ep_bind_eq(struct fabric_ep *ep, struct fabric_eq *eq)
{
	if (ep->eq)
		return fabric_ep_bind_refused(-FI_EINVAL,
			"the endpoint has an event queue");
	ep->eq = eq;
	fabric_reference_get(&eq->users);
	return 0;
}

int fabric_ep_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	struct fabric_ep *ep = fabric_ep_of_fid(fid);

	if (ep->enabled)
		return fabric_ep_bind_refused(-FI_EOPBADSTATE,
			"the endpoint is enabled; bind before");
	switch (bfid->fclass) {
	case FI_CLASS_CQ:
		return fabric_ep_bind_cq(ep, fabric_cq_of((struct fid_cq *)bfid),
					 flags);
	case FI_CLASS_AV:
		return fabric_ep_bind_av(ep,
					 fabric_av_of((struct fid_av *)bfid));
	case FI_CLASS_CNTR:
		return fabric_ep_bind_cntr(ep, fabric_cntr_of(
						   (struct fid_cntr *)bfid),
					   flags);
	case FI_CLASS_EQ:
		return fabric_ep_bind_eq(ep,
					 fabric_eq_of((struct fid_eq *)bfid));
	default:
		return fabric_ep_bind_refused(-FI_EINVAL,
			"only a CQ, address vector, counter or EQ can be bound");
	}
}

/* Without FI_SELECTIVE_COMPLETION every operation reports; a direction
 * that has no CQ reports nothing but its errors. */
static void fabric_ep_derive_flags(struct fabric_ep *ep)
{
	uint64_t tx = ep->tx_selective ? 0 : FI_COMPLETION;
	uint64_t rx = ep->rx_selective ? 0 : FI_COMPLETION;

	ep->tx_msg_flags = ep->tx_bound ? tx : 0;
	ep->rx_msg_flags = ep->rx_bound ? rx : 0;
	ep->tx_msg_mask = ep->tx_bound ? UINT64_MAX : ~FI_COMPLETION;
	ep->rx_msg_mask = ep->rx_bound ? UINT64_MAX : ~FI_COMPLETION;
	ep->tx_flags = (ep->tx_op_flags & ep->tx_msg_mask) | ep->tx_msg_flags;
	ep->rx_flags = (ep->rx_op_flags & ep->rx_msg_mask) | ep->rx_msg_flags;
}

int fabric_ep_complete_binding(struct fabric_ep *ep)
{
	if (ep->enabled) {
		compat_warn(FI_LOG_EP_CTRL,
			    "fi_enable: the endpoint is enabled already");
		return -FI_EOPBADSTATE;
	}
	if (!ep->av) {
		compat_warn(FI_LOG_EP_CTRL,
			    "fi_enable: no address vector is bound");
		return -FI_ENOAV;
	}
	if (!ep->tx_bound && !ep->rx_bound) {
		compat_warn(FI_LOG_EP_CTRL, "fi_enable: no CQ is bound");
		return -FI_ENOCQ;
	}
	if (!ep->tx_bound)
		ep->tx_cq = ep->rx_cq;
	if (!ep->rx_bound)
		ep->rx_cq = ep->tx_cq;
	fabric_ep_derive_flags(ep);
	return 0;
}

/* ---- flags ---- */

static int fabric_ep_set_op_flags(struct fabric_ep *ep, uint64_t flags)
{
	const uint64_t directions = FI_TRANSMIT | FI_RECV;
	uint64_t op_flags = flags & ~directions;

	switch (flags & directions) {
	case FI_TRANSMIT:
		if (op_flags & (ep->tx_refused | ~FABRIC_EP_TX_OP_FLAGS))
			return -FI_EOPNOTSUPP;
		ep->tx_op_flags = op_flags;
		break;
	case FI_RECV:
		if (op_flags & ~FABRIC_EP_RX_OP_FLAGS)
			return -FI_EOPNOTSUPP;
		ep->rx_op_flags = op_flags;
		break;
	default:
		return -FI_EINVAL;
	}
	fabric_ep_derive_flags(ep);
	return 0;
}

static int fabric_ep_get_op_flags(const struct fabric_ep *ep, uint64_t *flags)
{
	switch (*flags & (FI_TRANSMIT | FI_RECV)) {
	case FI_TRANSMIT:
		*flags = ep->tx_op_flags;
		return 0;
	case FI_RECV:
		*flags = ep->rx_op_flags;
		return 0;
	default:
		return -FI_EINVAL;
	}
}

int fabric_ep_control(struct fid *fid, int command, void *arg)
{
	struct fabric_ep *ep = fabric_ep_of_fid(fid);

	switch (command) {
	case FI_GETOPSFLAG:
		return fabric_ep_get_op_flags(ep, arg);
	case FI_SETOPSFLAG:
		return fabric_ep_set_op_flags(ep, *(uint64_t *)arg);
	default:
		return -FI_ENOSYS;
	}
}
