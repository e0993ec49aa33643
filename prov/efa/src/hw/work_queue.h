/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Where a queue's memory is: what efadv_query_qp_wqs and efadv_query_cq
 * say, in this project's words. dev/ fills these, hw/ drives them.
 */
#ifndef HW_WORK_QUEUE_H
#define HW_WORK_QUEUE_H

#include <stdint.h>

/* A step of the data path, to be part of the function it is a step of. */
#define HW_INLINE	inline __attribute__((always_inline))

/* The send queue takes 64-bit request IDs (efadv_wq_attr.caps bit 0). */
#define HW_WQ_REQ_ID_64		1u

struct hw_wq_geometry {
	void *buffer;		/* ring, mapped; SQ: write-combining, never read */
	uint32_t entry_size;	/* bytes: SQ 64 or 128, RQ 16 */
	uint32_t num_entries;	/* a power of two, at most 32768 */
	volatile uint32_t *doorbell;
	uint32_t max_batch;	/* entries between two doorbells; 0: no limit */
	uint32_t caps;		/* HW_WQ_* */
};

struct hw_cq_geometry {
	void *buffer;		/* ring in host memory, written by the device */
	uint32_t entry_size;	/* bytes: 32 */
	uint32_t num_entries;	/* a power of two */
	volatile uint32_t *doorbell;	/* NULL: this CQ takes no doorbell */
};

/* A local buffer of a work request. */
struct hw_sge {
	uint64_t addr;
	uint32_t length;	/* bytes */
	uint32_t lkey;
};

/* Who a send queue entry is for: what an address vector entry resolves to. */
struct hw_dest {
	uint16_t ahn;		/* the device's address handle number */
	uint16_t qpn;
	uint32_t qkey;
};

#endif /* HW_WORK_QUEUE_H */
