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

/*
 * Starts an entry for @dest in a queue of @entry_size bytes an entry, all
 * of which are cleared: what the stack held before is not the device's.
 */
static inline void hw_wqe_init(struct hw_send_wqe *wqe, uint32_t entry_size,
			       enum efa_io_send_op_type op,
			       const struct hw_dest *dest)
{
	memset(wqe, 0, EFA_IO_TX_WQE_SIZE);
	if (entry_size > EFA_IO_TX_WQE_SIZE)
		memset(wqe->words + EFA_IO_TX_WQE_SIZE / 8, 0,
		       EFA_IO_TX_WQE_SIZE_WIDE - EFA_IO_TX_WQE_SIZE);
	wqe->io.meta.ctrl1 = EFA_IO_TX_META_META_DESC | op;
	wqe->io.meta.ctrl2 = EFA_IO_TX_META_FIRST | EFA_IO_TX_META_LAST |
			     EFA_IO_TX_META_COMP_REQ;
	wqe->io.meta.dest_qp_num = dest->qpn;
	wqe->io.meta.ah = dest->ahn;
	wqe->io.meta.qkey = dest->qkey;
}

static inline void hw_wqe_set_imm(struct hw_send_wqe *wqe, uint32_t imm)
{
	wqe->io.meta.immediate_data = imm;
	wqe->io.meta.ctrl1 |= EFA_IO_TX_META_HAS_IMM;
}

static inline void hw_tx_buf_set(struct efa_io_tx_buf_desc *buf,
				 const struct hw_sge *sge)
{
	buf->length = sge->length;
	buf->lkey = sge->lkey & EFA_IO_LKEY_MASK;
	buf->buf_addr_lo = (uint32_t)sge->addr;
	buf->buf_addr_hi = (uint32_t)(sge->addr >> 32);
}

/* The payload of a send: @count <= EFA_IO_TX_MAX_SGE buffers. */
static inline void hw_wqe_set_sgl(struct hw_send_wqe *wqe,
				  const struct hw_sge *sge, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		hw_tx_buf_set(&wqe->io.data.sgl[i], &sge[i]);
	wqe->io.meta.length = (uint16_t)count;
}

/*
 * Room for @len_bytes of inline payload of a send; the caller copies them
 * to the result, in one piece or several.
 */
static inline uint8_t *hw_wqe_inline(struct hw_send_wqe *wqe,
				     uint32_t len_bytes)
{
	wqe->io.meta.ctrl1 |= EFA_IO_TX_META_INLINE_MSG;
	wqe->io.meta.length = (uint16_t)len_bytes;
	return wqe->io.data.inline_data;
}

static inline void hw_wqe_set_remote(struct hw_send_wqe *wqe,
				     uint32_t len_bytes, uint64_t remote_addr,
				     uint32_t rkey)
{
	struct efa_io_remote_mem_addr *remote =
		&wqe->io.data.rdma_req.remote_mem;

	remote->length = len_bytes;
	remote->rkey = rkey;
	remote->buf_addr_lo = (uint32_t)remote_addr;
	remote->buf_addr_hi = (uint32_t)(remote_addr >> 32);
}

/* The two ranges of an RDMA read or write, of one length. */
static inline void hw_wqe_set_rdma(struct hw_send_wqe *wqe,
				   const struct hw_sge *local,
				   uint64_t remote_addr, uint32_t rkey)
{
	hw_wqe_set_remote(wqe, local->length, remote_addr, rkey);
	hw_tx_buf_set(&wqe->io.data.rdma_req.local_mem[0], local);
	wqe->io.meta.length = 1;
}

/*
 * The remote range of an RDMA write in a queue of 128-byte entries, and room
 * for its @len_bytes of inline payload, which the caller copies there.
 */
static inline uint8_t *hw_wqe_rdma_inline(struct hw_send_wqe *wqe,
					  uint32_t len_bytes,
					  uint64_t remote_addr, uint32_t rkey)
{
	hw_wqe_set_remote(wqe, len_bytes, remote_addr, rkey);
	wqe->io.meta.ctrl1 |= EFA_IO_TX_META_INLINE_MSG;
	wqe->io.meta.length = (uint16_t)len_bytes;
	return wqe->io.data.rdma_req.inline_data;
}

/* Ask the device for message rate over bandwidth (an RDMA write's hint). */
static inline void hw_wqe_set_high_rate(struct hw_send_wqe *wqe)
{
	wqe->io.meta.ctrl3 |= 1;
}

#endif /* HW_SEND_WQE_H */
