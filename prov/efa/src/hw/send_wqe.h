/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Building one send queue entry, in local memory. The request ID and the
 * phase are the queue's and set by hw_sq_post.
 *
 *	struct hw_send_wqe wqe;
 *	hw_wqe_init(&wqe, sq->entry_size, EFA_IO_SEND, &dest);
 *	hw_wqe_set_sgl(&wqe, sge, 2);		or hw_wqe_inline
 *	hw_wqe_set_imm(&wqe, data);
 *
 * Lengths and counts are the caller's to check: they are limits of the
 * endpoint, known before.
 */
#ifndef HW_SEND_WQE_H
#define HW_SEND_WQE_H

#include <string.h>

#include "hw/efa_io_defs.h"
#include "hw/work_queue.h"

struct hw_send_wqe {
	union {
		struct efa_io_tx_wqe io;
		uint64_t words[EFA_IO_TX_WQE_SIZE_WIDE / 8];
	};
};

/* Where the fields of the first word begin; the device is little endian. */
#define HW_WQE_CTRL1_SHIFT	16
#define HW_WQE_CTRL2_SHIFT	24
#define HW_WQE_QPN_SHIFT	32
#define HW_WQE_LENGTH_SHIFT	48
/* And of the second. */
#define HW_WQE_AH_SHIFT		32
#define HW_WQE_CTRL3_SHIFT	48

static_assert(offsetof(struct efa_io_tx_meta_desc, ctrl1) == 2, "");
static_assert(offsetof(struct efa_io_tx_meta_desc, ctrl2) == 3, "");
static_assert(offsetof(struct efa_io_tx_meta_desc, dest_qp_num) == 4, "");
static_assert(offsetof(struct efa_io_tx_meta_desc, length) == 6, "");
static_assert(offsetof(struct efa_io_tx_meta_desc, ah) == 12, "");
static_assert(offsetof(struct efa_io_tx_meta_desc, ctrl3) == 14, "");

/*
 * Starts an entry for @dest in a queue of @entry_size bytes an entry, all
 * of which are cleared: what the stack held before is not the device's.
 * Whole words throughout, so that an entry without inline payload is never
 * in any memory but the device's.
 */
static HW_INLINE void hw_wqe_init(struct hw_send_wqe *wqe,
				  uint32_t entry_size,
				  enum efa_io_send_op_type op,
				  const struct hw_dest *dest)
{
	const uint64_t ctrl1 = EFA_IO_TX_META_META_DESC | op;
	const uint64_t ctrl2 = EFA_IO_TX_META_FIRST | EFA_IO_TX_META_LAST |
			       EFA_IO_TX_META_COMP_REQ;

	uint64_t word;

	/* a shift brings the QP number, behind the AH, where it belongs */
	static_assert(offsetof(struct hw_dest, qpn) == 2 &&
		      offsetof(struct hw_dest, qkey) == 4 &&
		      sizeof(*dest) == sizeof(word), "");
	memcpy(&word, dest, sizeof(word));
	wqe->words[0] = ctrl1 << HW_WQE_CTRL1_SHIFT |
			ctrl2 << HW_WQE_CTRL2_SHIFT |
			(word & 0xffff0000) << (HW_WQE_QPN_SHIFT - 16);
	wqe->words[1] = (word & UINT16_MAX) << HW_WQE_AH_SHIFT;
	wqe->words[2] = word >> 32;
#pragma GCC unroll 8
	for (int i = 3; i < EFA_IO_TX_WQE_SIZE / 8; i++)
		wqe->words[i] = 0;
	if (entry_size == EFA_IO_TX_WQE_SIZE)
		return;
#pragma GCC unroll 8
	for (int i = EFA_IO_TX_WQE_SIZE / 8; i < EFA_IO_TX_WQE_SIZE_WIDE / 8;
	     i++)
		wqe->words[i] = 0;
}

static HW_INLINE void hw_wqe_set_imm(struct hw_send_wqe *wqe, uint32_t imm)
{
	wqe->words[0] |= EFA_IO_TX_META_HAS_IMM << HW_WQE_CTRL1_SHIFT;
	wqe->words[1] |= imm;
}

/* A local or remote range at @word: the two descriptors are alike. */
static HW_INLINE void hw_wqe_set_range(struct hw_send_wqe *wqe, int word,
				       uint32_t len_bytes, uint32_t key,
				       uint64_t addr)
{
	wqe->words[word] = len_bytes | (uint64_t)key << 32;
	wqe->words[word + 1] = addr;
}

/* The payload of a send: @count <= EFA_IO_TX_MAX_SGE buffers. */
static HW_INLINE void hw_wqe_set_sgl(struct hw_send_wqe *wqe,
				     const struct hw_sge *sge, uint32_t count)
{
	static_assert(EFA_IO_TX_MAX_SGE == 2, "both are set below");

	if (count > 0)
		hw_wqe_set_range(wqe, 4, sge[0].length,
				 sge[0].lkey & EFA_IO_LKEY_MASK, sge[0].addr);
	if (count > 1)
		hw_wqe_set_range(wqe, 6, sge[1].length,
				 sge[1].lkey & EFA_IO_LKEY_MASK, sge[1].addr);
	wqe->words[0] |= (uint64_t)count << HW_WQE_LENGTH_SHIFT;
}

static HW_INLINE void hw_wqe_set_inline(struct hw_send_wqe *wqe,
					uint32_t len_bytes)
{
	wqe->words[0] |= EFA_IO_TX_META_INLINE_MSG << HW_WQE_CTRL1_SHIFT |
			 (uint64_t)len_bytes << HW_WQE_LENGTH_SHIFT;
}

/*
 * Room for @len_bytes of inline payload of a send; the caller copies them
 * to the result, in one piece or several.
 */
static HW_INLINE uint8_t *hw_wqe_inline(struct hw_send_wqe *wqe,
					uint32_t len_bytes)
{
	hw_wqe_set_inline(wqe, len_bytes);
	return wqe->io.data.inline_data;
}

/* The two ranges of an RDMA read or write, of one length. */
static HW_INLINE void hw_wqe_set_rdma(struct hw_send_wqe *wqe,
				      const struct hw_sge *local,
				      uint64_t remote_addr, uint32_t rkey)
{
	hw_wqe_set_range(wqe, 4, local->length, rkey, remote_addr);
	hw_wqe_set_range(wqe, 6, local->length,
			 local->lkey & EFA_IO_LKEY_MASK, local->addr);
	wqe->words[0] |= (uint64_t)1 << HW_WQE_LENGTH_SHIFT;
}

/*
 * The remote range of an RDMA write in a queue of 128-byte entries, and room
 * for its @len_bytes of inline payload, which the caller copies there.
 */
static HW_INLINE uint8_t *hw_wqe_rdma_inline(struct hw_send_wqe *wqe,
					     uint32_t len_bytes,
					     uint64_t remote_addr,
					     uint32_t rkey)
{
	hw_wqe_set_range(wqe, 4, len_bytes, rkey, remote_addr);
	hw_wqe_set_inline(wqe, len_bytes);
	return wqe->io.data.rdma_req.inline_data;
}

/* Ask the device for message rate over bandwidth (an RDMA write's hint). */
static HW_INLINE void hw_wqe_set_high_rate(struct hw_send_wqe *wqe)
{
	wqe->words[1] |= (uint64_t)1 << HW_WQE_CTRL3_SHIFT;
}

#endif /* HW_SEND_WQE_H */
