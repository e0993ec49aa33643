/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "trace/queue_text.h"

#include <inttypes.h>
#include <string.h>

#define INLINE_SHOWN	16u	/* bytes */
#define CTRL1_KNOWN	(EFA_IO_TX_META_OP_TYPE | EFA_IO_TX_META_HAS_IMM | \
			 EFA_IO_TX_META_INLINE_MSG | EFA_IO_TX_META_META_DESC)
#define CTRL2_KNOWN	(EFA_IO_TX_META_PHASE | EFA_IO_TX_META_FIRST | \
			 EFA_IO_TX_META_LAST | EFA_IO_TX_META_COMP_REQ)

const char *queue_op_name(unsigned op)
{
	static const char *const name[] = {
		[EFA_IO_SEND] = "send",
		[EFA_IO_RDMA_READ] = "rdma_read",
		[EFA_IO_RDMA_WRITE] = "rdma_write",
	};

	return op < sizeof(name) / sizeof(name[0]) ? name[op] : NULL;
}

const char *queue_status_name(unsigned status)
{
#define STATUS(name)	[EFA_IO_COMP_STATUS_##name] = #name
	static const char *const name[] = {
		STATUS(OK),
		STATUS(FLUSHED),
		STATUS(LOCAL_ERROR_QP_INTERNAL_ERROR),
		STATUS(LOCAL_ERROR_UNSUPPORTED_OP),
		STATUS(LOCAL_ERROR_INVALID_AH),
		STATUS(LOCAL_ERROR_INVALID_LKEY),
		STATUS(LOCAL_ERROR_BAD_LENGTH),
		STATUS(REMOTE_ERROR_BAD_ADDRESS),
		STATUS(REMOTE_ERROR_ABORT),
		STATUS(REMOTE_ERROR_BAD_DEST_QPN),
		STATUS(REMOTE_ERROR_RNR),
		STATUS(REMOTE_ERROR_BAD_LENGTH),
		STATUS(REMOTE_ERROR_BAD_STATUS),
		STATUS(LOCAL_ERROR_UNRESP_REMOTE),
		STATUS(REMOTE_ERROR_UNKNOWN_PEER),
		STATUS(LOCAL_ERROR_UNREACH_REMOTE),
		STATUS(REMOTE_ERROR_FEATURE_MISMATCH),
	};
#undef STATUS

	return status < sizeof(name) / sizeof(name[0]) ? name[status] : NULL;
}

void queue_text_add_op(struct text_line *line, unsigned op)
{
	if (queue_op_name(op))
		text_line_add(line, " op=%s", queue_op_name(op));
	else
		text_line_add(line, " op=%u", op);
}

void queue_text_add_status(struct text_line *line, unsigned status)
{
	if (queue_status_name(status))
		text_line_add(line, " status=%s", queue_status_name(status));
	else
		text_line_add(line, " status=%u", status);
}

static uint64_t req_id(uint16_t low, const uint16_t high[3])
{
	return low | (uint64_t)high[0] << 16 | (uint64_t)high[1] << 32 |
		(uint64_t)high[2] << 48;
}

uint64_t queue_wqe_req_id(const struct efa_io_tx_wqe *wqe)
{
	return req_id(wqe->meta.req_id, wqe->meta.req_id_ex);
}

uint64_t queue_cqe_req_id(const struct efa_io_cdesc *entry)
{
	unsigned queue = (entry->flags & EFA_IO_CDESC_Q_TYPE) >>
		EFA_IO_CDESC_Q_TYPE_SHIFT;
	uint16_t high[3];

	if (queue != EFA_IO_SEND_QUEUE)
		return entry->req_id;
	memcpy(high, entry->tx.req_id_ex, sizeof(high));
	return req_id(entry->req_id, high);
}

/* ---- send queue entries ---- */

static void add_range(struct text_line *line, const char *name,
		      const struct efa_io_tx_buf_desc *range)
{
	text_line_add(line, " %s={addr=0x%" PRIx64 " len=%u key=0x%x}", name,
		      (uint64_t)range->buf_addr_hi << 32 | range->buf_addr_lo,
		      range->length, range->lkey);
}

static void add_inline(struct text_line *line, const uint8_t *data,
		       const uint8_t *end, uint32_t length)
{
	uint32_t there = (uint32_t)(end - data);

	text_line_add(line, " inline_len=%u inline=", length);
	text_line_add_hex(line, data, length < there ? length : there,
			  INLINE_SHOWN);
}

static void add_sges(struct text_line *line, const struct efa_io_tx_wqe *wqe)
{
	const struct efa_io_tx_buf_desc *sge = wqe->data.sgl;
	uint32_t i;

	text_line_add(line, " sges=%u", wqe->meta.length);
	for (i = 0; i < wqe->meta.length && i < EFA_IO_TX_MAX_SGE; i++)
		add_range(line, "sge", &sge[i]);
}

