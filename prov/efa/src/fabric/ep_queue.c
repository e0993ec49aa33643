/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/ep_queue.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include <rdma/fi_errno.h>

#include "compat/log.h"

/* Credits a queue starts with and may count on, and a piece it grows by. */
#define FABRIC_EP_QUEUE_START	64
#define FABRIC_EP_QUEUE_PIECE	256

/* Two QPs of one number, one after the other, have different ones. */
static atomic_uint fabric_ep_generation;

static uint32_t fabric_ep_min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* A QKEY doubles as the connection ID: 31 random bits, not 0. */
static int fabric_ep_make_qkey(uint32_t *qkey)
{
	do {
		if (getrandom(qkey, sizeof(*qkey), 0) != sizeof(*qkey)) {
			if (errno == EINTR)
				continue;
			compat_warn(FI_LOG_EP_CTRL, "getrandom: %s",
				    strerror(errno));
			return -errno;
		}
		*qkey &= 0x7fffffff;
	} while (!*qkey);
	return 0;
}

static int fabric_ep_attach_cqs(struct fabric_ep *ep,
				const struct fabric_cq_source *source)
{
	int ret;

	ret = fabric_cq_attach(ep->tx_cq, source, ep->qp.qpn, ep);
	if (ret || ep->rx_cq == ep->tx_cq)
		return ret;
	ret = fabric_cq_attach(ep->rx_cq, source, ep->qp.qpn, ep);
	if (ret)
		fabric_cq_detach(ep->tx_cq, ep->qp.qpn);
	return ret;
}

static void fabric_ep_detach_cqs(struct fabric_ep *ep)
{
	fabric_cq_detach(ep->tx_cq, ep->qp.qpn);
	if (ep->rx_cq != ep->tx_cq)
		fabric_cq_detach(ep->rx_cq, ep->qp.qpn);
}

static void fabric_ep_retire_cqs(struct fabric_ep *ep)
{
	fabric_cq_retire(ep->tx_cq, ep, ep->tx_credits);
	fabric_cq_retire(ep->rx_cq, ep, ep->rx_credits);
	ep->tx_credits = 0;
	ep->rx_credits = 0;
}

/* ---- credits ---- */

/* All of @wanted, if the CQ has or can find as many. */
static uint32_t fabric_ep_first_credits(struct fabric_cq *cq, uint32_t wanted)
{
	uint32_t got = fabric_cq_credits_take(cq, wanted);

	if (got == wanted)
		return got;
	fabric_cq_reclaim(cq);
	return got + fabric_cq_credits_take(cq, wanted - got);
}

/* A ring may have room for more than the endpoint was opened for, which is
 * not used: the credits are those of its other direction, and of other
 * endpoints. */
static uint32_t fabric_ep_tx_most(const struct fabric_ep *ep)
{
	return fabric_ep_min(ep->tx_size, ep->sq.entry_mask + 1);
}

static int fabric_ep_start_credits(struct fabric_ep *ep)
{
	uint32_t tx = fabric_ep_min(FABRIC_EP_QUEUE_START,
				    fabric_ep_tx_most(ep));
	uint32_t rx = fabric_ep_min(FABRIC_EP_QUEUE_START,
				    ep->rq.entry_mask + 1);

	ep->tx_credits = fabric_ep_first_credits(ep->tx_cq, tx);
	ep->rx_credits = fabric_ep_first_credits(ep->rx_cq, rx);
	if (ep->tx_credits == tx && ep->rx_credits == rx) {
		ep->sq.ids.limit = tx;
		ep->rq.limit = rx;
		return 0;
	}
	compat_warn(FI_LOG_EP_CTRL,
		    "fi_enable: the CQ of %u entries has no room for the completions of one more endpoint; bind it to another CQ",
		    ep->tx_cq->hw.entry_mask + 1);
	return -FI_ENOSPC;
}

static void fabric_ep_return_credits(struct fabric_ep *ep)
{
	fabric_cq_credits_give(ep->tx_cq, ep->tx_credits);
	fabric_cq_credits_give(ep->rx_cq, ep->rx_credits);
	ep->tx_credits = 0;
	ep->rx_credits = 0;
}

bool fabric_ep_queue_grow_tx(struct fabric_ep *ep)
{
	uint32_t room = fabric_ep_tx_most(ep) - ep->sq.ids.limit;
	uint32_t got;

	got = fabric_cq_credits_take(
		ep->tx_cq, fabric_ep_min(room, FABRIC_EP_QUEUE_PIECE));
	ep->tx_credits += got;
	ep->sq.ids.limit += got;
	return got != 0;
}

