/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Memory of accelerators (libfabric's FI_HMEM interfaces), as a NIC gets at
 * it: by a dma-buf that the accelerator's library exports. Nothing here
 * runs, and no library is opened, before the first export.
 */
#ifndef HMEM_DEVICE_MEMORY_H
#define HMEM_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include <rdma/fi_domain.h>

#include "hmem/accelerator.h"

/* NULL: memory of @iface is not supported, or there is no such interface. */
const struct hmem_accelerator *hmem_accelerator(enum fi_hmem_iface iface);

/* A dma-buf that holds a range; hmem_close ends it. */
struct hmem_dmabuf {
	int fd;
	uint64_t offset;	/* of the range's first byte */
	const struct hmem_accelerator *accelerator;
};

/*
 * Exports @range. Nothing is logged; with an error @reason, of
 * HMEM_REASON_SIZE, says why:
 *	-FI_ENOSYS	the accelerator's library cannot be loaded
 *	-FI_EOPNOTSUPP	there are no dma-bufs of this memory, or the
 *			accelerator's variable forbids them: where it is
 *			by_address, that way is left
 *	-FI_EINVAL	an empty range
 *	others		the library refuses the range
 */
int hmem_export(const struct hmem_accelerator *accelerator,
		const struct hmem_range *range, struct hmem_dmabuf *dmabuf,
		char *reason);

/* A device that has registered the dma-buf keeps it without @dmabuf. */
void hmem_close(struct hmem_dmabuf *dmabuf);

/* For tests: @iface is @accelerator from now on; NULL undoes it. */
void hmem_replace(enum fi_hmem_iface iface,
		  const struct hmem_accelerator *accelerator);

#endif /* HMEM_DEVICE_MEMORY_H */
