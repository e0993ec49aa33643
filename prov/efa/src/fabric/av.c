/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/av.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <rdma/fi_errno.h>

#include "compat/log.h"
#include "fabric/unsupported.h"

#define FIRST_SHIFT_MIN		6
#define FIRST_SHIFT_MAX		20

/* What control calls know about an index; the data path has its word. */
struct fabric_av_entry {
	struct fabric_address address;
	const struct dev_ah *ah;	/* a reference of our own */
	/*
	 * In use: the entry inserted before with the same GID and QPN, whose
	 * owner is gone since a QPN has one owner at a time. Removed: the
	 * next free index.
	 */
	uint32_t next;
};

static _Atomic uint64_t *av_word(struct fabric_av *av, uint32_t index)
{
	uint64_t offset;
	uint32_t chunk = fabric_av_chunk(av->first_shift, index, &offset);

	return &atomic_load_explicit(&av->words[chunk],
				     memory_order_relaxed)[offset];
}

static struct fabric_av_entry *av_entry(struct fabric_av *av, uint32_t index)
{
	uint64_t offset;
	uint32_t chunk = fabric_av_chunk(av->first_shift, index, &offset);

	return &av->entries[chunk][offset];
}

static bool av_is_used(struct fabric_av *av, fi_addr_t addr)
{
	return addr < av->used &&
	       atomic_load_explicit(av_word(av, (uint32_t)addr),
				    memory_order_relaxed) != FABRIC_AV_FREE;
}

static int av_add_chunk(struct fabric_av *av, uint32_t chunk)
{
	uint64_t count = 1ull << (av->first_shift + (chunk ? chunk - 1 : 0));
	struct fabric_av_entry *entries;
	_Atomic uint64_t *words;

	words = malloc(count * sizeof(*words));
	entries = calloc(count, sizeof(*entries));
	if (!words || !entries) {
		free((void *)words);
		free(entries);
		return -ENOMEM;
	}
	for (uint64_t i = 0; i < count; i++)
		atomic_init(&words[i], FABRIC_AV_FREE);
	av->entries[chunk] = entries;
	atomic_store_explicit(&av->words[chunk], words, memory_order_release);
	return 0;
}

/* An index that is free: a removed one, or the next never given. */
static int av_take_index(struct fabric_av *av, uint32_t *index)
{
	uint64_t offset;
	uint32_t chunk;
	int ret;

	if (av->free_head != FABRIC_PEER_NONE) {
		*index = av->free_head;
		av->free_head = av_entry(av, *index)->next;
		return 0;
	}
	if (av->used == FABRIC_PEER_NONE)
		return -ENOSPC;
	chunk = fabric_av_chunk(av->first_shift, av->used, &offset);
	if (!av->entries[chunk]) {
		ret = av_add_chunk(av, chunk);
		if (ret)
			return ret;
	}
	*index = av->used++;
	return 0;
}

static void av_return_index(struct fabric_av *av, uint32_t index)
{
	av_entry(av, index)->next = av->free_head;
	av->free_head = index;
}

/* The index @address has already, among those of @key's chain. */
static uint32_t av_find_same(struct fabric_av *av, uint32_t head,
			     const struct fabric_address *address)
{
	while (head != FABRIC_PEER_NONE) {
		struct fabric_av_entry *entry = av_entry(av, head);

		if (fabric_address_equals(&entry->address, address))
			break;
		head = entry->next;
	}
	return head;
}

/* Fills a free index; takes over the reference to @ah. */
static int av_add(struct fabric_av *av, const struct fabric_address *address,
		  const struct dev_ah *ah, uint32_t head, uint32_t *index)
{
	struct hw_dest dest = {
		.ahn = ah->ahn,
		.qpn = address->qpn,
		.qkey = address->qkey,
	};
	struct fabric_av_entry *entry;
	uint64_t word;
	int ret;

	ret = av_take_index(av, index);
	if (ret)
		return ret;
	entry = av_entry(av, *index);
	entry->address = *address;
	entry->ah = ah;
	entry->next = head;
	ret = fabric_peer_index_set(&av->peers,
				    fabric_peer_key(dest.ahn, dest.qpn),
				    *index);
	if (ret) {
		av_return_index(av, *index);
		return ret;
	}
	memcpy(&word, &dest, sizeof(word));
	atomic_store_explicit(av_word(av, *index), word,
			      memory_order_release);
	return 0;
}