bool fabric_ep_queue_grow_rx(struct fabric_ep *ep, uint32_t descriptors)
{
	uint32_t room = ep->rq.entry_mask + 1 - ep->rq.limit;
	uint32_t got;

	/* receives, each of which takes several descriptors or one */
	if (hw_req_count(&ep->rq.ids) >= ep->rx_size)
		return false;
	got = fabric_cq_credits_take(
		ep->rx_cq, fabric_ep_min(room, FABRIC_EP_QUEUE_PIECE));
	ep->rx_credits += got;
	ep->rq.limit += got;
	return hw_rq_has_room(&ep->rq, descriptors);
}

/* ---- counters read the CQs ---- */

static struct fabric_cq *fabric_ep_cq_of(const struct fabric_ep *ep,
					 enum fabric_ep_op op)
{
	return op <= FABRIC_EP_WRITE ? ep->tx_cq : ep->rx_cq;
}

/* Those of the operations below @end. */
static void fabric_ep_unhook_cntrs(struct fabric_ep *ep, enum fabric_ep_op end)
{
	for (enum fabric_ep_op op = 0; op < end; op++)
		if (ep->bound_cntrs[op])
			fabric_cntr_unhook(ep->bound_cntrs[op],
					   fabric_cq_progress,
					   fabric_ep_cq_of(ep, op));
}

static int fabric_ep_hook_cntrs(struct fabric_ep *ep)
{
	int ret;

	for (enum fabric_ep_op op = 0; op < FABRIC_EP_OPS; op++) {
		if (!ep->bound_cntrs[op])
			continue;
		fabric_cq_share(fabric_ep_cq_of(ep, op));
		ret = fabric_cntr_hook(ep->bound_cntrs[op], fabric_cq_progress,
				       fabric_ep_cq_of(ep, op));
		if (ret) {
			fabric_ep_unhook_cntrs(ep, op);
			return ret;
		}
	}
	return 0;
}

/*
 * Does the device's count of @op mean what a counter of libfabric does? It
 * takes a peer's write for a receive where it uses one up.
 */
static bool fabric_ep_device_may_count(const struct fabric_ep *ep,
				       enum fabric_ep_op op)
{
	return op != FABRIC_EP_RECV || !ep->rma || ep->unsolicited;
}

/* Each bound counter counts in the device if it can, else in software; one
 * of the device alone must, whatever it takes for a receive. */
static int fabric_ep_attach_cntrs(struct fabric_ep *ep)
{
	static const uint32_t device_op[FABRIC_EP_OPS] = {
		[FABRIC_EP_SEND] = COMPAT_COMP_CNTR_SEND,
		[FABRIC_EP_READ] = COMPAT_COMP_CNTR_RDMA_READ,
		[FABRIC_EP_WRITE] = COMPAT_COMP_CNTR_RDMA_WRITE,
		[FABRIC_EP_RECV] = COMPAT_COMP_CNTR_RECV,
		[FABRIC_EP_REMOTE_WRITE] = COMPAT_COMP_CNTR_REMOTE_RDMA_WRITE,
		[FABRIC_EP_REMOTE_READ] = COMPAT_COMP_CNTR_REMOTE_RDMA_READ,
	};

	for (enum fabric_ep_op op = 0; op < FABRIC_EP_OPS; op++) {
		struct fabric_cntr *cntr = ep->bound_cntrs[op];

		if (cntr && (cntr->device_alone ||
			     fabric_ep_device_may_count(ep, op)) &&
		    fabric_cntr_attach(cntr, &ep->qp, device_op[op]))
			cntr = NULL;
		if (cntr && cntr->device_alone) {
			compat_warn(FI_LOG_EP_CTRL,
				    "%s cannot count operations %#x of this endpoint; bind a counter of fi_cntr_open for them",
				    ep->domain->device->name, device_op[op]);
			return -FI_EOPNOTSUPP;
		}
		ep->cntrs[op] = cntr;
	}
	return 0;
}

/* ---- open and close ---- */

