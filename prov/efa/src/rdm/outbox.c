/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/outbox.h"

#include <endian.h>
#include <string.h>
#include <time.h>

#include "fabric/ep_queue.h"
#include "rdm/ep_state.h"

void rdm_outbox_init(struct rdm_outbox *outbox)
{
	*outbox = (struct rdm_outbox) { .next_deadline_ns = UINT64_MAX };
	util_list_init(&outbox->queue);
	util_list_init(&outbox->paused);
	util_list_init(&outbox->deferred);
}

uint64_t rdm_outbox_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- packets ---- */

struct rdm_packet *rdm_outbox_packet(struct rdm_ep *ep)
{
	struct rdm_packet *packet = rdm_packet_get(&ep->tx_packets);

	if (__builtin_expect(!packet, 0))
		ep->outbox.wants_packets = true;
	return packet;
}

bool rdm_outbox_has_packets(struct rdm_ep *ep, uint32_t count)
{
	if (__builtin_expect(ep->tx_packets.free_count >= count, 1))
		return true;
	ep->outbox.wants_packets = true;
	return false;
}

/* ---- posting ---- */

static void rdm_outbox_build_send(struct rdm_ep *ep,
				  const struct rdm_packet *packet,
				  struct hw_send_wqe *wqe)
{
	struct hw_sge sge[2] = {
		{
			.addr = (uintptr_t)packet->data,
			.length = packet->len,
			.lkey = packet->lkey,
		},
		packet->payload,
	};

	hw_wqe_init(wqe, ep->base.sq.entry_size, EFA_IO_SEND,
		    &packet->peer->dest);
	if (packet->len <= ep->base.inline_bytes && !packet->payload.length)
		memcpy(hw_wqe_inline(wqe, packet->len), packet->data,
		       packet->len);
	else
		hw_wqe_set_sgl(wqe, sge, packet->payload.length ? 2 : 1);
}

static void rdm_outbox_build_rdma(struct rdm_ep *ep,
				  const struct rdm_packet *packet,
				  struct hw_send_wqe *wqe)
{
	struct hw_sge local = packet->payload;

	if (!local.length) {
		local = packet->len ? (struct hw_sge) {
			.addr = (uintptr_t)packet->data,
			.length = packet->len,
			.lkey = packet->lkey,
		} : ep->base.empty_sge;
	}
	hw_wqe_init(wqe, ep->base.sq.entry_size,
		    packet->work == RDM_WORK_READ ? EFA_IO_RDMA_READ
						  : EFA_IO_RDMA_WRITE,
		    &packet->peer->dest);
	hw_wqe_set_rdma(wqe, &local, packet->remote_addr, packet->rkey);
	if (packet->has_imm)
		/* peers take it for big endian, as verbs does */
		hw_wqe_set_imm(wqe, htobe32((uint32_t)packet->op->cq_data));
}

/* False: the send queue is full. */
static bool rdm_outbox_post(struct rdm_ep *ep, struct rdm_packet *packet,
			    bool more)
{
	struct hw_send_wqe wqe;

	if (__builtin_expect(hw_sq_is_full(&ep->base.sq), 0) &&
	    !fabric_ep_queue_grow_tx(&ep->base))
		return false;
	if (packet->work == RDM_WORK_SEND)
		rdm_outbox_build_send(ep, packet, &wqe);
	else
		rdm_outbox_build_rdma(ep, packet, &wqe);
	hw_sq_post(&ep->base.sq, &wqe, packet, 0, 0, more);
	ep->outbox.in_flight++;
	return true;
}

static bool rdm_outbox_must_wait(const struct rdm_peer *peer)
{
	return __builtin_expect(!peer->has_dest || peer->is_paused, 0);
}

void rdm_outbox_send(struct rdm_ep *ep, struct rdm_packet *packet)
{
	struct rdm_peer *peer = packet->peer;

	if (packet->op)
		packet->op->packets++;
	if (rdm_outbox_must_wait(peer))
		util_list_append(&peer->waiting, &packet->node);
	else if (!util_list_is_empty(&ep->outbox.queue) ||
		 !rdm_outbox_post(ep, packet, packet->more))
		util_list_append(&ep->outbox.queue, &packet->node);
}

void rdm_outbox_flush(struct rdm_ep *ep)
{
	hw_sq_ring_doorbell(&ep->base.sq);
}

/* ---- pauses ---- */

static void rdm_outbox_pause(struct rdm_ep *ep, struct rdm_peer *peer)
{
	struct rdm_outbox *outbox = &ep->outbox;

	peer->resume_at_ns = rdm_rnr_backoff_pause(&peer->backoff,
						   rdm_outbox_now_ns());
	peer->is_paused = true;
	util_list_append(&outbox->paused, &peer->paused);
	if (peer->resume_at_ns < outbox->next_deadline_ns)
		outbox->next_deadline_ns = peer->resume_at_ns;
}

