/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Numbers that look random and are the same for the same seed on every
 * machine: splitmix64. For faults that are to be replayed; not for secrets.
 */
#ifndef ENGINE_RANDOM_SEQUENCE_H
#define ENGINE_RANDOM_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

struct random_sequence {
	uint64_t state;
};

static inline uint64_t random_sequence_next(struct random_sequence *sequence)
{
	uint64_t z = (sequence->state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Sequences of one @seed with different @stream have nothing in common. */
static inline void random_sequence_init(struct random_sequence *sequence,
					uint64_t seed, uint64_t stream)
{
	sequence->state = stream;
	sequence->state = seed ^ random_sequence_next(sequence);
}

/* 0 .. @bound - 1; @bound is not 0. */
static inline uint64_t random_sequence_below(struct random_sequence *sequence,
					     uint64_t bound)
{
	return (uint64_t)(((unsigned __int128)random_sequence_next(sequence) *
			   bound) >> 64);
}

#define RANDOM_SEQUENCE_CERTAIN	(1ull << 32)

/* True with the probability @chance / RANDOM_SEQUENCE_CERTAIN. */
static inline bool random_sequence_happens(struct random_sequence *sequence,
					   uint64_t chance)
{
	return random_sequence_next(sequence) >> 32 < chance;
}

#endif /* ENGINE_RANDOM_SEQUENCE_H */
