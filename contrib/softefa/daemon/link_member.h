/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Who is on a link: how a host is met, comes up, is lost and is forgotten.
 * host_link.h has the states.
 */
#ifndef DAEMON_LINK_MEMBER_H
#define DAEMON_LINK_MEMBER_H

#include "daemon/host_link_state.h"

#define HELLO_FIRST_NS		50000000ull	/* doubled each time */

/* The host with @id, or NULL; the one at @address, or NULL. */
struct link_host *link_member_find(const struct host_link *link, uint64_t id);
struct link_host *link_member_at(const struct host_link *link,
				 const struct link_address *address);

/*
 * @hello came from @from; @host is the one that has its ID, or NULL. Nothing
 * is kept of a stranger that has not proved to get what is sent to it.
 */
void link_member_hello(struct host_link *link, const struct link_address *from,
		       struct link_host *host, const struct link_frame *hello,
		       uint64_t now_ns);

/* @host, which is up, is lost: its connection has ended. */
void link_member_lose(struct host_link *link, struct link_host *host,
		      uint64_t now_ns);

/* Nothing of @host stays but its address; a guest is freed. */
void link_member_forget(struct host_link *link, struct link_host *host);

#endif /* DAEMON_LINK_MEMBER_H */
