/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What libefa and the EFA kernel driver say to each other in the driver
 * part (UHW) of uverbs commands. Layout only; the field names are those of
 * rdma/efa-abi.h as rdma-core 65 carries it, of which a distribution's
 * kernel headers have only the older part.
 */
#ifndef DAEMON_EFA_ABI_H
#define DAEMON_EFA_ABI_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define EFA_ABI_DRIVER_ID		17u	/* RDMA_DRIVER_EFA */
#define EFA_ABI_QP_DRIVER_TYPE_SRD	0u

/* supported_caps */
#define EFA_ABI_SUPP_TX_BATCH		(1u << 0)
#define EFA_ABI_SUPP_MIN_SQ_WR		(1u << 1)

struct efa_abi_alloc_ucontext {
	uint32_t supported_caps;
	uint8_t reserved_20[4];
};

/* cmds_supp_udata_mask */
#define EFA_ABI_UDATA_QUERY_DEVICE	(1u << 0)
#define EFA_ABI_UDATA_CREATE_AH		(1u << 1)

struct efa_abi_alloc_ucontext_resp {
	uint32_t comp_mask;
	uint32_t cmds_supp_udata_mask;
	uint16_t sub_cqs_per_cq;
	uint16_t inline_buf_size;
	uint32_t max_llq_size;		/* bytes */
	uint16_t max_tx_batch;		/* units of 64 bytes */
	uint16_t min_sq_wr;
	uint16_t inline_buf_size_ex;
	uint8_t reserved_b0[2];
};

static_assert(sizeof(struct efa_abi_alloc_ucontext_resp) == 24, "");
static_assert(offsetof(struct efa_abi_alloc_ucontext_resp,
		       inline_buf_size_ex) == 20, "");

struct efa_abi_alloc_pd_resp {
	uint32_t comp_mask;
	uint16_t pdn;
	uint8_t reserved_30[2];
};

static_assert(sizeof(struct efa_abi_alloc_pd_resp) == 8, "");

/* flags of create_cq */
#define EFA_ABI_CQ_COMP_CHANNEL		(1u << 0)
#define EFA_ABI_CQ_SGID			(1u << 1)
#define EFA_ABI_CQ_SQ_REQ_ID_64		(1u << 2)

struct efa_abi_create_cq {
	uint32_t comp_mask;
	uint32_t cq_entry_size;
	uint16_t num_sub_cqs;
	uint8_t flags;
	uint8_t reserved_58[5];
};

static_assert(sizeof(struct efa_abi_create_cq) == 16, "");

/* comp_mask of create_cq_resp */
#define EFA_ABI_CQ_RESP_DB_OFF		(1u << 0)

struct efa_abi_create_cq_resp {
	uint32_t comp_mask;
	uint8_t reserved_20[4];
	uint64_t q_mmap_key;
	uint64_t q_mmap_size;
	uint16_t cq_idx;
	uint8_t reserved_d0[2];
	uint32_t db_off;		/* in its page */
	uint64_t db_mmap_key;
};

static_assert(sizeof(struct efa_abi_create_cq_resp) == 40, "");
static_assert(offsetof(struct efa_abi_create_cq_resp, db_off) == 28, "");

/* flags of create_qp */
#define EFA_ABI_QP_UNSOLICITED_WRITE_RECV	(1u << 0)
#define EFA_ABI_QP_SQ_REQ_ID_64			(1u << 1)

struct efa_abi_create_qp {
	uint32_t comp_mask;
	uint32_t rq_ring_size;		/* bytes */
	uint32_t sq_ring_size;		/* bytes */
	uint32_t driver_qp_type;
	uint16_t flags;
	uint8_t sl;
	uint8_t reserved_98[5];
};

static_assert(sizeof(struct efa_abi_create_qp) == 24, "");

struct efa_abi_create_qp_resp {
	uint32_t comp_mask;
	uint32_t rq_db_offset;		/* in its page, as the next two */
	uint32_t sq_db_offset;
	uint32_t llq_desc_offset;
	uint64_t rq_mmap_key;
	uint64_t rq_mmap_size;
	uint64_t rq_db_mmap_key;
	uint64_t sq_db_mmap_key;
	uint64_t llq_desc_mmap_key;
	uint16_t send_sub_cq_idx;
	uint16_t recv_sub_cq_idx;
	uint8_t reserved_1e0[4];
};

