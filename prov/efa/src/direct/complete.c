/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "direct/complete.h"

#include <endian.h>

#include <rdma/fi_errno.h>

#include "direct/op_slot.h"
#include "fabric/ep_base.h"

static const uint64_t direct_tx_flags[] = {
	[EFA_IO_SEND] = FI_SEND | FI_MSG,
	[EFA_IO_RDMA_READ] = FI_READ | FI_RMA,
	[EFA_IO_RDMA_WRITE] = FI_WRITE | FI_RMA,
};

/* An entry, and the operation it ends. */
struct direct_end {
	struct fabric_ep *ep;
	struct hw_req_slot *slot;	/* NULL: it took no request of ours */
	void *context;
	enum fabric_ep_op op;
	bool report;
	uint8_t status;		/* enum efa_io_comp_status */
	uint32_t len;		/* bytes received */
	uint64_t flags;
	uint64_t data;
};

static bool direct_end_is_tx(const struct direct_end *end)
{
	return end->op <= FABRIC_EP_WRITE;
}

static void direct_end_set_slot(struct direct_end *end,
				struct hw_req_slot *slot)
{
	end->slot = slot;
	end->context = slot->context;
	end->report = slot->flags & DIRECT_OP_REPORT;
}

static bool direct_end_find_send(struct direct_end *end,
				 const struct efa_io_cdesc *cqe)
{
	struct hw_sq *sq = &end->ep->sq;
	struct hw_req_slot *slot;

	slot = hw_sq_find(sq, hw_cqe_tx_id(cqe, sq->wide_ids));
	if (__builtin_expect(!slot, 0))
		return false;
	direct_end_set_slot(end, slot);
	end->op = (enum fabric_ep_op)direct_op_kind(slot->flags);
	end->flags = direct_tx_flags[end->op];
	end->status = cqe->status;
	end->len = 0;
	end->data = 0;
	return true;
}

/*
 * A peer's write with data: it uses up a receive, of which it fills nothing,
 * or comes by itself where the endpoint asked for that.
 */
static bool direct_end_find_write(struct direct_end *end,
				  const struct efa_io_cdesc *cqe)
{
	struct hw_req_slot *slot;

	if (hw_cqe_op(cqe) != EFA_IO_RDMA_WRITE)
		return false;
	if (hw_cqe_is_unsolicited(cqe)) {
		if (!end->ep->unsolicited)
			return false;
		end->slot = NULL;
		end->context = NULL;
		end->report = end->ep->rx_bound;
	} else {
		slot = hw_rq_find(&end->ep->rq, cqe->req_id);
		if (!slot)
			return false;
		direct_end_set_slot(end, slot);
	}
	end->op = FABRIC_EP_REMOTE_WRITE;
	end->status = cqe->status;
	end->flags = FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA;
	end->len = hw_cqe_rx_length(cqe);
	end->data = be32toh(cqe->rx.imm);
	return true;
}

static bool direct_end_find_recv(struct direct_end *end,
				 const struct efa_io_cdesc *cqe)
{
	const uint8_t unusual = EFA_IO_CDESC_OP_TYPE |
				EFA_IO_CDESC_UNSOLICITED;
	struct hw_req_slot *slot;

	if (__builtin_expect(cqe->flags & unusual, 0))
		return direct_end_find_write(end, cqe);
	slot = hw_rq_find(&end->ep->rq, cqe->req_id);
	if (__builtin_expect(!slot, 0))
		return false;
	direct_end_set_slot(end, slot);
	end->op = FABRIC_EP_RECV;
	end->len = cqe->rx.length;
	end->status = cqe->status;
	end->flags = FI_RECV | FI_MSG;
	end->data = 0;
	if (hw_cqe_has_imm(cqe)) {
		end->flags |= FI_REMOTE_CQ_DATA;
		end->data = be32toh(cqe->rx.imm);
	}
	/* more than the buffers hold cannot have been received */
	if (__builtin_expect(end->len > slot->peer, 0) && !end->status)
		end->status = EFA_IO_COMP_STATUS_LOCAL_ERROR_BAD_LENGTH;
	return true;
}

/* Finds what @cqe ends. False: nothing, and the entry was dropped. */
static bool direct_end_find(struct fabric_cq *cq,
				   const struct efa_io_cdesc *cqe,
				   struct direct_end *end)
{
	const uint8_t recv = EFA_IO_RECV_QUEUE << EFA_IO_CDESC_Q_TYPE_SHIFT;
	bool found = false;

	end->ep = fabric_cq_owner(cq, cqe->qp_num);
	if (__builtin_expect(!end->ep, 0)) {
		fabric_cq_drop_stale(cq, "no endpoint has this QP");
		return false;
	}
	if (hw_cqe_is_send(cqe)) {
		if (end->ep->tx_cq == cq)
			found = direct_end_find_send(end, cqe);
	} else if ((cqe->flags & EFA_IO_CDESC_Q_TYPE) == recv) {
		if (end->ep->rx_cq == cq)
			found = direct_end_find_recv(end, cqe);
	}
	if (__builtin_expect(!found, 0))
		fabric_cq_drop_stale(cq, "no operation in flight has this ID");
	return found;
}

