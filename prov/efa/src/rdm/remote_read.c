/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/remote_read.h"

#include <stdlib.h>
#include <string.h>

#include "fabric/comp_error.h"
#include "rdm/ep_state.h"
#include "rdm/wire_decode.h"

/* Reads of one message in flight, so that others have their turn. */
#define RDM_READS_IN_FLIGHT	16u

/* ---- posting ---- */

/* Cuts *@len to what lies in one local buffer at @offset of the message. */
static struct hw_sge rdm_remote_read_local(const struct rdm_op *op,
					   uint64_t offset, uint64_t *len)
{
	unsigned int i = 0;

	while (offset >= op->iov[i].iov_len)
		offset -= op->iov[i++].iov_len;
	if (*len > op->iov[i].iov_len - offset)
		*len = op->iov[i].iov_len - offset;
	return (struct hw_sge) {
		.addr = (uintptr_t)op->iov[i].iov_base + offset,
		.lkey = op->key[i].lkey,
	};
}

/* Cuts *@len to what lies in one of the sender's buffers, where the read
 * begins at *@addr. */
static uint32_t rdm_remote_read_remote(const struct rdm_remote_read *read,
				       uint64_t offset, uint64_t *len,
				       uint64_t *addr)
{
	unsigned int i = 0;

	while (offset >= read->from[i].len)
		offset -= read->from[i++].len;
	if (*len > read->from[i].len - offset)
		*len = read->from[i].len - offset;
	*addr = read->from[i].addr + offset;
	return (uint32_t)read->from[i].key;
}

static uint64_t rdm_remote_read_longest(const struct rdm_ep *ep)
{
	uint64_t device = ep->base.domain->device->max_rdma_size;
	uint64_t segment = ep->settings.read_segment;

	return segment && segment < device ? segment : device;
}

/* False: no packet is free. */
static bool rdm_remote_read_post_one(struct rdm_ep *ep, struct rdm_op *op)
{
	struct rdm_remote_read *read = op->rx.read;
	struct rdm_packet *packet = rdm_outbox_packet(ep);
	uint64_t len = read->end - read->at;

	if (!packet)
		return false;
	if (len > rdm_remote_read_longest(ep))
		len = rdm_remote_read_longest(ep);
	packet->work = RDM_WORK_READ;
	packet->peer = op->peer;
	packet->op = op;
	packet->payload = rdm_remote_read_local(op, read->at, &len);
	packet->rkey = rdm_remote_read_remote(read, read->at, &len,
					      &packet->remote_addr);
	packet->payload.length = (uint32_t)len;
	read->at += len;
	read->in_flight++;
	rdm_outbox_send(ep, packet);
	return true;
}

/* False: packets lack. */
static bool rdm_remote_read_post(struct rdm_ep *ep, struct rdm_op *op)
{
	const struct rdm_remote_read *read = op->rx.read;

	while (!op->err && read->at < read->end &&
	       read->in_flight < RDM_READS_IN_FLIGHT)
		if (!rdm_remote_read_post_one(ep, op))
			return false;
	return true;
}

static bool rdm_remote_read_resume(struct rdm_ep *ep,
				   struct rdm_deferred *deferred)
{
	return rdm_remote_read_post(ep, util_list_entry(deferred,
							struct rdm_op,
							deferred));
}

/* As many as may be; the others when packets are free or reads are done. */
static void rdm_remote_read_go_on(struct rdm_ep *ep, struct rdm_op *op)
{
	if (rdm_remote_read_post(ep, op))
		return;
	op->deferred.run = rdm_remote_read_resume;
	rdm_outbox_defer(ep, &op->deferred);
}

bool rdm_remote_read_begin(struct rdm_ep *ep, struct rdm_op *op,
			   const struct rdm_wire_view *view, uint64_t start)
{
	uint64_t end = op->length < op->room ? op->length : op->room;
	struct rdm_remote_read *read;

	if (!(ep->own.bits & RDM_FEATURE_RDMA_READ) ||
	    !rdm_op_is_registered(op))
		return false;
	read = calloc(1, sizeof(*read));
	if (!read)
		return false;
	read->count = view->read_iov_count;
	memcpy(read->from, view->read_iov, sizeof(read->from));
	read->at = start < end ? start : end;
	read->end = end;
	op->rx.read = read;
	rdm_remote_read_go_on(ep, op);
	return true;
}

/* ---- completions ---- */

bool rdm_remote_read_is_done(const struct rdm_op *op)
{
	const struct rdm_remote_read *read = op->rx.read;

	return read && read->at == read->end && !read->in_flight;
}

bool rdm_remote_read_completed(struct rdm_ep *ep, struct rdm_op *op,
			       const struct rdm_packet *packet,
			       uint8_t status)
{
	struct rdm_remote_read *read = op->rx.read;

	read->in_flight--;
	if (status)
		rdm_op_fail(ep, op, fabric_comp_errno(status), status, NULL);
	if (op->err)
		return read->in_flight;
	rdm_remote_read_go_on(ep, op);
	return true;
}
