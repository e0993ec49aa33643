/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * libibverbs and libefa, opened at run time: a process without them, or
 * with old ones, goes on without EFA devices, and the log says what is
 * missing. Every symbol is looked up once.
 *
 * Only calls with a settled ABI are used: exported functions, and of the
 * inline ones those that go through the operations of an opened context.
 */
#ifndef COMPAT_VERBS_SYMBOLS_H
#define COMPAT_VERBS_SYMBOLS_H

#include <infiniband/verbs.h>

#include "compat/comp_cntr_abi.h"
#include "compat/efadv_abi.h"

/* The first release of rdma-core with all that is required. */
#define COMPAT_RDMA_CORE_NEEDED	"59"

/* As infiniband/verbs.h and infiniband/efadv.h describe the functions named
 * ibv_* and efadv_*. The last group may be NULL. */
struct compat_verbs {
	struct ibv_device **(*get_device_list)(int *count);
	void (*free_device_list)(struct ibv_device **list);
	struct ibv_context *(*open_device)(struct ibv_device *device);
	int (*close_device)(struct ibv_context *context);
	int (*query_device)(struct ibv_context *context,
			    struct ibv_device_attr *attr);
	int (*query_gid)(struct ibv_context *context, uint8_t port, int index,
			 union ibv_gid *gid);
	struct ibv_pd *(*alloc_pd)(struct ibv_context *context);
	int (*dealloc_pd)(struct ibv_pd *pd);
	struct ibv_mr *(*reg_mr_iova2)(struct ibv_pd *pd, void *addr,
				       size_t length, uint64_t iova,
				       unsigned int access);
	struct ibv_mr *(*reg_dmabuf_mr)(struct ibv_pd *pd, uint64_t offset,
					size_t length, uint64_t iova, int fd,
					int access);
	int (*dereg_mr)(struct ibv_mr *mr);
	struct ibv_comp_channel *(*create_comp_channel)(
		struct ibv_context *context);
	int (*destroy_comp_channel)(struct ibv_comp_channel *channel);
	int (*destroy_cq)(struct ibv_cq *cq);
	int (*get_cq_event)(struct ibv_comp_channel *channel,
			    struct ibv_cq **cq, void **cq_context);
	void (*ack_cq_events)(struct ibv_cq *cq, unsigned int count);
	struct ibv_qp *(*create_qp)(struct ibv_pd *pd,
				    struct ibv_qp_init_attr *attr);
	int (*modify_qp)(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			 int attr_mask);
	int (*destroy_qp)(struct ibv_qp *qp);
	struct ibv_ah *(*create_ah)(struct ibv_pd *pd,
				    struct ibv_ah_attr *attr);
	int (*destroy_ah)(struct ibv_ah *ah);

	int (*efadv_query_device)(struct ibv_context *context,
				  struct compat_efadv_device_attr *attr,
				  uint32_t attr_bytes);
	int (*efadv_query_ah)(struct ibv_ah *ah,
			      struct compat_efadv_ah_attr *attr,
			      uint32_t attr_bytes);
	struct ibv_qp *(*efadv_create_qp_ex)(
		struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
		struct compat_efadv_qp_init_attr *efa_attr,
		uint32_t efa_attr_bytes);
	int (*efadv_query_qp_wqs)(struct ibv_qp *qp,
				  struct compat_efadv_wq_attr *sq,
				  struct compat_efadv_wq_attr *rq,
				  uint32_t attr_bytes);
	struct ibv_cq_ex *(*efadv_create_cq)(
		struct ibv_context *context, struct ibv_cq_init_attr_ex *attr,
		struct compat_efadv_cq_init_attr *efa_attr,
		uint32_t efa_attr_bytes);
	int (*efadv_query_cq)(struct ibv_cq *cq,
			      struct compat_efadv_cq_attr *attr,
			      uint32_t attr_bytes);
	int (*efadv_query_mr)(struct ibv_mr *mr,
			      struct compat_efadv_mr_attr *attr,
			      uint32_t attr_bytes);

	/* Not exported: through the context, whole ibv_port_attr. Zeroes
	 * @attr first. Returns an errno, EOPNOTSUPP without the operation. */
	int (*query_port)(struct ibv_context *context, uint8_t port,
			  struct ibv_port_attr *attr);

	/* since rdma-core 63: send queue depth, or a negative errno */
	int (*efadv_get_max_sq_depth)(struct ibv_context *context,
				      struct compat_efadv_sq_depth_attr *attr,
				      uint32_t attr_bytes);
	/* since 65: completion counters */
	int (*query_comp_cntr_caps)(struct ibv_context *context,
				    struct compat_comp_cntr_caps *caps,
				    size_t caps_bytes);
	struct compat_comp_cntr *(*efadv_create_comp_cntr)(
		struct ibv_context *context,
		struct compat_comp_cntr_init_attr *attr,
		struct compat_efadv_comp_cntr_init_attr *efa_attr,
		uint32_t efa_attr_bytes);
	int (*destroy_comp_cntr)(struct compat_comp_cntr *cntr);
	int (*qp_attach_comp_cntr)(struct ibv_qp *qp,
				   struct compat_comp_cntr *cntr,
				   struct compat_comp_cntr_attach_attr *attr);
	int (*set_comp_cntr)(struct compat_comp_cntr *cntr, uint64_t value);
	int (*set_err_comp_cntr)(struct compat_comp_cntr *cntr,
				 uint64_t value);
	int (*inc_comp_cntr)(struct compat_comp_cntr *cntr, uint64_t amount);
	int (*inc_err_comp_cntr)(struct compat_comp_cntr *cntr,
				 uint64_t amount);
};

/*
 * Opens the libraries at the first call (thread safe); they stay open, since
 * libefa has registered itself with libibverbs. Returns 0, or -ENOSYS when
 * something required is missing: logged once, with library, symbol, the
 * version found and the remedy, and remembered.
 */
int compat_verbs_load(void);

/* The functions, after compat_verbs_load returned 0. */
const struct compat_verbs *compat_verbs(void);

/*
 * For tests: compat_verbs_load succeeds with a copy of @verbs; NULL brings
 * back the state before the first load. No other thread may be running.
 */
void compat_verbs_replace(const struct compat_verbs *verbs);

enum compat_verbs_library { COMPAT_LIBIBVERBS, COMPAT_LIBEFA };

/*
 * Fills @verbs with what @find gives for each symbol. Returns NULL, or the
 * name of the first required symbol that is missing, and its library in
 * *@library. For compat_verbs_load and its test.
 */
const char *compat_verbs_fill(struct compat_verbs *verbs,
			      void *(*find)(enum compat_verbs_library library,
					    const char *symbol),
			      enum compat_verbs_library *library);

#endif /* COMPAT_VERBS_SYMBOLS_H */
