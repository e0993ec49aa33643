/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How a message is cut into packets: arithmetic only. Medium messages and the
 * first part of a runting read travel in several packets at once; a long-CTS
 * message in windows that its receiver grants.
 */
#ifndef RDM_SEGMENT_PLAN_H
#define RDM_SEGMENT_PLAN_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* Segments begin at multiples of this, which suits copies of host memory. */
#define RDM_SEGMENT_ALIGN	8u

struct rdm_segment_plan {
	uint64_t total;		/* bytes */
	uint64_t count;		/* packets */
	uint64_t each;		/* bytes of all packets but the last */
};

/*
 * Cuts @total bytes, at least 1, into packets of at most @max_payload bytes,
 * at least 1: as few as can be and about equal, so that none of them is much
 * later than the others.
 */
static inline struct rdm_segment_plan rdm_segment_plan(uint64_t total,
						       size_t max_payload)
{
	struct rdm_segment_plan plan = { .total = total };

	assert(total && max_payload);
	plan.count = (total - 1) / max_payload + 1;
	plan.each = (total - 1) / plan.count + 1;
	if (plan.each >= RDM_SEGMENT_ALIGN)
		plan.each -= plan.each % RDM_SEGMENT_ALIGN;
	/* What rounding took away goes with the last packet, if it fits. */
	if (total - (plan.count - 1) * plan.each > max_payload)
		plan.count = (total - 1) / plan.each + 1;
	return plan;
}

static inline uint64_t
rdm_segment_offset(const struct rdm_segment_plan *plan, uint64_t index)
{
	return index * plan->each;
}

static inline size_t rdm_segment_len(const struct rdm_segment_plan *plan,
				     uint64_t index)
{
	return index + 1 == plan->count ?
		(size_t)(plan->total - index * plan->each) :
		(size_t)plan->each;
}

/*
 * The bytes a receiver grants when @remaining, at least 1, have not been: so
 * many packets of @max_payload bytes, and never nothing.
 */
static inline uint64_t rdm_segment_window(uint64_t remaining,
					  uint32_t packets,
					  size_t max_payload)
{
	uint64_t window = (uint64_t)packets * max_payload;

	assert(remaining && max_payload);
	if (!window)
		window = max_payload;
	return window < remaining ? window : remaining;
}

#endif /* RDM_SEGMENT_PLAN_H */
