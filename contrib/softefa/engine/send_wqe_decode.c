/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/send_wqe_decode.h"

#include <string.h>

#define OK		EFA_IO_COMP_STATUS_OK
#define UNSUPPORTED	EFA_IO_COMP_STATUS_LOCAL_ERROR_UNSUPPORTED_OP
#define BAD_LENGTH	EFA_IO_COMP_STATUS_LOCAL_ERROR_BAD_LENGTH
#define MALFORMED	EFA_IO_COMP_STATUS_LOCAL_ERROR_QP_INTERNAL_ERROR

#define CTRL1_KNOWN	(EFA_IO_TX_META_OP_TYPE | EFA_IO_TX_META_HAS_IMM | \
			 EFA_IO_TX_META_INLINE_MSG | EFA_IO_TX_META_META_DESC)
#define CTRL2_KNOWN	(EFA_IO_TX_META_PHASE | EFA_IO_TX_META_FIRST | \
			 EFA_IO_TX_META_LAST | EFA_IO_TX_META_COMP_REQ)
#define CTRL2_FIXED	(EFA_IO_TX_META_FIRST | EFA_IO_TX_META_LAST)

#define RULE(id, what) \
	((struct send_wqe_finding){ .text = (what), .rule = ENGINE_RULE_##id })

/* What is wrong with the fixed parts of the entry. */
static struct send_wqe_finding
broken_rule(const struct efa_io_tx_meta_desc *meta, uint8_t phase,
	    const struct send_wqe_limits *limits)
{
	static const uint8_t zero[sizeof(meta->reserved2)];
	bool has_wide_id = meta->req_id_ex[0] | meta->req_id_ex[1] |
		meta->req_id_ex[2];

	if ((meta->ctrl2 & EFA_IO_TX_META_PHASE) != phase)
		return RULE(SQ_PHASE, "wrong phase bit");
	if (!(meta->ctrl1 & EFA_IO_TX_META_META_DESC))
		return RULE(SQ_MALFORMED, "meta descriptor bit clear");
	if ((meta->ctrl2 & CTRL2_FIXED) != CTRL2_FIXED)
		return RULE(SQ_MALFORMED, "first or last bit clear");
	if ((meta->ctrl1 & ~CTRL1_KNOWN) || (meta->ctrl2 & ~CTRL2_KNOWN) ||
	    (meta->ctrl3 & ~EFA_IO_TX_META_HINTS) || meta->reserved1 ||
	    memcmp(meta->reserved2, zero, sizeof(zero)))
		return RULE(SQ_RESERVED, "reserved bits set");
	if (has_wide_id && !limits->req_id_is_64_bit)
		return RULE(SQ_RESERVED,
			    "wide request ID on a queue of 16-bit ones");
	if (!(meta->ctrl1 & EFA_IO_TX_META_INLINE_MSG) &&
	    meta->length > EFA_IO_TX_MAX_SGE)
		return RULE(SQ_MALFORMED, "more SGEs than an entry has");
	return (struct send_wqe_finding){ .text = NULL };
}

/* The bits of a key word above the key must be zero. */
static bool take_sge(struct send_sge *sge, const struct efa_io_tx_buf_desc *d)
{
	sge->length = d->length;
	sge->key = d->lkey & EFA_IO_LKEY_MASK;
	sge->addr = (uint64_t)d->buf_addr_hi << 32 | d->buf_addr_lo;
	return !(d->lkey & ~EFA_IO_LKEY_MASK);
}

static enum efa_io_comp_status decode_send(const struct efa_io_tx_wqe *wqe,
					   const struct send_wqe_limits *limits,
					   struct send_request *request,
					   struct send_wqe_finding *finding)
{
	uint64_t total = 0;
	uint32_t i;

	if (request->is_inline) {
		if (wqe->meta.length > limits->max_inline)
			return BAD_LENGTH;
		memcpy(request->inline_data, wqe->data.inline_data,
		       wqe->meta.length);
		total = wqe->meta.length;
	} else {
		if (wqe->meta.length > limits->max_sge)
			return BAD_LENGTH;
		request->sge_count = wqe->meta.length;
	}
	for (i = 0; i < request->sge_count; i++) {
		if (!take_sge(&request->sge[i], &wqe->data.sgl[i])) {
			*finding = RULE(SQ_RESERVED,
					"reserved bits set beside an lkey");
			return MALFORMED;
		}
		total += request->sge[i].length;
	}
	if (total > limits->mtu)
		return BAD_LENGTH;
	request->length = total;
	return OK;
}

static bool has_operation(const struct send_request *request,
			  const struct send_wqe_limits *limits)
{
	switch (request->op) {
	case EFA_IO_SEND:
		return true;
	case EFA_IO_RDMA_READ:
		return limits->has_rdma_read && !request->is_inline &&
			!request->has_imm;
	case EFA_IO_RDMA_WRITE:
		return limits->has_rdma_write &&
			(!request->is_inline ||
			 limits->wqe_size == EFA_IO_TX_WQE_SIZE_WIDE);
	}
	return false;
}

static enum efa_io_comp_status decode_rdma(const struct efa_io_tx_wqe *wqe,
					   const struct send_wqe_limits *limits,
					   struct send_request *request,
					   struct send_wqe_finding *finding)
{
	const struct efa_io_remote_mem_addr *remote;

	remote = &wqe->data.rdma_req.remote_mem;
	request->remote.length = remote->length;
	request->remote.key = remote->rkey;
	request->remote.addr = (uint64_t)remote->buf_addr_hi << 32 |
		remote->buf_addr_lo;
	if (request->is_inline) {
		if (wqe->meta.length > EFA_IO_TX_INLINE_MAX_WIDE ||
		    wqe->meta.length > limits->max_inline)
			return BAD_LENGTH;
		request->length = wqe->meta.length;
		memcpy(request->inline_data, wqe->data.rdma_req.inline_data,
		       request->length);
	} else {
		if (wqe->meta.length != EFA_IO_TX_MAX_RDMA_SGE)
			return BAD_LENGTH;
		request->sge_count = wqe->meta.length;
		if (!take_sge(&request->sge[0],
			      &wqe->data.rdma_req.local_mem[0])) {
			*finding = RULE(SQ_RESERVED,
					"reserved bits set beside an lkey");
			return MALFORMED;
		}
		request->length = request->sge[0].length;
	}
	if (remote->length != request->length ||
	    request->length > limits->max_rdma_size)
		return BAD_LENGTH;
	return OK;
}

enum efa_io_comp_status send_wqe_decode(const struct efa_io_tx_wqe *wqe,
					uint8_t phase,
					const struct send_wqe_limits *limits,
					struct send_request *request,
					struct send_wqe_finding *finding)
{
	const struct efa_io_tx_meta_desc *meta = &wqe->meta;

	memset(request, 0, sizeof(*request));
	request->req_id = meta->req_id;
	if (limits->req_id_is_64_bit)
		memcpy((uint8_t *)&request->req_id + sizeof(meta->req_id),
		       meta->req_id_ex, sizeof(meta->req_id_ex));
	request->op = meta->ctrl1 & EFA_IO_TX_META_OP_TYPE;
	request->comp_requested = meta->ctrl2 & EFA_IO_TX_META_COMP_REQ;
	*finding = broken_rule(meta, phase, limits);
	if (finding->text)
		return MALFORMED;

	request->has_imm = meta->ctrl1 & EFA_IO_TX_META_HAS_IMM;
	request->is_inline = meta->ctrl1 & EFA_IO_TX_META_INLINE_MSG;
	request->dest_qpn = meta->dest_qp_num;
	request->ah = meta->ah;
	request->qkey = meta->qkey;
	request->imm = meta->immediate_data;
	if (!has_operation(request, limits))
		return UNSUPPORTED;
	if (request->op == EFA_IO_SEND)
		return decode_send(wqe, limits, request, finding);
	return decode_rdma(wqe, limits, request, finding);
}
