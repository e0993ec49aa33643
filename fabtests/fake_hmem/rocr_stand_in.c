/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* libhsa-runtime64.so.1; the dma-buf is of the whole allocation. */
#include "fabtests/fake_hmem/device_stand_in.h"

#include <unistd.h>

enum { ERROR = 0x1000, INVALID_ALLOCATION = 0x1003 };

int hsa_amd_portable_export_dmabuf(const void *addr, size_t size, int *fd,
				   uint64_t *offset);
int hsa_amd_portable_close_dmabuf(int fd);
int hsa_status_string(int status, const char **text);

int hsa_amd_portable_export_dmabuf(const void *addr, size_t size, int *fd,
				   uint64_t *offset)
{
	fake_hmem.calls++;
	switch (stand_in_export_all((uintptr_t)addr, size, fd, offset)) {
	case STAND_IN_OK:
		return 0;
	case STAND_IN_UNSUPPORTED:
		return ERROR;
	default:
		return INVALID_ALLOCATION;
	}
}

int hsa_amd_portable_close_dmabuf(int fd)
{
	fake_hmem.calls++;
	return close(fd) ? ERROR : 0;
}

int hsa_status_string(int status, const char **text)
{
	fake_hmem.calls++;
	*text = status == ERROR ? "HSA_STATUS_ERROR" :
				  "HSA_STATUS_ERROR_INVALID_ALLOCATION";
	return 0;
}
