/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/progress.h"

#include <endian.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <rdma/fi_errno.h>

#include "rdm/ep_state.h"
#include "rdm/packet_done.h"
#include "rdm/peer_loss.h"
#include "rdm/protocol_table.h"
#include "rdm/rx.h"
#include "rdm/supply.h"
#include "rdm/target.h"

/* How often a CQ with others to look after is looked at by who sleeps. */
#define RDM_PROGRESS_NAP_MS	1

/* Another CQ of endpoints of this one. */
struct rdm_partner {
	struct rdm_partner *next;
	struct fabric_cq *cq;
	uint32_t endpoints;
};

/* Of a CQ, under its lock. */
struct rdm_cq_state {
	struct util_list paused;	/* endpoints with a pause to end */
	_Atomic uint32_t paused_count;	/* for readers of other CQs */
	struct rdm_partner *partners;
	uint32_t budget;		/* completions of one call */
	uint32_t burst;			/* the ring was found empty so often */
	struct util_list endpoints;	/* whose sends it tells of */
	/* of addresses, as many as were looked into; other CQs read it */
	_Atomic uint32_t removals;
};

/* ---- completions of the device ---- */

static bool rdm_progress_take_send(struct rdm_ep *ep,
				   const struct efa_io_cdesc *cqe)
{
	struct hw_sq *sq = &ep->base.sq;
	struct rdm_packet *packet;
	struct hw_req_slot *slot;

	slot = hw_sq_find(sq, hw_cqe_tx_id(cqe, sq->wide_ids));
	if (__builtin_expect(!slot, 0))
		return false;
	packet = slot->context;
	hw_sq_put(sq, slot);
	if (rdm_outbox_completed(ep, packet, cqe->status))
		rdm_packet_done(ep, packet, cqe->status);
	return true;
}

/* A peer's write with data: it used up a receive buffer, of which it filled
 * nothing, or came by itself. */
static bool rdm_progress_take_write(struct rdm_ep *ep,
				    const struct efa_io_cdesc *cqe)
{
	struct hw_req_slot *slot = NULL;

	if (hw_cqe_op(cqe) != EFA_IO_RDMA_WRITE)
		return false;
	if (!hw_cqe_is_unsolicited(cqe)) {
		slot = hw_rq_find(&ep->base.rq, cqe->req_id);
		if (!slot)
			return false;
		rdm_packet_put(&ep->rx_packets, slot->context);
		hw_rq_put(&ep->base.rq, slot);
		ep->rx_posted--;
		ep->rx_taken++;
	} else if (!ep->base.unsolicited) {
		return false;
	}
	if (!cqe->status)
		rdm_target_written(ep, cqe->rx.ah, cqe->rx.src_qp_num,
				   hw_cqe_rx_length(cqe), be32toh(cqe->rx.imm));
	return true;
}

static bool rdm_progress_take_recv(struct rdm_ep *ep,
				   const struct efa_io_cdesc *cqe)
{
	const uint8_t unusual = EFA_IO_CDESC_OP_TYPE |
				EFA_IO_CDESC_UNSOLICITED;
	struct rdm_packet *packet;
	struct hw_req_slot *slot;

	if (__builtin_expect(cqe->flags & unusual, 0))
		return rdm_progress_take_write(ep, cqe);
	slot = hw_rq_find(&ep->base.rq, cqe->req_id);
	if (__builtin_expect(!slot, 0))
		return false;
	packet = slot->context;
	hw_rq_put(&ep->base.rq, slot);
	ep->rx_posted--;
	ep->rx_taken++;
	if (__builtin_expect(!cqe->status && cqe->rx.length <= ep->mtu, 1))
		rdm_rx_packet(ep, cqe, packet->data, cqe->rx.length);
	rdm_packet_put(&ep->rx_packets, packet);
	return true;
}

static bool rdm_progress_take(struct fabric_cq *cq, struct rdm_ep *ep,
			      const struct efa_io_cdesc *cqe)
{
	const uint8_t recv = EFA_IO_RECV_QUEUE << EFA_IO_CDESC_Q_TYPE_SHIFT;

	if (hw_cqe_is_send(cqe))
		return ep->base.tx_cq == cq &&
		       rdm_progress_take_send(ep, cqe);
	return (cqe->flags & EFA_IO_CDESC_Q_TYPE) == recv &&
	       ep->base.rx_cq == cq && rdm_progress_take_recv(ep, cqe);
}

