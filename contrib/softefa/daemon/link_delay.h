/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The faults of a link, at the place where datagrams leave the host: which
 * of them are lost, sent twice or sent later (link-loss, link-duplicate,
 * link-delay and partition of fault_spec.h). What is sent later overtakes
 * nothing and is overtaken: that is how a link reorders.
 */
#ifndef DAEMON_LINK_DELAY_H
#define DAEMON_LINK_DELAY_H

#include "daemon/link_spec.h"
#include "engine/due_heap.h"
#include "engine/fault_plan.h"

#define LINK_DELAY_MAX	1024u	/* datagrams kept; beyond it they are lost */

#define LINK_FAULTS	(FAULT_BIT(FAULT_LINK_LOSS) |		\
			 FAULT_BIT(FAULT_LINK_DELAY) |		\
			 FAULT_BIT(FAULT_LINK_DUPLICATE) |	\
			 FAULT_BIT(FAULT_PARTITION))

struct link_delay {
	struct fault_plan *plan;	/* the daemon's; NULL: none */
	struct due_heap kept;
	uint64_t lost;			/* by a fault */
};

void link_delay_fini(struct link_delay *delay);

static inline bool link_delay_watches(const struct link_delay *delay)
{
	return delay->plan && fault_plan_watches(delay->plan, LINK_FAULTS);
}

/*
 * How often the datagram is to be sent now: 0, 1 or 2 times. 0: it is lost,
 * or kept until link_delay_take gives it.
 */
unsigned link_delay_copies(struct link_delay *delay, uint64_t now_ns,
			   const struct link_address *to, const void *bytes,
			   size_t len_bytes);

/* Whether the host is cut off from @from: what it sends is not taken. */
bool link_delay_is_cut(struct link_delay *delay,
		       const struct link_address *from);

/* A datagram that was kept, to be freed with free(). */
struct link_delayed {
	struct due_entry due;
	struct link_address to;
	size_t len_bytes;
	uint8_t bytes[];
};

/* The next one whose time has come, or NULL. */
struct link_delayed *link_delay_take(struct link_delay *delay,
				     uint64_t now_ns);
/* When there will be one; UINT64_MAX: none is kept. */
uint64_t link_delay_next_ns(const struct link_delay *delay);

#endif /* DAEMON_LINK_DELAY_H */
