/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Counters. What one says is the sum of two counts. The device's, where it
 * has counters (dev/comp_counter.h), is of the operations of those endpoints
 * that could attach it; it is right whether or not anybody reads a CQ, and
 * has a peer's reads and writes in it, of which no completion tells. That of
 * software is of all others: the completion code adds to it.
 *
 * Either way fi_cntr_read and fi_cntr_wait drive the completion queues
 * through hooks that those leave here, so that an application which reads
 * nothing but counters makes progress: requests are over, and their places
 * in the queues free, when their completions were read.
 */
#ifndef FABRIC_CNTR_H
#define FABRIC_CNTR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rdma/fabric.h>
#include <rdma/fi_eq.h>

#include "dev/comp_counter.h"
#include "fabric/domain.h"
#include "fabric/reference.h"

struct fabric_progress_hook;

struct fabric_cntr {
	struct fid_cntr fid;
	/* hot: written by completions; with fi_cntr_set, they may run below
	 * zero, since it leaves the device's counts alone */
	_Atomic uint64_t value;
	_Atomic uint64_t errors;
	atomic_uint waiters;
	/* cold */
	struct dev_counter dev;		/* or none */
	bool device_alone;	/* software has no part in its value */
	struct fabric_domain *domain;
	struct fabric_reference users;	/* endpoints bound to it */
	pthread_mutex_t lock;		/* a leaf: nothing is taken under it */
	pthread_cond_t changed;
	pthread_rwlock_t hooks_lock;	/* held for reading while hooks run */
	struct fabric_progress_hook *hooks;
};

static inline struct fabric_cntr *fabric_cntr_of(struct fid_cntr *fid)
{
	return (struct fabric_cntr *)
		((char *)fid - offsetof(struct fabric_cntr, fid));
}

/* Wakes fi_cntr_wait; called by the two below alone. */
void fabric_cntr_wake(struct fabric_cntr *cntr);

/* Counts @n completions. Any thread, any lock held. */
static inline void fabric_cntr_add(struct fabric_cntr *cntr, uint64_t n)
{
	atomic_fetch_add(&cntr->value, n);
	if (__builtin_expect(atomic_load(&cntr->waiters) != 0, 0))
		fabric_cntr_wake(cntr);
}

/* Counts an operation that failed. As fabric_cntr_add. */
static inline void fabric_cntr_add_error(struct fabric_cntr *cntr)
{
	atomic_fetch_add(&cntr->errors, 1);
	if (__builtin_expect(atomic_load(&cntr->waiters) != 0, 0))
		fabric_cntr_wake(cntr);
}

/* fi_cntr_open: counts completions; wait objects NONE and UNSPEC, and
 * fi_cntr_wait works with both. Byte counting and other wait objects:
 * -FI_ENOSYS. On the fabric efa-direct with a counter of the device while it
 * has any. */
int fabric_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr,
		     struct fid_cntr **cntr, void *context);

/*
 * A counter of the device alone, with its counts where @good and @bad say
 * (as in dev_counter_create): endpoints that it is bound to count in it in
 * the device, or are not enabled. Attributes as above.
 * -FI_EOPNOTSUPP: no such device, or another fabric than efa-direct; or what
 * the device says, -FI_ENOMEM if it has none left. All are logged.
 */
int fabric_cntr_open_device(struct fid_domain *domain,
			    struct fi_cntr_attr *attr,
			    const struct compat_efadv_memory_location *good,
			    const struct compat_efadv_memory_location *bad,
			    struct fid_cntr **cntr, void *context);

/*
 * Has the device count operations @ops of @qp (COMPAT_COMP_CNTR_*), which is
 * not enabled yet. False: it does not, and the completion code is to.
 */
bool fabric_cntr_attach(const struct fabric_cntr *cntr, struct dev_qp *qp,
			uint32_t ops);

/*
 * From now on reading @cntr calls @run(@arg), which takes completions off a
 * queue and adds them to their counters. @run may take the lock of that
 * queue; hence neither hook nor unhook is called with it. The same pair may
 * be hooked several times and is run once. 0, -ENOMEM. Pairs with unhook.
 */
int fabric_cntr_hook(struct fabric_cntr *cntr, void (*run)(void *arg),
		     void *arg);
/* Returns when @run(@arg) is not running and will not run again (unless it
 * was hooked more than once). Not to be called from @run. */
void fabric_cntr_unhook(struct fabric_cntr *cntr, void (*run)(void *arg),
			void *arg);

#endif /* FABRIC_CNTR_H */
