/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The connections of a daemon: who is let in, and what each may ask.
 *
 *	accepted --HELLO_CONTROL--> control: DEVICES, SHOW, STOP, TRACE_*,
 *	                            FAULT_*
 *	         --HELLO_UVERBS---> uverbs: IOCTL, MMAP, with one context
 *
 * Nothing a client does or leaves undone blocks: sockets never wait, a
 * client that does not take its answers or breaks the protocol is
 * disconnected. No process gets more than its quota (client_quota.h), and
 * one of another user nothing at all. When a connection ends, its context
 * goes with it.
 */
#ifndef DAEMON_SESSION_H
#define DAEMON_SESSION_H

#include <stdbool.h>
#include <sys/types.h>

#include "daemon/emulated_device.h"
#include "daemon/poll_loop.h"
#include "daemon/uverbs_context.h"

#define SESSION_MAX	1024u	/* connections served at a time */

struct session_list;

/* Calls that a control connection makes on the owner of the list. */
struct session_ops {
	/* What `softefa show` prints; at most @text_bytes. */
	size_t (*show)(void *owner, char *text, size_t text_bytes);
	/* As counter_text_write. */
	size_t (*counters)(void *owner, uint64_t *cursor, char *text,
			   size_t text_bytes);
	/* Takes @fd over. 0 or a negative errno, for the answer. */
	int (*trace_start)(void *owner, int fd);
	int (*trace_stop)(void *owner);
};

/*
 * Starts to accept on @listen_fd, which the list takes over. @loop and
 * @devices stay the caller's and outlive it; @ops are called with @owner.
 * Serves root and the user of this process. -ENOMEM, -errno.
 */
int session_list_create(struct session_list **list, struct poll_loop *loop,
			struct emulated_devices *devices, int listen_fd,
			const struct session_ops *ops, void *owner);

/*
 * Tells the clients that their devices are gone, then closes all
 * connections and destroys their contexts.
 */
void session_list_destroy(struct session_list *list);

/* True once a client has asked the daemon to end. */
bool session_list_is_stopping(const struct session_list *list);

/* Open connections, and of those the contexts. */
unsigned session_list_count(const struct session_list *list);

/* Context @index of those open, in no particular order; NULL past the last. */
const struct uverbs_context *
session_list_context(const struct session_list *list, unsigned index);

#endif /* DAEMON_SESSION_H */
