/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "test/raw_endpoint.h"

#include <sched.h>

#include "fabtests/expect.h"
#include "hw/mmio.h"

void raw_open(struct raw_endpoint *raw, struct endpoint *e)
{
	struct efadv_ah_attr ah;

	*raw = (struct raw_endpoint){ .e = e };
	REQUIRE_EQ(efadv_query_qp_wqs(e->qp, &raw->sq, &raw->rq,
				      sizeof(raw->sq)), 0);
	REQUIRE_EQ(efadv_query_cq(ibv_cq_ex_to_cq(e->cq), &raw->cq,
				  sizeof(raw->cq)), 0);
	REQUIRE_EQ(efadv_query_ah(e->ah, &ah, sizeof(ah)), 0);
	raw->dest = (struct hw_dest){ ah.ahn, (uint16_t)e->peer.qpn,
				      e->peer.qkey };
}

struct hw_send_wqe raw_send(const struct raw_endpoint *raw, uint16_t req_id)
{
	struct hw_sge sge = {
		.addr = (uintptr_t)raw->e->buf, .length = 8,
		.lkey = raw->e->mr->lkey,
	};
	struct hw_send_wqe wqe;

	hw_wqe_init(&wqe, raw->sq.entry_size, EFA_IO_SEND, &raw->dest);
	hw_wqe_set_sgl(&wqe, &sge, 1);
	wqe.io.meta.req_id = req_id;
	return wqe;
}

uint8_t *raw_send_slot(const struct raw_endpoint *raw, uint32_t index)
{
	return raw->sq.buffer + (size_t)(index & (raw->sq.num_entries - 1)) *
		raw->sq.entry_size;
}

void raw_put_send(struct raw_endpoint *raw, uint32_t index,
		  const struct hw_send_wqe *wqe)
{
	struct hw_send_wqe entry = *wqe;

	if (index & raw->sq.num_entries)
		entry.io.meta.ctrl2 ^= EFA_IO_TX_META_PHASE;
	hw_wc_store(raw_send_slot(raw, index), entry.words,
		    raw->sq.entry_size > EFA_IO_TX_WQE_SIZE);
}

void raw_ring_sq(struct raw_endpoint *raw, uint32_t count)
{
	hw_flush_before_doorbell();
	hw_doorbell_write(raw->sq.doorbell, count & EFA_IO_DB_PROD_MASK);
}

struct efa_io_rx_desc *raw_recv_slot(const struct raw_endpoint *raw,
				     uint32_t index)
{
	return (struct efa_io_rx_desc *)raw->rq.buffer +
		(index & (raw->rq.num_entries - 1));
}

void raw_put_recv(struct raw_endpoint *raw, uint32_t index, uint16_t req_id,
		  uint16_t len, uint32_t bits)
{
	uint64_t addr = (uintptr_t)raw->e->buf;

	*raw_recv_slot(raw, index) = (struct efa_io_rx_desc){
		.buf_addr_lo = (uint32_t)addr,
		.buf_addr_hi = (uint32_t)(addr >> 32),
		.req_id = req_id,
		.length = len,
		.lkey_ctrl = raw->e->mr->lkey | bits,
	};
}

void raw_ring_rq(struct raw_endpoint *raw, uint32_t count)
{
	hw_flush_before_doorbell();
	hw_doorbell_write(raw->rq.doorbell, count & EFA_IO_DB_PROD_MASK);
}

static bool has_completion(const struct raw_endpoint *raw, uint32_t index)
{
	uint32_t slot = index & (raw->cq.num_entries - 1);
	const struct efa_io_cdesc *entry = (const void *)
		(raw->cq.buffer + (size_t)slot * raw->cq.entry_size);
	uint8_t phase = index & raw->cq.num_entries ? 0 : EFA_IO_CDESC_PHASE;

	return (__atomic_load_n(&entry->flags, __ATOMIC_ACQUIRE) &
		EFA_IO_CDESC_PHASE) == phase;
}

void raw_await(struct raw_endpoint *raw, uint32_t count)
{
	for (; count; count--, raw->completions++) {
		while (!has_completion(raw, raw->completions))
			sched_yield();
	}
}

void raw_ring_cq(struct raw_endpoint *raw, uint32_t consumed)
{
	hw_doorbell_write(raw->cq.doorbell, consumed & EFA_IO_DB_CONS_MASK);
}
