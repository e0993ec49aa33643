/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What an accelerator's library does for its memory, one table a vendor.
 * Each is the vendor's published interface, called by symbols found at run
 * time; no header of a vendor is needed to build.
 */
#ifndef HMEM_ACCELERATOR_H
#define HMEM_ACCELERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "hmem/vendor_library.h"

struct hmem_range {
	const void *addr;
	size_t len;		/* not 0 */
	int device;		/* the vendor's number of it */
};

struct hmem_accelerator {
	const char *name;	/* "CUDA" */
	const char *variable;	/* of the environment: off means no dma-buf */
	/* The kernel may lead the NIC to its memory by address, through the
	 * vendor's peer-memory module. */
	bool by_address;
	struct hmem_library *library;	/* NULL: none is needed */
	/*
	 * A dma-buf that holds @range, and where in it the range begins; the
	 * library is open. -FI_EOPNOTSUPP: there are no dma-bufs of this
	 * memory; another error: the library refuses the range. With either
	 * @reason says which call said what.
	 */
	int (*export_dmabuf)(const struct hmem_range *range, int *fd,
			     uint64_t *offset, char *reason);
	/* The descriptor is no longer needed. NULL: it stays the library's. */
	void (*close_dmabuf)(int fd);
};

extern const struct hmem_accelerator hmem_cuda;
extern const struct hmem_accelerator hmem_rocr;
extern const struct hmem_accelerator hmem_neuron;
extern const struct hmem_accelerator hmem_synapseai;

#endif /* HMEM_ACCELERATOR_H */
