/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the efa provider has beyond libfabric's own interface: tables of
 * functions, opened by name with fi_open_ops, and an operation flag.
 *
 * Names, numbers and layouts are those of libfabric's own efa provider, so
 * that a program built for one runs with the other. Whether a table is
 * there is known at run time; libfabric-efa(7) says which this provider
 * has.
 */
#ifndef RDMA_FI_EXT_EFA_H
#define RDMA_FI_EXT_EFA_H

#include <stdbool.h>
#include <stdint.h>

#include <rdma/fi_domain.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tables of a domain. */
#define FI_EFA_DOMAIN_OPS	"efa domain ops"
#define FI_EFA_GDA_OPS		"efa gda ops"
/* Table of a fabric. */
#define FI_EFA_FEATURE_OPS	"efa feature ops"

/* Operation flag: let the device prefer message rate for this operation.
 * Bits 60 to 63 are a provider's own. */
#define FI_EFA_WR_HIGH_PPS	(1ULL << 60)

/* ---- FI_EFA_DOMAIN_OPS ---- */

/* The interconnects that reach a region; only those marked valid count. */
struct fi_efa_mr_attr {
	uint16_t ic_id_validity;
	uint16_t recv_ic_id;
	uint16_t rdma_read_ic_id;
	uint16_t rdma_recv_ic_id;
};

/* fi_efa_mr_attr.ic_id_validity */
enum {
	FI_EFA_MR_ATTR_RECV_IC_ID = 0x1,
	FI_EFA_MR_ATTR_RDMA_READ_IC_ID = 0x2,
	FI_EFA_MR_ATTR_RDMA_RECV_IC_ID = 0x4,
};

struct fi_efa_ops_domain {
	int (*query_mr)(struct fid_mr *mr, struct fi_efa_mr_attr *mr_attr);
};

/* ---- FI_EFA_GDA_OPS: for programs that drive the queues themselves ---- */

/* fi_efa_wq_attr.caps: request IDs have 64 bits. */
enum fi_efa_wq_caps {
	FI_EFA_WQ_CAPS_64_BIT_REQ_ID = 0x1,
};

/* The ring of a send or receive queue. */
struct fi_efa_wq_attr {
	uint8_t *buffer;
	uint32_t entry_size;
	uint32_t num_entries;
	uint32_t *doorbell;
	uint32_t max_batch;
	uint16_t caps;
};

/* The ring of a completion queue. */
struct fi_efa_cq_attr {
	uint8_t *buffer;
	uint32_t entry_size;
	uint32_t num_entries;
};

/* fi_efa_cq_init_attr.flags */
enum {
	FI_EFA_CQ_INIT_FLAGS_EXT_MEM_DMABUF = 0x1,
};

/* A completion queue in memory of the application's. */
struct fi_efa_cq_init_attr {
	uint64_t flags;
	struct {
		uint8_t *buffer;
		uint64_t length;
		uint64_t offset;
		uint32_t fd;
	} ext_mem_dmabuf;
};

/* fi_efa_memory_location.type */
enum fi_efa_memory_location_type {
	FI_EFA_MEMORY_LOCATION_VA,
	FI_EFA_MEMORY_LOCATION_DMABUF,
};

struct fi_efa_memory_location {
	uint8_t *ptr;
	struct {
		uint64_t offset;
		int32_t fd;
		uint32_t reserved;
	} dmabuf;
	uint8_t type;
	uint8_t reserved[7];
};

/* fi_efa_comp_cntr_init_attr.flags */
enum {
	FI_EFA_COMP_CNTR_INIT_WITH_COMP_EXTERNAL_MEM = 0x1,
	FI_EFA_COMP_CNTR_INIT_WITH_ERR_EXTERNAL_MEM = 0x2,
};

/* A device's counter in memory of the application's. */
struct fi_efa_comp_cntr_init_attr {
	uint64_t comp_mask;
	uint32_t flags;
	uint32_t reserved;
	struct fi_efa_memory_location comp_cntr_ext_mem;
	struct fi_efa_memory_location err_cntr_ext_mem;
};

struct fi_efa_ops_gda {
	int (*query_addr)(struct fid_ep *ep_fid, fi_addr_t addr,
			  uint16_t *ahn, uint16_t *remote_qpn,
			  uint32_t *remote_qkey);
	int (*query_qp_wqs)(struct fid_ep *ep_fid,
			    struct fi_efa_wq_attr *sq_attr,
			    struct fi_efa_wq_attr *rq_attr);
	int (*query_cq)(struct fid_cq *cq_fid,
			struct fi_efa_cq_attr *cq_attr);
	int (*cq_open_ext)(struct fid_domain *domain_fid,
			   struct fi_cq_attr *attr,
			   struct fi_efa_cq_init_attr *efa_cq_init_attr,
			   struct fid_cq **cq_fid, void *context);
	uint64_t (*get_mr_lkey)(struct fid_mr *mr);
	int (*cntr_open_ext)(struct fid_domain *domain,
			     struct fi_cntr_attr *attr,
			     struct fid_cntr **cntr, void *context,
			     struct fi_efa_comp_cntr_init_attr *efa_attr);
};

/* ---- FI_EFA_FEATURE_OPS ---- */

struct fi_efa_feature_ops {
	/* Is the behaviour that goes by this name there? */
	bool (*query)(const char *feature);
};

#ifdef __cplusplus
}
#endif

#endif /* RDMA_FI_EXT_EFA_H */