static void add_rdma(struct text_line *line, const struct efa_io_tx_wqe *wqe,
		     const uint8_t *end)
{
	const struct efa_io_remote_mem_addr *far =
		&wqe->data.rdma_req.remote_mem;

	text_line_add(line, " remote={addr=0x%" PRIx64 " len=%u key=0x%x}",
		      (uint64_t)far->buf_addr_hi << 32 | far->buf_addr_lo,
		      far->length, far->rkey);
	if (wqe->meta.ctrl1 & EFA_IO_TX_META_INLINE_MSG) {
		add_inline(line, wqe->data.rdma_req.inline_data, end,
			   wqe->meta.length);
		return;
	}
	text_line_add(line, " sges=%u", wqe->meta.length);
	if (wqe->meta.length)
		add_range(line, "local", &wqe->data.rdma_req.local_mem[0]);
}

static void add_bits(struct text_line *line,
		     const struct efa_io_tx_meta_desc *meta)
{
	text_line_add(line, " phase=%u%s%s%s%s",
		      meta->ctrl2 & EFA_IO_TX_META_PHASE,
		      meta->ctrl2 & EFA_IO_TX_META_COMP_REQ ? " comp_req" : "",
		      meta->ctrl2 & EFA_IO_TX_META_FIRST ? "" : " no_first",
		      meta->ctrl2 & EFA_IO_TX_META_LAST ? "" : " no_last",
		      meta->ctrl1 & EFA_IO_TX_META_META_DESC ? "" :
		      " no_meta");
	if (meta->ctrl3 & EFA_IO_TX_META_HINTS)
		text_line_add(line, " hint=%u",
			      meta->ctrl3 & EFA_IO_TX_META_HINTS);
	if ((meta->ctrl1 & ~CTRL1_KNOWN) || (meta->ctrl2 & ~CTRL2_KNOWN) ||
	    (meta->ctrl3 & ~EFA_IO_TX_META_HINTS))
		text_line_add(line, " reserved_ctrl=%02x%02x%02x",
			      meta->ctrl1 & ~CTRL1_KNOWN,
			      meta->ctrl2 & ~CTRL2_KNOWN,
			      meta->ctrl3 & ~EFA_IO_TX_META_HINTS);
}

void queue_text_add_wqe(struct text_line *line,
			const struct efa_io_tx_wqe *wqe, uint32_t wqe_bytes)
{
	const struct efa_io_tx_meta_desc *meta = &wqe->meta;
	const uint8_t *end = (const uint8_t *)wqe + wqe_bytes;
	unsigned op = meta->ctrl1 & EFA_IO_TX_META_OP_TYPE;

	queue_text_add_op(line, op);
	text_line_add(line, " req_id=0x%" PRIx64 " dest_qpn=%u ah=%u "
		      "qkey=0x%x", queue_wqe_req_id(wqe), meta->dest_qp_num,
		      meta->ah, meta->qkey);
	if (meta->ctrl1 & EFA_IO_TX_META_HAS_IMM)
		text_line_add(line, " imm=0x%x", meta->immediate_data);
	if (op == EFA_IO_RDMA_READ || op == EFA_IO_RDMA_WRITE)
		add_rdma(line, wqe, end);
	else if (meta->ctrl1 & EFA_IO_TX_META_INLINE_MSG)
		add_inline(line, wqe->data.inline_data, end, meta->length);
	else
		add_sges(line, wqe);
	add_bits(line, meta);
}

/* ---- completions ---- */

static void add_received(struct text_line *line,
			 const struct efa_io_cdesc *entry, unsigned op)
{
	uint32_t length = entry->rx.length;

	if (op == EFA_IO_RDMA_WRITE)
		length |= (uint32_t)entry->rx.length_hi << 16;
	text_line_add(line, " length=%u src_qpn=%u", length,
		      entry->rx.src_qp_num);
	if (entry->rx.ah == EFA_IO_AH_UNKNOWN) {
		text_line_add(line, " ah=unknown src_gid=");
		text_line_add_gid(line, entry->rx.src_gid);
	} else {
		text_line_add(line, " ah=%u", entry->rx.ah);
	}
	if (entry->flags & EFA_IO_CDESC_HAS_IMM)
		text_line_add(line, " imm=0x%x", entry->rx.imm);
	if (entry->flags & EFA_IO_CDESC_UNSOLICITED)
		text_line_add(line, " unsolicited");
}

void queue_text_add_cqe(struct text_line *line,
			const struct efa_io_cdesc *entry)
{
	unsigned queue = (entry->flags & EFA_IO_CDESC_Q_TYPE) >>
		EFA_IO_CDESC_Q_TYPE_SHIFT;
	unsigned op = (entry->flags & EFA_IO_CDESC_OP_TYPE) >>
		EFA_IO_CDESC_OP_TYPE_SHIFT;

	text_line_add(line, " qp=%u queue=", entry->qp_num);
	if (queue == EFA_IO_SEND_QUEUE || queue == EFA_IO_RECV_QUEUE)
		text_line_add(line, "%s", queue == EFA_IO_SEND_QUEUE ?
			      "send" : "recv");
	else
		text_line_add(line, "%u", queue);
	queue_text_add_op(line, op);
	text_line_add(line, " req_id=0x%" PRIx64, queue_cqe_req_id(entry));
	queue_text_add_status(line, entry->status);
	text_line_add(line, " phase=%u", entry->flags & EFA_IO_CDESC_PHASE);
	if (queue == EFA_IO_RECV_QUEUE)
		add_received(line, entry, op);
}
