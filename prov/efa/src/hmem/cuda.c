/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * CUDA's driver API. No context is made, none is needed, and CUDA is not
 * initialised from here: memory to register exists only where the
 * application has done that.
 */
#include "hmem/accelerator.h"

#include <stdio.h>
#include <unistd.h>

#include <rdma/fi_errno.h>

/* Of cuda.h. */
enum {
	RESULT_SUCCESS		= 0,	/* CUresult */
	RESULT_INVALID_VALUE	= 1,
	RESULT_NOT_INITIALIZED	= 3,
	RESULT_NOT_SUPPORTED	= 801,
	HANDLE_DMABUF_FD	= 1,	/* CUmemRangeHandleType */
	MAPPING_PCIE		= 1,	/* a flag since 12.8: by the BAR */
	DMABUF_SUPPORTED	= 124,	/* CUdevice_attribute */
};

static struct {
	int (*get_handle)(void *handle, unsigned long long addr, size_t size,
			  int type, unsigned long long flags);
	int (*device_get)(int *device, int ordinal);
	int (*device_attribute)(int *value, int attribute, int device);
	int (*error_name)(int error, const char **name);
} cuda;

static const struct hmem_symbol cuda_symbols[] = {
	{ "cuMemGetHandleForAddressRange", &cuda.get_handle },
	{ "cuDeviceGet", &cuda.device_get },
	{ "cuDeviceGetAttribute", &cuda.device_attribute },
	{ "cuGetErrorName", &cuda.error_name },
};

static const char *const cuda_files[] = { "libcuda.so.1", NULL };

static struct hmem_library cuda_library = {
	.files = cuda_files,
	.symbols = cuda_symbols,
	.symbol_count = sizeof(cuda_symbols) / sizeof(cuda_symbols[0]),
};

/* A device without dma-bufs refuses in more ways than by saying so. */
static bool device_has_none(int ordinal)
{
	int device, has = 1;

	return cuda.device_get && cuda.device_attribute &&
	       !cuda.device_get(&device, ordinal) &&
	       !cuda.device_attribute(&has, DMABUF_SUPPORTED, device) &&
	       !has;
}

static int refused(int error, int device, char *reason)
{
	const char *name = NULL;

	if (cuda.error_name)
		cuda.error_name(error, &name);
	snprintf(reason, HMEM_REASON_SIZE,
		 "cuMemGetHandleForAddressRange gave %d (%s)%s", error,
		 name ? name : "unknown", error == RESULT_NOT_INITIALIZED ?
		 "; CUDA must be initialised by who has its memory" : "");
	if (error == RESULT_NOT_SUPPORTED || device_has_none(device))
		return -FI_EOPNOTSUPP;
	return error == RESULT_INVALID_VALUE ? -FI_EINVAL : -FI_EIO;
}

/* Whole pages of the host are exported: a dma-buf begins with one. */
static int cuda_export(const struct hmem_range *range, int *fd,
		       uint64_t *offset, char *reason)
{
	uintptr_t in_page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;
	uintptr_t addr = (uintptr_t)range->addr, first = addr & ~in_page;
	size_t size = ((addr + range->len + in_page) & ~in_page) - first;
	int ret;

	if (!cuda.get_handle) {
		hmem_library_lacks(&cuda_library,
				   "cuMemGetHandleForAddressRange", reason);
		return -FI_EOPNOTSUPP;
	}
	ret = cuda.get_handle(fd, first, size, HANDLE_DMABUF_FD,
			      MAPPING_PCIE);
	/* a driver older than the flag, or memory that has it not */
	if (ret == RESULT_INVALID_VALUE || ret == RESULT_NOT_SUPPORTED)
		ret = cuda.get_handle(fd, first, size, HANDLE_DMABUF_FD,
				      0);
	if (ret != RESULT_SUCCESS)
		return refused(ret, range->device, reason);
	*offset = addr - first;
	return 0;
}

static void cuda_close(int fd)
{
	close(fd);
}

const struct hmem_accelerator hmem_cuda = {
	.name = "CUDA",
	.variable = "FI_HMEM_CUDA_USE_DMABUF",
	.by_address = true,
	.library = &cuda_library,
	.export_dmabuf = cuda_export,
	.close_dmabuf = cuda_close,
};