/* The operation is over: its slot is free, its counter knows, its entry
 * gone. */
static void direct_end_account(struct fabric_cq *cq,
				      const struct direct_end *end)
{
	struct fabric_cntr *cntr = end->ep->cntrs[end->op];

	if (direct_end_is_tx(end))
		hw_sq_put(&end->ep->sq, end->slot);
	else if (__builtin_expect(end->slot != NULL, 1))
		hw_rq_put(&end->ep->rq, end->slot);
	hw_cq_consume(&cq->hw);
	if (__builtin_expect(!cntr, 1))
		return;
	if (end->status)
		fabric_cntr_add_error(cntr);
	else
		fabric_cntr_add(cntr, 1);
}

static fi_addr_t direct_end_source(const struct direct_end *end,
				   const struct efa_io_cdesc *cqe)
{
	if (direct_end_is_tx(end) || !end->ep->wants_source)
		return FI_ADDR_NOTAVAIL;
	return fabric_av_sender(end->ep->av, cqe->rx.ah, cqe->rx.src_qp_num);
}

/* ---- reading: what usually comes, and straight on ---- */

/* Where completions go: the application's array. */
struct direct_sink {
	enum fi_cq_format format;
	void *buf;
	fi_addr_t *source;	/* or NULL */
	size_t n;		/* there so far */
};

static HW_INLINE void direct_count(struct fabric_cntr *cntr)
{
	if (__builtin_expect(cntr != NULL, 0))
		fabric_cntr_add(cntr, 1);
}

/* A success of the send queue. False: it is anything else. */
static HW_INLINE bool direct_take_send(struct fabric_ep *ep,
				       const struct efa_io_cdesc *cqe,
				       struct direct_sink *sink)
{
	struct hw_sq *sq = &ep->sq;
	struct hw_req_slot *slot;
	enum efa_io_send_op_type kind;

	slot = hw_sq_find(sq, hw_cqe_tx_id(cqe, sq->wide_ids));
	if (__builtin_expect(!slot || cqe->status, 0))
		return false;
	kind = direct_op_kind(slot->flags);
	if (__builtin_expect(slot->flags & DIRECT_OP_REPORT, 1)) {
		fabric_cq_put_entry(sink->format, sink->buf, sink->n,
				    slot->context, direct_tx_flags[kind], 0,
				    0);
		if (sink->source)
			sink->source[sink->n] = FI_ADDR_NOTAVAIL;
		sink->n++;
	}
	hw_sq_put(sq, slot);
	direct_count(ep->cntrs[kind]);
	return true;
}

/* A message received. False: it is anything else. */
static HW_INLINE bool direct_take_recv(struct fabric_ep *ep,
				       const struct efa_io_cdesc *cqe,
				       uint8_t cqe_flags,
				       struct direct_sink *sink)
{
	const uint8_t unusual = EFA_IO_CDESC_OP_TYPE |
				EFA_IO_CDESC_UNSOLICITED;
	struct hw_rq *rq = &ep->rq;
	struct hw_req_slot *slot;
	uint64_t flags = FI_RECV | FI_MSG, data = 0;

	slot = hw_rq_find(rq, cqe->req_id);
	if (__builtin_expect(!slot || cqe->status || cqe_flags & unusual ||
			     cqe->rx.length > slot->peer, 0))
		return false;
	if (__builtin_expect(slot->flags & DIRECT_OP_REPORT, 1)) {
		if (cqe_flags & EFA_IO_CDESC_HAS_IMM) {
			flags |= FI_REMOTE_CQ_DATA;
			data = be32toh(cqe->rx.imm);
		}
		fabric_cq_put_entry(sink->format, sink->buf, sink->n,
				    slot->context, flags, cqe->rx.length,
				    data);
		if (sink->source)
			sink->source[sink->n] = !ep->wants_source ?
				FI_ADDR_NOTAVAIL :
				fabric_av_sender(ep->av, cqe->rx.ah,
						 cqe->rx.src_qp_num);
		sink->n++;
	}
	hw_rq_put(rq, slot);
	direct_count(ep->cntrs[FABRIC_EP_RECV]);
	return true;
}

/*
 * Anything else: remote writes, failures, what nobody explains. How many
 * entries it gave to the application; -1: it failed, and stays. The sink is
 * a copy, so that the caller's never leaves its registers.
 */
static int __attribute__((noinline))
direct_take_other(struct fabric_cq *cq, const struct efa_io_cdesc *cqe,
		  struct direct_sink sink)
{
	struct direct_end end;

