/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The values of a fault's words, from text. All return 0, or -EINVAL for
 * text that is not wholly a value of the kind, with *@out unchanged. Pure;
 * no locale changes what they read.
 */
#ifndef ENGINE_FAULT_VALUE_H
#define ENGINE_FAULT_VALUE_H

#include <stddef.h>
#include <stdint.h>

/* Decimal, or hexadecimal after 0x; @min to @max. */
int fault_value_number(const char *text, uint64_t min, uint64_t max,
		       uint64_t *out);

/* "200us": decimal and one of ns us ms s; "0" needs none. To an hour. */
int fault_value_time(const char *text, uint64_t *out_ns);

/* "A..B", A not above B, or one time for both. */
int fault_value_time_range(const char *text, uint64_t *min_ns,
			   uint64_t *max_ns);

/* "0.25", "1", "5%": as a share of RANDOM_SEQUENCE_CERTAIN, at most all. */
int fault_value_chance(const char *text, uint64_t *out);

/* "ENOMEM" or 12: an errno of this machine. */
int fault_value_errno(const char *text, int *out);

/* The index of @text among the @count @names. */
int fault_value_choice(const char *text, const char *const *names,
		       size_t count, uint32_t *out);

#endif /* ENGINE_FAULT_VALUE_H */
