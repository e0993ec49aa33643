/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/rma_device.h"

#include <rdma/fi_errno.h>

#include "rdm/ep_state.h"
#include "util/iov_copy.h"

/* Requests of one operation in flight, so that others have their turn. */
#define RDM_RMA_IN_FLIGHT	16u

/* The local side of @len bytes at @offset, cut to what one buffer has. */
static uint32_t rdm_rma_device_set_local(const struct rdm_ep *ep,
					 const struct rdm_op *op,
					 struct rdm_packet *packet,
					 uint64_t offset, uint64_t len)
{
	uint64_t at = offset;
	unsigned int i = 0;

	while (i + 1 < op->iov_count && at >= op->iov[i].iov_len)
		at -= op->iov[i++].iov_len;
	if (len > op->iov[i].iov_len - at)
		len = op->iov[i].iov_len - at;
	if (op->key[i].is_registered && !op->is_inject) {
		packet->payload = (struct hw_sge) {
			.addr = (uintptr_t)op->iov[i].iov_base + at,
			.length = (uint32_t)len,
			.lkey = op->key[i].lkey,
		};
		return (uint32_t)len;
	}
	if (len > ep->mtu)
		len = ep->mtu;
	packet->len = (uint32_t)len;
	if (!op->is_get)
		util_iov_copy_from(packet->data, op->iov, op->iov_count,
				   offset, (size_t)len);
	return (uint32_t)len;
}

static bool rdm_rma_device_post_one(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_packet *packet = rdm_outbox_packet(ep);
	uint64_t len = op->length - op->tx.sent;

	if (!packet)
		return false;
	if (len > ep->base.domain->device->max_rdma_size)
		len = ep->base.domain->device->max_rdma_size;
	packet->work = op->is_get ? RDM_WORK_READ : RDM_WORK_WRITE;
	packet->peer = op->peer;
	packet->op = op;
	packet->remote_addr = op->tx.range[0].addr + op->tx.sent;
	packet->rkey = (uint32_t)op->tx.range[0].key;
	if (len)
		len = rdm_rma_device_set_local(ep, op, packet, op->tx.sent,
					       len);
	if (op->tx.sent + len == op->length) {
		packet->more = op->is_more;
		packet->has_imm = op->has_cq_data;
		if (packet->has_imm && op->packets) {
			/* the data are not to be there before the bytes */
			rdm_packet_put(&ep->tx_packets, packet);
			return true;
		}
		op->is_answered = true;
	} else {
		packet->more = op->packets + 1 < RDM_RMA_IN_FLIGHT;
	}
	op->tx.sent += len;
	rdm_outbox_send(ep, packet);
	return true;
}

/* False: packets lack. */
static bool rdm_rma_device_post(struct rdm_ep *ep, struct rdm_op *op)
{
	uint64_t before;

	while (!op->is_answered && op->packets < RDM_RMA_IN_FLIGHT) {
		before = op->tx.sent;
		if (!rdm_rma_device_post_one(ep, op))
			return false;
		if (op->tx.sent == before) {
			/* the last one waits for those before it */
			rdm_outbox_flush(ep);
			break;
		}
	}
	return true;
}

static bool rdm_rma_device_resume(struct rdm_ep *ep,
				  struct rdm_deferred *deferred)
{
	return rdm_rma_device_post(ep, util_list_entry(deferred, struct rdm_op,
						       deferred));
}

static void rdm_rma_device_go_on(struct rdm_ep *ep, struct rdm_op *op)
{
	if (rdm_rma_device_post(ep, op))
		return;
	rdm_outbox_flush(ep);
	op->deferred.run = rdm_rma_device_resume;
	rdm_outbox_defer(ep, &op->deferred);
}

static int rdm_rma_device_start(struct rdm_ep *ep, struct rdm_op *op)
{
	if (!rdm_outbox_has_packets(ep, 1))
		return -FI_EAGAIN;
	op->tx.sent = 0;
	rdm_rma_device_go_on(ep, op);
	return 0;
}

static bool rdm_rma_device_completed(struct rdm_ep *ep, struct rdm_op *op,
				     const struct rdm_packet *packet,
				     uint8_t status)
{
	if (status || op->err)
		return false;
	if (packet->work == RDM_WORK_READ && packet->len)
		util_iov_copy_to(op->iov, op->iov_count,
				 packet->remote_addr - op->tx.range[0].addr,
				 packet->data, packet->len);
	/* it may also be what asked for a handshake before */
	if (!op->is_answered)
		rdm_rma_device_go_on(ep, op);
	return false;
}

const struct rdm_protocol rdm_rma_device = {
	.name = "device RMA",
	.start = rdm_rma_device_start,
	.completed = rdm_rma_device_completed,
};
