/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The link of a daemon to others: who is there, which GID is where, and
 * packets to them and from them.
 *
 * Another host is in one of these states:
 *	unknown		an address where nobody has answered yet
 *	up		both ends have seen each other as they are now
 *	lost		it was up; its GIDs stay its own, so that what is sent
 *			there ends as unresponsive, not as unreachable
 * and is forgotten when it says goodbye, when a host with another ID answers
 * at its address, or when a guest (join=any) stays lost.
 *
 * The owner gives each host a word of its own, from host_up on, and gets it
 * back in all calls. It must not call host_link_poll or _destroy from one.
 */
#ifndef DAEMON_HOST_LINK_H
#define DAEMON_HOST_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/link_frame.h"
#include "daemon/link_spec.h"
#include "daemon/poll_loop.h"

struct fault_plan;
struct host_link;
struct link_host;

struct host_link_ops {
	/*
	 * A host has come up for the first time: @opaque is its word from
	 * now on. An error: it is not let in.
	 */
	int (*host_up)(void *owner, struct link_host *host, void **opaque);
	/* It is forgotten; the word is not used again. */
	void (*host_gone)(void *owner, void *opaque);
	/*
	 * What was sent may or may not have arrived, and no answer comes.
	 * Called again each retry time while the host stays lost.
	 */
	void (*host_lost)(void *owner, void *opaque);
	/* There is room for @packets requests. */
	void (*host_ready)(void *owner, void *opaque, unsigned packets);
	/* A packet; false: it was a bad one. */
	bool (*packet)(void *owner, void *opaque, const uint8_t *packet,
		       size_t len_bytes);
	/* The faults that are set, those of links among them; may be NULL. */
	struct fault_plan *(*faults)(void *owner);
	/* Whether @gid is the owner's own. */
	bool (*is_own_gid)(void *owner, const uint8_t gid[16]);
};

/* Who the owner is to the others. */
struct host_identity {
	char name[LINK_HOST_NAME_BYTES];
	uint32_t gid_count;
	uint8_t gid[SOFTEFA_MAX_DEVICES][16];
};

/*
 * Opens the link; @spec, @identity and @ops are copied, but ops is not and
 * outlives it. -errno of the socket: then it has been told on stderr.
 */
int host_link_create(struct host_link **link, struct poll_loop *loop,
		     const struct link_spec *spec,
		     const struct host_identity *identity,
		     const struct host_link_ops *ops, void *owner);
/* Says goodbye; each host that has a word gets host_gone. */
void host_link_destroy(struct host_link *link);

/* The word of the host that has @gid, or NULL. */
void *host_link_find(const struct host_link *link, const uint8_t gid[16]);

/* Takes a copy of @packet. -EAGAIN when there is no room, or @host is lost. */
int host_link_send(struct host_link *link, struct link_host *host,
		   enum link_stream_kind kind, const void *packet,
		   size_t len_bytes);

/* What time demands. Returns the number of frames sent or hosts lost. */
unsigned host_link_poll(struct host_link *link, uint64_t now_ns);
/* Nanoseconds until there is something for it to do. */
uint64_t host_link_next_ns(const struct host_link *link, uint64_t now_ns);

#endif /* DAEMON_HOST_LINK_H */
