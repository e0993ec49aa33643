/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "engine/recv_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/ring_memory.h"
#include "hw/efa_io_defs.h"

#define CTRL_KNOWN	(EFA_IO_LKEY_MASK | EFA_IO_RX_FIRST | EFA_IO_RX_LAST)

int recv_ring_init(struct recv_ring *rq, const void *ring,
		   volatile uint32_t *doorbell, uint32_t depth,
		   uint32_t max_sge)
{
	*rq = (struct recv_ring) {
		.ring = ring,
		.doorbell = doorbell,
		.depth = depth,
		.max_sge = max_sge,
	};
	if (depth) {
		rq->kept = calloc(depth, sizeof(*rq->kept));
		if (!rq->kept || req_id_set_init(&rq->ids)) {
			recv_ring_fini(rq);
			return -ENOMEM;
		}
	}
	recv_ring_reset(rq);
	return 0;
}

void recv_ring_fini(struct recv_ring *rq)
{
	free(rq->kept);
	rq->kept = NULL;
	req_id_set_fini(&rq->ids);
}

static struct efa_io_rx_desc *kept_at(const struct recv_ring *rq,
				      uint32_t index)
{
	return &rq->kept[index & (rq->depth - 1)];
}

static struct efa_io_rx_desc read_ring(const struct recv_ring *rq,
				       uint32_t index)
{
	struct efa_io_rx_desc desc;

	ring_entry_copy(&desc, rq->ring + (size_t)(index & (rq->depth - 1)) *
			sizeof(desc), sizeof(desc));
	return desc;
}

/* Descriptors to be accepted, or -EPROTO. */
static int pending(struct recv_ring *rq, bool *is_rung)
{
	uint32_t doorbell = doorbell_read(rq->doorbell), more, owned;

	*is_rung = doorbell != rq->last_doorbell;
	rq->last_doorbell = doorbell;
	more = (doorbell - rq->good_doorbell) & EFA_IO_DB_PROD_MASK;
	owned = (rq->good_doorbell - rq->consumed) & EFA_IO_DB_PROD_MASK;
	if ((doorbell & ~EFA_IO_DB_PROD_MASK) || more > rq->depth - owned)
		return -EPROTO;
	rq->good_doorbell = doorbell;
	return (doorbell - rq->accepted) & EFA_IO_DB_PROD_MASK;
}

static void find(struct recv_ring_finding *finding, enum engine_rule rule,
		 uint32_t index, const char *text)
{
	finding->rule = rule;
	finding->index = index;
	finding->text = text;
}

/* What is wrong with @desc, number rq->chain of its receive. */
static bool is_sound(const struct recv_ring *rq,
		     const struct efa_io_rx_desc *desc,
		     struct recv_ring_finding *finding)
{
	bool is_first = desc->lkey_ctrl & EFA_IO_RX_FIRST;

	if (desc->lkey_ctrl & ~CTRL_KNOWN)
		find(finding, ENGINE_RULE_RQ_RESERVED, rq->accepted,
		     "reserved bits set beside an lkey");
	else if (!rq->chain && !is_first)
		find(finding, ENGINE_RULE_RQ_MALFORMED, rq->accepted,
		     "a receive without the first bit");
	else if (rq->chain && is_first)
		find(finding, ENGINE_RULE_RQ_MALFORMED, rq->accepted,
		     "a first bit inside a receive");
	else if (rq->chain == rq->max_sge)
		find(finding, ENGINE_RULE_RQ_MALFORMED, rq->accepted,
		     "a receive of too many descriptors");
	return !finding->text;
}

/* Keeps the next descriptor, also one that is refused, to be named. */
static bool accept_one(struct recv_ring *rq, struct recv_ring_finding *finding)
{
	struct efa_io_rx_desc desc = read_ring(rq, rq->accepted);

	*kept_at(rq, rq->accepted) = desc;
	if (!is_sound(rq, &desc, finding)) {
		rq->refusal = -EBADMSG;
		return false;
	}
	if (!rq->chain && !req_id_set_add(&rq->ids, desc.req_id))
		find(finding, ENGINE_RULE_RQ_REQ_ID, rq->accepted,
		     "its request ID is in use by an earlier receive");
	rq->chain = desc.lkey_ctrl & EFA_IO_RX_LAST ? 0 : rq->chain + 1;
	rq->accepted++;
	return true;
}

uint32_t recv_ring_accept(struct recv_ring *rq, uint32_t max, bool *is_rung,
			  struct recv_ring_finding *finding)
{
	uint32_t count = 0;
	int offered;

	*is_rung = false;
	finding->text = NULL;
	if (!rq->depth || rq->refusal)
		return 0;
	offered = pending(rq, is_rung);
	if (offered < 0) {
		rq->refusal = offered;
		find(finding, ENGINE_RULE_RQ_DOORBELL, rq->accepted,
		     "the doorbell went back, or counts more descriptors than the ring has free");
		return 0;
	}
	while (count < (uint32_t)offered && count < max && !finding->text &&
	       accept_one(rq, finding))
		count++;
	return count;
}

static void add_sge(struct recv_request *request,
		    const struct efa_io_rx_desc *desc)
{
	request->sge[request->sge_count++] = (struct recv_sge) {
		.addr = (uint64_t)desc->buf_addr_hi << 32 | desc->buf_addr_lo,
		.length = desc->length,
		.lkey = desc->lkey_ctrl & EFA_IO_LKEY_MASK,
	};
}

int recv_ring_peek(const struct recv_ring *rq, struct recv_request *request)
{
	const struct efa_io_rx_desc *desc;
	uint32_t index;

	request->req_id = 0;
	request->sge_count = 0;
	if (rq->refusal == -EPROTO)
		return rq->refusal;
	for (index = rq->consumed; index != rq->accepted; index++) {
		desc = kept_at(rq, index);
		if (index == rq->consumed)
			request->req_id = desc->req_id;
		add_sge(request, desc);
		if (desc->lkey_ctrl & EFA_IO_RX_LAST)
			return 1;
	}
	if (rq->refusal && index == rq->consumed)
		request->req_id = kept_at(rq, index)->req_id;
	return rq->refusal;
}

void recv_ring_take(struct recv_ring *rq, const struct recv_request *request,
		    struct recv_ring_finding *finding)
{
	struct efa_io_rx_desc now;
	uint32_t i;

	finding->text = NULL;
	for (i = 0; i < request->sge_count; i++) {
		now = read_ring(rq, rq->consumed + i);
		if (memcmp(&now, kept_at(rq, rq->consumed + i), sizeof(now)))
			find(finding, ENGINE_RULE_RQ_OVERWRITE,
			     rq->consumed + i,
			     "written to between its doorbell and its completion");
	}
	req_id_set_remove(&rq->ids, request->req_id);
	rq->consumed += request->sge_count;
}

void recv_ring_reset(struct recv_ring *rq)
{
	rq->consumed = 0;
	rq->accepted = 0;
	rq->chain = 0;
	rq->refusal = 0;
	rq->last_doorbell = 0;
	rq->good_doorbell = 0;
	req_id_set_clear(&rq->ids);
	if (rq->doorbell)
		__atomic_store_n(rq->doorbell, 0, __ATOMIC_RELEASE);
}
