/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "rawpeer/raw_peer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

#include "daemon/host_link.h"
#include "daemon/link_host.h"

/* A packet as it came; the bytes follow. */
struct arrival {
	TAILQ_ENTRY(arrival) link;
	size_t len_bytes;
	uint8_t bytes[];
};

TAILQ_HEAD(arrival_list, arrival);

struct raw_peer {
	struct poll_loop loop;
	struct host_link *link;
	struct host_identity identity;
	struct arrival_list queue;
	unsigned queued;
	struct arrival *taken;		/* the payload that was given out */
	uint32_t last_op_id;
	uint8_t out[PACKET_MAX_BYTES];
};

/* ---- what the link calls ---- */

static int peer_host_up(void *owner, struct link_host *host, void **opaque)
{
	(void)owner;
	*opaque = host;
	return 0;
}

static void peer_host_gone(void *owner, void *opaque)
{
	(void)owner;
	(void)opaque;
}

static void peer_host_ready(void *owner, void *opaque, unsigned packets)
{
	(void)owner;
	(void)opaque;
	(void)packets;
}

static bool peer_packet(void *owner, void *opaque, const uint8_t *packet,
			size_t len_bytes)
{
	struct raw_peer *peer = owner;
	struct arrival *arrival;

	(void)opaque;
	if (peer->queued == RAW_PEER_QUEUE)
		return false;
	arrival = malloc(sizeof(*arrival) + len_bytes);
	if (!arrival)
		return false;
	arrival->len_bytes = len_bytes;
	memcpy(arrival->bytes, packet, len_bytes);
	TAILQ_INSERT_TAIL(&peer->queue, arrival, link);
	peer->queued++;
	return true;
}

static bool peer_is_own_gid(void *owner, const uint8_t gid[16])
{
	const struct raw_peer *peer = owner;

	for (uint32_t i = 0; i < peer->identity.gid_count; i++)
		if (!memcmp(peer->identity.gid[i], gid, 16))
			return true;
	return false;
}

static const struct host_link_ops peer_ops = {
	.host_up = peer_host_up,
	.host_gone = peer_host_gone,
	.host_lost = peer_host_gone,
	.host_ready = peer_host_ready,
	.packet = peer_packet,
	.is_own_gid = peer_is_own_gid,
};

/* ---- waiting ---- */

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static uint64_t deadline_in(unsigned timeout_ms)
{
	return clock_ns() + timeout_ms * 1000000ull;
}

/* Serves the link until something happens; -ETIMEDOUT past @deadline_ns. */
static int serve(struct raw_peer *peer, uint64_t deadline_ns)
{
	uint64_t now_ns = clock_ns(), sleep_ns;

	host_link_poll(peer->link, now_ns);
	if (now_ns >= deadline_ns)
		return -ETIMEDOUT;
	sleep_ns = host_link_next_ns(peer->link, now_ns);
	if (sleep_ns > deadline_ns - now_ns)
		sleep_ns = deadline_ns - now_ns;
	poll_loop_run(&peer->loop, sleep_ns, 1);
	return 0;
}

int raw_peer_wait_for(struct raw_peer *peer, const uint8_t gid[16],
		      unsigned timeout_ms)
{
	uint64_t deadline_ns = deadline_in(timeout_ms);

	while (!host_link_find(peer->link, gid))
		if (serve(peer, deadline_ns))
			return -ETIMEDOUT;
	return 0;
}

/* ---- life ---- */

int raw_peer_open(struct raw_peer **out, const char *link,
		  const uint8_t *gids, unsigned gid_count)
{
	struct raw_peer *peer = calloc(1, sizeof(*peer));
	char error[LINK_ERROR_BYTES];
	struct link_spec spec;
	int ret = -EINVAL;

	if (!peer)
		return -ENOMEM;
	TAILQ_INIT(&peer->queue);
	strcpy(peer->identity.name, "rawpeer");
	if (!gid_count || gid_count > SOFTEFA_MAX_DEVICES ||
	    link_spec_parse(link, &spec, error)) {
		fprintf(stderr, "rawpeer: %s\n",
			gid_count && gid_count <= SOFTEFA_MAX_DEVICES ?
			error : "it has 1 to 16 GIDs");
		goto err;
	}
	peer->identity.gid_count = gid_count;
	memcpy(peer->identity.gid, gids, gid_count * 16);
	ret = poll_loop_init(&peer->loop);
	if (ret)
		goto err;
	ret = host_link_create(&peer->link, &peer->loop, &spec,
			       &peer->identity, &peer_ops, peer);
	if (!ret) {
		*out = peer;
		return 0;
	}
	poll_loop_fini(&peer->loop);
err:
	free(peer);
	return ret;
}

void raw_peer_close(struct raw_peer *peer)
{
	struct arrival *arrival;

	host_link_destroy(peer->link);
	poll_loop_fini(&peer->loop);
	while ((arrival = TAILQ_FIRST(&peer->queue))) {
		TAILQ_REMOVE(&peer->queue, arrival, link);
		free(arrival);
	}
	free(peer->taken);
	free(peer);
}

/* ---- out ---- */

static int send_bytes(struct raw_peer *peer, const uint8_t to_gid[16],
		      enum link_stream_kind kind, const void *bytes,
		      size_t len_bytes, unsigned timeout_ms)
{
	uint64_t deadline_ns = deadline_in(timeout_ms);
	struct link_host *host;

	for (;;) {
		host = host_link_find(peer->link, to_gid);
		if (host && !host_link_send(peer->link, host, kind, bytes,
					    len_bytes))
			return 0;
		if (serve(peer, deadline_ns))
			return -ETIMEDOUT;
	}
}

