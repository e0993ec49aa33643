/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/event_channel.h"

struct event_channel {
	struct poll_source source;
	struct poll_loop *loop;
	int fd;			/* the daemon's end, -1 once hung up */
	int client_fd;		/* -1 while no CQ is attached */
	dev_t dev;		/* identity of the client's end */
	ino_t ino;
	unsigned attached;
	size_t event_bytes;
	/* Events beyond what the socket holds, the oldest first. */
	uint8_t *waiting;
	unsigned waiting_count;
	unsigned waiting_size;
};

static void event_channel_hang_up(struct event_channel *channel)
{
	poll_loop_remove(channel->loop, channel->fd);
	close(channel->fd);
	channel->fd = -1;
	channel->waiting_count = 0;
}

static int event_channel_send(struct event_channel *channel,
			      const void *event)
{
	ssize_t n = send(channel->fd, event, channel->event_bytes,
			 MSG_DONTWAIT | MSG_NOSIGNAL);

	return n < 0 ? -errno : 0;
}

static void event_channel_watch(struct event_channel *channel)
{
	poll_loop_change(channel->loop, channel->fd, &channel->source,
			 EPOLLRDHUP |
			 (channel->waiting_count ? EPOLLOUT : 0));
}

static void event_channel_flush(struct event_channel *channel)
{
	unsigned sent = 0;

	while (sent < channel->waiting_count &&
	       !event_channel_send(channel, channel->waiting +
				   sent * channel->event_bytes))
		sent++;
	channel->waiting_count -= sent;
	if (channel->waiting_count)
		memmove(channel->waiting,
			channel->waiting + sent * channel->event_bytes,
			channel->waiting_count * channel->event_bytes);
	event_channel_watch(channel);
}

static void event_channel_ready(struct poll_source *source, uint32_t events)
{
	struct event_channel *channel = (struct event_channel *)source;

	if (events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR))
		event_channel_hang_up(channel);
	else
		event_channel_flush(channel);
}

int event_channel_open(struct event_channel **channel, struct poll_loop *loop,
		       size_t event_bytes, int *client_fd)
{
	struct event_channel *c = calloc(1, sizeof(*c));
	struct stat st;
	int pair[2], ret;

	assert(event_bytes <= EVENT_CHANNEL_MAX_BYTES);
	if (!c)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		ret = -errno;
		goto err_free;
	}
	c->source.ready = event_channel_ready;
	c->loop = loop;
	c->fd = pair[0];
	c->client_fd = -1;
	c->event_bytes = event_bytes;
	if (fstat(pair[1], &st)) {
		ret = -errno;
		goto err_close;
	}
	c->dev = st.st_dev;
	c->ino = st.st_ino;
	ret = poll_loop_add(loop, c->fd, &c->source, EPOLLRDHUP);
	if (ret)
		goto err_close;
	*channel = c;
	*client_fd = pair[1];
	return 0;

err_close:
	close(pair[0]);
	close(pair[1]);
err_free:
	free(c);
	return ret;
}

void event_channel_close(struct event_channel *channel)
{
	if (channel->fd >= 0)
		event_channel_hang_up(channel);
	if (channel->client_fd >= 0)
		close(channel->client_fd);
	free(channel->waiting);
	free(channel);
}

bool event_channel_is(const struct event_channel *channel, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_dev == channel->dev &&
	       st.st_ino == channel->ino;
}

void event_channel_attach(struct event_channel *channel, int client_fd)
{
	if (channel->attached++)
		close(client_fd);
	else
		channel->client_fd = client_fd;
}

void event_channel_detach(struct event_channel *channel)
{
	assert(channel->attached);
	if (--channel->attached)
		return;
	close(channel->client_fd);
	channel->client_fd = -1;
}

bool event_channel_is_dead(const struct event_channel *channel)
{
	return channel->fd < 0 && !channel->attached;
}

static int event_channel_wait(struct event_channel *channel,
			      const void *event)
{
	unsigned size = channel->waiting_size ? channel->waiting_size * 2 : 64;
	uint8_t *waiting = channel->waiting;

	if (channel->waiting_count == channel->waiting_size) {
		if (size > EVENT_CHANNEL_MAX_WAITING)
			return -ENOMEM;
		waiting = reallocarray(waiting, size, channel->event_bytes);
		if (!waiting)
			return -ENOMEM;
		channel->waiting = waiting;
		channel->waiting_size = size;
	}
	memcpy(waiting + channel->waiting_count * channel->event_bytes, event,
	       channel->event_bytes);
	if (channel->waiting_count++ == 0)
		event_channel_watch(channel);
	return 0;
}

int event_channel_push(struct event_channel *channel, const void *event)
{
	int ret;

	if (channel->fd < 0)
		return -EPIPE;
	if (channel->waiting_count)
		return event_channel_wait(channel, event);
	ret = event_channel_send(channel, event);
	if (ret == -EAGAIN)
		return event_channel_wait(channel, event);
	return ret;
}

static bool event_is_of(const void *event, uint64_t handle)
{
	return memcmp(event, &handle, sizeof(handle)) == 0;
}

static unsigned event_channel_drop_waiting(struct event_channel *channel,
					   uint64_t handle)
{
	size_t bytes = channel->event_bytes;
	unsigned kept = 0, count = channel->waiting_count;

	for (unsigned i = 0; i < count; i++) {
		if (event_is_of(channel->waiting + i * bytes, handle))
			continue;
		memmove(channel->waiting + kept * bytes,
			channel->waiting + i * bytes, bytes);
		kept++;
	}
	channel->waiting_count = kept;
	return count - kept;
}

/*
 * Reads what lies in the socket and puts back what is not @handle's. A
 * client thread that waits on its end may get one of the others meanwhile,
 * which is as good; nothing new arrives, since only this thread sends.
 */
static unsigned event_channel_drop_sent(struct event_channel *channel,
					uint64_t handle)
{
	uint8_t event[EVENT_CHANNEL_MAX_BYTES];
	uint8_t *later = channel->waiting;
	unsigned later_count = channel->waiting_count, dropped = 0;

	channel->waiting = NULL;
	channel->waiting_count = 0;
	channel->waiting_size = 0;
	while (recv(channel->client_fd, event, sizeof(event), MSG_DONTWAIT) ==
	       (ssize_t)channel->event_bytes) {
		if (event_is_of(event, handle))
			dropped++;
		else if (event_channel_wait(channel, event))
			break;
	}
	for (unsigned i = 0; i < later_count; i++)
		event_channel_wait(channel, later + i * channel->event_bytes);
	free(later);
	event_channel_flush(channel);
	return dropped;
}

unsigned event_channel_drop(struct event_channel *channel, uint64_t handle)
{
	unsigned dropped;

	assert(channel->attached);
	if (channel->fd < 0)
		return 0;
	dropped = event_channel_drop_waiting(channel, handle);
	return dropped + event_channel_drop_sent(channel, handle);
}
