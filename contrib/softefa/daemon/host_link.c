/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include "daemon/host_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "daemon/fault_log.h"
#include "daemon/host_link_state.h"
#include "daemon/link_member.h"
#include "daemon/link_output.h"
#include "daemon/link_socket.h"

#define RECEIVE_A_TURN 32u
#define RESEND_A_TURN 16u
#define NO_ROOM_PAUSE_NS 200000ull /* a full socket buffer */
#define HELLO_LONGEST_NS 500000000ull

/* ---- out ---- */

int host_link_send(struct host_link *link, struct link_host *host,
		   enum link_stream_kind kind, const void *packet,
		   size_t len_bytes)
{
	struct link_frame frame = {
		.type = LINK_DATA,
		.stream = kind,
		.packet = packet,
		.packet_bytes = len_bytes,
	};
	struct link_stream *stream;
	uint64_t now_ns;

	if (!host->is_up)
		return -EAGAIN;
	if (kind == LINK_DATAGRAMS)
		return link_output_frame(link, host, &frame);
	stream = &host->stream[kind];
	now_ns = link_output_clock_ns();
	if (!link_stream_room(stream) ||
	    link_stream_push(stream, packet, len_bytes, now_ns, &frame.seq))
		return -EAGAIN;
	if (link_output_frame(link, host, &frame) == -EAGAIN)
		link_stream_not_sent(stream, frame.seq,
				     now_ns + NO_ROOM_PAUSE_NS);
	return 0;
}

/* ---- in ---- */

static void on_acks(struct host_link *link, struct link_host *host,
		    const struct link_frame *frame, uint64_t now_ns)
{
	struct link_stream *requests = &host->stream[LINK_REQUESTS];
	unsigned ended;

	ended = link_stream_acked(requests, &frame->ack[LINK_REQUESTS], now_ns);
	link_stream_acked(&host->stream[LINK_ANSWERS],
			  &frame->ack[LINK_ANSWERS], now_ns);
	if (ended)
		link->ops->host_ready(link->owner, host->opaque,
				      link_stream_room(requests));
}

static void on_data(struct host_link *link, struct link_host *host,
		    const struct link_frame *frame)
{
	if (frame->stream == LINK_REQUESTS &&
	    !link_stream_room(&host->stream[LINK_ANSWERS])) {
		host->counters.busy++;
		return;
	}
	if (frame->stream != LINK_DATAGRAMS &&
	    !link_stream_arrived(&host->stream[frame->stream], frame->seq)) {
		host->counters.duplicates++;
		return;
	}
	host->counters.received++;
	if (!link->ops->packet(link->owner, host->opaque, frame->packet,
			       frame->packet_bytes))
		host->counters.malformed++;
}

static bool is_of_connection(const struct host_link *link,
			     const struct link_address *from,
			     const struct link_host *host,
			     const struct link_frame *frame)
{
	return host && host->is_up && frame->to.host == link->id &&
	       frame->to.incarnation == host->ours &&
	       frame->from.incarnation == host->theirs &&
	       link_address_is_equal(&host->address, from);
}

static void take(struct host_link *link, const struct link_address *from,
		 size_t len_bytes, uint64_t now_ns)
{
	struct link_host *host;
	struct link_frame frame;
	const char *reason;

	if (link_frame_decode(link->in, len_bytes, &frame, &reason)) {
		link->malformed++;
		return;
	}
	host = link_member_find(link, frame.from.host);
	if (frame.type == LINK_HELLO && frame.from.host != link->id) {
		link_member_hello(link, from, host, &frame, now_ns);
		return;
	}
	if (!is_of_connection(link, from, host, &frame)) {
		link->foreign++;
		return;
	}
	host->heard_ns = now_ns;
	if (frame.type == LINK_BYE) {
		link_member_forget(link, host);
		return;
	}
	on_acks(link, host, &frame, now_ns);
	if (frame.type == LINK_DATA)
		on_data(link, host, &frame);
}

