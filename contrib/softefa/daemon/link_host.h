/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a link knows of one other host. Data, and the few changes that have
 * to be made together; host_link.c decides when.
 */
#ifndef DAEMON_LINK_HOST_H
#define DAEMON_LINK_HOST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "daemon/gid_route.h"
#include "daemon/link_frame.h"
#include "daemon/link_spec.h"

struct link_host_counters {
	uint64_t sent, received;	/* frames with data */
	uint64_t resent;
	uint64_t duplicates;		/* received again */
	uint64_t busy;			/* requests without room to answer */
	uint64_t malformed;		/* packets the engine refused */
	uint64_t lost;			/* times that it was */
};

struct link_host {
	/* for each frame */
	uint64_t id;			/* 0: nobody has answered there */
	uint32_t ours, theirs;		/* incarnations of the connection */
	bool is_up;
	bool has_word;
	void *opaque;			/* the owner's word */
	uint64_t heard_ns;
	struct link_stream stream[LINK_STREAMS];
	struct link_host_counters counters;
	LIST_ENTRY(link_host) id_link;

	/* for each hello */
	struct link_address address;
	bool is_guest;			/* no peer of the spec */
	uint64_t hello_ns, hello_pause_ns;	/* the next one, the interval */
	uint64_t lost_ns;		/* when the owner is told next */
	uint64_t gone_ns;		/* a lost guest is forgotten */
	char name[LINK_HOST_NAME_BYTES];
	uint32_t gid_count;
	struct gid_route_entry gid[SOFTEFA_MAX_DEVICES];
};

/* One at @address that nobody has answered at; freed with free(). */
struct link_host *link_host_create(const struct link_address *address,
				   bool is_guest);

/* Starts both streams anew. */
void link_host_reset_streams(struct link_host *host);

/* It becomes the host that @hello is of; its GIDs go into @route. */
void link_host_take(struct link_host *host, const struct link_frame *hello,
		    struct gid_route *route);
/* The reverse: it is an address where nobody has answered. */
void link_host_leave(struct link_host *host);

#endif /* DAEMON_LINK_HOST_H */
