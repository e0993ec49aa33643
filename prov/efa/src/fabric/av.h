/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Address vectors: fi_addr_t is an index, dense from 0; the same address
 * inserted twice gets the same index. FI_AV_MAP is served as FI_AV_TABLE.
 *
 * Entries never move, so the data path reads them without a lock while
 * another thread inserts: the part it needs is one 64-bit word. An index
 * that was removed is refused, not followed; it is given again to a later
 * address, as fi_av(3) allows.
 */
#ifndef FABRIC_AV_H
#define FABRIC_AV_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>

#include "fabric/address.h"
#include "fabric/domain.h"
#include "fabric/peer_index.h"
#include "fabric/reference.h"
#include "hw/efa_io_defs.h"
#include "hw/work_queue.h"

/* Chunk 0 holds entries 0 .. 2^first_shift-1, each later chunk as many as
 * all before it together. */
#define FABRIC_AV_CHUNKS	32

/* The word of an index that leads nowhere: no device gives this AHN. */
#define FABRIC_AV_FREE		UINT64_MAX

static_assert(sizeof(struct hw_dest) == sizeof(uint64_t), "one word");

struct fabric_av_entry;

struct fabric_av {
	struct fid_av fid;
	/* read by the data path */
	uint64_t first_count;	/* 2^first_shift */
	uint32_t first_shift;
	_Atomic(_Atomic uint64_t *) words[FABRIC_AV_CHUNKS];	/* hw_dest */
	struct fabric_peer_index peers;
	/* of control calls, under the lock */
	struct fabric_av_entry *entries[FABRIC_AV_CHUNKS];
	pthread_mutex_t lock;
	struct fabric_domain *domain;
	uint32_t used;		/* indexes ever given: 0..used-1 */
	uint32_t free_head;	/* of the removed ones, or FABRIC_PEER_NONE */
	struct fabric_reference users;	/* endpoints bound to it */
};

static inline struct fabric_av *fabric_av_of(struct fid_av *fid)
{
	return (struct fabric_av *)
		((char *)fid - offsetof(struct fabric_av, fid));
}

/* Where entry @index lives: its chunk, and in *@offset its place there. */
static inline uint32_t fabric_av_chunk(uint32_t first_shift, uint64_t index,
				       uint64_t *offset)
{
	uint32_t top;

	if (__builtin_expect(index >> first_shift == 0, 1)) {
		*offset = index;
		return 0;
	}
	top = 63 - __builtin_clzll(index);
	*offset = index - (1ull << top);
	return top - first_shift + 1;
}

/*
 * For the data path: where messages to @addr go. False when @addr is no
 * address of this vector (never given, removed, FI_ADDR_UNSPEC). Lock-free,
 * safe against every other call but close.
 */
static inline bool fabric_av_resolve(const struct fabric_av *av,
				     fi_addr_t addr, struct hw_dest *dest)
{
	_Atomic uint64_t *words;
	uint64_t offset = addr, word;
	uint32_t chunk = 0;

	if (__builtin_expect(addr >= av->first_count, 0)) {
		if (addr > UINT32_MAX)
			return false;
		chunk = fabric_av_chunk(av->first_shift, addr, &offset);
	}
	words = atomic_load_explicit(&av->words[chunk], memory_order_acquire);
	if (!words)
		return false;
	word = atomic_load_explicit(&words[offset], memory_order_acquire);
	if (word == FABRIC_AV_FREE)
		return false;
	memcpy(dest, &word, sizeof(*dest));
	return true;
}

/* For the data path: who a completion's (ahn, qpn) is, or
 * FI_ADDR_NOTAVAIL. Lock-free as long as nobody changes the vector. */
static inline fi_addr_t fabric_av_sender(struct fabric_av *av, uint16_t ahn,
					 uint16_t qpn)
{
	uint32_t index;

	if (ahn == EFA_IO_AH_UNKNOWN)
		return FI_ADDR_NOTAVAIL;
	index = fabric_peer_index_find(&av->peers, fabric_peer_key(ahn, qpn));
	return index == FABRIC_PEER_NONE ? FI_ADDR_NOTAVAIL : index;
}

/* For error texts: the address @addr stands for; false when there is none.
 * Locks. */
bool fabric_av_address(struct fabric_av *av, fi_addr_t addr,
		       struct fabric_address *address);

/*
 * fi_av_open. Named, shared, symmetric and event-driven vectors:
 * -FI_ENOSYS. The CQ and endpoints use a vector while bound (@users).
 */
int fabric_av_open(struct fid_domain *domain, struct fi_av_attr *attr,
		   struct fid_av **av, void *context);

#endif /* FABRIC_AV_H */
