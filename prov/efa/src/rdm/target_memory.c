/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rdm/target_memory.h"

#include "rdm/ep_state.h"

static struct fabric_region_table *rdm_target_regions(struct rdm_ep *ep)
{
	return &ep->base.domain->regions;
}

bool rdm_target_check(struct rdm_ep *ep, const struct rdm_wire_iov *range,
		      unsigned int count, uint64_t access,
		      struct rdm_op_key *key)
{
	for (unsigned int i = 0; i < count; i++) {
		const struct fabric_region_range at = {
			.key = range[i].key,
			.addr = range[i].addr,
			.len = range[i].len,
		};

		key[i].is_registered = true;
		key[i].rkey = (uint32_t)range[i].key;
		if (!fabric_region_check(rdm_target_regions(ep), &at, access,
					 &key[i].lkey))
			return false;
	}
	return true;
}

/* Cuts *@len bytes at *@offset to what lies in one range, which is *@at. */
static bool rdm_target_cut(const struct rdm_wire_iov *range,
			   unsigned int count, uint64_t offset, size_t len,
			   struct fabric_region_range *at)
{
	for (unsigned int i = 0; i < count; i++) {
		if (offset >= range[i].len) {
			offset -= range[i].len;
			continue;
		}
		at->key = range[i].key;
		at->addr = range[i].addr + offset;
		at->len = range[i].len - offset;
		if (at->len > len)
			at->len = len;
		return true;
	}
	return false;
}

bool rdm_target_store(struct rdm_ep *ep, const struct rdm_wire_iov *range,
		      unsigned int count, uint64_t offset, const void *from,
		      size_t len)
{
	struct fabric_region_range at;

	while (len) {
		if (!rdm_target_cut(range, count, offset, len, &at) ||
		    !fabric_region_store(rdm_target_regions(ep), &at, from))
			return false;
		from = (const char *)from + at.len;
		offset += at.len;
		len -= (size_t)at.len;
	}
	return true;
}

bool rdm_target_load(struct rdm_ep *ep, const struct rdm_wire_iov *range,
		     unsigned int count, uint64_t offset, void *to,
		     size_t len)
{
	struct fabric_region_range at;

	while (len) {
		if (!rdm_target_cut(range, count, offset, len, &at) ||
		    !fabric_region_load(rdm_target_regions(ep), &at, to))
			return false;
		to = (char *)to + at.len;
		offset += at.len;
		len -= (size_t)at.len;
	}
	return true;
}
