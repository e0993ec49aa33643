/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A descriptor that a client reads events from: a completion channel or
 * the asynchronous events of a context.
 *
 * A SEQPACKET socket pair. The client has one end; read() gives it one
 * event. The daemon has the other, and while CQs are attached a duplicate
 * of the client's end as well, to take back events of a CQ that goes away
 * before they are read. Thus, as in the kernel, a channel that the client
 * closed lives until its last CQ is gone.
 *
 * Events that the socket has no room for wait here, in order.
 */
#ifndef DAEMON_EVENT_CHANNEL_H
#define DAEMON_EVENT_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/poll_loop.h"

#define EVENT_CHANNEL_MAX_BYTES	16u	/* of one event */

/*
 * Events that wait beyond what the socket holds. A CQ gives one each time it
 * is armed, so a client with all CQs of a device stays far below.
 */
#define EVENT_CHANNEL_MAX_WAITING	4096u

struct event_channel;

/*
 * @event_bytes: 8 or 16, starting with the 64-bit handle of the object the
 * event is about. *@client_fd is the client's end, owned by the caller,
 * who sends it away and closes it. -errno.
 */
int event_channel_open(struct event_channel **channel, struct poll_loop *loop,
		       size_t event_bytes, int *client_fd);
void event_channel_close(struct event_channel *channel);

/* Whether @fd, a duplicate of some descriptor of the client, is its end. */
bool event_channel_is(const struct event_channel *channel, int fd);

/*
 * Another CQ uses the channel. @client_fd: a duplicate of the client's end,
 * which the channel takes over.
 */
void event_channel_attach(struct event_channel *channel, int client_fd);
void event_channel_detach(struct event_channel *channel);

/* The client closed its end and no CQ is attached: nobody can use it. */
bool event_channel_is_dead(const struct event_channel *channel);

/*
 * Gives the client an event (event_bytes). -EPIPE when the client closed
 * its end, -ENOMEM when it reads nothing and too many wait; the event is
 * then lost, which hurts this client alone.
 */
int event_channel_push(struct event_channel *channel, const void *event);

/*
 * Takes back the events whose handle is @handle and that the client did not
 * read; returns their number. Needs an attached CQ.
 */
unsigned event_channel_drop(struct event_channel *channel, uint64_t handle);

#endif /* DAEMON_EVENT_CHANNEL_H */
