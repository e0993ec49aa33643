/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What an emulated device can do: its capability bits and limits.
 * Presets are named after device generations; `softefa --profile NAME`.
 */
#ifndef ENGINE_PROFILE_H
#define ENGINE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

/* device_caps of the driver's query_device response. */
#define DEVICE_CAP_RDMA_READ			(1u << 0)
#define DEVICE_CAP_RNR_RETRY			(1u << 1)
#define DEVICE_CAP_CQ_NOTIFICATIONS		(1u << 2)
#define DEVICE_CAP_CQ_WITH_SGID			(1u << 3)
#define DEVICE_CAP_DATA_POLLING_128		(1u << 4)
#define DEVICE_CAP_RDMA_WRITE			(1u << 5)
#define DEVICE_CAP_UNSOLICITED_WRITE_RECV	(1u << 6)
#define DEVICE_CAP_CQ_WITH_EXT_MEM		(1u << 7)
#define DEVICE_CAP_COMP_CNTR			(1u << 8)
#define DEVICE_CAP_SQ_64_BIT_REQ_ID		(1u << 9)

struct device_profile {
	const char *name;
	const char *description;	/* one line, for --help and show */
	uint32_t vendor_id;		/* 0x1d0f */
	uint32_t vendor_part_id;	/* 0xefa0 ... */
	uint32_t hw_ver;
	uint32_t device_caps;		/* DEVICE_CAP_* */
	uint32_t mtu;			/* bytes of payload */
	uint64_t page_size_cap;
	uint32_t max_qp, max_cq, max_mr, max_pd, max_ah;
	uint32_t max_comp_cntr;
	uint32_t max_mr_pages;		/* of 4 KiB, all regions together */
	uint32_t max_cqe;
	uint32_t max_sq_wr, max_rq_wr;
	uint16_t max_sq_sge, max_rq_sge, max_wr_rdma_sge;
	uint32_t max_rdma_size;
	uint16_t inline_buf_size;	/* 64-byte WQE */
	uint16_t inline_buf_size_ex;	/* 128-byte WQE; 0: no such WQEs */
	uint32_t max_llq_size;		/* bytes of send ring */
	uint16_t max_tx_batch;		/* units of 64 bytes, 0: no limit */
	uint16_t min_sq_wr;
	uint16_t sub_cqs_per_cq;
	uint32_t num_comp_vectors;	/* event queues, one interrupt each */
	uint32_t speed_gbps;

	/* What is no attribute of the driver but of the device's ways. */
	uint32_t qpn_start;		/* of the first QP, 0: as ever */
	bool qpn_reuse_first;		/* the QPN that was free last */
	bool rdma_without_ah;		/* the target needs no AH of the peer */
};

#define PROFILE_PAGE_BYTES	4096u

/* What ibv_query_device calls max_mr_size. */
static inline uint64_t profile_max_mr_size(const struct device_profile *p)
{
	return (uint64_t)p->max_mr_pages * PROFILE_PAGE_BYTES;
}

/* The preset @name, or NULL. The result is static. */
const struct device_profile *profile_find(const char *name);

/* Preset number @index, NULL past the last; 0 is the default. */
const struct device_profile *profile_at(unsigned index);

#endif /* ENGINE_PROFILE_H */
