/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include "engine/fault_value.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "engine/random_sequence.h"

#define LARGEST_ERRNO		133
#define LONGEST_TIME_NS		3600000000000ull
#define CHANCE_DIGITS		9	/* behind the point; 10^-9 < 2^-29 */

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

/* Reads digits of @base; the first that is none, NULL without any. */
static const char *read_digits(const char *text, unsigned base, uint64_t *out)
{
	const char *at = text;
	uint64_t value = 0;
	unsigned digit;

	for (; (digit = digit_of(*at)) < base; at++) {
		if (value > (UINT64_MAX - digit) / base)
			return NULL;
		value = value * base + digit;
	}
	if (at == text)
		return NULL;
	*out = value;
	return at;
}

int fault_value_number(const char *text, uint64_t min, uint64_t max,
		       uint64_t *out)
{
	bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	uint64_t value;
	const char *end;

	end = read_digits(is_hex ? text + 2 : text, is_hex ? 16 : 10, &value);
	if (!end || *end || value < min || value > max)
		return -EINVAL;
	*out = value;
	return 0;
}

/* A time that ends at @end. */
static int read_time(const char *text, const char *end, uint64_t *out_ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 },
		{ "s", 1000000000 },
	};
	uint64_t value, ns = 0;
	const char *unit;
	size_t i, len;

	unit = read_digits(text, 10, &value);
	if (!unit || unit > end)
		return -EINVAL;
	len = (size_t)(end - unit);
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].name) == len &&
		    !memcmp(units[i].name, unit, len))
			ns = units[i].ns;
	if (!ns && (len || value))
		return -EINVAL;
	if (ns && value > LONGEST_TIME_NS / ns)
		return -EINVAL;
	*out_ns = value * ns;
	return 0;
}

int fault_value_time(const char *text, uint64_t *out_ns)
{
	return read_time(text, text + strlen(text), out_ns);
}

int fault_value_time_range(const char *text, uint64_t *min_ns,
			   uint64_t *max_ns)
{
	const char *dots = strstr(text, "..");
	uint64_t min, max;

	if (read_time(text, dots ? dots : text + strlen(text), &min))
		return -EINVAL;
	max = min;
	if (dots && fault_value_time(dots + 2, &max))
		return -EINVAL;
	if (min > max)
		return -EINVAL;
	*min_ns = min;
	*max_ns = max;
	return 0;
}

/* Digits behind a point, as parts of 10^CHANCE_DIGITS. */
static const char *read_fraction(const char *text, uint64_t *out)
{
	const char *at = text;
	uint64_t value = 0;
	int digits;

	for (digits = 0; digit_of(*at) < 10; at++) {
		if (digits == CHANCE_DIGITS)
			return NULL;
		value = value * 10 + digit_of(*at);
		digits++;
	}
	if (!digits)
		return NULL;
	for (; digits < CHANCE_DIGITS; digits++)
		value *= 10;
	*out = value;
	return at;
}

int fault_value_chance(const char *text, uint64_t *out)
{
	uint64_t whole, fraction = 0, parts = 1000000000;	/* of one */
	const char *at;

	at = read_digits(text, 10, &whole);
	if (at && *at == '.')
		at = read_fraction(at + 1, &fraction);
	if (!at)
		return -EINVAL;
	if (*at == '%') {
		at++;
		parts *= 100;
	}
	if (*at || whole > 100)
		return -EINVAL;
	whole = whole * 1000000000 + fraction;
	if (whole > parts)
		return -EINVAL;
	*out = (uint64_t)((unsigned __int128)whole * RANDOM_SEQUENCE_CERTAIN /
			  parts);
	return 0;
}

int fault_value_errno(const char *text, int *out)
{
	const char *name;
	uint64_t number;
	int i;

	if (!fault_value_number(text, 1, LARGEST_ERRNO, &number)) {
		*out = (int)number;
		return 0;
	}
	for (i = 1; i <= LARGEST_ERRNO; i++) {
		name = strerrorname_np(i);
		if (name && !strcmp(name, text)) {
			*out = i;
			return 0;
		}
	}
	return -EINVAL;
}

int fault_value_choice(const char *text, const char *const *names,
		       size_t count, uint32_t *out)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (names[i] && !strcmp(names[i], text)) {
			*out = (uint32_t)i;
			return 0;
		}
	}
	return -EINVAL;
}
