/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the EFA device reads and writes: send and receive work queue
 * entries, completion queue entries, doorbell words. Layout only.
 *
 * Little endian, natural alignment. The field names are Amazon's; the
 * layout is a fact of the device, checked byte by byte against what
 * rdma-core writes (contrib/softefa/test).
 *
 * This is the one header that the plugin and softefa's engine share.
 */
#ifndef HW_EFA_IO_DEFS_H
#define HW_EFA_IO_DEFS_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* Operation of a send queue entry (ctrl1), repeated in its completion. */
enum efa_io_send_op_type {
	EFA_IO_SEND = 0,
	EFA_IO_RDMA_READ = 1,
	EFA_IO_RDMA_WRITE = 2,
};

/* Queue a completion belongs to (flags of efa_io_cdesc). */
enum efa_io_queue_type {
	EFA_IO_SEND_QUEUE = 1,
	EFA_IO_RECV_QUEUE = 2,
};

/* Completion status; the gap 16-17 is the device's. */
enum efa_io_comp_status {
	EFA_IO_COMP_STATUS_OK = 0,
	EFA_IO_COMP_STATUS_FLUSHED = 1,
	EFA_IO_COMP_STATUS_LOCAL_ERROR_QP_INTERNAL_ERROR = 2,
	EFA_IO_COMP_STATUS_LOCAL_ERROR_UNSUPPORTED_OP = 3,
	EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_AH = 4,
	EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_LKEY = 5,
	EFA_IO_COMP_STATUS_LOCAL_ERROR_BAD_LENGTH = 6,
	EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_ADDRESS = 7,
	EFA_IO_COMP_STATUS_REMOTE_ERROR_ABORT = 8,
	EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_DEST_QPN = 9,
	EFA_IO_COMP_STATUS_REMOTE_ERROR_RNR = 10,
	EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_LENGTH = 11,
	EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_STATUS = 12,
	EFA_IO_COMP_STATUS_LOCAL_ERROR_UNRESP_REMOTE = 13,
	EFA_IO_COMP_STATUS_REMOTE_ERROR_UNKNOWN_PEER = 14,
	EFA_IO_COMP_STATUS_LOCAL_ERROR_UNREACH_REMOTE = 15,
	EFA_IO_COMP_STATUS_REMOTE_ERROR_FEATURE_MISMATCH = 18,
};

/* efa_io_tx_meta_desc.ctrl1 */
#define EFA_IO_TX_META_OP_TYPE		0x0f
#define EFA_IO_TX_META_HAS_IMM		0x10
#define EFA_IO_TX_META_INLINE_MSG	0x20
#define EFA_IO_TX_META_META_DESC	0x80

/* efa_io_tx_meta_desc.ctrl2 */
#define EFA_IO_TX_META_PHASE		0x01
#define EFA_IO_TX_META_FIRST		0x04
#define EFA_IO_TX_META_LAST		0x08
#define EFA_IO_TX_META_COMP_REQ		0x10

/* efa_io_tx_meta_desc.ctrl3: processing hint (2 bits), 1 = high rate */
#define EFA_IO_TX_META_HINTS		0x03

/* First 32 bytes of every send queue entry. */
struct efa_io_tx_meta_desc {
	uint16_t req_id;	/* low 16 bits of the request ID */
	uint8_t ctrl1;
	uint8_t ctrl2;
	uint16_t dest_qp_num;
	uint16_t length;	/* SGEs, or bytes when inline */
	uint32_t immediate_data;
	uint16_t ah;
	uint8_t ctrl3;
	uint8_t reserved1;
	uint32_t qkey;
	uint8_t reserved2[6];
	uint16_t req_id_ex[3];	/* bits 16-63 of a 64-bit request ID */
};

static_assert(sizeof(struct efa_io_tx_meta_desc) == 32, "tx meta size");
static_assert(offsetof(struct efa_io_tx_meta_desc, immediate_data) == 8, "");
static_assert(offsetof(struct efa_io_tx_meta_desc, qkey) == 16, "");
static_assert(offsetof(struct efa_io_tx_meta_desc, req_id_ex) == 26, "");

#define EFA_IO_LKEY_MASK	0x00ffffffu

/* A gather entry of local memory. */
struct efa_io_tx_buf_desc {
	uint32_t length;
	uint32_t lkey;		/* bits 0-23 */
	uint32_t buf_addr_lo;
	uint32_t buf_addr_hi;
};

static_assert(sizeof(struct efa_io_tx_buf_desc) == 16, "tx buf size");

/* The remote range of an RDMA operation. */
struct efa_io_remote_mem_addr {
	uint32_t length;
	uint32_t rkey;
	uint32_t buf_addr_lo;
	uint32_t buf_addr_hi;
};

static_assert(sizeof(struct efa_io_remote_mem_addr) == 16, "remote size");

