/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/link_host.h"

#include <stdlib.h>
#include <string.h>

struct link_host *link_host_create(const struct link_address *address,
				   bool is_guest)
{
	struct link_host *host = calloc(1, sizeof(*host));

	if (!host)
		return NULL;
	host->address = *address;
	host->is_guest = is_guest;
	for (unsigned i = 0; i < LINK_STREAMS; i++)
		link_stream_init(&host->stream[i]);
	return host;
}

void link_host_reset_streams(struct link_host *host)
{
	for (unsigned i = 0; i < LINK_STREAMS; i++) {
		host->counters.resent += host->stream[i].resent;
		link_stream_fini(&host->stream[i]);
		link_stream_init(&host->stream[i]);
	}
}

void link_host_take(struct link_host *host, const struct link_frame *hello,
		    struct gid_route *route)
{
	host->id = hello->from.host;
	host->theirs = hello->from.incarnation;
	memcpy(host->name, hello->name, sizeof(host->name));
	host->gid_count = hello->gid_count;
	for (uint32_t i = 0; i < host->gid_count; i++) {
		memcpy(host->gid[i].gid, hello->gid[i],
		       sizeof(host->gid[i].gid));
		host->gid[i].host = host;
		gid_route_add(route, &host->gid[i]);
	}
}

void link_host_leave(struct link_host *host)
{
	for (uint32_t i = 0; i < host->gid_count; i++)
		gid_route_remove(&host->gid[i]);
	link_host_reset_streams(host);
	host->gid_count = 0;
	host->id = 0;
	host->is_up = false;
	host->has_word = false;
	host->hello_ns = 0;
	host->hello_pause_ns = 0;
}
