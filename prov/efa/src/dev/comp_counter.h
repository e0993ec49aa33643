/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Completion counters of the device: it writes how many operations of the
 * queue pairs they are attached to went well, and how many did not, into
 * memory of the process. Nobody has to read a completion for that.
 */
#ifndef DEV_COMP_COUNTER_H
#define DEV_COMP_COUNTER_H

#include "compat/comp_cntr_abi.h"
#include "dev/queue_pair.h"

/* Where the device writes; nobody else does. */
struct dev_counts {
	uint64_t good;
	uint64_t bad;
} __attribute__((aligned(16)));

struct dev_counter {
	const struct dev_device *device;
	struct compat_comp_cntr *verbs;	/* NULL: there is none */
	struct dev_counts *counts;
};

/*
 * A counter at 0. -EOPNOTSUPP: the device or rdma-core has none; -ENOMEM:
 * all are in use; other negative errnos are the device's. Not logged: the
 * caller can do without. Pairs with destroy.
 */
int dev_counter_create(const struct dev_device *device,
		       struct dev_counter *counter);
/* No QP may have it any more. A negative errno, logged: it is still there. */
int dev_counter_destroy(struct dev_counter *counter);

/*
 * Counts operations @ops of @qp (COMPAT_COMP_CNTR_*), which has no other
 * counter for them, was not enabled yet and keeps it until it is destroyed.
 * A negative errno, not logged: none of them is counted.
 */
int dev_counter_attach(const struct dev_counter *counter, struct dev_qp *qp,
		       uint32_t ops);

/* The counts so far; 0 where there is no counter. */
static inline uint64_t dev_counter_good(const struct dev_counter *counter)
{
	return counter->verbs ? __atomic_load_n(&counter->counts->good,
						__ATOMIC_ACQUIRE) : 0;
}

static inline uint64_t dev_counter_bad(const struct dev_counter *counter)
{
	return counter->verbs ? __atomic_load_n(&counter->counts->bad,
						__ATOMIC_ACQUIRE) : 0;
}

#endif /* DEV_COMP_COUNTER_H */
