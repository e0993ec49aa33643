/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/idle_pace.h"

uint64_t idle_pace_sleep_ns(uint64_t idle_ns, bool has_queues,
			    uint64_t timer_ns)
{
	uint64_t sleep_ns = IDLE_PACE_FOREVER;

	if (has_queues) {
		sleep_ns = idle_ns / 64;
		if (sleep_ns < IDLE_PACE_SHORTEST_NS)
			sleep_ns = IDLE_PACE_SHORTEST_NS;
		if (sleep_ns > IDLE_PACE_LONGEST_NS)
			sleep_ns = IDLE_PACE_LONGEST_NS;
	}
	return sleep_ns < timer_ns ? sleep_ns : timer_ns;
}
