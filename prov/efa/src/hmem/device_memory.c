/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "hmem/device_memory.h"

#include <stdio.h>

#include <rdma/fi_errno.h>

#include "compat/core_variable.h"

static const struct hmem_accelerator *const accelerators[] = {
	[FI_HMEM_CUDA] = &hmem_cuda,
	[FI_HMEM_ROCR] = &hmem_rocr,
	[FI_HMEM_NEURON] = &hmem_neuron,
	[FI_HMEM_SYNAPSEAI] = &hmem_synapseai,
};

#define ACCELERATORS	(sizeof(accelerators) / sizeof(accelerators[0]))

static const struct hmem_accelerator *replaced[ACCELERATORS];

const struct hmem_accelerator *hmem_accelerator(enum fi_hmem_iface iface)
{
	if ((size_t)iface >= ACCELERATORS)
		return NULL;
	return replaced[iface] ? replaced[iface] : accelerators[iface];
}

int hmem_export(const struct hmem_accelerator *accelerator,
		const struct hmem_range *range, struct hmem_dmabuf *dmabuf,
		char *reason)
{
	uint64_t offset = 0;
	int fd = -1, ret = 0;

	if (!range->len) {
		snprintf(reason, HMEM_REASON_SIZE, "the range is empty");
		return -FI_EINVAL;
	}
	/* without its library there is none of its memory either */
	if (accelerator->library)
		ret = hmem_library_open(accelerator->library, reason);
	if (ret)
		return ret;
	if (!compat_core_variable(accelerator->variable, true)) {
		snprintf(reason, HMEM_REASON_SIZE, "%s forbids dma-bufs",
			 accelerator->variable);
		return -FI_EOPNOTSUPP;
	}
	ret = accelerator->export_dmabuf(range, &fd, &offset, reason);
	if (ret)
		return ret;
	*dmabuf = (struct hmem_dmabuf) {
		.fd = fd, .offset = offset, .accelerator = accelerator,
	};
	return 0;
}

void hmem_close(struct hmem_dmabuf *dmabuf)
{
	if (dmabuf->accelerator->close_dmabuf)
		dmabuf->accelerator->close_dmabuf(dmabuf->fd);
	dmabuf->fd = -1;
}

void hmem_replace(enum fi_hmem_iface iface,
		  const struct hmem_accelerator *accelerator)
{
	replaced[iface] = accelerator;
}
