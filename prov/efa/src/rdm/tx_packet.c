/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/tx_packet.h"

#include "rdm/ep_state.h"
#include "rdm/target_memory.h"
#include "util/iov_copy.h"

void rdm_tx_message(const struct rdm_ep *ep, const struct rdm_op *op,
		    struct rdm_wire_message *msg)
{
	bool raw = rdm_feature_wants_raw_addr(&op->peer->features);

	*msg = (struct rdm_wire_message) {
		.raw_addr = raw ? &ep->base.address : NULL,
		.has_connid = !raw,
		.has_cq_data = op->has_cq_data,
		.is_tagged = op->is_tagged,
		.is_delivery_complete = op->is_delivery_complete,
		.connid = ep->base.address.qkey,
		.msg_id = op->msg_id,
		.send_id = op->id,
		.tag = op->tag,
		.cq_data = op->cq_data,
		.msg_length = op->length,
	};
	if (__builtin_expect(op->is_rma, 0)) {
		msg->rma_iov = op->tx.range;
		msg->rma_iov_count = op->tx.range_count;
	}
}

/* The buffer that all of the range lies in, or RDM_OP_IOV. */
static unsigned int rdm_tx_buffer_of(const struct rdm_op *op,
				     uint64_t *offset, size_t len)
{
	unsigned int i;

	for (i = 0; i < op->iov_count; i++) {
		if (*offset + len <= op->iov[i].iov_len)
			return i;
		if (*offset < op->iov[i].iov_len)
			break;
		*offset -= op->iov[i].iov_len;
	}
	return RDM_OP_IOV;
}

bool rdm_tx_put_payload(struct rdm_ep *ep, const struct rdm_op *op,
			struct rdm_packet *packet, size_t header_len,
			uint64_t offset, size_t len)
{
	uint64_t at = offset;
	unsigned int i = RDM_OP_IOV;

	packet->peer = op->peer;
	packet->len = (uint32_t)header_len;
	if (__builtin_expect(op->is_target, 0)) {
		packet->len += (uint32_t)len;
		return rdm_target_load(ep, op->tx.range, op->tx.range_count,
				       offset, packet->data + header_len, len);
	}
	if (len > ep->copy_max && !op->is_inject)
		i = rdm_tx_buffer_of(op, &at, len);
	if (i < RDM_OP_IOV && op->key[i].is_registered) {
		packet->payload = (struct hw_sge) {
			.addr = (uintptr_t)op->iov[i].iov_base + at,
			.length = (uint32_t)len,
			.lkey = op->key[i].lkey,
		};
		return true;
	}
	util_iov_copy_from(packet->data + header_len, op->iov, op->iov_count,
			   offset, len);
	packet->len += (uint32_t)len;
	return true;
}
