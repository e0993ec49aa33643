/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * For tests that compare a module with a plain model over many random steps:
 * how many steps, and the numbers. Each run takes the same steps.
 */
#ifndef TEST_RANDOM_STEPS_H
#define TEST_RANDOM_STEPS_H

#include <stdint.h>
#include <stdlib.h>

/*
 * @steps, or fewer where each one is slow: a twentieth with the sanitizers,
 * what the environment's RANDOM_STEPS_DIVISOR says under an emulator.
 */
static inline unsigned long random_steps(unsigned long steps)
{
	const char *divisor = getenv("RANDOM_STEPS_DIVISOR");

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	steps /= 20;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
	steps /= 20;
#endif
#endif
	if (divisor && atol(divisor) > 1)
		steps /= atol(divisor);
	return steps;
}

struct random_source {
	uint64_t state;		/* not 0 */
};

static inline uint64_t random_next(struct random_source *source)
{
	uint64_t x = source->state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	source->state = x;
	return x * 0x2545f4914f6cdd1d;
}

/* A number below @n. */
static inline uint32_t random_below(struct random_source *source, uint32_t n)
{
	return (random_next(source) >> 32) * n >> 32;
}

#endif /* TEST_RANDOM_STEPS_H */