/* ---- an endpoint whose turn is over ---- */

/* @has_wish: and what it wants of the kernel waits for another turn. */
static void rdm_progress_list_pause(struct fabric_cq *cq, struct rdm_ep *ep,
				    bool has_wish)
{
	struct rdm_cq_state *state = cq->source_state;
	bool is_paused = (has_wish || rdm_outbox_is_paused(&ep->outbox)) &&
			 !ep->is_closing;

	if (cq != ep->base.tx_cq || is_paused == ep->is_paused_listed)
		return;
	ep->is_paused_listed = is_paused;
	if (is_paused) {
		util_list_append(&state->paused, &ep->paused);
		state->paused_count++;
	} else {
		util_list_remove(&ep->paused);
		state->paused_count--;
	}
}

/* More than half of the receive buffers while the ring did not run empty,
 * however many calls that took: there are too few. */
static void rdm_progress_judge_receives(struct rdm_ep *ep)
{
	if (__builtin_expect(ep->rx_taken > ep->rx_packets.total / 2, 0)) {
		ep->rx_wanted = ep->rx_packets.total * 2;
		if (ep->rx_wanted > ep->rx_packets.limit)
			ep->rx_wanted = ep->rx_packets.limit;
	}
}

static void rdm_progress_begin_turn(struct fabric_cq *cq, struct rdm_ep *ep)
{
	const struct rdm_cq_state *state = cq->source_state;

	rdm_ep_lock(ep);
	if (cq == ep->base.rx_cq && ep->rx_burst != state->burst) {
		ep->rx_burst = state->burst;
		ep->rx_taken = 0;
	}
}

/* @growing: the list of those that want something of the kernel, or NULL. */
static void rdm_progress_end_turn(struct fabric_cq *cq, struct rdm_ep *ep,
				  struct rdm_ep **growing)
{
	rdm_outbox_drain(ep);
	rdm_outbox_flush(ep);
	if (ep->rx_taken) {
		rdm_supply_post_receives(ep);
		rdm_progress_judge_receives(ep);
	}
	rdm_progress_list_pause(cq, ep, !growing && rdm_supply_lacks(ep));
	if (growing && rdm_supply_begin(ep)) {
		ep->next_growing = *growing;
		*growing = ep;
	}
	rdm_ep_unlock(ep);
}

/* ---- a CQ ---- */

static void rdm_progress_ring(struct fabric_cq *cq, uint32_t budget,
			      struct rdm_ep **growing)
{
	struct rdm_cq_state *state = cq->source_state;
	const struct efa_io_cdesc *cqe;
	struct rdm_ep *ep = NULL, *next;
	void *owner;

	for (; budget; budget--) {
		cqe = hw_cq_peek(&cq->hw);
		if (!cqe) {
			state->burst++;
			break;
		}
		owner = fabric_cq_owner(cq, cqe->qp_num);
		if (__builtin_expect(!owner, 0)) {
			fabric_cq_drop_stale(cq, "no endpoint has this QP");
			continue;
		}
		next = rdm_ep_of_base(owner);
		if (next != ep) {
			if (ep)
				rdm_progress_end_turn(cq, ep, growing);
			rdm_progress_begin_turn(cq, next);
			ep = next;
		}
		if (rdm_progress_take(cq, ep, cqe))
			hw_cq_consume(&cq->hw);
		else
			fabric_cq_drop_stale(cq, "no operation in flight has this ID");
	}
	if (ep)
		rdm_progress_end_turn(cq, ep, growing);
	fabric_cq_batch_end(cq);
}

static void rdm_progress_pauses(struct fabric_cq *cq, struct rdm_ep **growing)
{
	struct rdm_cq_state *state = cq->source_state;
	struct util_list *node, *next;
	struct rdm_ep *ep;

	for (node = state->paused.next; node != &state->paused; node = next) {
		next = node->next;
		ep = util_list_entry(node, struct rdm_ep, paused);
		rdm_ep_lock(ep);
		rdm_progress_end_turn(cq, ep, growing);
	}
}

