/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/mr.h"

#include <inttypes.h>
#include <stdlib.h>

#include <rdma/fi_errno.h>

#include "compat/fi_abi.h"
#include "compat/log.h"
#include "fabric/device_region.h"
#include "fabric/unsupported.h"

#define MR_ACCESS_KNOWN	(FI_SEND | FI_RECV | FI_READ | FI_WRITE | \
			 FI_REMOTE_READ | FI_REMOTE_WRITE)

#define MR_REMOTE	(FI_REMOTE_READ | FI_REMOTE_WRITE)

/* The device reads local memory without asking; verbs wants the local
 * right to write with the remote one. A long message of the RDM protocol is
 * read by its receiver. */
static int mr_verbs_access(const struct fabric_domain *domain, uint64_t access)
{
	int verbs = 0;

	if (access & FI_SEND && domain->soft_completions &&
	    domain->device->caps.rdma_read)
		verbs |= IBV_ACCESS_REMOTE_READ;
	if (access & (FI_RECV | FI_READ | FI_REMOTE_WRITE))
		verbs |= IBV_ACCESS_LOCAL_WRITE;
	if (access & FI_REMOTE_READ && domain->device->caps.rdma_read)
		verbs |= IBV_ACCESS_REMOTE_READ;
	if (access & FI_REMOTE_WRITE && domain->device->caps.rdma_write)
		verbs |= IBV_ACCESS_REMOTE_WRITE;
	return verbs;
}

static int mr_check_access(const struct fabric_domain *domain,
			   uint64_t access)
{
	const struct dev_caps *caps = &domain->device->caps;

	if (access & ~(uint64_t)MR_ACCESS_KNOWN) {
		compat_warn(FI_LOG_MR, "unknown access 0x%" PRIx64,
			    access & ~(uint64_t)MR_ACCESS_KNOWN);
		return -FI_EINVAL;
	}
	/* what the device cannot, RDM endpoints do */
	if (domain->soft_completions)
		return 0;
	/* FI_READ and FI_WRITE let the own device at local memory, which any
	 * can; a buffer may be registered for all uses at once */
	if ((access & FI_REMOTE_READ && !caps->rdma_read) ||
	    (access & FI_REMOTE_WRITE && !caps->rdma_write)) {
		compat_warn(FI_LOG_MR, "access 0x%" PRIx64 " needs RDMA %s, "
			    "which %s does not have; register without "
			    "FI_REMOTE_READ and FI_REMOTE_WRITE", access,
			    caps->rdma_read ? "write" : "read",
			    domain->device->name);
		return -FI_EOPNOTSUPP;
	}
	return 0;
}

static int mr_close(struct fid *fid)
{
	struct fabric_mr *mr = (struct fabric_mr *)
		((char *)fid - offsetof(struct fabric_mr, fid.fid));
	bool is_listed = mr->domain->soft_completions;
	int ret;

	if (is_listed)
		fabric_region_remove(&mr->domain->regions, &mr->region);
	ret = mr->empty.page ? fabric_empty_region_close(&mr->empty)
			     : dev_mr_destroy(&mr->dev);
	if (ret) {
		if (is_listed)
			fabric_region_add(&mr->domain->regions, &mr->region);
		return ret;
	}
	fabric_reference_put(&mr->domain->users);
	free(mr);
	return 0;
}

/* Regions belong to no endpoint: binding one is allowed and means nothing. */
static int mr_bind(struct fid *fid, struct fid *bfid, uint64_t flags)
{
	return bfid->fclass == FI_CLASS_EP && !flags ? 0 : -FI_ENOSYS;
}

static int mr_control(struct fid *fid, int command, void *arg)
{
	return command == FI_ENABLE ? 0 : -FI_ENOSYS;
}

static struct fi_ops mr_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = mr_close,
	.bind = mr_bind,
	.control = mr_control,
	.ops_open = fabric_no_ops_open,
	.tostr = fabric_no_tostr,
	.ops_set = fabric_no_ops_set,
};

/* Where the memory is: a range of the process, of an accelerator or of a
 * dma-buf. */
struct mr_range {
	void *addr;		/* that work requests use */
	size_t len;
	int fd;			/* of the dma-buf; -1: none */
	uint64_t offset;	/* in the dma-buf */
	enum fi_hmem_iface iface;	/* whose it is, without a dma-buf */
	int device;		/* of the accelerator */
};

