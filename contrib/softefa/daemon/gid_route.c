/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/gid_route.h"

#include <string.h>

static unsigned bucket_of(const uint8_t gid[16])
{
	uint64_t half[2], hash;

	memcpy(half, gid, sizeof(half));
	hash = (half[0] ^ (half[1] * 0x9e3779b97f4a7c15ull)) *
		0x9e3779b97f4a7c15ull;
	return (hash >> 32) % GID_ROUTE_BUCKETS;
}

void gid_route_init(struct gid_route *route)
{
	for (unsigned i = 0; i < GID_ROUTE_BUCKETS; i++)
		LIST_INIT(&route->bucket[i]);
}

void gid_route_add(struct gid_route *route, struct gid_route_entry *entry)
{
	LIST_INSERT_HEAD(&route->bucket[bucket_of(entry->gid)], entry, link);
}

void gid_route_remove(struct gid_route_entry *entry)
{
	LIST_REMOVE(entry, link);
}

void *gid_route_find(const struct gid_route *route, const uint8_t gid[16])
{
	const struct gid_route_entry *entry;

	LIST_FOREACH(entry, &route->bucket[bucket_of(gid)], link)
		if (!memcmp(entry->gid, gid, sizeof(entry->gid)))
			return entry->host;
	return NULL;
}