	if (!direct_end_find(cq, cqe, &end))
		return 0;
	if (end.status)
		return -1;
	if (end.report) {
		fabric_cq_put_entry(sink.format, sink.buf, sink.n,
				    end.context, end.flags, end.len, end.data);
		if (sink.source)
			sink.source[sink.n] = direct_end_source(&end, cqe);
	}
	direct_end_account(cq, &end);
	return end.report;
}

/* What nobody is told of, up to what somebody is. */
static ssize_t __attribute__((noinline, cold))
direct_complete_skip(struct fabric_cq *cq)
{
	const struct efa_io_cdesc *cqe;
	ssize_t ret = -FI_EAGAIN;
	struct direct_end end;

	while ((cqe = hw_cq_peek(&cq->hw))) {
		if (!direct_end_find(cq, cqe, &end))
			continue;
		if (end.status)
			ret = -FI_EAVAIL;
		if (end.status || end.report)
			break;
		direct_end_account(cq, &end);
	}
	fabric_cq_batch_end(cq);
	return ret;
}

static ssize_t direct_complete_read(struct fabric_cq *cq, void *buf,
				    size_t count, fi_addr_t *source)
{
	const uint8_t send = EFA_IO_SEND_QUEUE << EFA_IO_CDESC_Q_TYPE_SHIFT;
	const uint8_t recv = EFA_IO_RECV_QUEUE << EFA_IO_CDESC_Q_TYPE_SHIFT;
	struct direct_sink sink = {
		.format = cq->format, .buf = buf, .source = source,
	};
	const struct efa_io_cdesc *cqe;
	ssize_t nothing = -FI_EAGAIN;
	int given;

	if (__builtin_expect(!count, 0))
		return direct_complete_skip(cq);
	while ((cqe = hw_cq_peek(&cq->hw))) {
		struct fabric_ep *ep = fabric_cq_owner(cq, cqe->qp_num);
		uint8_t type = cqe->flags & EFA_IO_CDESC_Q_TYPE;

		if (__builtin_expect(ep != NULL, 1) &&
		    ((type == send && ep->tx_cq == cq &&
		      direct_take_send(ep, cqe, &sink)) ||
		     (type == recv && ep->rx_cq == cq &&
		      direct_take_recv(ep, cqe, cqe->flags, &sink)))) {
			hw_cq_consume(&cq->hw);
		} else {
			given = direct_take_other(cq, cqe, sink);
			if (given < 0) {
				nothing = -FI_EAVAIL;
				break;
			}
			sink.n += (size_t)given;
		}
		if (sink.n == count)
			break;
	}
	fabric_cq_batch_end(cq);
	return sink.n ? (ssize_t)sink.n : nothing;
}

/* ---- one at a time, for errors and for what must leave the ring ---- */

static void direct_end_describe(const struct direct_end *end,
				const struct efa_io_cdesc *cqe,
				struct fabric_completion *out)
{
	*out = (struct fabric_completion){
		.op_context = end->context,
		.flags = end->flags,
		.len = end->len,
		.data = end->data,
		.source = direct_end_source(end, cqe),
		.owner = end->ep,
	};
}

static void direct_end_describe_error(const struct direct_end *end,
				      const struct efa_io_cdesc *cqe,
				      struct fabric_completion *out,
				      char *text)
{
	struct fabric_av *av = end->ep->av;
	struct fabric_address peer;
	fi_addr_t addr;

	if (direct_end_is_tx(end))
		addr = fabric_av_sender(av, direct_peer_ahn(end->slot->peer),
					direct_peer_qpn(end->slot->peer));
	else
		addr = fabric_av_sender(av, cqe->rx.ah, cqe->rx.src_qp_num);
	out->err = fabric_comp_errno(end->status);
	out->prov_errno = end->status;
	out->text = text;
	fabric_comp_error_text(text, FABRIC_COMP_ERROR_SIZE, end->status,
			       &end->ep->address,
			       fabric_av_address(av, addr, &peer) ? &peer
								  : NULL);
}

static bool direct_complete_take(struct fabric_cq *cq, bool only_failed,
				 struct fabric_completion *out, char *text)
{
	const struct efa_io_cdesc *cqe;
	struct direct_end end;
	bool taken = false;

	while (!taken && (cqe = hw_cq_peek(&cq->hw))) {
		if (!direct_end_find(cq, cqe, &end))
			continue;
		if (!end.status && only_failed)
			break;
		taken = end.status || end.report;
		direct_end_describe(&end, cqe, out);
		if (end.status)
			direct_end_describe_error(&end, cqe, out, text);
		direct_end_account(cq, &end);
	}
	fabric_cq_batch_end(cq);
	return taken;
}

const struct fabric_cq_source direct_complete_source = {
	.read = direct_complete_read,
	.take = direct_complete_take,
};