static int av_insert_one(struct fabric_av *av,
			 const struct fabric_address *address, uint32_t *index)
{
	const struct dev_ah *ah;
	union ibv_gid gid;
	uint32_t head, same;
	int ret;

	if (!fabric_address_has_gid(address))
		return -EINVAL;
	memcpy(gid.raw, address->gid, sizeof(gid.raw));
	ret = dev_ah_get(av->domain->ahs, &gid, &ah);
	if (ret)
		return ret;
	head = fabric_peer_index_find(&av->peers,
				      fabric_peer_key(ah->ahn, address->qpn));
	same = av_find_same(av, head, address);
	if (same != FABRIC_PEER_NONE) {
		dev_ah_put(av->domain->ahs, ah);
		*index = same;
		return 0;
	}
	ret = av_add(av, address, ah, head, index);
	if (ret)
		dev_ah_put(av->domain->ahs, ah);
	return ret;
}

/* What the device refuses, dev/addr_handle has logged. */
static void av_log_refusal(const struct fabric_address *address)
{
	char text[FABRIC_ADDRESS_TEXT_SIZE];

	if (fabric_address_has_gid(address))
		return;
	fabric_address_text(address, text, sizeof(text));
	compat_warn(FI_LOG_AV, "fi_av_insert: %s is left out: without a GID "
		    "it is nobody's; check that its owner filled it in with "
		    "fi_getname and that it arrived whole", text);
}

static int av_insert(struct fid_av *fid, const void *addr, size_t count,
		     fi_addr_t *fi_addr, uint64_t flags, void *context)
{
	struct fabric_av *av = fabric_av_of(fid);
	int *errors = flags & FI_SYNC_ERR ? context : NULL;
	struct fabric_address address;
	uint32_t index = 0;
	int inserted = 0;
	int ret;

	if (flags & ~(FI_SYNC_ERR | FI_MORE))
		return -FI_ENOSYS;
	if ((flags & FI_SYNC_ERR && !context) || (count && !addr) ||
	    count > INT32_MAX)
		return -FI_EINVAL;

	pthread_mutex_lock(&av->lock);
	for (size_t i = 0; i < count; i++) {
		/* applications pack addresses without alignment */
		memcpy(&address, (const char *)addr + i * sizeof(address),
		       sizeof(address));
		ret = av_insert_one(av, &address, &index);
		if (ret && inserted == (int)i)
			av_log_refusal(&address);
		if (!ret)
			inserted++;
		if (fi_addr)
			fi_addr[i] = ret ? FI_ADDR_NOTAVAIL : index;
		if (errors)
			errors[i] = -ret;
	}
	pthread_mutex_unlock(&av->lock);
	return inserted;
}

/* Takes @index out of the chain of its (AHN, QPN). */
static void av_unchain(struct fabric_av *av, uint32_t index)
{
	struct fabric_av_entry *entry = av_entry(av, index);
	uint32_t key = fabric_peer_key(entry->ah->ahn, entry->address.qpn);
	uint32_t at = fabric_peer_index_find(&av->peers, key);

	if (at == index) {
		if (entry->next == FABRIC_PEER_NONE)
			fabric_peer_index_remove(&av->peers, key);
		else	/* replaces, hence cannot fail */
			fabric_peer_index_set(&av->peers, key, entry->next);
		return;
	}
	while (av_entry(av, at)->next != index)
		at = av_entry(av, at)->next;
	av_entry(av, at)->next = entry->next;
}

static void av_remove_one(struct fabric_av *av, uint32_t index)
{
	struct fabric_av_entry *entry = av_entry(av, index);

	atomic_store_explicit(av_word(av, index), FABRIC_AV_FREE,
			      memory_order_release);
	av_unchain(av, index);
	dev_ah_put(av->domain->ahs, entry->ah);
	entry->ah = NULL;
	av_return_index(av, index);
}

static int av_remove(struct fid_av *fid, fi_addr_t *fi_addr, size_t count,
		     uint64_t flags)
{
	struct fabric_av *av = fabric_av_of(fid);
	int ret = 0;

	if (flags)
		return -FI_EINVAL;
	if (count && !fi_addr)
		return -FI_EINVAL;

	pthread_mutex_lock(&av->lock);
	for (size_t i = 0; i < count; i++) {
		if (av_is_used(av, fi_addr[i]))
			av_remove_one(av, (uint32_t)fi_addr[i]);
		else
			ret = -FI_EINVAL;
	}
	pthread_mutex_unlock(&av->lock);
	/* whoever reads the number finds the addresses gone */
	atomic_fetch_add_explicit(&av->domain->removals, 1,
				  memory_order_release);
	return ret;
}

bool fabric_av_address(struct fabric_av *av, fi_addr_t addr,
		       struct fabric_address *address)
{
	bool used;

	pthread_mutex_lock(&av->lock);
	used = av_is_used(av, addr);
	if (used)
		*address = av_entry(av, (uint32_t)addr)->address;
	pthread_mutex_unlock(&av->lock);
	return used;
}

