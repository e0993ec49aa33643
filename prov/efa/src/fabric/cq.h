/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Completion queues. The device's ring is read straight into the array of
 * fi_cq_read by the layer that knows what its entries mean; that layer
 * registers itself as the queue's source when an endpoint is enabled. What
 * had to be taken off the ring before its time waits in @stash.
 *
 * An operation that failed stays at the head of the ring, with
 * -FI_EAVAIL for every read, until fi_cq_readerr takes it.
 *
 * The ring is never overrun: work requests need credits, of which there are
 * as many as the ring has room. A queue of an endpoint takes them in pieces
 * as it grows and gives them back when the endpoint is closed, so that many
 * endpoints share a CQ although the sum of their queues is larger.
 *
 * Locks, in the order in which they are taken:
 *	fi_cq_read etc.		CQ lock -> address vector's
 *	fi_send, fi_recv etc.	endpoint's tx or rx lock -> none
 *	enable, close, bind	CQ lock -> none
 * and where a protocol makes its completions itself (@done):
 *	fi_cq_read etc.		CQ lock -> endpoint's -> done list's
 *	fi_send, fi_recv etc.	endpoint's -> done list's
 *	enable, close, bind	CQ lock -> endpoint's
 * A completion takes no lock of a direct endpoint (hw/req_id.h), no lock is
 * held while the application is called, and none over a verbs call.
 */
#ifndef FABRIC_CQ_H
#define FABRIC_CQ_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rdma/fabric.h>
#include <rdma/fi_eq.h>

#include "dev/cq_create.h"
#include "fabric/comp_error.h"
#include "fabric/comp_stash.h"
#include "fabric/domain.h"
#include "fabric/done_list.h"
#include "fabric/reference.h"
#include "hw/comp_queue.h"
#include "util/futex_lock.h"

struct fabric_cq;

/* Who understands the entries of a CQ's ring. Called under the CQ lock. */
struct fabric_cq_source {
	/*
	 * Reads up to @count completions into @buf, an array in the CQ's
	 * format, and their senders into @source unless NULL. Returns how
	 * many, -FI_EAGAIN, or -FI_EAVAIL when the oldest has failed. With
	 * a @count of 0 it takes those that nobody is told of, up to one that
	 * somebody is.
	 */
	ssize_t (*read)(struct fabric_cq *cq, void *buf, size_t count,
			fi_addr_t *source);
	/*
	 * Takes the oldest completion, and with @only_failed only if it has
	 * failed: true with *@out, whose text is then @text, filled here
	 * (FABRIC_COMP_ERROR_SIZE bytes); false when there is none.
	 */
	bool (*take)(struct fabric_cq *cq, bool only_failed,
		     struct fabric_completion *out, char *text);
	/*
	 * Of a protocol that makes its completions itself (@done), else
	 * NULL: moves things on, bounded; called without the CQ lock. Its
	 * read is never called, and its take empties the ring, returning
	 * false.
	 */
	void (*progress)(struct fabric_cq *cq);
	/* The same protocol: how long a reader may sleep, of @timeout_ms
	 * (-1: without end), with nothing on the ring. */
	int (*sleep_ms)(struct fabric_cq *cq, int timeout_ms);
};

struct fabric_cq {
	struct fid_cq fid;
	/* read by each poll; under the lock */
	struct util_lock lock;
	bool lock_data_path;	/* the domain's, or fabric_cq_share */
	uint16_t last_qpn;	/* the lookup before, and what it found */
	void *last_owner;
	struct hw_cq hw;
	const struct fabric_cq_source *source;
	enum fi_cq_format format;
	struct fabric_comp_stash stash;
	_Atomic uint32_t stashed;	/* how many, for readers without lock */
	uint32_t retired;	/* credits to give back... */
	uint32_t retired_until;	/* ...when this position is consumed */
	uint64_t stale;		/* unexplained entries, dropped */
	void **owners[256];	/* of a QP number, by its high byte */
	/* taken by posting, under no lock */
	_Atomic uint32_t credits __attribute__((aligned(64)));
	/* cold for direct endpoints */
	struct fabric_done_list *done;	/* NULL: the ring is read straight */
	void *source_state;	/* the source's, freed by fini */
	/* cold */
	struct dev_cq dev;
	struct fabric_domain *domain;
	struct fabric_reference users;	/* endpoints bound to it */
	enum fi_wait_obj wait_obj;	/* NONE or FD */
	enum fi_cq_wait_cond wait_cond;
	int signal_fd;		/* eventfd of fi_cq_signal, or -1 */
	uint32_t waiters;	/* threads in fi_cq_sread; under the lock */
	char error_text[FABRIC_COMP_ERROR_SIZE];	/* of the last readerr */
};

static inline struct fabric_cq *fabric_cq_of(struct fid_cq *fid)
{
	return (struct fabric_cq *)
		((char *)fid - offsetof(struct fabric_cq, fid));
}

/* The source, for those who do not hold the CQ lock: an endpoint may be
 * enabled meanwhile. */
static inline const struct fabric_cq_source *
fabric_cq_source_of(const struct fabric_cq *cq)
{
	return __atomic_load_n(&cq->source, __ATOMIC_ACQUIRE);
}

/*
 * Readies what reads and attaches, for a CQ whose @dev is there; the rest
 * of the structure is fabric/cq_open's. 0, -FI_EINVAL when the device's
 * ring is impossible (logged). Pairs with fini.
 */
int fabric_cq_init(struct fabric_cq *cq, struct fabric_domain *domain,
		   enum fi_cq_format format);