static void host_link_ready(struct poll_source *source, uint32_t events)
{
	struct host_link *link = (struct host_link *)source;
	struct link_address from;
	uint64_t now_ns = link_output_clock_ns();
	int n;

	(void)events;
	for (unsigned i = 0; i < RECEIVE_A_TURN; i++) {
		n = link_socket_receive(link->fd, &from, link->in,
					sizeof(link->in));
		if (n == -EAGAIN)
			break;
		if (n >= 0 && link_delay_watches(&link->delay) &&
		    link_delay_is_cut(&link->delay, &from))
			continue;
		if (n >= 0)
			take(link, &from, n, now_ns);
		else if (n == -EACCES || n == -EMSGSIZE)
			link->foreign++;
	}
	for (unsigned i = 0; i < link->count; i++)
		link_output_ack(link, link->host[i]);
}

/* ---- time ---- */

static unsigned resend(struct host_link *link, struct link_host *host,
		       enum link_stream_kind kind, uint64_t now_ns)
{
	struct link_stream *stream = &host->stream[kind];
	const struct link_stream_frame *due;
	unsigned count = 0;

	while (count < RESEND_A_TURN &&
	       (due = link_stream_due(stream, now_ns))) {
		struct link_frame frame = {
			.type = LINK_DATA,
			.stream = kind,
			.seq = due->seq,
			.packet = due->bytes,
			.packet_bytes = due->len_bytes,
		};

		count++;
		if (link_output_frame(link, host, &frame) != -EAGAIN)
			continue;
		link_stream_not_sent(stream, due->seq,
				     now_ns + NO_ROOM_PAUSE_NS);
		break;
	}
	return count;
}

static bool is_silent(const struct host_link *link,
		      const struct link_host *host, uint64_t now_ns)
{
	uint64_t retry_ns = link->spec.retry_ns;

	if (now_ns > host->heard_ns && now_ns - host->heard_ns > retry_ns)
		return true;
	for (unsigned i = 0; i < LINK_STREAMS; i++)
		if (link_stream_stalled_ns(&host->stream[i], now_ns) > retry_ns)
			return true;
	return false;
}

static unsigned poll_up(struct host_link *link, struct link_host *host,
			uint64_t now_ns)
{
	unsigned count;

	if (is_silent(link, host, now_ns)) {
		link_member_lose(link, host, now_ns);
		return 1;
	}
	count = resend(link, host, LINK_ANSWERS, now_ns);
	return count + resend(link, host, LINK_REQUESTS, now_ns);
}

static unsigned poll_host(struct host_link *link, struct link_host *host,
			  uint64_t now_ns)
{
	unsigned count = 0;

	if (host->is_up) {
		count = poll_up(link, host, now_ns);
	} else if (host->id && now_ns >= host->lost_ns) {
		host->lost_ns = now_ns + link->spec.retry_ns;
		if (host->has_word)
			link->ops->host_lost(link->owner, host->opaque);
		if (host->is_guest && now_ns >= host->gone_ns) {
			link_member_forget(link, host);
			return 1;
		}
	}
	if (now_ns < host->hello_ns)
		return count;
	if (!host->is_up) {
		host->hello_pause_ns *= 2;
		if (host->hello_pause_ns < HELLO_FIRST_NS)
			host->hello_pause_ns = HELLO_FIRST_NS;
		if (host->hello_pause_ns > HELLO_LONGEST_NS)
			host->hello_pause_ns = HELLO_LONGEST_NS;
	}
	host->hello_ns = now_ns + host->hello_pause_ns;
	link_output_greet(link, host, false);
	return count;
}

/* This process did not run for a while: that is nobody else's silence. */
static void excuse(struct host_link *link, uint64_t now_ns)
{
	for (unsigned i = 0; i < link->count; i++) {
		link->host[i]->heard_ns = now_ns;
		for (unsigned j = 0; j < LINK_STREAMS; j++)
			link->host[i]->stream[j].progress_ns = now_ns;
	}
}

unsigned host_link_poll(struct host_link *link, uint64_t now_ns)
{
	unsigned count;

	if (now_ns - link->polled_ns > link->spec.retry_ns / 2)
		excuse(link, now_ns);
	link->polled_ns = now_ns;
	count = link_output_delayed(link, now_ns);
	/* Backwards, since a host that is forgotten gets the last one's place.
	 */
	for (unsigned i = link->count; i-- > 0;)
		count += poll_host(link, link->host[i], now_ns);
	return count;
}