static const char *mr_remedy(int err, const struct mr_range *range)
{
	switch (err) {
	case -FI_ENOMEM:
		return "raise the limit of locked memory (ulimit -l), or use "
		       "huge pages so that the device needs fewer entries";
	case -FI_EFAULT:
		return "the range must be mapped, and writable when it is "
		       "registered for receiving or remote writes; memory "
		       "of an accelerator needs FI_HMEM and its interface";
	case -FI_EBADF:
	case -FI_EINVAL:
		if (range->fd >= 0)
			return "the descriptor must be a dma-buf that holds "
			       "the whole range";
		/* fallthrough */
	default:
		return "see what the kernel logged";
	}
}

static int mr_register_device(struct fabric_domain *domain,
			      const struct mr_range *range, int verbs,
			      struct dev_mr *dev)
{
	const struct hmem_range memory = {
		.addr = range->addr, .len = range->len,
		.device = range->device,
	};

	return fabric_device_region_create(domain, range->iface, &memory,
					   verbs, dev);
}

static int mr_register_empty(struct fabric_domain *domain,
			     const struct mr_range *range, int verbs,
			     struct fabric_mr *mr)
{
	int ret = fabric_empty_region_open_at(&mr->empty, &domain->pd,
					      (uintptr_t)range->addr, verbs);

	if (!ret)
		mr->dev = mr->empty.mr;
	return ret;
}

/* A failure is logged. */
static int mr_register(struct fabric_domain *domain,
		       const struct mr_range *range, uint64_t access,
		       struct fabric_mr *mr)
{
	int ret, verbs = mr_verbs_access(domain, access);

	if (range->iface != FI_HMEM_SYSTEM)
		return mr_register_device(domain, range, verbs, &mr->dev);
	if (!range->len)
		ret = mr_register_empty(domain, range, verbs, mr);
	else if (range->fd < 0)
		ret = dev_mr_create(&domain->pd, range->addr, range->len,
				    verbs, &mr->dev);
	else
		ret = dev_mr_create_dmabuf(&domain->pd, range->offset,
					   range->len, (uintptr_t)range->addr,
					   range->fd, verbs, &mr->dev);
	if (ret)
		compat_warn(FI_LOG_MR, "cannot register %zu bytes at %p%s with "
			    "%s: %s; %s", range->len, range->addr,
			    range->fd < 0 ? "" : " of a dma-buf",
			    domain->device->name, fi_strerror(-ret),
			    mr_remedy(ret, range));
	return ret;
}

/* So that endpoints find it by the key that a peer sends. */
static void mr_list(struct fabric_domain *domain, struct fabric_mr *mr,
		    const struct mr_range *range, uint64_t access)
{
	mr->region = (struct fabric_region) {
		.key = mr->dev.rkey,
		.addr = (uintptr_t)range->addr,
		.len = range->len,
		.access = access & MR_REMOTE,
		.lkey = mr->dev.lkey,
	};
	fabric_region_add(&domain->regions, &mr->region);
}

static int mr_create(struct fabric_domain *domain,
		     const struct mr_range *range, uint64_t access,
		     struct fabric_mr **result)
{
	struct fabric_mr *mr = calloc(1, sizeof(*mr));
	int ret;

	if (!mr)
		return -FI_ENOMEM;
	ret = mr_register(domain, range, access, mr);
	if (ret) {
		free(mr);
		return ret;
	}
	mr->lkey = mr->dev.lkey;
	mr->device_only = range->fd >= 0 || range->iface != FI_HMEM_SYSTEM;
	mr->domain = domain;
	fabric_reference_get(&domain->users);
	mr->fid.fid.fclass = FI_CLASS_MR;
	mr->fid.fid.ops = &mr_fid_ops;
	mr->fid.mem_desc = mr;
	mr->fid.key = mr->dev.rkey;
	if (domain->soft_completions)
		mr_list(domain, mr, range, access);
	*result = mr;
	return 0;
}

/* An RDM endpoint copies short messages by the CPU, which a dma-buf need not
 * let at its memory. */
static int mr_check_range(const struct fabric_domain *domain,
			  const struct mr_range *range)
{
	if (range->fd < 0 || !domain->soft_completions)
		return 0;
	compat_warn(FI_LOG_MR, "FI_MR_DMABUF: messages of the fabric efa's "
		    "RDM endpoints are copied by the CPU, which a dma-buf "
		    "may not allow; use the fabric efa-direct, or register "
		    "mapped memory without FI_MR_DMABUF");
	return -FI_EOPNOTSUPP;
}

