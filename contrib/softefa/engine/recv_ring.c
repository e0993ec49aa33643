/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/recv_ring.h"

#include <assert.h>
#include <errno.h>

#include "engine/ring_memory.h"
#include "hw/efa_io_defs.h"

#define CTRL_KNOWN	(EFA_IO_LKEY_MASK | EFA_IO_RX_FIRST | EFA_IO_RX_LAST)

static struct efa_io_rx_desc descriptor(const struct recv_ring *rq,
					uint32_t index)
{
	uint32_t slot = (rq->consumed + index) & (rq->depth - 1);
	struct efa_io_rx_desc desc;

	ring_entry_copy(&desc, rq->ring + slot * sizeof(desc), sizeof(desc));
	return desc;
}

/* Descriptors there, or -EPROTO; unlike a WQE, none is ever in flight. */
static int pending(struct recv_ring *rq, bool *is_rung)
{
	uint32_t doorbell, count;

	*is_rung = false;
	if (!rq->depth)
		return 0;
	doorbell = doorbell_read(rq->doorbell);
	*is_rung = doorbell != rq->last_doorbell;
	rq->last_doorbell = doorbell;
	count = (doorbell - rq->consumed) & EFA_IO_DB_PROD_MASK;
	if ((doorbell & ~EFA_IO_DB_PROD_MASK) || count > rq->depth)
		return -EPROTO;
	return count;
}

/* What is wrong with descriptor @index of a chain, NULL if nothing. */
static const char *broken_rule(const struct efa_io_rx_desc *desc,
			       uint32_t index)
{
	if (desc->lkey_ctrl & ~CTRL_KNOWN)
		return "reserved bits set beside an lkey";
	if (!index && !(desc->lkey_ctrl & EFA_IO_RX_FIRST))
		return "a receive without the first bit";
	if (index && (desc->lkey_ctrl & EFA_IO_RX_FIRST))
		return "a first bit inside a receive";
	return NULL;
}

int recv_ring_peek(struct recv_ring *rq, struct recv_request *request,
		    bool *is_rung, const char **rule)
{
	struct efa_io_rx_desc desc;
	int count = pending(rq, is_rung);
	int i;

	request->req_id = 0;
	request->sge_count = 0;
	if (count < 0) {
		*rule = "the doorbell counts more descriptors than the ring";
		return count;
	}
	for (i = 0; i < count; i++) {
		desc = descriptor(rq, i);
		if (!i)
			request->req_id = desc.req_id;
		*rule = broken_rule(&desc, i);
		if (!*rule && (uint32_t)i == rq->max_sge)
			*rule = "a receive of too many descriptors";
		if (*rule)
			return -EBADMSG;
		request->sge[i].addr = (uint64_t)desc.buf_addr_hi << 32 |
			desc.buf_addr_lo;
		request->sge[i].length = desc.length;
		request->sge[i].lkey = desc.lkey_ctrl & EFA_IO_LKEY_MASK;
		request->sge_count = i + 1;
		if (desc.lkey_ctrl & EFA_IO_RX_LAST)
			return 1;
	}
	return 0;
}

void recv_ring_take(struct recv_ring *rq, const struct recv_request *request)
{
	rq->consumed += request->sge_count;
}

void recv_ring_reset(struct recv_ring *rq)
{
	rq->consumed = 0;
	rq->last_doorbell = 0;
	if (rq->doorbell)
		__atomic_store_n(rq->doorbell, 0, __ATOMIC_RELEASE);
}