/* Addresses were removed: what waits for an answer from one has no end. */
static void __attribute__((noinline))
rdm_progress_removals(struct fabric_cq *cq, uint32_t removals)
{
	struct rdm_cq_state *state = cq->source_state;
	struct util_list *node;
	struct rdm_ep *ep;

	state->removals = removals;
	for (node = state->endpoints.next; node != &state->endpoints;
	     node = node->next) {
		ep = util_list_entry(node, struct rdm_ep, joined);
		rdm_ep_lock(ep);
		rdm_peer_loss_of_removed(ep);
		rdm_ep_unlock(ep);
	}
}

/* Under the lock of @cq. */
static void rdm_progress_cq(struct fabric_cq *cq, struct rdm_ep **growing)
{
	struct rdm_cq_state *state = cq->source_state;
	uint32_t removals = atomic_load_explicit(&cq->domain->removals,
						 memory_order_acquire);

	if (__builtin_expect(removals != state->removals, 0))
		rdm_progress_removals(cq, removals);
	rdm_progress_ring(cq, state->budget, growing);
	if (__builtin_expect(!util_list_is_empty(&state->paused), 0))
		rdm_progress_pauses(cq, growing);
}

static bool rdm_progress_has_pauses(const struct fabric_cq *cq)
{
	const struct rdm_cq_state *state = cq->source_state;

	return state->paused_count != 0;
}

static bool rdm_progress_has_removals(const struct fabric_cq *cq)
{
	const struct rdm_cq_state *state = cq->source_state;

	return atomic_load_explicit(&state->removals, memory_order_relaxed) !=
	       atomic_load_explicit(&cq->domain->removals,
				    memory_order_relaxed);
}

static void rdm_progress_partners(struct fabric_cq *cq,
				  struct rdm_ep **growing)
{
	struct rdm_cq_state *state = cq->source_state;

	for (struct rdm_partner *partner = state->partners; partner;
	     partner = partner->next) {
		struct fabric_cq *other = partner->cq;

		if (hw_cq_looks_empty(&other->hw) &&
		    !rdm_progress_has_pauses(other) &&
		    !rdm_progress_has_removals(other))
			continue;
		/* who has it does what is to be done */
		if (other->lock_data_path && !util_lock_try(&other->lock))
			continue;
		rdm_progress_cq(other, growing);
		fabric_cq_unlock(other);
	}
}

static void rdm_progress(struct fabric_cq *cq)
{
	struct rdm_ep *growing = NULL, *ep;

	fabric_cq_lock(cq);
	rdm_progress_cq(cq, &growing);
	rdm_progress_partners(cq, &growing);
	fabric_cq_unlock(cq);
	while (__builtin_expect((ep = growing) != NULL, 0)) {
		growing = ep->next_growing;
		rdm_supply_run(ep);
	}
}

static ssize_t rdm_progress_read(struct fabric_cq *cq, void *buf, size_t count,
				 fi_addr_t *source)
{
	return -FI_EAGAIN;
}

static bool rdm_progress_empty_ring(struct fabric_cq *cq, bool only_failed,
				    struct fabric_completion *out, char *text)
{
	while (hw_cq_peek(&cq->hw))
		rdm_progress_ring(cq, UINT32_MAX, NULL);
	return false;
}

static int rdm_progress_sleep_ms(struct fabric_cq *cq, int timeout_ms)
{
	const struct rdm_cq_state *state = cq->source_state;
	bool is_bound;

	fabric_cq_lock(cq);
	is_bound = state->partners || rdm_progress_has_pauses(cq);
	fabric_cq_unlock(cq);
	return is_bound && (timeout_ms < 0 ||
			    timeout_ms > RDM_PROGRESS_NAP_MS)
		       ? RDM_PROGRESS_NAP_MS : timeout_ms;
}

const struct fabric_cq_source rdm_progress_source = {
	.read = rdm_progress_read,
	.take = rdm_progress_empty_ring,
	.progress = rdm_progress,
	.sleep_ms = rdm_progress_sleep_ms,
};

/* ---- endpoints come and go ---- */

static int rdm_progress_make_state(struct fabric_cq *cq, uint32_t budget)
{
	struct rdm_cq_state *state;
	int ret = 0;

	util_lock_acquire(&cq->lock);
	if (!cq->source_state) {
		state = calloc(1, sizeof(*state));
		if (state) {
			util_list_init(&state->paused);
			util_list_init(&state->endpoints);
			state->budget = budget;
			cq->source_state = state;
		} else {
			ret = -FI_ENOMEM;
		}
	}
	util_lock_release(&cq->lock);
	return ret;
}

