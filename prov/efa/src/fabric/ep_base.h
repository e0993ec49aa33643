/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What every endpoint has, whatever it speaks: the objects bound to it, its
 * flags and limits, its queues and its name. A type embeds this at its
 * start and adds how messages are posted and completed.
 *
 *	open -> bind AV, CQs, counters, EQ; set options -> enable -> post
 *
 * Nothing can be bound or unbound after enable. The order of locks is in
 * fabric/cq.h.
 */
#ifndef FABRIC_EP_BASE_H
#define FABRIC_EP_BASE_H

#include <stdbool.h>
#include <stdint.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_endpoint.h>

#include "dev/queue_pair.h"
#include "fabric/address.h"
#include "fabric/av.h"
#include "fabric/cntr.h"
#include "fabric/cq.h"
#include "fabric/domain.h"
#include "fabric/eq.h"
#include "fabric/info.h"
#include "hw/recv_queue.h"
#include "hw/send_queue.h"
#include "util/futex_lock.h"

/* What a counter counts; of sends, reads and writes the device's number. */
enum fabric_ep_op {
	FABRIC_EP_SEND = EFA_IO_SEND,
	FABRIC_EP_READ = EFA_IO_RDMA_READ,
	FABRIC_EP_WRITE = EFA_IO_RDMA_WRITE,
	FABRIC_EP_RECV,
	FABRIC_EP_REMOTE_WRITE,	/* those with data: no other is noticed */
	FABRIC_EP_REMOTE_READ,	/* never noticed */
	FABRIC_EP_OPS
};

struct fabric_ep {
	struct fid_ep fid;
	/* what a send reads; constant after enable but for options */
	struct fabric_av *av;
	uint64_t tx_flags;	/* of calls without flags */
	uint64_t tx_msg_flags;	/* added to those of calls with flags... */
	uint64_t tx_msg_mask;	/* ...of which these mean something */
	uint64_t tx_refused;	/* flags that cannot be honoured */
	size_t inject_bytes;
	size_t max_msg_bytes;
	size_t inject_rma_bytes;	/* 0: the queue's entries are short */
	size_t max_rma_bytes;
	size_t prefix_bytes;	/* FI_MSG_PREFIX: before each message */
	size_t tx_iov_limit;
	struct hw_sge empty_sge;	/* the local buffer of an empty RMA */
	bool lock_data_path;
	struct util_lock tx_lock;	/* serialises posters of sends */
	struct hw_sq sq;
	/* what a receive reads */
	struct util_lock rx_lock;	/* serialises posters of receives */
	uint64_t rx_flags, rx_msg_flags, rx_msg_mask;
	/* FI_MORE held requests back; a call on the other queue without it
	 * ends the batch as well. Any thread clears, under the lock. */
	_Atomic bool tx_held, rx_held;
	size_t rx_iov_limit;
	struct hw_rq rq;
	/* what a completion reads; constant after enable */
	struct fabric_cq *tx_cq, *rx_cq;
	struct fabric_cntr *cntrs[FABRIC_EP_OPS];	/* to be added to; NULL:
				 * none is bound, or the device counts */
	bool wants_source;	/* FI_SOURCE */
	/* cold */
	struct fabric_domain *domain;
	enum fabric_info_kind kind;
	struct fabric_cntr *bound_cntrs[FABRIC_EP_OPS];	/* or NULL */
	struct fabric_eq *eq;	/* or NULL */
	struct fabric_address address;	/* valid once enabled */
	bool enabled;
	/* of bind: which directions go to which CQ, and how */
	bool tx_bound, rx_bound;
	bool tx_selective, rx_selective;
	/* of fi_info and options, for enable */
	uint64_t tx_op_flags, rx_op_flags;
	uint32_t tx_size, rx_size;	/* work requests */
	uint32_t send_sge, recv_sge;	/* buffers of one */
	uint32_t inline_bytes;		/* of one to carry in itself */
	size_t inject_limit;	/* of fi_info */
	size_t inject_asked, inject_rma_asked;	/* of options */
	bool low_latency;
	bool rma;		/* FI_RMA */
	bool unsolicited;	/* a remote write with data takes no receive */
	uint8_t rnr_retry;
	/* of the queues */
	struct dev_qp qp;	/* its verbs is NULL while there is none */
	uint32_t tx_credits, rx_credits;
};

static inline struct fabric_ep *fabric_ep_of(struct fid_ep *fid)
{
	return (struct fabric_ep *)
		((char *)fid - offsetof(struct fabric_ep, fid));
}

static inline struct fabric_ep *fabric_ep_of_fid(struct fid *fid)
{
	return fabric_ep_of((struct fid_ep *)fid);
}

/*
 * Sets up the zeroed @ep from @info, which passed fabric_info_check, with
 * tables that refuse every call; the type overrides what it can do. Takes
 * a reference to @domain. Pairs with fabric_ep_fini.
 */
void fabric_ep_init(struct fabric_ep *ep, struct fabric_domain *domain,
		    const struct fi_info *info, enum fabric_info_kind kind,
		    void *context);
/* Lets go of everything bound. The queues must be closed. */
void fabric_ep_fini(struct fabric_ep *ep);

/* fi_ep_bind: CQ (FI_TRANSMIT, FI_RECV, FI_SELECTIVE_COMPLETION), AV,
 * counter, EQ. -FI_EBADFLAGS, -FI_EINVAL (another domain, bound already, an
 * object of another kind), -FI_EOPBADSTATE (enabled); each logged. */
int fabric_ep_bind(struct fid *fid, struct fid *bfid, uint64_t flags);

/*
 * For the type's enable: is everything bound that is needed? -FI_ENOAV,
 * -FI_ENOCQ, -FI_EOPBADSTATE (enabled already); logged. A direction without
 * a CQ uses the other's, where nothing but its errors appears.
 */
int fabric_ep_complete_binding(struct fabric_ep *ep);

/* fi_control but for FI_ENABLE: FI_GETOPSFLAG and FI_SETOPSFLAG, which takes
 * completion flags and for sending FI_INJECT (-FI_EOPNOTSUPP for what cannot
 * be a default or not be honoured); -FI_ENOSYS for others. */
int fabric_ep_control(struct fid *fid, int command, void *arg);

/* To be called when a limit has changed: a message in its request is none
 * longer than a message may be. */
static inline void fabric_ep_bound_inject(struct fabric_ep *ep)
{
	ep->inject_bytes = ep->inject_asked < ep->max_msg_bytes ?
			   ep->inject_asked : ep->max_msg_bytes;
	ep->inject_rma_bytes = ep->inject_rma_asked < ep->max_rma_bytes ?
			       ep->inject_rma_asked : ep->max_rma_bytes;
}

static inline void fabric_ep_lock(const struct fabric_ep *ep,
				  struct util_lock *lock)
{
	if (ep->lock_data_path)
		util_lock_acquire(lock);
}

static inline void fabric_ep_unlock(const struct fabric_ep *ep,
				    struct util_lock *lock)
{
	if (ep->lock_data_path)
		util_lock_release(lock);
}

#endif /* FABRIC_EP_BASE_H */