void rdm_outbox_release(struct rdm_ep *ep, struct rdm_peer *peer)
{
	struct util_list *node;

	while (!util_list_is_empty(&peer->waiting)) {
		node = util_list_pop(&peer->waiting);
		util_list_append(&ep->outbox.queue, node);
	}
}

/* Lets go of peers whose time has come, and finds out whose is next. */
static void rdm_outbox_resume(struct rdm_ep *ep, uint64_t now_ns)
{
	struct rdm_outbox *outbox = &ep->outbox;
	struct util_list *node, *next;
	struct rdm_peer *peer;

	outbox->next_deadline_ns = UINT64_MAX;
	for (node = outbox->paused.next; node != &outbox->paused;
	     node = next) {
		next = node->next;
		peer = util_list_entry(node, struct rdm_peer, paused);
		if (peer->resume_at_ns <= now_ns) {
			util_list_remove(node);
			peer->is_paused = false;
			if (peer->has_dest)
				rdm_outbox_release(ep, peer);
		} else if (peer->resume_at_ns < outbox->next_deadline_ns) {
			outbox->next_deadline_ns = peer->resume_at_ns;
		}
	}
}

bool rdm_outbox_completed(struct rdm_ep *ep, struct rdm_packet *packet,
			  uint8_t status)
{
	struct rdm_peer *peer = packet->peer;

	ep->outbox.in_flight--;
	if (__builtin_expect(status == EFA_IO_COMP_STATUS_OK, 1)) {
		if (__builtin_expect(peer->was_paused, 0)) {
			peer->was_paused = false;
			rdm_rnr_backoff_reset(&peer->backoff);
		}
		return true;
	}
	/* what is no operation's does not fail with one */
	if (status != EFA_IO_COMP_STATUS_REMOTE_ERROR_RNR ||
	    (ep->rnr_fails && packet->op))
		return true;
	packet->rnr_count++;
	util_list_append(&peer->waiting, &packet->node);
	peer->was_paused = true;
	if (!peer->is_paused)
		rdm_outbox_pause(ep, peer);
	return false;
}

/* ---- what waits ---- */

static void rdm_outbox_drain_queue(struct rdm_ep *ep)
{
	struct util_list *queue = &ep->outbox.queue;
	struct rdm_packet *packet;

	while (!util_list_is_empty(queue)) {
		packet = util_list_entry(queue->next, struct rdm_packet, node);
		if (rdm_outbox_must_wait(packet->peer)) {
			util_list_remove(&packet->node);
			util_list_append(&packet->peer->waiting,
					 &packet->node);
			continue;
		}
		if (!rdm_outbox_post(ep, packet, true))
			break;
		/* the device may have it, but its completion is not read */
		util_list_remove(&packet->node);
	}
	hw_sq_ring_doorbell(&ep->base.sq);
}

static void rdm_outbox_run_deferred(struct rdm_ep *ep)
{
	struct util_list *list = &ep->outbox.deferred;
	struct rdm_deferred *deferred;

	while (!util_list_is_empty(list) && ep->tx_packets.free_count) {
		deferred = util_list_entry(list->next, struct rdm_deferred,
					   node);
		util_list_remove(&deferred->node);
		deferred->is_waiting = false;
		if (!deferred->run(ep, deferred)) {
			/* it stays the first, of what there is too little */
			util_list_push(list, &deferred->node);
			deferred->is_waiting = true;
			break;
		}
	}
}

void rdm_outbox_drain(struct rdm_ep *ep)
{
	struct rdm_outbox *outbox = &ep->outbox;
	uint64_t now_ns;

	if (__builtin_expect(rdm_outbox_is_paused(outbox), 0)) {
		now_ns = rdm_outbox_now_ns();
		if (outbox->next_deadline_ns <= now_ns)
			rdm_outbox_resume(ep, now_ns);
	}
	if (__builtin_expect(!util_list_is_empty(&outbox->queue), 0))
		rdm_outbox_drain_queue(ep);
	if (__builtin_expect(!util_list_is_empty(&outbox->deferred), 0))
		rdm_outbox_run_deferred(ep);
}

void rdm_outbox_defer(struct rdm_ep *ep, struct rdm_deferred *deferred)
{
	ep->outbox.wants_packets = true;
	if (deferred->is_waiting)
		return;
	deferred->is_waiting = true;
	util_list_append(&ep->outbox.deferred, &deferred->node);
}

void rdm_outbox_forget(struct rdm_deferred *deferred)
{
	if (!deferred->is_waiting)
		return;
	util_list_remove(&deferred->node);
	deferred->is_waiting = false;
}