/* The one entrance: @flags are those that remain to be understood. */
static int mr_open(struct fid *fid, const struct mr_range *range,
		   uint64_t access, uint64_t flags, struct fid_mr **result,
		   void *context)
{
	struct fabric_domain *domain;
	struct fabric_mr *mr = NULL;
	int ret;

	if (fid->fclass != FI_CLASS_DOMAIN)
		return -FI_EINVAL;
	domain = fabric_domain_of((struct fid_domain *)fid);
	flags &= ~(uint64_t)FI_HMEM_DEVICE_ONLY;
	if (flags) {
		compat_warn(FI_LOG_MR, "registration flags 0x%" PRIx64
			    " are not supported", flags);
		return -FI_EBADFLAGS;
	}
	ret = mr_check_access(domain, access);
	if (ret)
		return ret;
	ret = mr_check_range(domain, range);
	if (ret)
		return ret;
	ret = mr_create(domain, range, access, &mr);
	if (ret)
		return ret;
	mr->fid.fid.context = context;
	*result = &mr->fid;
	return 0;
}

int fabric_mr_reg(struct fid *domain, const void *buf, size_t len,
		  uint64_t access, uint64_t offset, uint64_t requested_key,
		  uint64_t flags, struct fid_mr **mr, void *context)
{
	struct mr_range range = {
		.addr = (void *)(uintptr_t)buf, .len = len, .fd = -1,
	};

	return mr_open(domain, &range, access, flags, mr, context);
}

static int mr_check_count(const struct iovec *iov, size_t count)
{
	if (count == 1 && iov)
		return 0;
	compat_warn(FI_LOG_MR, "one registration is one range, not "
		    "%zu (mr_iov_limit is 1)", count);
	return -FI_EINVAL;
}

int fabric_mr_regv(struct fid *domain, const struct iovec *iov, size_t count,
		   uint64_t access, uint64_t offset, uint64_t requested_key,
		   uint64_t flags, struct fid_mr **mr, void *context)
{
	int ret = mr_check_count(iov, count);

	if (ret)
		return ret;
	return fabric_mr_reg(domain, iov->iov_base, iov->iov_len, access,
			     offset, requested_key, flags, mr, context);
}

static int mr_reg_dmabuf(struct fid *fid, const struct compat_mr_attr *attr,
			 uint64_t flags, struct fid_mr **mr)
{
	const struct compat_mr_dmabuf *dmabuf = attr->dmabuf;
	struct mr_range range;

	if (attr->iov_count != 1 || !dmabuf || dmabuf->fd < 0) {
		compat_warn(FI_LOG_MR, "FI_MR_DMABUF takes one fi_mr_dmabuf "
			    "with an open descriptor");
		return -FI_EINVAL;
	}
	range = (struct mr_range) {
		.addr = (char *)dmabuf->base_addr + dmabuf->offset,
		.len = dmabuf->len,
		.fd = dmabuf->fd,
		.offset = dmabuf->offset,
		/* whoever's it is, no library is needed */
		.iface = FI_HMEM_SYSTEM,
	};
	return mr_open(fid, &range, attr->access, flags & ~COMPAT_MR_DMABUF,
		       mr, attr->context);
}

static int mr_reg_iface(struct fid *fid, const struct compat_mr_attr *attr,
			uint64_t flags, struct fid_mr **mr)
{
	struct mr_range range = { .fd = -1, .iface = attr->iface };
	int ret = mr_check_count(attr->iov, attr->iov_count);

	if (ret)
		return ret;
	range.addr = attr->iov->iov_base;
	range.len = attr->iov->iov_len;
	range.device = (int)attr->device;
	return mr_open(fid, &range, attr->access, flags, mr, attr->context);
}

int fabric_mr_regattr(struct fid *fid, const struct fi_mr_attr *attr,
		      uint64_t flags, struct fid_mr **mr)
{
	struct fabric_domain *domain;
	struct compat_mr_attr read;
	bool knows_dmabufs;

	if (fid->fclass != FI_CLASS_DOMAIN)
		return -FI_EINVAL;
	domain = fabric_domain_of((struct fid_domain *)fid);
	knows_dmabufs = compat_api_has(domain->api_version, 1, 20);
	/* nothing newer is needed: what is not read need not be there */
	compat_mr_attr_read(attr, flags, domain->hmem, knows_dmabufs ?
			    FI_VERSION(1, 20) : domain->api_version, &read);
	/* an application too old for FI_MR_DMABUF meant nothing by its bit */
	if (flags & COMPAT_MR_DMABUF && knows_dmabufs)
		return mr_reg_dmabuf(fid, &read, flags, mr);
	return mr_reg_iface(fid, &read, flags, mr);
}