#define EFA_IO_TX_WQE_SIZE		64
#define EFA_IO_TX_WQE_SIZE_WIDE		128
#define EFA_IO_TX_MAX_SGE		2	/* send */
#define EFA_IO_TX_MAX_RDMA_SGE		1
#define EFA_IO_TX_INLINE_MAX		32	/* send, 64-byte entry */
#define EFA_IO_TX_INLINE_MAX_WIDE	80	/* send or write, 128 bytes */

/*
 * A send queue entry of either size: a 64-byte queue uses the first half.
 * Request IDs of 64 bits live in req_id and req_id_ex of the meta part.
 */
struct efa_io_tx_wqe {
	struct efa_io_tx_meta_desc meta;
	union {
		struct efa_io_tx_buf_desc sgl[EFA_IO_TX_MAX_SGE];
		uint8_t inline_data[EFA_IO_TX_INLINE_MAX_WIDE];
		struct {
			struct efa_io_remote_mem_addr remote_mem;
			union {
				struct efa_io_tx_buf_desc local_mem[1];
				uint8_t inline_data[EFA_IO_TX_INLINE_MAX_WIDE];
			};
		} rdma_req;
	} data;
};

static_assert(sizeof(struct efa_io_tx_wqe) == EFA_IO_TX_WQE_SIZE_WIDE, "");
static_assert(offsetof(struct efa_io_tx_wqe, data) == 32, "");
static_assert(offsetof(struct efa_io_tx_wqe, data.rdma_req.local_mem) == 48,
	      "");

/* efa_io_rx_desc.lkey_ctrl */
#define EFA_IO_RX_FIRST		(1u << 30)
#define EFA_IO_RX_LAST		(1u << 31)

/* A receive queue entry: one scatter entry of a receive; no phase bit. */
struct efa_io_rx_desc {
	uint32_t buf_addr_lo;
	uint32_t buf_addr_hi;
	uint16_t req_id;
	uint16_t length;
	uint32_t lkey_ctrl;	/* bits 0-23 lkey, 30 first, 31 last */
};

static_assert(sizeof(struct efa_io_rx_desc) == 16, "rx desc size");
static_assert(offsetof(struct efa_io_rx_desc, lkey_ctrl) == 12, "");

/* efa_io_cdesc.flags */
#define EFA_IO_CDESC_PHASE		0x01
#define EFA_IO_CDESC_Q_TYPE		0x06
#define EFA_IO_CDESC_Q_TYPE_SHIFT	1
#define EFA_IO_CDESC_HAS_IMM		0x08
#define EFA_IO_CDESC_OP_TYPE		0x70
#define EFA_IO_CDESC_OP_TYPE_SHIFT	4
#define EFA_IO_CDESC_UNSOLICITED	0x80

#define EFA_IO_CDESC_SIZE		32	/* stride in the ring */
#define EFA_IO_AH_UNKNOWN		0xffff	/* sender not among our AHs */

/*
 * A completion queue entry, one layout for both directions.
 * The device writes the first word last: it carries the phase bit.
 */
struct efa_io_cdesc {
	uint16_t req_id;
	uint8_t status;		/* enum efa_io_comp_status */
	uint8_t flags;
	uint16_t qp_num;	/* the local QP, truncated */
	union {
		struct {
			uint16_t req_id_ex[3];
		} tx;
		struct {
			uint16_t length;	/* bits 0-15 */
			uint16_t ah;		/* the receiver's own number */
			uint16_t src_qp_num;
			uint32_t imm;
			union {
				uint16_t length_hi;	/* RDMA write */
				uint8_t src_gid[16];	/* ah unknown */
			};
		} __attribute__((packed)) rx;
		uint8_t reserved[26];
	};
};

static_assert(sizeof(struct efa_io_cdesc) == EFA_IO_CDESC_SIZE, "cdesc size");
static_assert(offsetof(struct efa_io_cdesc, tx.req_id_ex) == 6, "");
static_assert(offsetof(struct efa_io_cdesc, rx.length) == 6, "");
static_assert(offsetof(struct efa_io_cdesc, rx.imm) == 12, "");
static_assert(offsetof(struct efa_io_cdesc, rx.length_hi) == 16, "");

/*
 * Doorbell words, 32 bits. SQ: entries produced. RQ: descriptors produced.
 * Both count freely in 16 bits. CQ: entries consumed, the sequence number
 * of the last completion event taken, and the request for the next one.
 */
#define EFA_IO_DB_PROD_MASK		0x0000ffffu
#define EFA_IO_DB_CONS_MASK		0x0000ffffu
#define EFA_IO_DB_CMD_SN		0x60000000u
#define EFA_IO_DB_CMD_SN_SHIFT		29
#define EFA_IO_DB_ARM			0x80000000u

#endif /* HW_EFA_IO_DEFS_H */
