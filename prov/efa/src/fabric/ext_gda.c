/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/ext_gda.h"

#include <assert.h>

#include <rdma/fi_errno.h>

#include "compat/log.h"
#include "fabric/cq.h"
#include "fabric/cq_open.h"
#include "fabric/ep_base.h"
#include "fabric/mr.h"

static_assert(FI_EFA_WQ_CAPS_64_BIT_REQ_ID == HW_WQ_REQ_ID_64,
	      "the same bit");

static struct fabric_ep *endpoint(struct fid_ep *fid)
{
	if (!fid || fid->fid.fclass != FI_CLASS_EP)
		return NULL;
	return fabric_ep_of(fid);
}

static int query_addr(struct fid_ep *fid, fi_addr_t addr, uint16_t *ahn,
		      uint16_t *remote_qpn, uint32_t *remote_qkey)
{
	struct fabric_ep *ep = endpoint(fid);
	struct hw_dest dest;

	if (!ep || !ep->av || !ahn || !remote_qpn || !remote_qkey)
		return -FI_EINVAL;
	if (!fabric_av_resolve(ep->av, addr, &dest))
		return -FI_EADDRNOTAVAIL;
	*ahn = dest.ahn;
	*remote_qpn = dest.qpn;
	*remote_qkey = dest.qkey;
	return 0;
}

static struct fi_efa_wq_attr wq_attr(const struct hw_wq_geometry *geometry)
{
	return (struct fi_efa_wq_attr) {
		.buffer = geometry->buffer,
		.entry_size = geometry->entry_size,
		.num_entries = geometry->num_entries,
		/* volatile to this provider, a plain word in the interface */
		.doorbell = (uint32_t *)(uintptr_t)geometry->doorbell,
		.max_batch = geometry->max_batch,
		.caps = (uint16_t)geometry->caps,
	};
}

static int query_qp_wqs(struct fid_ep *fid, struct fi_efa_wq_attr *sq,
			struct fi_efa_wq_attr *rq)
{
	struct fabric_ep *ep = endpoint(fid);

	if (!ep || !sq || !rq)
		return -FI_EINVAL;
	if (!ep->enabled)
		return -FI_EOPBADSTATE;
	*sq = wq_attr(&ep->qp.sq);
	*rq = wq_attr(&ep->qp.rq);
	return 0;
}

static int query_cq(struct fid_cq *fid, struct fi_efa_cq_attr *attr)
{
	const struct hw_cq_geometry *geometry;

	if (!fid || fid->fid.fclass != FI_CLASS_CQ || !attr)
		return -FI_EINVAL;
	geometry = &fabric_cq_of(fid)->dev.geometry;
	*attr = (struct fi_efa_cq_attr) {
		.buffer = geometry->buffer,
		.entry_size = geometry->entry_size,
		.num_entries = geometry->num_entries,
	};
	return 0;
}

static int cq_open_ext(struct fid_domain *domain, struct fi_cq_attr *attr,
		       struct fi_efa_cq_init_attr *init, struct fid_cq **cq,
		       void *context)
{
	if (!domain || domain->fid.fclass != FI_CLASS_DOMAIN || !init || !cq)
		return -FI_EINVAL;
	if (init->flags) {
		compat_warn(FI_LOG_CQ, "cq_open_ext: a CQ in memory of the "
			    "application's is not supported; leave flags 0 "
			    "and ask query_cq for the ring");
		return -FI_EOPNOTSUPP;
	}
	return fabric_cq_open(domain, attr, cq, context);
}

static uint64_t get_mr_lkey(struct fid_mr *fid)
{
	if (!fid || fid->fid.fclass != FI_CLASS_MR)
		return FI_KEY_NOTAVAIL;
	return fabric_mr_of(fid)->lkey;
}

static int cntr_open_ext(struct fid_domain *domain, struct fi_cntr_attr *attr,
			 struct fid_cntr **cntr, void *context,
			 struct fi_efa_comp_cntr_init_attr *efa_attr)
{
	compat_warn(FI_LOG_CNTR, "cntr_open_ext: counters of the device are "
		    "not supported; poll the CQ that query_cq gives");
	return -FI_EOPNOTSUPP;
}

struct fi_efa_ops_gda fabric_ext_gda_ops = {
	.query_addr = query_addr,
	.query_qp_wqs = query_qp_wqs,
	.query_cq = query_cq,
	.cq_open_ext = cq_open_ext,
	.get_mr_lkey = get_mr_lkey,
	.cntr_open_ext = cntr_open_ext,
};