void fabric_cq_fini(struct fabric_cq *cq);

/*
 * ---- reading; fi_cq_* of the same names ----
 *
 * A count of 0 ends the requests of all completions: those that somebody is
 * told of are kept, as many as the ring has, for a later read.
 *
 * A queue that another thread is reading at this moment may answer
 * -FI_EAGAIN although it has an entry: when the other goes on from the end
 * of the ring to its beginning. Never when the other has returned.
 */

ssize_t fabric_cq_read(struct fid_cq *cq, void *buf, size_t count);
ssize_t fabric_cq_readfrom(struct fid_cq *cq, void *buf, size_t count,
			   fi_addr_t *source);
ssize_t fabric_cq_readerr(struct fid_cq *cq, struct fi_cq_err_entry *entry,
			  uint64_t flags);

/* Writes @failed, whose text is not NULL, into the application's @entry. */
void fabric_cq_write_error(struct fabric_cq *cq,
			   const struct fabric_completion *failed,
			   struct fi_cq_err_entry *entry);

/* Is there nothing to read? Under the CQ lock; for those about to wait. */
bool fabric_cq_is_empty(const struct fabric_cq *cq);

/* Bytes of an entry of @format. */
size_t fabric_cq_entry_size(enum fi_cq_format format);

/* Writes entry @index of the array @buf, as far as @format goes. */
static inline void fabric_cq_put_entry(enum fi_cq_format format, void *buf,
				       size_t index, void *op_context,
				       uint64_t flags, size_t len,
				       uint64_t data)
{
	if (format == FI_CQ_FORMAT_CONTEXT) {
		((struct fi_cq_entry *)buf)[index].op_context = op_context;
	} else if (format == FI_CQ_FORMAT_MSG) {
		((struct fi_cq_msg_entry *)buf)[index] =
			(struct fi_cq_msg_entry){
				.op_context = op_context,
				.flags = flags,
				.len = len,
			};
	} else {
		((struct fi_cq_data_entry *)buf)[index] =
			(struct fi_cq_data_entry){
				.op_context = op_context,
				.flags = flags,
				.len = len,
				.data = data,
			};
	}
}

/*
 * Takes completions off the device's ring into the stash, so that they
 * count; what fi_cntr_read runs. @cq is the fabric_cq. The stash takes as
 * many as the ring: then completions stay where they are, their requests in
 * flight, until the application reads the CQ.
 */
void fabric_cq_progress(void *cq);

/*
 * From now on the lock is taken by every read, but under FI_THREAD_DOMAIN:
 * a counter reads @cq too, which under FI_THREAD_COMPLETION may be another
 * thread's than @cq. By fi_enable, which the application serialises with
 * reads of the endpoint's queues where these take no lock.
 */
void fabric_cq_share(struct fabric_cq *cq);

/* ---- for the layers of the endpoints ---- */

static inline void fabric_cq_lock(struct fabric_cq *cq)
{
	if (cq->lock_data_path)
		util_lock_acquire(&cq->lock);
}

static inline void fabric_cq_unlock(struct fabric_cq *cq)
{
	if (cq->lock_data_path)
		util_lock_release(&cq->lock);
}

/* Takes up to @wanted credits; how many. Any thread, no lock needed. */
uint32_t fabric_cq_credits_take(struct fabric_cq *cq, uint32_t wanted);
void fabric_cq_credits_give(struct fabric_cq *cq, uint32_t count);
/* Looks for credits of endpoints that were closed, which wait for a reader
 * of the ring: reads it into the stash. For those whom a credit lacks. */
void fabric_cq_reclaim(struct fabric_cq *cq);

/*
 * From now on entries of QP @qpn are @owner's, and @source reads the ring.
 * Entries of an earlier QP with this number are sorted out first. -FI_EINVAL:
 * the CQ has another source (logged); -FI_ENOMEM. Pairs with detach.
 */
int fabric_cq_attach(struct fabric_cq *cq,
		     const struct fabric_cq_source *source, uint16_t qpn,
		     void *owner);
/* Entries of @qpn have no owner any more: to be called before the QP is
 * destroyed, as its number may be given anew at once. */
void fabric_cq_detach(struct fabric_cq *cq, uint16_t qpn);
/*
 * To be called when @owner's QP is destroyed: forgets completions of
 * @owner that were not read, and gives @credits back once the entries that
 * the ring still holds are gone.
 */
void fabric_cq_retire(struct fabric_cq *cq, const void *owner,
		      uint32_t credits);

void *fabric_cq_owner_lookup(struct fabric_cq *cq, uint16_t qpn);

/* Whose QP @qpn is, or NULL. Under the CQ lock. O(1). */
static inline void *fabric_cq_owner(struct fabric_cq *cq, uint16_t qpn)
{
	if (__builtin_expect(qpn == cq->last_qpn, 1))
		return cq->last_owner;
	return fabric_cq_owner_lookup(cq, qpn);
}

/*
 * Drops the oldest entry of the ring, of which nobody knows what it is for:
 * @why. Unless its QP was detached, counts it, and logs the first. Under the
 * CQ lock.
 */
void fabric_cq_drop_stale(struct fabric_cq *cq, const char *why);

void fabric_cq_give_retired(struct fabric_cq *cq);

/* Ends a batch of reads of the ring. Under the CQ lock. */
static inline void fabric_cq_batch_end(struct fabric_cq *cq)
{
	if (__builtin_expect(cq->retired != 0, 0))
		fabric_cq_give_retired(cq);
}

#endif /* FABRIC_CQ_H */
