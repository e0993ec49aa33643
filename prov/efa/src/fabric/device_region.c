/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/device_region.h"

#include <rdma/fi_errno.h>

#include "compat/core_variable.h"
#include "compat/log.h"
#include "hmem/device_memory.h"

bool fabric_device_region_permitted(void)
{
	return !compat_core_variable("FI_HMEM_DISABLE_P2P", false);
}

static int refuse_iface(enum fi_hmem_iface iface)
{
	/* what libfabric defines so far, up to SynapseAI */
	bool known = (unsigned int)iface <= 5;

	compat_warn(FI_LOG_MR, "memory of the interface %d %s; there are "
		    "FI_HMEM_CUDA, FI_HMEM_ROCR, FI_HMEM_NEURON and "
		    "FI_HMEM_SYNAPSEAI, and FI_MR_DMABUF for any other",
		    (int)iface, known ? "is not supported" : "is unknown");
	return known ? -FI_ENOSYS : -FI_EINVAL;
}

/* The one line of a failure: @cause is of the dma-buf, or of all. */
static int fail(const struct fabric_domain *domain,
		const struct hmem_accelerator *accelerator,
		const struct hmem_range *range, int ret, const char *cause,
		const char *remedy)
{
	compat_warn(FI_LOG_MR, "cannot register %zu bytes of %s memory at %p "
		    "with %s: %s: %s; %s", range->len, accelerator->name,
		    range->addr, domain->device->name, cause,
		    fi_strerror(-ret), remedy);
	return ret;
}

/* The kernel's peer-memory module, if there is one, knows whose address it
 * is. @cause: why there is no dma-buf. */
static int create_by_address(struct fabric_domain *domain,
			     const struct hmem_accelerator *accelerator,
			     const struct hmem_range *range, int verbs_access,
			     const char *cause, struct dev_mr *mr)
{
	int ret;

	if (!accelerator->by_address)
		return fail(domain, accelerator, range, -FI_EOPNOTSUPP, cause,
			    "its memory can be registered by dma-buf alone");
	ret = dev_mr_create(&domain->pd, (void *)(uintptr_t)range->addr,
			    range->len, verbs_access, mr);
	if (ret)
		return fail(domain, accelerator, range, ret, cause,
			    "no dma-buf, and the kernel does not know the "
			    "address either: use a driver of the accelerator "
			    "that exports dma-bufs, or load its peer-memory "
			    "module");
	compat_warn_once(FI_LOG_MR, "%s memory is registered with %s by its "
			 "address, through a peer-memory module of the "
			 "kernel, since there is no dma-buf of it: %s",
			 accelerator->name, domain->device->name, cause);
	return 0;
}

static int create_by_dmabuf(struct fabric_domain *domain,
			    const struct hmem_range *range, int verbs_access,
			    struct hmem_dmabuf *dmabuf, struct dev_mr *mr)
{
	int ret = dev_mr_create_dmabuf(&domain->pd, dmabuf->offset, range->len,
				       (uintptr_t)range->addr, dmabuf->fd,
				       verbs_access, mr);

	hmem_close(dmabuf);
	return ret;
}

static const char *export_remedy(int err)
{
	return err == -FI_ENOSYS ?
	       "install the accelerator's driver, or put the directory of "
	       "its libraries into LD_LIBRARY_PATH" :
	       "the range must be part of one allocation of that accelerator";
}

int fabric_device_region_create(struct fabric_domain *domain,
				enum fi_hmem_iface iface,
				const struct hmem_range *range,
				int verbs_access, struct dev_mr *mr)
{
	const struct hmem_accelerator *accelerator = hmem_accelerator(iface);
	char reason[HMEM_REASON_SIZE] = "";
	struct hmem_dmabuf dmabuf;
	int ret;

	if (!accelerator)
		return refuse_iface(iface);
	if (!fabric_device_region_permitted())
		return fail(domain, accelerator, range, -FI_ENOSYS,
			    "FI_HMEM_DISABLE_P2P is set",
			    "unset it: the device has no other way to it");
	ret = hmem_export(accelerator, range, &dmabuf, reason);
	if (ret == -FI_EOPNOTSUPP)
		return create_by_address(domain, accelerator, range,
					 verbs_access, reason, mr);
	if (ret)
		return fail(domain, accelerator, range, ret, reason,
			    export_remedy(ret));
	ret = create_by_dmabuf(domain, range, verbs_access, &dmabuf, mr);
	/* a kernel whose EFA driver takes no dma-bufs */
	if (ret == -FI_EOPNOTSUPP)
		return create_by_address(domain, accelerator, range,
					 verbs_access,
					 "the kernel takes no dma-bufs", mr);
	if (ret)
		return fail(domain, accelerator, range, ret,
			    "the kernel refuses its dma-buf",
			    "see what the kernel logged");
	return 0;
}
