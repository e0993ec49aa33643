/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * AMD's ROCm runtime (ROCr), which the application has initialised where it
 * has memory of it.
 */
#include "hmem/accelerator.h"

#include <stdio.h>

#include <rdma/fi_errno.h>

/* hsa_status_t */
enum {
	STATUS_SUCCESS		= 0,
	STATUS_INVALID_ARGUMENT	= 0x1001,
	STATUS_INVALID_ALLOCATION	= 0x1003,
	STATUS_OUT_OF_RESOURCES	= 0x1008,
	STATUS_NOT_INITIALIZED	= 0x100b,
};

static struct {
	int (*export_dmabuf)(const void *addr, size_t size, int *fd,
			     uint64_t *offset);
	int (*close_dmabuf)(int fd);
	int (*status_string)(int status, const char **text);
} hsa;

static const struct hmem_symbol hsa_symbols[] = {
	{ "hsa_amd_portable_export_dmabuf", &hsa.export_dmabuf },
	{ "hsa_amd_portable_close_dmabuf", &hsa.close_dmabuf },
	{ "hsa_status_string", &hsa.status_string },
};

static const char *const hsa_files[] = {
	"libhsa-runtime64.so.1", "libhsa-runtime64.so", NULL,
};

static struct hmem_library hsa_library = {
	.files = hsa_files,
	.symbols = hsa_symbols,
	.symbol_count = sizeof(hsa_symbols) / sizeof(hsa_symbols[0]),
};

static int refused(int status, char *reason)
{
	const char *text = NULL;

	if (hsa.status_string)
		hsa.status_string(status, &text);
	snprintf(reason, HMEM_REASON_SIZE,
		 "hsa_amd_portable_export_dmabuf gave 0x%x (%s)", status,
		 text ? text : "unknown");
	switch (status) {
	case STATUS_INVALID_ARGUMENT:
	case STATUS_INVALID_ALLOCATION:
		return -FI_EINVAL;
	case STATUS_OUT_OF_RESOURCES:
		return -FI_ENOMEM;
	case STATUS_NOT_INITIALIZED:
		return -FI_EIO;
	default:		/* a device or a kernel without dma-bufs */
		return -FI_EOPNOTSUPP;
	}
}

static int rocr_export(const struct hmem_range *range, int *fd,
		       uint64_t *offset, char *reason)
{
	int status;

	/* the one without the other would leak descriptors */
	if (!hsa.export_dmabuf || !hsa.close_dmabuf) {
		hmem_library_lacks(&hsa_library, hsa.export_dmabuf ?
				   "hsa_amd_portable_close_dmabuf" :
				   "hsa_amd_portable_export_dmabuf", reason);
		return -FI_EOPNOTSUPP;
	}
	status = hsa.export_dmabuf(range->addr, range->len, fd, offset);
	return status == STATUS_SUCCESS ? 0 : refused(status, reason);
}

static void rocr_close(int fd)
{
	hsa.close_dmabuf(fd);
}

const struct hmem_accelerator hmem_rocr = {
	.name = "ROCr",
	.variable = "FI_HMEM_ROCR_USE_DMABUF",
	.by_address = true,
	.library = &hsa_library,
	.export_dmabuf = rocr_export,
	.close_dmabuf = rocr_close,
};
