/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The part of libefa's interface this project uses, in its newest layout
 * (rdma-core 65, infiniband/efadv.h): the library is opened at run time and
 * may be older or newer than any header at hand.
 *
 * Each call takes the caller's structure size: an older library fills what
 * it knows and needs the rest to be zero on input. Members say since which
 * rdma-core they are filled; without a note, since 59, the first one with
 * efadv_query_qp_wqs and efadv_query_cq.
 */
#ifndef COMPAT_EFADV_ABI_H
#define COMPAT_EFADV_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* device_caps of compat_efadv_device_attr */
#define COMPAT_EFADV_RDMA_READ			(1u << 0)
#define COMPAT_EFADV_RNR_RETRY			(1u << 1)
#define COMPAT_EFADV_CQ_WITH_SGID		(1u << 2)
#define COMPAT_EFADV_RDMA_WRITE			(1u << 3)
#define COMPAT_EFADV_UNSOLICITED_WRITE_RECV	(1u << 4)
#define COMPAT_EFADV_CQ_WITH_EXT_MEM_DMABUF	(1u << 5)
#define COMPAT_EFADV_COMP_CNTR			(1u << 6)

struct compat_efadv_device_attr {
	uint64_t comp_mask;
	uint32_t max_sq_wr;
	uint32_t max_rq_wr;
	uint16_t max_sq_sge;
	uint16_t max_rq_sge;
	uint16_t inline_buf_size;	/* bytes, in a 64-byte WQE */
	uint16_t inline_buf_size_ex;	/* bytes, in a 128-byte WQE; 63 */
	uint32_t device_caps;		/* COMPAT_EFADV_* */
	uint32_t max_rdma_size;		/* bytes */
};
static_assert(sizeof(struct compat_efadv_device_attr) == 32, "size");

struct compat_efadv_sq_depth_attr {	/* 63 */
	uint64_t comp_mask;
	uint32_t flags;
	uint32_t max_send_sge;
	uint32_t max_rdma_sge;
	uint32_t max_inline_data;	/* bytes */
};
static_assert(sizeof(struct compat_efadv_sq_depth_attr) == 24, "size");

struct compat_efadv_ah_attr {
	uint64_t comp_mask;
	uint16_t ahn;
	uint8_t reserved[6];
};
static_assert(sizeof(struct compat_efadv_ah_attr) == 16, "size");

#define COMPAT_EFADV_QP_DRIVER_TYPE_SRD		0u
/* flags of compat_efadv_qp_init_attr */
#define COMPAT_EFADV_QP_UNSOLICITED_WRITE_RECV	(1u << 0)

struct compat_efadv_qp_init_attr {
	uint64_t comp_mask;
	uint32_t driver_qp_type;
	uint16_t flags;
	uint8_t sl;
	uint8_t reserved;
};
static_assert(sizeof(struct compat_efadv_qp_init_attr) == 16, "size");

#define COMPAT_EFADV_WQ_REQ_ID_64		(1u << 0)

struct compat_efadv_wq_attr {
	uint64_t comp_mask;
	uint8_t *buffer;
	uint32_t entry_size;	/* bytes */
	uint32_t num_entries;
	uint32_t *doorbell;
	uint32_t max_batch;	/* entries */
	uint16_t caps;		/* COMPAT_EFADV_WQ_*; 65, zero before */
	uint8_t reserved[2];
};
static_assert(sizeof(struct compat_efadv_wq_attr) == 40, "size");
static_assert(offsetof(struct compat_efadv_wq_attr, caps) == 36, "caps");

/* wc_flags of compat_efadv_cq_init_attr */
#define COMPAT_EFADV_WC_WITH_SGID		(1u << 0)
#define COMPAT_EFADV_WC_WITH_IS_UNSOLICITED	(1u << 1)

struct compat_efadv_cq_init_attr {
	uint64_t comp_mask;
	uint64_t wc_flags;
};
static_assert(sizeof(struct compat_efadv_cq_init_attr) == 16, "size");

struct compat_efadv_cq_attr {
	uint64_t comp_mask;
	uint8_t *buffer;
	uint32_t entry_size;	/* bytes */
	uint32_t num_entries;
	uint32_t *doorbell;	/* 60; NULL: none */
};
static_assert(sizeof(struct compat_efadv_cq_attr) == 32, "size");

struct compat_efadv_mr_attr {
	uint64_t comp_mask;
	uint16_t ic_id_validity;	/* bits 1, 2, 4: of the three below */
	uint16_t recv_ic_id;
	uint16_t rdma_read_ic_id;
	uint16_t rdma_recv_ic_id;
};
static_assert(sizeof(struct compat_efadv_mr_attr) == 16, "size");

#endif /* COMPAT_EFADV_ABI_H */
