/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What differs between the libfabric this was compiled against, the one
 * that loads it (1.17 to 2.7, and later) and the one the application was
 * compiled against.
 *
 * - The core copies and frees an fi_info by the sizes it knows itself:
 *   everything given to it comes from compat_info_create, with room.
 * - The application's structures have the size of its own headers: members
 *   newer than 1.17 are read and written only through this module, which
 *   goes by the API version the application asked for.
 * - Constants newer than the 1.17 headers, or deprecated in the newer ones,
 *   have names of their own here.
 *
 * Sizes and offsets: the headers of libfabric 1.17 to 2.6 and of its
 * development branch, LP64. Those at hand are checked in fi_abi.c.
 */
#ifndef COMPAT_FI_ABI_H
#define COMPAT_FI_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_eq.h>

/* ---- constants ---- */

/* Option names of fi_getopt and fi_setopt at level FI_OPT_ENDPOINT. */
enum {
	COMPAT_OPT_CUDA_API_PERMITTED		= 10,	/* bool, 1.18 */
	COMPAT_OPT_SHARED_MEMORY_PERMITTED	= 11,	/* bool, 1.21 */
	COMPAT_OPT_MAX_MSG_SIZE			= 12,	/* size_t, 1.22 */
	COMPAT_OPT_MAX_TAGGED_SIZE		= 13,
	COMPAT_OPT_MAX_RMA_SIZE			= 14,
	COMPAT_OPT_MAX_ATOMIC_SIZE		= 15,
	COMPAT_OPT_INJECT_MSG_SIZE		= 16,
	COMPAT_OPT_INJECT_TAGGED_SIZE		= 17,
	COMPAT_OPT_INJECT_RMA_SIZE		= 18,
	COMPAT_OPT_INJECT_ATOMIC_SIZE		= 19,
	COMPAT_OPT_FIREWALL_ADDR		= 20,	/* bool, 2.2 */
};

/* EFA's own options: libfabric's fi_ext.h, which has them all only in 2.5. */
enum {
	COMPAT_OPT_EFA_RNR_RETRY		= -0x0efa0000,	/* size_t */
	COMPAT_OPT_EFA_EMULATED_READ,			/* bool from here */
	COMPAT_OPT_EFA_EMULATED_WRITE,
	COMPAT_OPT_EFA_EMULATED_ATOMICS,
	COMPAT_OPT_EFA_USE_DEVICE_RDMA,
	COMPAT_OPT_EFA_SENDRECV_IN_ORDER_ALIGNED_128_BYTES,
	COMPAT_OPT_EFA_WRITE_IN_ORDER_ALIGNED_128_BYTES,
	COMPAT_OPT_EFA_HOMOGENEOUS_PEERS,
	COMPAT_OPT_EFA_USE_UNSOLICITED_WRITE_RECV,
};

enum {
	COMPAT_ENOMR			= 270,	/* 1.20 */
	COMPAT_EFIREWALLADDR		= 271,	/* 2.2 */
	COMPAT_CNTR_EVENTS_BYTES	= 1,	/* fi_cntr_events, 1.21 */
	COMPAT_PROGRESS_CONTROL_UNIFIED	= 3,	/* fi_progress, 1.21 */
	/* deprecated mr_mode values of an API before 1.5 */
	COMPAT_MR_UNSPEC		= 0,
	COMPAT_MR_BASIC			= 1 << 0,
	COMPAT_MR_SCALABLE		= 1 << 1,
};

#define COMPAT_MR_DMABUF	(1ull << 40)	/* fi_mr_regattr flag, 1.20 */
#define COMPAT_MR_SINGLE_USE	(1ull << 41)	/* fi_mr_regattr flag, 2.0 */
#define COMPAT_LOCAL_MR		(1ull << 55)	/* deprecated mode bit */
#define COMPAT_AV_AUTH_KEY	SIZE_MAX	/* an auth_key_size, 1.20 */

/* Does an application of @api_version speak release @major.@minor? */
static inline bool compat_api_has(uint32_t api_version, unsigned int major,
				  unsigned int minor)
{
	return FI_VERSION_GE(api_version, FI_VERSION(major, minor));
}

/* ---- fi_info trees ---- */

/* What newer releases appended to fi_domain_attr. */
struct compat_domain_tail {
	size_t max_ep_auth_key;		/* 1.20 */
	uint32_t max_group_id;		/* 2.0 */
	uint64_t max_cntr_value;	/* 2.5 */
	uint64_t max_err_cntr_value;	/* 2.5 */
	size_t max_xpu_ctx_cnt;		/* after 2.6 */
};

#define COMPAT_DOMAIN_TAIL_OFFSET	192	/* sizeof in 1.17 */

/*
 * An fi_info with its five attribute structures, zeroed, each with room for
 * what later releases append. Strings and addresses hung into it must be
 * malloc'ed, the nic must come from compat_nic_create: the tree then belongs
 * to whom it is given, and fi_freeinfo frees it. NULL: no memory.
 */
struct fi_info *compat_info_create(void);

/* A copy of the one tree @info (not of its list, next is NULL), which must
 * come from this module. NULL: no memory. */
struct fi_info *compat_info_dup(const struct fi_info *info);

/* Frees a list, as fi_freeinfo does, which has several versions and is
 * therefore not called from here. NULL is allowed. */
void compat_info_destroy(struct fi_info *info);

/* The newer members of a domain_attr that comes from this module. */
static inline struct compat_domain_tail *
compat_domain_tail(struct fi_domain_attr *attr)
{
	return (struct compat_domain_tail *)
		((char *)attr + COMPAT_DOMAIN_TAIL_OFFSET);
}

/* ---- structures of the application ---- */

struct compat_mr_dmabuf {
	int fd;
	uint64_t offset;
	size_t len;
	void *base_addr;
};

/* What fi_mr_regattr was given, whatever the age of the application. */
struct compat_mr_attr {
	const struct iovec *iov;	/* NULL with a dmabuf */
	const struct compat_mr_dmabuf *dmabuf;	/* NULL without */
	size_t iov_count;		/* ranges, of the one or the other */
	uint64_t access;
	uint64_t offset;
	uint64_t requested_key;
	void *context;
	size_t auth_key_size;
	const uint8_t *auth_key;
	enum fi_hmem_iface iface;
	uint64_t device;		/* the union, as it is */
	size_t page_size;		/* 0: unknown */
	const struct fid_mr *base_mr;	/* NULL: none */
};

/*
 * Reads @attr as an application of @api_version wrote it. @flags are those
 * of fi_mr_regattr, @hmem tells whether FI_HMEM was asked of the domain:
 * without it iface and device may be garbage. Pointers still lead into the
 * application's memory.
 */
void compat_mr_attr_read(const struct fi_mr_attr *attr, uint64_t flags,
			 bool hmem, uint32_t api_version,
			 struct compat_mr_attr *out);

/*
 * Writes @error into the entry an application of @api_version gave to
 * fi_cq_readerr, @source into it where there is room (1.20). err_data of
 * @error lives until the next read of the CQ. It is copied when the
 * application gave a buffer (err_data_size not 0, API 1.5), cut to its size
 * and ended there; otherwise the application gets the pointer (fi_cq(3)).
 */
void compat_cq_err_write(struct fi_cq_err_entry *entry,
			 const struct fi_cq_err_entry *error,
			 fi_addr_t source, uint32_t api_version);

#endif /* COMPAT_FI_ABI_H */
