/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Who sent this: (address handle number, QP number) -> index in an address
 * vector. Found without a lock while another thread inserts or removes:
 * key and index are one 64-bit word, the table is replaced as a whole when
 * it grows, and a miss that raced with a change is looked up again under
 * the writers' lock. O(1).
 */
#ifndef FABRIC_PEER_INDEX_H
#define FABRIC_PEER_INDEX_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define FABRIC_PEER_NONE	UINT32_MAX	/* no index */

struct fabric_peer_table {
	struct fabric_peer_table *smaller;	/* what it replaced */
	uint32_t mask;
	_Atomic uint64_t slot[];	/* key << 32 | index, or all ones */
};

struct fabric_peer_index {
	_Atomic(struct fabric_peer_table *) table;
	atomic_uint changes;	/* odd while entries move */
	uint32_t count;		/* writers' */
	pthread_mutex_t lock;	/* serialises writers */
};

/* 0, -ENOMEM. */
int fabric_peer_index_init(struct fabric_peer_index *index);
void fabric_peer_index_fini(struct fabric_peer_index *index);

static inline uint32_t fabric_peer_key(uint16_t ahn, uint16_t qpn)
{
	return (uint32_t)ahn << 16 | qpn;
}

/* The index stored for @key, or FABRIC_PEER_NONE. */
uint32_t fabric_peer_index_find(struct fabric_peer_index *index, uint32_t key);

/* Stores @value, which is not FABRIC_PEER_NONE, for @key, replacing what
 * was there. 0, -ENOMEM. */
int fabric_peer_index_set(struct fabric_peer_index *index, uint32_t key,
			  uint32_t value);
/* Forgets @key, if it is there. */
void fabric_peer_index_remove(struct fabric_peer_index *index, uint32_t key);

#endif /* FABRIC_PEER_INDEX_H */