static struct rdm_partner **rdm_progress_find_partner(struct fabric_cq *cq,
						const struct fabric_cq *other)
{
	struct rdm_cq_state *state = cq->source_state;
	struct rdm_partner **at = &state->partners;

	while (*at && (*at)->cq != other)
		at = &(*at)->next;
	return at;
}

static int rdm_progress_add_partner(struct fabric_cq *cq,
				    struct fabric_cq *other)
{
	struct rdm_partner **at;
	int ret = 0;

	util_lock_acquire(&cq->lock);
	at = rdm_progress_find_partner(cq, other);
	if (!*at) {
		*at = calloc(1, sizeof(**at));
		if (*at)
			(*at)->cq = other;
		else
			ret = -FI_ENOMEM;
	}
	if (!ret)
		(*at)->endpoints++;
	util_lock_release(&cq->lock);
	return ret;
}

static void rdm_progress_remove_partner(struct fabric_cq *cq,
					const struct fabric_cq *other)
{
	struct rdm_partner **at, *gone = NULL;

	util_lock_acquire(&cq->lock);
	at = rdm_progress_find_partner(cq, other);
	if (!--(*at)->endpoints) {
		gone = *at;
		*at = gone->next;
	}
	util_lock_release(&cq->lock);
	free(gone);
}

/* Each of the other. */
static int rdm_progress_add_partners(struct fabric_cq *tx,
				     struct fabric_cq *rx)
{
	int ret = rdm_progress_add_partner(tx, rx);

	if (ret)
		return ret;
	ret = rdm_progress_add_partner(rx, tx);
	if (ret)
		rdm_progress_remove_partner(tx, rx);
	return ret;
}

static void rdm_progress_list(struct rdm_ep *ep)
{
	struct rdm_cq_state *state = ep->base.tx_cq->source_state;

	util_lock_acquire(&ep->base.tx_cq->lock);
	util_list_append(&state->endpoints, &ep->joined);
	util_lock_release(&ep->base.tx_cq->lock);
}

int rdm_progress_join(struct rdm_ep *ep)
{
	struct fabric_cq *tx = ep->base.tx_cq, *rx = ep->base.rx_cq;
	int ret;

	ret = rdm_progress_make_state(tx, ep->settings.cq_read_size);
	if (!ret && tx != rx)
		ret = rdm_progress_make_state(rx, ep->settings.cq_read_size);
	if (!ret && tx != rx)
		ret = rdm_progress_add_partners(tx, rx);
	if (ret)
		return ret;
	rdm_progress_list(ep);
	ep->is_joined = true;
	ep->is_closing = false;
	return 0;
}

void rdm_progress_leave(struct rdm_ep *ep)
{
	struct fabric_cq *tx = ep->base.tx_cq, *rx = ep->base.rx_cq;
	struct rdm_cq_state *state = tx->source_state;

	ep->is_joined = false;
	if (tx != rx) {
		rdm_progress_remove_partner(tx, rx);
		rdm_progress_remove_partner(rx, tx);
	}
	util_lock_acquire(&tx->lock);
	rdm_ep_lock(ep);
	ep->is_closing = true;
	rdm_ep_unlock(ep);
	util_list_remove(&ep->joined);
	if (ep->is_paused_listed) {
		util_list_remove(&ep->paused);
		state->paused_count--;
		ep->is_paused_listed = false;
	}
	util_lock_release(&tx->lock);
}

static bool rdm_progress_is_settled(struct rdm_ep *ep)
{
	bool is_settled;

	rdm_ep_lock(ep);
	is_settled = !ep->outbox.in_flight &&
		     !rdm_outbox_is_paused(&ep->outbox) &&
		     util_list_is_empty(&ep->outbox.queue) &&
		     util_list_is_empty(&ep->outbox.deferred);
	rdm_ep_unlock(ep);
	return is_settled;
}

void rdm_progress_settle(struct rdm_ep *ep, uint32_t timeout_ms)
{
	uint64_t end_ns = rdm_outbox_now_ns() +
			  (uint64_t)timeout_ms * 1000000u;

	rdm_ep_lock(ep);
	rdm_outbox_flush(ep);
	rdm_ep_unlock(ep);
	while (!rdm_progress_is_settled(ep) && rdm_outbox_now_ns() < end_ns) {
		rdm_progress(ep->base.tx_cq);
		sched_yield();
	}
}
