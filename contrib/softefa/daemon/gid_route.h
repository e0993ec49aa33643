/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Which GID is at which host: a hash table over storage of the hosts. */
#ifndef DAEMON_GID_ROUTE_H
#define DAEMON_GID_ROUTE_H

#include <stdint.h>
#include <sys/queue.h>

#define GID_ROUTE_BUCKETS	256u	/* a power of two */

struct gid_route_entry {
	uint8_t gid[16];
	void *host;
	LIST_ENTRY(gid_route_entry) link;
};

struct gid_route {
	LIST_HEAD(, gid_route_entry) bucket[GID_ROUTE_BUCKETS];
};

void gid_route_init(struct gid_route *route);
/* @entry, with gid and host filled in and no such GID there, is lent. */
void gid_route_add(struct gid_route *route, struct gid_route_entry *entry);
void gid_route_remove(struct gid_route_entry *entry);
/* The host of @gid, or NULL. */
void *gid_route_find(const struct gid_route *route, const uint8_t gid[16]);

#endif /* DAEMON_GID_ROUTE_H */