static_assert(sizeof(struct efa_abi_create_qp_resp) == 64, "");
static_assert(offsetof(struct efa_abi_create_qp_resp,
		       llq_desc_mmap_key) == 48, "");

struct efa_abi_create_ah_resp {
	uint32_t comp_mask;
	uint16_t efa_address_handle;
	uint8_t reserved_30[2];
};

static_assert(sizeof(struct efa_abi_create_ah_resp) == 8, "");

struct efa_abi_query_device_resp {
	uint32_t comp_mask;
	uint32_t max_sq_wr;
	uint32_t max_rq_wr;
	uint16_t max_sq_sge;
	uint16_t max_rq_sge;
	uint32_t max_rdma_size;
	uint32_t device_caps;		/* DEVICE_CAP_* of engine/profile.h */
};

static_assert(sizeof(struct efa_abi_query_device_resp) == 24, "");

/* Method and attributes of efadv_query_mr, in the driver's name space. */
#define EFA_ABI_METHOD_MR_QUERY			0x1000u
#define EFA_ABI_ATTR_QUERY_MR_HANDLE		0x1000u
#define EFA_ABI_ATTR_QUERY_MR_VALIDITY		0x1001u
#define EFA_ABI_ATTR_QUERY_MR_RECV_IC_ID	0x1002u
#define EFA_ABI_ATTR_QUERY_MR_READ_IC_ID	0x1003u
#define EFA_ABI_ATTR_QUERY_MR_RDMA_RECV_IC_ID	0x1004u

/*
 * Completion counters: in the core of kernels newer than most headers. Object
 * and methods, attributes of each in their order.
 */
#define UVERBS_ABI_OBJECT_COMP_CNTR		19u
#define UVERBS_ABI_METHOD_QUERY_CNTR_CAPS	8u	/* of the device */
#define UVERBS_ABI_CNTR_CAPS_MAX_COUNTERS	0u
#define UVERBS_ABI_CNTR_CAPS_MAX_VALUE		1u
#define UVERBS_ABI_CNTR_CAPS_OPS		2u
#define UVERBS_ABI_METHOD_QP_ATTACH_CNTR	2u	/* of a QP */
#define UVERBS_ABI_ATTACH_QP			0u
#define UVERBS_ABI_ATTACH_CNTR			1u
#define UVERBS_ABI_ATTACH_OPS			2u
#define UVERBS_ABI_METHOD_CNTR_CREATE		0u
#define UVERBS_ABI_METHOD_CNTR_DESTROY		1u
#define UVERBS_ABI_METHOD_CNTR_MODIFY		2u
#define UVERBS_ABI_METHOD_CNTR_READ		3u
#define UVERBS_ABI_CNTR_HANDLE			0u	/* of all four */
#define UVERBS_ABI_CNTR_PART			1u	/* modify, read */
#define UVERBS_ABI_CNTR_MODIFY_OP		2u	/* 0 set, 1 add */
#define UVERBS_ABI_CNTR_MODIFY_VALUE		3u
#define UVERBS_ABI_CNTR_READ_VALUE		2u

/* Where create puts a counter: in the driver's name space. */
#define EFA_ABI_ATTR_CNTR_COMP_BUFFER		0x1000u
#define EFA_ABI_ATTR_CNTR_ERR_BUFFER		0x1001u

#define UVERBS_ABI_BUFFER_DMABUF		0u
#define UVERBS_ABI_BUFFER_VA			1u

struct uverbs_abi_buffer {
	uint32_t type;
	int32_t fd;
	uint32_t flags;			/* none is known */
	uint32_t optional_flags;
	uint64_t addr;			/* or offset in the dma-buf */
	uint64_t length;
};

static_assert(sizeof(struct uverbs_abi_buffer) == 32, "");
static_assert(offsetof(struct uverbs_abi_buffer, addr) == 16, "");

#endif /* DAEMON_EFA_ABI_H */
