/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Completion counters of the device: it writes how many operations of the
 * queue pairs they are attached to went well, and how many did not, into
 * memory of the process, or into a dma-buf, an accelerator's for instance.
 * Nobody has to read a completion for that.
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
	const uint64_t *good, *bad;	/* NULL: the CPU cannot read it */
	struct dev_counts *counts;	/* its own memory, for one or both */
};

/* One of the two counts. */
enum dev_count { DEV_COUNT_GOOD, DEV_COUNT_BAD };

/*
 * A counter at 0, whose counts are where @good and @bad say, or for NULL in
 * memory of its own; the places stay the caller's, who keeps the memory as
 * long as the counter, but need not keep a dma-buf's descriptor. One in a
 * dma-buf without an address cannot be read here.
 * -EOPNOTSUPP: the device or rdma-core has none; -ENOMEM: all are in use;
 * other negative errnos are the device's. Not logged: the caller may do
 * without. Pairs with destroy.
 */
int dev_counter_create(const struct dev_device *device,
		       const struct compat_efadv_memory_location *good,
		       const struct compat_efadv_memory_location *bad,
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

/* Has the device set one of the counts, or add to it, wherever it is. A
 * negative errno, logged; -EOPNOTSUPP of an rdma-core that cannot. */
int dev_counter_set(const struct dev_counter *counter, enum dev_count which,
		    uint64_t value);
int dev_counter_add(const struct dev_counter *counter, enum dev_count which,
		    uint64_t amount);

/* The counts so far; 0 where there is no counter, or no reading it. */
static inline uint64_t dev_counter_good(const struct dev_counter *counter)
{
	return counter->good ? __atomic_load_n(counter->good,
					       __ATOMIC_ACQUIRE) : 0;
}

static inline uint64_t dev_counter_bad(const struct dev_counter *counter)
{
	return counter->bad ? __atomic_load_n(counter->bad,
					      __ATOMIC_ACQUIRE) : 0;
}

#endif /* DEV_COMP_COUNTER_H */
