/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/link_output.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon/link_socket.h"

uint64_t link_output_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static int put_out_faulty(struct host_link *link, const struct link_address *to,
			  size_t len_bytes)
{
	unsigned copies = link_delay_copies(
		&link->delay, link_output_clock_ns(), to, link->out, len_bytes);
	int ret = 0;

	while (copies--)
		ret = link_socket_send(link->fd, to, link->out, len_bytes);
	return ret;
}

/* The last step of each frame; -EAGAIN: the socket has no room. */
static int put_out(struct host_link *link, const struct link_address *to,
		   struct link_frame *frame)
{
	size_t len_bytes;

	frame->from.host = link->id;
	len_bytes = link_frame_encode(frame, link->out);
	if (link_delay_watches(&link->delay))
		return put_out_faulty(link, to, len_bytes);
	return link_socket_send(link->fd, to, link->out, len_bytes);
}

unsigned link_output_delayed(struct host_link *link, uint64_t now_ns)
{
	struct link_delayed *kept;
	unsigned count = 0;

	while ((kept = link_delay_take(&link->delay, now_ns))) {
		link_socket_send(link->fd, &kept->to, kept->bytes,
				 kept->len_bytes);
		free(kept);
		count++;
	}
	return count;
}

int link_output_frame(struct host_link *link, struct link_host *host,
		      struct link_frame *frame)
{
	int ret;

	frame->from.incarnation = host->ours;
	frame->to.host = host->id;
	frame->to.incarnation = host->theirs;
	for (unsigned i = 0; i < LINK_STREAMS; i++) {
		frame->ack[i] = host->stream[i].received;
		host->stream[i].owes_ack = false;
	}
	ret = put_out(link, &host->address, frame);
	if (frame->type == LINK_DATA && !ret)
		host->counters.sent++;
	return ret;
}

void link_output_ack(struct host_link *link, struct link_host *host)
{
	struct link_frame frame = {.type = LINK_ACK};

	if (host->is_up && (host->stream[LINK_REQUESTS].owes_ack ||
			    host->stream[LINK_ANSWERS].owes_ack))
		link_output_frame(link, host, &frame);
}

void link_output_hello(struct host_link *link, const struct link_address *to,
		       const struct link_host *host, struct link_end end,
		       bool is_reply)
{
	const struct host_identity *identity = &link->identity;
	struct link_frame frame = {
		.type = LINK_HELLO,
		.from.incarnation =
			host && host->id ? host->ours : link->incarnation,
		.to = end,
		.is_reply = is_reply,
		.is_up = host && host->is_up,
		.gid_count = identity->gid_count,
	};

	memcpy(frame.name, identity->name, sizeof(frame.name));
	memcpy(frame.gid, identity->gid, sizeof(frame.gid));
	put_out(link, to, &frame);
}

void link_output_greet(struct host_link *link, struct link_host *host,
		       bool is_reply)
{
	const struct link_end end = {host->id, host->theirs};

	link_output_hello(link, &host->address, host, end, is_reply);
}
