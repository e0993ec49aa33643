/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What each of the bench programs has in common: a row of the table that
 * `make bench` prints, and the median of several measurements.
 *
 * A target that is missed is told and fails nothing: the machine and who
 * else uses it decide too much.
 */
#ifndef BENCH_SPEED_ROW_H
#define BENCH_SPEED_ROW_H

#include <stdbool.h>
#include <stddef.h>

/* Seconds of CLOCK_MONOTONIC. */
double speed_now(void);

/* Sorts @value; the one in the middle. @count is not 0. */
double speed_median(double *value, size_t count);

/* One row: @measured is better than @target when it is_lower than it. */
void speed_row_print(const char *what, double measured, double target,
		     const char *unit, bool is_lower);

/* A row of what has no target. */
void speed_row_note(const char *what, double measured, const char *unit);

/* The calling process on CPU number @index of those it may use, if any. */
void speed_pin(int index);

#endif /* BENCH_SPEED_ROW_H */