static int av_lookup(struct fid_av *fid, fi_addr_t fi_addr, void *addr,
		     size_t *addrlen)
{
	struct fabric_address address;

	if (!addrlen || (*addrlen && !addr))
		return -FI_EINVAL;
	if (!fabric_av_address(fabric_av_of(fid), fi_addr, &address))
		return -FI_EINVAL;
	if (*addrlen)
		memcpy(addr, &address, *addrlen < sizeof(address) ?
		       *addrlen : sizeof(address));
	*addrlen = sizeof(address);
	return 0;
}

static const char *av_straddr(struct fid_av *fid, const void *addr, char *buf,
			      size_t *len)
{
	struct fabric_address address;

	if (!addr || !len || (*len && !buf))
		return NULL;
	memcpy(&address, addr, sizeof(address));
	*len = fabric_address_text(&address, buf, *len);
	return buf;
}

static void av_free_chunks(struct fabric_av *av)
{
	for (uint32_t i = 0; i < FABRIC_AV_CHUNKS; i++) {
		free((void *)atomic_load(&av->words[i]));
		free(av->entries[i]);
	}
}

static int av_close(struct fid *fid)
{
	struct fabric_av *av = (struct fabric_av *)
		((char *)fid - offsetof(struct fabric_av, fid.fid));

	if (fabric_reference_is_used(&av->users))
		return -FI_EBUSY;
	for (uint32_t i = 0; i < av->used; i++) {
		if (av_is_used(av, i))
			dev_ah_put(av->domain->ahs, av_entry(av, i)->ah);
	}
	av_free_chunks(av);
	fabric_peer_index_fini(&av->peers);
	pthread_mutex_destroy(&av->lock);
	fabric_reference_put(&av->domain->users);
	free(av);
	return 0;
}

static struct fi_ops av_fid_ops = {
	.size = sizeof(struct fi_ops),
	.close = av_close,
	.bind = fabric_no_bind,
	.control = fabric_no_control,
	.ops_open = fabric_no_ops_open,
	.tostr = fabric_no_tostr,
	.ops_set = fabric_no_ops_set,
};

static struct fi_ops_av av_ops = {
	.size = sizeof(struct fi_ops_av),
	.insert = av_insert,
	.insertsvc = fabric_no_av_insertsvc,
	.insertsym = fabric_no_av_insertsym,
	.remove = av_remove,
	.lookup = av_lookup,
	.straddr = av_straddr,
	.av_set = fabric_no_av_set,
};

/* The first chunk has room for what the application announces. */
static uint32_t av_first_shift(size_t count)
{
	uint32_t shift = FIRST_SHIFT_MIN;

	while (shift < FIRST_SHIFT_MAX && 1ull << shift < count)
		shift++;
	return shift;
}

static int av_create(struct fabric_domain *domain, size_t count,
		     void *context, struct fabric_av **result)
{
	struct fabric_av *av = calloc(1, sizeof(*av));
	int ret;

	if (!av)
		return -ENOMEM;
	ret = fabric_peer_index_init(&av->peers);
	if (ret) {
		free(av);
		return ret;
	}
	pthread_mutex_init(&av->lock, NULL);
	fabric_reference_init(&av->users);
	av->first_shift = av_first_shift(count);
	av->first_count = 1ull << av->first_shift;
	av->free_head = FABRIC_PEER_NONE;
	av->domain = domain;
	fabric_reference_get(&domain->users);
	av->fid.fid.fclass = FI_CLASS_AV;
	av->fid.fid.context = context;
	av->fid.fid.ops = &av_fid_ops;
	av->fid.ops = &av_ops;
	*result = av;
	return 0;
}

int fabric_av_open(struct fid_domain *domain, struct fi_av_attr *attr,
		   struct fid_av **fid, void *context)
{
	struct fabric_av *av = NULL;
	int ret;

	if (!attr)
		return -FI_EINVAL;
	if (attr->name || attr->flags || attr->rx_ctx_bits) {
		compat_warn(FI_LOG_AV, "fi_av_open: named, shared, symmetric, "
			    "event-driven and scalable-endpoint address "
			    "vectors are not supported; leave name, flags "
			    "(0x%" PRIx64 ") and rx_ctx_bits at 0",
			    attr->flags);
		return -FI_ENOSYS;
	}
	if (!fabric_domain_of(domain)->ahs) {
		compat_warn(FI_LOG_AV, "fi_av_open: the domain is half closed: its fi_close failed; close it again");
		return -FI_EOPBADSTATE;
	}
	ret = av_create(fabric_domain_of(domain), attr->count, context, &av);
	if (ret)
		return ret;
	attr->type = FI_AV_TABLE;
	*fid = &av->fid;
	return 0;
}