int raw_peer_send_bytes(struct raw_peer *peer, const uint8_t to_gid[16],
			bool is_answer, const void *bytes, size_t len_bytes,
			unsigned timeout_ms)
{
	if (!len_bytes || len_bytes > PACKET_MAX_BYTES)
		return -EMSGSIZE;
	return send_bytes(peer, to_gid,
			  is_answer ? LINK_ANSWERS : LINK_REQUESTS, bytes,
			  len_bytes, timeout_ms);
}

static bool has_taken_all(const struct link_host *host)
{
	for (unsigned i = 0; i < LINK_STREAMS; i++)
		if (host->stream[i].base_seq != host->stream[i].next_seq)
			return false;
	return true;
}

int raw_peer_flush(struct raw_peer *peer, const uint8_t gid[16],
		   unsigned timeout_ms)
{
	uint64_t deadline_ns = deadline_in(timeout_ms);
	const struct link_host *host;

	while ((host = host_link_find(peer->link, gid))) {
		if (has_taken_all(host))
			return 0;
		if (serve(peer, deadline_ns))
			return -ETIMEDOUT;
	}
	return 0;
}

int raw_peer_send(struct raw_peer *peer, const struct packet *packet,
		  unsigned timeout_ms)
{
	size_t payload_bytes = packet->payload ? packet->len_bytes : 0;
	enum link_stream_kind kind = LINK_REQUESTS;

	if (payload_bytes > PACKET_MAX_PAYLOAD)
		return -EMSGSIZE;
	if (packet->type == PACKET_DATAGRAM)
		kind = LINK_DATAGRAMS;
	else if (packet_is_answer(packet->type))
		kind = LINK_ANSWERS;
	packet_encode_header(packet, peer->out);
	if (payload_bytes)
		memcpy(peer->out + PACKET_HEADER_BYTES, packet->payload,
		       payload_bytes);
	return send_bytes(peer, packet->dst_gid, kind, peer->out,
			  PACKET_HEADER_BYTES + payload_bytes, timeout_ms);
}

int raw_peer_answer(struct raw_peer *peer, const struct packet *request,
		    enum efa_io_comp_status status, unsigned timeout_ms)
{
	struct packet answer = {
		.type = PACKET_STATUS,
		.src_qpn = request->dst_qpn,
		.dst_qpn = request->src_qpn,
		.op_id = request->op_id,
		.status = status,
	};

	memcpy(answer.src_gid, request->dst_gid, sizeof(answer.src_gid));
	memcpy(answer.dst_gid, request->src_gid, sizeof(answer.dst_gid));
	return raw_peer_send(peer, &answer, timeout_ms);
}

/* ---- in ---- */

static void take_out(struct raw_peer *peer, struct arrival *arrival)
{
	TAILQ_REMOVE(&peer->queue, arrival, link);
	peer->queued--;
	free(peer->taken);
	peer->taken = arrival;
}

int raw_peer_receive(struct raw_peer *peer, struct packet *packet,
		     unsigned timeout_ms)
{
	uint64_t deadline_ns = deadline_in(timeout_ms);
	struct arrival *arrival;
	const char *reason;

	while (!(arrival = TAILQ_FIRST(&peer->queue)))
		if (serve(peer, deadline_ns))
			return -ETIMEDOUT;
	take_out(peer, arrival);
	return packet_decode(arrival->bytes, arrival->len_bytes, packet,
			     &reason);
}

/* The answer to @op_id among what has come. */
static bool find_answer(struct raw_peer *peer, uint32_t op_id,
			enum efa_io_comp_status *status)
{
	struct arrival *arrival;
	struct packet packet;
	const char *reason;

	TAILQ_FOREACH(arrival, &peer->queue, link) {
		if (packet_decode(arrival->bytes, arrival->len_bytes, &packet,
				  &reason) ||
		    packet.type != PACKET_STATUS || packet.op_id != op_id)
			continue;
		*status = packet.status;
		take_out(peer, arrival);
		return true;
	}
	return false;
}

int raw_peer_message(struct raw_peer *peer, uint32_t from_qpn,
		     const uint8_t to_gid[16], uint32_t to_qpn, uint32_t qkey,
		     const void *payload, size_t len_bytes,
		     enum efa_io_comp_status *status, unsigned timeout_ms)
{
	uint64_t deadline_ns = deadline_in(timeout_ms);
	struct packet packet = {
		.type = PACKET_SEND,
		.src_qpn = from_qpn,
		.dst_qpn = to_qpn,
		.qkey = qkey,
		.op_id = ++peer->last_op_id,
		.len_bytes = (uint32_t)len_bytes,
		.payload = payload,
	};
	int ret;

	if (len_bytes > PACKET_MAX_PAYLOAD)
		return -EMSGSIZE;
	memcpy(packet.src_gid, peer->identity.gid[0], sizeof(packet.src_gid));
	memcpy(packet.dst_gid, to_gid, sizeof(packet.dst_gid));
	ret = raw_peer_send(peer, &packet, timeout_ms);
	while (!ret && !find_answer(peer, packet.op_id, status))
		ret = serve(peer, deadline_ns);
	return ret;
}