static int fabric_ep_queue_init_rings(struct fabric_ep *ep)
{
	uint32_t generation = atomic_fetch_add(&fabric_ep_generation, 1);
	int ret;

	ret = hw_sq_init(&ep->sq, &ep->qp.sq, generation);
	if (ret)
		goto err_log;
	ret = hw_rq_init(&ep->rq, &ep->qp.rq, generation);
	if (ret)
		goto err_fini_sq;
	return 0;

err_fini_sq:
	hw_sq_fini(&ep->sq);
err_log:
	compat_warn(FI_LOG_EP_CTRL,
		    "%s: cannot drive a send ring of %u x %u bytes with a receive ring of %u x %u bytes: %s",
		    ep->domain->device->name, ep->qp.sq.num_entries,
		    ep->qp.sq.entry_size, ep->qp.rq.num_entries,
		    ep->qp.rq.entry_size, strerror(-ret));
	return ret;
}

/* With the QP there: its rings, its place at the CQs, its state. */
static int fabric_ep_queue_start(struct fabric_ep *ep,
				 const struct fabric_cq_source *source,
				 const struct dev_qp_attr *attr)
{
	int ret;

	ret = fabric_ep_queue_init_rings(ep);
	if (ret)
		return ret;
	ret = fabric_ep_start_credits(ep);
	if (ret)
		goto err_return_credits;
	ret = fabric_ep_attach_cqs(ep, source);
	if (ret)
		goto err_return_credits;
	ret = fabric_ep_attach_cntrs(ep);
	if (ret)
		goto err_detach;
	ret = dev_qp_enable(&ep->qp, attr);
	if (ret)
		goto err_detach;
	ret = fabric_ep_hook_cntrs(ep);
	if (ret)
		goto err_detach;
	return 0;

err_detach:
	fabric_ep_detach_cqs(ep);
err_return_credits:
	fabric_ep_return_credits(ep);
	hw_rq_fini(&ep->rq);
	hw_sq_fini(&ep->sq);
	return ret;
}

static int fabric_ep_get_empty_sge(struct fabric_ep *ep)
{
	struct fabric_domain *domain = ep->domain;
	int ret = 0;

	if (!ep->rma)
		return 0;
	pthread_mutex_lock(&domain->lock);
	ret = fabric_empty_region_get(&domain->empty_region, &domain->pd,
				      &ep->empty_sge);
	pthread_mutex_unlock(&domain->lock);
	return ret;
}

static void fabric_ep_set_address(struct fabric_ep *ep)
{
	memcpy(ep->address.gid, ep->domain->device->gid.raw,
	       sizeof(ep->address.gid));
	ep->address.qpn = ep->qp.qpn;
	ep->address.qkey = ep->qp.qkey;
}

int fabric_ep_queue_open(struct fabric_ep *ep,
			 const struct fabric_cq_source *source)
{
	struct dev_qp_attr attr = {
		.type = ep->kind == FABRIC_INFO_DGRAM ? DEV_QP_UD : DEV_QP_SRD,
		.send_cq = &ep->tx_cq->dev,
		.recv_cq = &ep->rx_cq->dev,
		.send_depth = ep->tx_size,
		.recv_depth = ep->rx_size,
		.send_sge = ep->send_sge,
		.recv_sge = ep->recv_sge,
		.inline_size = ep->inline_bytes,
		.unsolicited_write_recv = ep->unsolicited,
		.low_latency = ep->low_latency,
		.rnr_retry = ep->rnr_retry,
	};
	int ret;

	/* of an earlier try, which the device did not let go of */
	ret = fabric_ep_queue_close(ep);
	if (ret)
		return ret;
	ret = fabric_ep_make_qkey(&attr.qkey);
	if (!ret)
		ret = fabric_ep_get_empty_sge(ep);
	if (ret)
		return ret;
	ret = dev_qp_create(&ep->domain->pd, &attr, &ep->qp);
	if (ret)
		return ret;
	ret = fabric_ep_queue_start(ep, source, &attr);
	if (ret) {
		if (!dev_qp_destroy(&ep->qp))
			ep->qp.verbs = NULL;
		return ret;
	}
	fabric_ep_set_address(ep);
	return 0;
}

/*
 * The number goes out of the CQs' tables first: once the QP is gone, the
 * device may give it to another endpoint at once.
 */
int fabric_ep_queue_close(struct fabric_ep *ep)
{
	int ret;

	if (!ep->qp.verbs)
		return 0;
	if (ep->enabled) {
		fabric_ep_unhook_cntrs(ep, FABRIC_EP_OPS);
		fabric_ep_detach_cqs(ep);
		ep->enabled = false;
	}
	ret = dev_qp_destroy(&ep->qp);
	if (ret)
		return ret;
	ep->qp.verbs = NULL;
	fabric_ep_retire_cqs(ep);
	hw_rq_fini(&ep->rq);
	hw_sq_fini(&ep->sq);
	return 0;
}
