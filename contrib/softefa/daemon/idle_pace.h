/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How long the daemon sleeps between two looks at the doorbells.
 *
 * Doorbells are memory: nothing wakes the daemon when a client rings one.
 * Right after work it looks often, since an answer usually follows a
 * message; the longer nothing happens, the longer it sleeps. A function of
 * its arguments only.
 */
#ifndef DAEMON_IDLE_PACE_H
#define DAEMON_IDLE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define IDLE_PACE_SHORTEST_NS	50000ull	/* 50 us */
#define IDLE_PACE_LONGEST_NS	4000000ull	/* 4 ms */
#define IDLE_PACE_FOREVER	UINT64_MAX

/*
 * Nanoseconds to sleep when the last work was done @idle_ns ago: a 64th part
 * of that, between the shortest and the longest; without end when no queue
 * exists (@has_queues false). Never beyond @timer_ns, the time to the next
 * timer of the engine, UINT64_MAX for none.
 */
uint64_t idle_pace_sleep_ns(uint64_t idle_ns, bool has_queues,
			    uint64_t timer_ns);

#endif /* DAEMON_IDLE_PACE_H */
