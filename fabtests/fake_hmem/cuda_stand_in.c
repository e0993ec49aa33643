/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * libcuda.so.1: what a driver has that exports dma-bufs, or with OLD_DRIVER
 * one of before that. Like such a driver it refuses flags that it does not
 * know.
 */
#include "fabtests/fake_hmem/device_stand_in.h"

enum { INVALID_VALUE = 1, NOT_SUPPORTED = 801, DMA_BUF_SUPPORTED = 124 };

int cuMemGetHandleForAddressRange(void *handle, unsigned long long addr,
				  size_t size, int type,
				  unsigned long long flags);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuGetErrorName(int error, const char **name);

#ifndef OLD_DRIVER
int cuMemGetHandleForAddressRange(void *handle, unsigned long long addr,
				  size_t size, int type,
				  unsigned long long flags)
{
	fake_hmem.calls++;
	if (type != 1 || flags)
		return INVALID_VALUE;
	switch (stand_in_export_pages(addr, size, handle)) {
	case STAND_IN_OK:
		return 0;
	case STAND_IN_UNSUPPORTED:
		return NOT_SUPPORTED;
	default:
		return INVALID_VALUE;
	}
}
#endif

int cuDeviceGet(int *device, int ordinal)
{
	fake_hmem.calls++;
	*device = ordinal + 100;
	return ordinal ? INVALID_VALUE : 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
	fake_hmem.calls++;
	if (attribute != DMA_BUF_SUPPORTED || device != 100)
		return INVALID_VALUE;
	*value = !fake_hmem.no_dmabuf;
	return 0;
}

int cuGetErrorName(int error, const char **name)
{
	fake_hmem.calls++;
	*name = error == NOT_SUPPORTED ? "CUDA_ERROR_NOT_SUPPORTED" :
		error == INVALID_VALUE ? "CUDA_ERROR_INVALID_VALUE" :
					 "CUDA_SUCCESS";
	return 0;
}
