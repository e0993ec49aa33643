/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* AWS Neuron's run time. */
#include "hmem/accelerator.h"

#include <stdio.h>
#include <unistd.h>

#include <rdma/fi_errno.h>

enum { STATUS_SUCCESS = 0, STATUS_RESOURCE = 4 };	/* NRT_STATUS */

static struct {
	int (*get_fd)(uint64_t addr, uint64_t size, int *fd);
	int (*get_fd_v2)(uint64_t addr, uint64_t size, int *fd,
			 uint64_t *offset);
} nrt;

static const struct hmem_symbol nrt_symbols[] = {
	{ "nrt_get_dmabuf_fd", &nrt.get_fd },
	{ "nrt_get_dmabuf_fd_v2", &nrt.get_fd_v2 },
};

static const char *const nrt_files[] = { "libnrt.so.1", NULL };

static struct hmem_library nrt_library = {
	.files = nrt_files,
	.symbols = nrt_symbols,
	.symbol_count = sizeof(nrt_symbols) / sizeof(nrt_symbols[0]),
};

static int neuron_export(const struct hmem_range *range, int *fd,
			 uint64_t *offset, char *reason)
{
	uint64_t addr = (uintptr_t)range->addr;
	const char *call = "nrt_get_dmabuf_fd_v2";
	int status;

	if (nrt.get_fd_v2) {
		status = nrt.get_fd_v2(addr, range->len, fd, offset);
	} else if (nrt.get_fd) {
		/* knows allocations by their first byte alone */
		call = "nrt_get_dmabuf_fd";
		*offset = 0;
		status = nrt.get_fd(addr, range->len, fd);
	} else {
		hmem_library_lacks(&nrt_library, "nrt_get_dmabuf_fd", reason);
		return -FI_EOPNOTSUPP;
	}
	if (status == STATUS_SUCCESS)
		return 0;
	snprintf(reason, HMEM_REASON_SIZE, "%s gave %d", call, status);
	return status == STATUS_RESOURCE ? -FI_EINVAL : -FI_EOPNOTSUPP;
}

static void neuron_close(int fd)
{
	close(fd);
}

const struct hmem_accelerator hmem_neuron = {
	.name = "Neuron",
	.variable = "FI_HMEM_NEURON_USE_DMABUF",
	.by_address = true,
	.library = &nrt_library,
	.export_dmabuf = neuron_export,
	.close_dmabuf = neuron_close,
};
