/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Registered memory. fi_mr_desc gives the fabric_mr itself: the desc that
 * comes with an operation is a pointer to one.
 */
#ifndef FABRIC_MR_H
#define FABRIC_MR_H

#include <stdbool.h>

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>

#include "dev/mem_region.h"
#include "fabric/domain.h"
#include "fabric/empty_region.h"

struct fabric_mr {
	struct fid_mr fid;
	uint32_t lkey;			/* what a work request carries */
	bool device_only;	/* an accelerator's memory: the CPU keeps off */
	/* cold */
	struct fabric_region region;	/* in the domain's table */
	struct fabric_domain *domain;
	struct dev_mr dev;
	struct fabric_empty_region empty;	/* whose @dev is, of length 0 */
};

static inline struct fabric_mr *fabric_mr_of(struct fid_mr *fid)
{
	return (struct fabric_mr *)
		((char *)fid - offsetof(struct fabric_mr, fid));
}

/* The registration a desc of an operation stands for. NULL stays NULL. */
static inline const struct fabric_mr *fabric_mr_of_desc(const void *desc)
{
	return desc;
}

/* May the CPU read a buffer that came with @desc? What has no desc is the
 * process's own memory; that of an accelerator, or of a dma-buf, need not be
 * mapped at its addresses. */
static inline bool fabric_mr_cpu_reads(const void *desc)
{
	return !desc || !fabric_mr_of_desc(desc)->device_only;
}

/*
 * fi_mr_reg, fi_mr_regv, fi_mr_regattr. One range; -FI_EINVAL for none or
 * several. -FI_EBADFLAGS: any flag but FI_HMEM_DEVICE_ONLY, which means
 * nothing as no device memory is touched by the CPU, and FI_MR_DMABUF, which
 * fi_mr_regattr takes from applications of API 1.20 and later: the region is
 * then addressed from base_addr + offset on, and the descriptor stays the
 * application's, to close when it likes.
 * A range of length 0, but of an accelerator, has keys for operations of
 * length 0 at its address and grants none of the application's memory.
 * fi_mr_regattr in a domain with FI_HMEM goes by the interface in the
 * attributes: see fabric/device_region.h for what can then go wrong.
 * -FI_EOPNOTSUPP: an access the device has not; FI_MR_DMABUF in a domain of
 * RDM endpoints of the fabric efa, whose messages the CPU copies. Else what
 * the kernel says.
 * Each refusal is logged. The key is the device's, whatever is requested;
 * @offset means nothing to a region addressed by virtual address.
 */
int fabric_mr_reg(struct fid *domain, const void *buf, size_t len,
		  uint64_t access, uint64_t offset, uint64_t requested_key,
		  uint64_t flags, struct fid_mr **mr, void *context);
int fabric_mr_regv(struct fid *domain, const struct iovec *iov, size_t count,
		   uint64_t access, uint64_t offset, uint64_t requested_key,
		   uint64_t flags, struct fid_mr **mr, void *context);
int fabric_mr_regattr(struct fid *domain, const struct fi_mr_attr *attr,
		      uint64_t flags, struct fid_mr **mr);

#endif /* FABRIC_MR_H */
