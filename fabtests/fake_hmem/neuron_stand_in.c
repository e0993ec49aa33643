/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * libnrt.so.1: knows any address of an allocation; with OLD_DRIVER the first
 * one alone.
 */
#include "fabtests/fake_hmem/device_stand_in.h"

#include <unistd.h>

enum { FAILURE = 1, RESOURCE = 4 };

int nrt_get_dmabuf_fd(uint64_t addr, uint64_t size, int *fd);
int nrt_get_dmabuf_fd_v2(uint64_t addr, uint64_t size, int *fd,
			 uint64_t *offset);

static int export_all(uint64_t addr, uint64_t size, int *fd,
		      uint64_t *offset)
{
	fake_hmem.calls++;
	switch (stand_in_export_all(addr, size, fd, offset)) {
	case STAND_IN_OK:
		return 0;
	case STAND_IN_UNSUPPORTED:
		return FAILURE;
	default:
		return RESOURCE;
	}
}

int nrt_get_dmabuf_fd(uint64_t addr, uint64_t size, int *fd)
{
	uint64_t offset;
	int ret = export_all(addr, size, fd, &offset);

	if (!ret && offset) {
		close(*fd);
		return RESOURCE;
	}
	return ret;
}

#ifndef OLD_DRIVER
int nrt_get_dmabuf_fd_v2(uint64_t addr, uint64_t size, int *fd,
			 uint64_t *offset)
{
	return export_all(addr, size, fd, offset);
}
#endif
