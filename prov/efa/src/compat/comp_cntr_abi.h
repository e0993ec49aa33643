/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Completion counters of libibverbs and libefa, both since rdma-core 65: the
 * headers at hand may be older and the libraries without them, so that all
 * their functions are optional (compat/verbs_symbols.h).
 */
#ifndef COMPAT_COMP_CNTR_ABI_H
#define COMPAT_COMP_CNTR_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* A counter, of which nothing inside is used. */
struct compat_comp_cntr;

struct compat_comp_cntr_caps {
	uint64_t max_value;
	uint32_t max_counters;
	uint32_t attach_ops;	/* COMPAT_COMP_CNTR_* */
};
static_assert(sizeof(struct compat_comp_cntr_caps) == 16, "size");

/* Operations of a QP that a counter can be attached for. */
#define COMPAT_COMP_CNTR_SEND			(1u << 0)
#define COMPAT_COMP_CNTR_RECV			(1u << 1)
#define COMPAT_COMP_CNTR_RDMA_READ		(1u << 2)
#define COMPAT_COMP_CNTR_REMOTE_RDMA_READ	(1u << 3)
#define COMPAT_COMP_CNTR_RDMA_WRITE		(1u << 4)
#define COMPAT_COMP_CNTR_REMOTE_RDMA_WRITE	(1u << 5)

struct compat_comp_cntr_init_attr {
	uint32_t comp_mask;
	uint32_t type;		/* 0: work requests */
	uint32_t flags;
};
static_assert(sizeof(struct compat_comp_cntr_init_attr) == 12, "size");

struct compat_comp_cntr_attach_attr {
	uint32_t comp_mask;
	uint32_t op_mask;	/* COMPAT_COMP_CNTR_* */
};
static_assert(sizeof(struct compat_comp_cntr_attach_attr) == 8, "size");

/* compat_efadv_memory_location.type: an address of the process, or a dma-buf,
 * which @ptr may be a mapping of. */
#define COMPAT_EFADV_MEMORY_VA		0
#define COMPAT_EFADV_MEMORY_DMABUF	1

/* Where a count is to lie. */
struct compat_efadv_memory_location {
	uint8_t *ptr;
	struct {
		uint64_t offset;
		int32_t fd;
		uint32_t reserved;
	} dmabuf;
	uint8_t type;
	uint8_t reserved[7];
};
static_assert(sizeof(struct compat_efadv_memory_location) == 32, "size");

/* flags of compat_efadv_comp_cntr_init_attr */
#define COMPAT_EFADV_COMP_CNTR_COUNT_AT		(1u << 0)
#define COMPAT_EFADV_COMP_CNTR_ERRORS_AT	(1u << 1)

struct compat_efadv_comp_cntr_init_attr {
	uint64_t comp_mask;
	uint32_t flags;
	uint32_t reserved;
	struct compat_efadv_memory_location count;
	struct compat_efadv_memory_location errors;
};
static_assert(sizeof(struct compat_efadv_comp_cntr_init_attr) == 80, "size");

#endif /* COMPAT_COMP_CNTR_ABI_H */
