/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Memory of an accelerator that is not there, behind libraries that have
 * the names and the exporting functions of the vendors'. For tests alone.
 *
 * The addresses are reserved in the process without any access, as CUDA
 * does it: a touch by the CPU is a SIGSEGV, and one line of stderr names the
 * address first. The memory itself is a memfd, which softefa takes for a
 * dma-buf, and which the test reaches through copies.
 *
 * A test loads the library and finds fake_hmem in it. Not safe in threads.
 */
#ifndef FAKE_HMEM_DEVICE_STAND_IN_H
#define FAKE_HMEM_DEVICE_STAND_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fake_hmem {
	/* set by the test */
	bool no_dmabuf;		/* exporting is "not supported" */
	bool peer_memory;	/* what is allocated from now on the kernel
				 * finds by address, as with a module */
	/* counted */
	unsigned long calls;	/* of any of the vendor's functions */
	unsigned long exports;	/* descriptors handed out */
	unsigned long host_accesses;
	/* what a program does with the vendor's own calls; a failure ends
	 * the process */
	void *(*alloc)(size_t len);
	void (*free)(void *ptr);
	void (*write)(void *device, const void *host, size_t len);
	void (*read)(void *host, const void *device, size_t len);
};

#define FAKE_HMEM_SYMBOL	"fake_hmem"
extern struct fake_hmem fake_hmem;

/* ---- for the vendors' functions ---- */

enum stand_in_result {
	STAND_IN_OK,
	STAND_IN_UNKNOWN,	/* no such range of one allocation */
	STAND_IN_UNSUPPORTED,	/* no_dmabuf */
};

/*
 * A dma-buf of exactly the pages of [addr, addr + len), which must be whole
 * ones; the descriptor is the caller's. As a memfd cannot be a part of
 * another, the pages move to one of their own; they must not have been
 * exported in other portions before.
 */
enum stand_in_result stand_in_export_pages(uint64_t addr, size_t len,
					   int *fd);
/* A dma-buf of the whole allocation, and where in it @addr is. */
enum stand_in_result stand_in_export_all(uint64_t addr, size_t len, int *fd,
					 uint64_t *offset);

#endif /* FAKE_HMEM_DEVICE_STAND_IN_H */
