/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/ext_gda.h"

#include <assert.h>

#include <rdma/fi_errno.h>

#include "compat/log.h"
#include "fabric/cntr.h"
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

static_assert(FI_EFA_MEMORY_LOCATION_VA == COMPAT_EFADV_MEMORY_VA &&
	      FI_EFA_MEMORY_LOCATION_DMABUF == COMPAT_EFADV_MEMORY_DMABUF,
	      "the same types");

/* False: it says of no place. */
static bool read_place(const struct fi_efa_memory_location *from,
		       struct compat_efadv_memory_location *place)
{
	bool dmabuf = from->type == FI_EFA_MEMORY_LOCATION_DMABUF;

	if (from->type > FI_EFA_MEMORY_LOCATION_DMABUF ||
	    (uintptr_t)from->ptr % sizeof(uint64_t) ||
	    (dmabuf ? from->dmabuf.fd < 0 ||
		      from->dmabuf.offset % sizeof(uint64_t) : !from->ptr))
		return false;
	*place = (struct compat_efadv_memory_location) {
		.ptr = from->ptr, .type = from->type,
	};
	if (dmabuf) {
		place->dmabuf.offset = from->dmabuf.offset;
		place->dmabuf.fd = from->dmabuf.fd;
	}
	return true;
}

static int cntr_open_ext(struct fid_domain *domain, struct fi_cntr_attr *attr,
			 struct fid_cntr **cntr, void *context,
			 struct fi_efa_comp_cntr_init_attr *init)
{
	const uint32_t good = FI_EFA_COMP_CNTR_INIT_WITH_COMP_EXTERNAL_MEM;
	const uint32_t bad = FI_EFA_COMP_CNTR_INIT_WITH_ERR_EXTERNAL_MEM;
	struct compat_efadv_memory_location at[2];

	if (!domain || domain->fid.fclass != FI_CLASS_DOMAIN || !cntr || !init)
		return -FI_EINVAL;
	if (init->comp_mask || init->flags & ~(good | bad) ||
	    (init->flags & good &&
	     !read_place(&init->comp_cntr_ext_mem, &at[0])) ||
	    (init->flags & bad &&
	     !read_place(&init->err_cntr_ext_mem, &at[1]))) {
		compat_warn(FI_LOG_CNTR, "cntr_open_ext: flags %#x or a place "
			    "that is not understood; a place is an address "
			    "or a dma-buf, at a multiple of 8", init->flags);
		return -FI_EINVAL;
	}
	return fabric_cntr_open_device(domain, attr,
				       init->flags & good ? &at[0] : NULL,
				       init->flags & bad ? &at[1] : NULL,
				       cntr, context);
}

struct fi_efa_ops_gda fabric_ext_gda_ops = {
	.query_addr = query_addr,
	.query_qp_wqs = query_qp_wqs,
	.query_cq = query_cq,
	.cq_open_ext = cq_open_ext,
	.get_mr_lkey = get_mr_lkey,
	.cntr_open_ext = cntr_open_ext,
};
