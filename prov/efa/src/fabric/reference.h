/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How many objects use this one. fi_close refuses (-FI_EBUSY) while any
 * does, as libfabric demands.
 */
#ifndef FABRIC_REFERENCE_H
#define FABRIC_REFERENCE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct fabric_reference {
	atomic_uint users;
};

static inline void fabric_reference_init(struct fabric_reference *ref)
{
	atomic_init(&ref->users, 0);
}

/* Pairs with fabric_reference_put. */
static inline void fabric_reference_get(struct fabric_reference *ref)
{
	atomic_fetch_add_explicit(&ref->users, 1, memory_order_relaxed);
}

static inline void fabric_reference_put(struct fabric_reference *ref)
{
	unsigned int before = atomic_fetch_sub_explicit(&ref->users, 1,
							memory_order_release);

	assert(before > 0);
	(void)before;
}

static inline bool fabric_reference_is_used(struct fabric_reference *ref)
{
	return atomic_load_explicit(&ref->users, memory_order_acquire) != 0;
}

#endif /* FABRIC_REFERENCE_H */