static uint64_t host_due_ns(const struct link_host *host)
{
	uint64_t due_ns = host->hello_ns, stream_ns;

	if (!host->is_up)
		return host->id && host->lost_ns < due_ns ? host->lost_ns
							  : due_ns;
	for (unsigned i = 0; i < LINK_STREAMS; i++) {
		stream_ns = link_stream_due_ns(&host->stream[i]);
		if (stream_ns < due_ns)
			due_ns = stream_ns;
	}
	return due_ns;
}

uint64_t host_link_next_ns(const struct host_link *link, uint64_t now_ns)
{
	uint64_t next_ns = link_delay_next_ns(&link->delay), due_ns;

	for (unsigned i = 0; i < link->count; i++) {
		due_ns = host_due_ns(link->host[i]);
		if (due_ns < next_ns)
			next_ns = due_ns;
	}
	if (next_ns == UINT64_MAX)
		return UINT64_MAX;
	return next_ns > now_ns ? next_ns - now_ns : 0;
}

/* ---- start and end ---- */

void *host_link_find(const struct host_link *link, const uint8_t gid[16])
{
	const struct link_host *host = gid_route_find(&link->route, gid);

	return host && host->has_word ? host->opaque : NULL;
}

static int open_socket(struct host_link *link, struct poll_loop *loop)
{
	char text[LINK_ADDRESS_TEXT_BYTES];
	int ret;

	link->fd = link_socket_open(&link->spec.local);
	if (link->fd < 0) {
		link_address_format(&link->spec.local, text);
		fault_log_fatal(
			"--link: cannot be at %s: %s; each host of a network needs an address of its own that this machine has",
			text, strerror(-link->fd));
		return link->fd;
	}
	ret = poll_loop_add(loop, link->fd, &link->source, EPOLLIN);
	if (ret)
		link_socket_close(link->fd, &link->spec.local);
	return ret;
}

static int add_peers(struct host_link *link)
{
	for (unsigned i = 0; i < link->spec.peer_count; i++) {
		const struct link_address *peer = &link->spec.peer[i];

		/* One list can be given to all hosts. */
		if (link_address_is_equal(peer, &link->spec.local) ||
		    link_member_at(link, peer))
			continue;
		link->host[link->count] = link_host_create(peer, false);
		if (!link->host[link->count])
			return -ENOMEM;
		link->count++;
	}
	return 0;
}

static void free_hosts(struct host_link *link)
{
	while (link->count) {
		struct link_host *host = link->host[link->count - 1];

		host->is_guest = true;
		link_member_forget(link, host);
	}
}

int host_link_create(struct host_link **out, struct poll_loop *loop,
		     const struct link_spec *spec,
		     const struct host_identity *identity,
		     const struct host_link_ops *ops, void *owner)
{
	struct host_link *link = calloc(1, sizeof(*link));
	int ret = -ENOMEM;

	if (!link)
		return -ENOMEM;
	link->source.ready = host_link_ready;
	link->loop = loop;
	link->spec = *spec;
	link->identity = *identity;
	link->ops = ops;
	link->owner = owner;
	link->incarnation = 1;
	if (ops->faults)
		link->delay.plan = ops->faults(owner);
	link->polled_ns = link_output_clock_ns();
	gid_route_init(&link->route);
	if (getrandom(&link->id, sizeof(link->id), 0) != sizeof(link->id) ||
	    add_peers(link))
		goto err;
	link->id |= 1; /* not 0 */
	ret = open_socket(link, loop);
	if (ret)
		goto err;
	*out = link;
	return 0;
err:
	free_hosts(link);
	free(link);
	return ret;
}

void host_link_destroy(struct host_link *link)
{
	struct link_frame frame = {.type = LINK_BYE};

	for (unsigned i = 0; i < link->count; i++)
		if (link->host[i]->is_up)
			link_output_frame(link, link->host[i], &frame);
	free_hosts(link);
	link_delay_fini(&link->delay);
	poll_loop_remove(link->loop, link->fd);
	link_socket_close(link->fd, &link->spec.local);
	free(link);
}
