/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/link_delay.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Of a datagram to or from the host at @address. */
static bool strikes(struct link_delay *delay, enum fault_kind kind,
		    const struct link_address *address,
		    struct fault_decision *decision)
{
	char host[LINK_ADDRESS_TEXT_BYTES];
	const struct fault_event event = {
		.device = FAULT_ANY,
		.qp = FAULT_ANY,
		.peer = FAULT_ANY,
		.cq = FAULT_ANY,
		.type = FAULT_ANY,
		.command = FAULT_ANY,
		.host = host,
	};

	static_assert(LINK_ADDRESS_TEXT_BYTES <= FAULT_HOST_BYTES,
		      "a fault can name any host");
	if (!fault_plan_watches(delay->plan, FAULT_BIT(kind)))
		return false;
	link_address_format(address, host);
	return fault_plan_decide(delay->plan, kind, &event, decision);
}

static void keep(struct link_delay *delay, uint64_t due_ns,
		 const struct link_address *to, const void *bytes,
		 size_t len_bytes)
{
	struct link_delayed *kept = NULL;

	if (delay->kept.count < LINK_DELAY_MAX)
		kept = calloc(1, sizeof(*kept) + len_bytes);
	if (kept) {
		kept->to = *to;
		kept->len_bytes = len_bytes;
		memcpy(kept->bytes, bytes, len_bytes);
		if (!due_heap_insert(&delay->kept, &kept->due, due_ns))
			return;
	}
	free(kept);
	delay->lost++;
}

unsigned link_delay_copies(struct link_delay *delay, uint64_t now_ns,
			   const struct link_address *to, const void *bytes,
			   size_t len_bytes)
{
	struct fault_decision decision;
	unsigned copies = 1;

	if (strikes(delay, FAULT_PARTITION, to, &decision) ||
	    strikes(delay, FAULT_LINK_LOSS, to, &decision)) {
		delay->lost++;
		return 0;
	}
	if (strikes(delay, FAULT_LINK_DUPLICATE, to, &decision))
		copies = 2;
	if (!strikes(delay, FAULT_LINK_DELAY, to, &decision))
		return copies;
	/* Of two, one goes at once. */
	keep(delay, now_ns + decision.delay_ns, to, bytes, len_bytes);
	return copies - 1;
}

bool link_delay_is_cut(struct link_delay *delay,
		       const struct link_address *from)
{
	struct fault_decision decision;

	return strikes(delay, FAULT_PARTITION, from, &decision);
}

struct link_delayed *link_delay_take(struct link_delay *delay,
				     uint64_t now_ns)
{
	struct due_entry *entry = due_heap_pop(&delay->kept, now_ns);

	if (!entry)
		return NULL;
	return (struct link_delayed *)((char *)entry -
				       offsetof(struct link_delayed, due));
}

uint64_t link_delay_next_ns(const struct link_delay *delay)
{
	return due_heap_next_ns(&delay->kept);
}

void link_delay_fini(struct link_delay *delay)
{
	struct link_delayed *kept;

	while ((kept = link_delay_take(delay, UINT64_MAX)))
		free(kept);
	due_heap_fini(&delay->kept);
}
