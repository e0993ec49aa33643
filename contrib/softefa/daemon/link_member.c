/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/link_member.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/link_output.h"

#define GUEST_KEPT_NS 30000000000ull /* a lost one */

struct link_host *link_member_find(const struct host_link *link, uint64_t id)
{
	struct link_host *host;

	LIST_FOREACH(host, &link->by_id[HOST_LINK_BUCKET(id)], id_link)
	if (host->id == id)
		return host;
	return NULL;
}

struct link_host *link_member_at(const struct host_link *link,
				 const struct link_address *address)
{
	for (unsigned i = 0; i < link->count; i++)
		if (link_address_is_equal(&link->host[i]->address, address))
			return link->host[i];
	return NULL;
}

void link_member_forget(struct host_link *link, struct link_host *host)
{
	unsigned i;

	if (host->id) {
		LIST_REMOVE(host, id_link);
		if (host->has_word)
			link->ops->host_gone(link->owner, host->opaque);
		link_host_leave(host);
	}
	if (!host->is_guest)
		return;
	for (i = 0; link->host[i] != host; i++)
		;
	link->host[i] = link->host[--link->count];
	free(host);
}

void link_member_lose(struct host_link *link, struct link_host *host,
		      uint64_t now_ns)
{
	host->is_up = false;
	host->ours = ++link->incarnation;
	host->counters.lost++;
	link_host_reset_streams(host);
	host->hello_ns = now_ns;
	host->hello_pause_ns = HELLO_FIRST_NS;
	host->lost_ns = now_ns + link->spec.retry_ns;
	host->gone_ns = now_ns + GUEST_KEPT_NS;
	link->ops->host_lost(link->owner, host->opaque);
}

/* The GIDs of @hello are its own: nobody else has them. */
static bool has_own_gids(const struct host_link *link,
			 const struct link_frame *hello)
{
	for (uint32_t i = 0; i < hello->gid_count; i++) {
		if (link->ops->is_own_gid(link->owner, hello->gid[i]) ||
		    gid_route_find(&link->route, hello->gid[i]))
			return false;
		for (uint32_t j = 0; j < i; j++)
			if (!memcmp(hello->gid[i], hello->gid[j], 16))
				return false;
	}
	return true;
}

/*
 * A host whose ID is new, and who has proved with ours that it gets what is
 * sent to its address: only now is anything kept of it.
 */
static struct link_host *admit(struct host_link *link,
			       const struct link_address *from,
			       const struct link_frame *hello)
{
	struct link_host *host = link_member_at(link, from);

	if (host && host->is_guest) {
		link_member_forget(link, host);
		host = NULL;
	} else if (host) {
		link_member_forget(link, host);
	}
	if (!has_own_gids(link, hello))
		return NULL;
	if (!host && link->count < LINK_MAX_HOSTS)
		host = link_host_create(from, true);
	if (!host)
		return NULL;
	if (host->is_guest)
		link->host[link->count++] = host;
	link_host_take(host, hello, &link->route);
	LIST_INSERT_HEAD(&link->by_id[HOST_LINK_BUCKET(host->id)], host,
			 id_link);
	host->ours = link->incarnation;
	return host;
}

static void come_up(struct host_link *link, struct link_host *host,
		    uint64_t now_ns)
{
	if (!host->has_word &&
	    link->ops->host_up(link->owner, host, &host->opaque))
		return;
	host->has_word = true;
	host->is_up = true;
	host->hello_pause_ns = link->spec.retry_ns / 4;
	host->hello_ns = now_ns + host->hello_pause_ns;
	link->ops->host_ready(link->owner, host->opaque,
			      link_stream_room(&host->stream[LINK_REQUESTS]));
}

static bool may_join(const struct host_link *link,
		     const struct link_address *from)
{
	return link->spec.any_may_join || link_member_at(link, from);
}

/* From a host that is not known; true: it is from now on. */
static struct link_host *hello_of_stranger(struct host_link *link,
					   const struct link_address *from,
					   const struct link_frame *hello)
{
	struct link_host *host = NULL;

	if (!may_join(link, from)) {
		link->foreign++;
		return NULL;
	}
	if (hello->to.host != link->id ||
	    hello->to.incarnation != link->incarnation) {
		link_output_hello(link, from, NULL, hello->from, true);
		return NULL;
	}
	host = admit(link, from, hello);
	if (!host)
		link->refused++;
	return host;
}

void link_member_hello(struct host_link *link, const struct link_address *from,
		       struct link_host *host, const struct link_frame *hello,
		       uint64_t now_ns)
{
	if (!host)
		host = hello_of_stranger(link, from, hello);
	else if (!link_address_is_equal(&host->address, from))
		host = NULL;
	if (!host || (int32_t)(hello->from.incarnation - host->theirs) < 0)
		return;
	if (hello->from.incarnation != host->theirs && host->is_up)
		link_member_lose(link, host, now_ns);
	host->theirs = hello->from.incarnation;
	host->heard_ns = now_ns;
	if (!host->is_up && hello->to.host == link->id &&
	    hello->to.incarnation == host->ours)
		come_up(link, host, now_ns);
	if (!hello->is_reply || !hello->is_up)
		link_output_greet(link, host, true);
}
