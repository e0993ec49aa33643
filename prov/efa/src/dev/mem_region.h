/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Registered memory. */
#ifndef DEV_MEM_REGION_H
#define DEV_MEM_REGION_H

#include "dev/protection_domain.h"

struct dev_mr {
	struct ibv_mr *verbs;
	uint32_t lkey;
	uint32_t rkey;
};

/*
 * Registers @len_bytes at @addr with IBV_ACCESS_* @access; the key space
 * is the virtual address. 0 or a negative errno; not logged, since an
 * application's range may be bad and the caller knows whose it is.
 */
int dev_mr_create(struct dev_pd *pd, void *addr, size_t len_bytes,
		  int access, struct dev_mr *mr);
/* The same for memory that has the address @iova in work requests; both have
 * the same offset in a page. */
int dev_mr_create_at(struct dev_pd *pd, void *addr, size_t len_bytes,
		     uint64_t iova, int access, struct dev_mr *mr);
/* The same for the memory behind a dma-buf; @iova is its address in work
 * requests. @fd stays the caller's and may be closed. */
int dev_mr_create_dmabuf(struct dev_pd *pd, uint64_t offset, size_t len_bytes,
			 uint64_t iova, int fd, int access, struct dev_mr *mr);
/* The interconnects that reach a region; an ID counts where its bit is set. */
#define DEV_MR_IC_RECV		1u
#define DEV_MR_IC_RDMA_READ	2u
#define DEV_MR_IC_RDMA_RECV	4u

struct dev_mr_interconnects {
	uint16_t valid;		/* DEV_MR_IC_* */
	uint16_t recv, rdma_read, rdma_recv;
};

/* 0, or a negative errno of a kernel that cannot tell (not logged). */
int dev_mr_query(const struct dev_mr *mr, struct dev_mr_interconnects *out);
/* 0, or a negative errno (logged): the region is then still there. */
int dev_mr_destroy(struct dev_mr *mr);

#endif /* DEV_MEM_REGION_H */
