/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/link_show.h"

#include <stdio.h>

#include "daemon/host_link_state.h"

struct place {
	char *text;
	size_t used, size;
};

static void wrote(struct place *place, int n)
{
	size_t room = place->size - place->used;

	if (n > 0 && room)
		place->used += (size_t)n < room ? (size_t)n : room - 1;
}

static const char *state_of(const struct link_host *host)
{
	if (host->is_up)
		return "up";
	return host->id ? "lost" : "unknown";
}

static void show_host(struct place *place, const struct link_host *host)
{
	const struct link_host_counters *c = &host->counters;
	char address[LINK_ADDRESS_TEXT_BYTES];
	uint64_t resent = c->resent;

	for (unsigned i = 0; i < LINK_STREAMS; i++)
		resent += host->stream[i].resent;
	link_address_format(&host->address, address);
	wrote(place, snprintf(place->text + place->used,
			      place->size - place->used,
			      "host %s at %s: %s\n"
			      "    gids               %u\n"
			      "    sent               %llu\n"
			      "    received           %llu\n"
			      "    retransmitted      %llu\n"
			      "    duplicates         %llu\n"
			      "    busy               %llu\n"
			      "    malformed          %llu\n"
			      "    times_lost         %llu\n"
			      "    round_trip_us      %llu\n",
			      host->id ? host->name : "-", address,
			      state_of(host), host->gid_count,
			      (unsigned long long)c->sent,
			      (unsigned long long)c->received,
			      (unsigned long long)resent,
			      (unsigned long long)c->duplicates,
			      (unsigned long long)c->busy,
			      (unsigned long long)c->malformed,
			      (unsigned long long)c->lost,
			      (unsigned long long)
			      host->stream[LINK_REQUESTS].round_trip_ns /
			      1000));
}

size_t link_show_write(const struct host_link *link, char *text,
		       size_t text_bytes)
{
	struct place place = { text, 0, text_bytes };
	char address[LINK_ADDRESS_TEXT_BYTES];

	if (!link)
		return 0;
	link_address_format(&link->spec.local, address);
	wrote(&place, snprintf(text, text_bytes,
			       "link of host %s at %s, join %s\n"
			       "    malformed          %llu\n"
			       "    foreign            %llu\n"
			       "    refused            %llu\n"
			       "    lost_by_fault      %llu\n",
			       link->identity.name, address,
			       link->spec.any_may_join ? "any" : "peers",
			       (unsigned long long)link->malformed,
			       (unsigned long long)link->foreign,
			       (unsigned long long)link->refused,
			       (unsigned long long)link->delay.lost));
	for (unsigned i = 0; i < link->count; i++)
		show_host(&place, link->host[i]);
	return place.used;
}
