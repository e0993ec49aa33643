/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How long a peer that has no receive buffers is left alone: each time twice
 * as long as the time before, up to a limit, until something gets through.
 * Arithmetic only; who waits, and by which clock, is the caller's affair.
 */
#ifndef RDM_RNR_BACKOFF_H
#define RDM_RNR_BACKOFF_H

#include <stdint.h>

#include "util/hash_table.h"

/* The first pause, when none is set: at random, so that many senders to one
 * peer do not come back together. */
#define RDM_RNR_MIN_RANDOM_US	40u
#define RDM_RNR_MAX_RANDOM_US	120u

struct rdm_rnr_backoff {
	uint32_t first_us;
	uint32_t max_us;
	uint32_t pauses;	/* since something got through */
};

/* The first pause is of @first_us, of a random length if that is 0, which
 * @seed decides on; none is longer than @max_us. */
static inline void rdm_rnr_backoff_init(struct rdm_rnr_backoff *backoff,
					uint32_t first_us, uint32_t max_us,
					uint64_t seed)
{
	uint32_t range = RDM_RNR_MAX_RANDOM_US - RDM_RNR_MIN_RANDOM_US + 1;

	if (!first_us)
		first_us = RDM_RNR_MIN_RANDOM_US +
			   (uint32_t)(util_hash_mix(seed, 0) % range);
	*backoff = (struct rdm_rnr_backoff) {
		.first_us = first_us,
		.max_us = max_us,
	};
}

/* The peer had no receive buffers at @now_ns: when to try again. */
static inline uint64_t rdm_rnr_backoff_pause(struct rdm_rnr_backoff *backoff,
					     uint64_t now_ns)
{
	uint64_t pause_us = (uint64_t)backoff->first_us << backoff->pauses;

	if (pause_us < backoff->max_us)
		backoff->pauses++;	/* below 32, as @max_us has 32 bits */
	else
		pause_us = backoff->max_us;
	return now_ns + pause_us * 1000;
}

/* Something has got through. */
static inline void rdm_rnr_backoff_reset(struct rdm_rnr_backoff *backoff)
{
	backoff->pauses = 0;
}

#endif /* RDM_RNR_BACKOFF_H */
