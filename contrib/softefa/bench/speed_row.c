/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench/speed_row.h"

double speed_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

double speed_median(double *value, size_t count)
{
	qsort(value, count, sizeof(*value), compare);
	return value[count / 2];
}

void speed_row_print(const char *what, double measured, double target,
		     const char *unit, bool is_lower)
{
	bool is_met = is_lower ? measured <= target : measured >= target;

	printf("%-46s %10.4g %2s %-8.4g %-10s %s\n", what, measured,
	       is_lower ? "<=" : ">=", target, unit, is_met ? "ok" : "missed");
	fflush(stdout);
}

void speed_row_note(const char *what, double measured, const char *unit)
{
	printf("%-46s %10.4g %2s %-8s %s\n", what, measured, "", "", unit);
	fflush(stdout);
}

void speed_pin(int index)
{
	cpu_set_t allowed, one;
	int cpu;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) ||
	    CPU_COUNT(&allowed) <= index)
		return;
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &allowed) && !index--)
			break;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}
