/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The bytes of a datagram between two hosts, and the gate that reads them.
 *
 *	HELLO	who a host is and which GIDs are its own; also its sign of
 *		life. All are of one length: nobody gets more bytes out of a
 *		host than he puts in.
 *	DATA	one packet of the engine, in one of the streams
 *	ACK	what has arrived, when no DATA goes the same way
 *	BYE	the host ends
 *
 * A host has a random ID for its life. The connection between two hosts has
 * an incarnation at each end, which grows when that end gives it up: a frame
 * counts only when it names both as they are now. So nothing from before a
 * restart or a partition is delivered after it, and who does not see the
 * frames (64 random bits at each end) cannot forge one.
 */
#ifndef DAEMON_LINK_FRAME_H
#define DAEMON_LINK_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/link_stream.h"
#include "engine/packet.h"
#include "protocol.h"

#define LINK_FRAME_HEADER_BYTES	72u
#define LINK_FRAME_MAX_BYTES	(LINK_FRAME_HEADER_BYTES + PACKET_MAX_BYTES)
#define LINK_HOST_NAME_BYTES	64u	/* with its NUL */

enum link_frame_type {
	LINK_HELLO = 1,
	LINK_DATA = 2,
	LINK_ACK = 3,
	LINK_BYE = 4,
};

/*
 * Requests wait for room in the stream of the answers, never the reverse:
 * so two hosts that ask each other cannot block each other.
 */
enum link_stream_kind {
	LINK_REQUESTS,
	LINK_ANSWERS,
	LINK_STREAMS,		/* how many have numbers */
	LINK_DATAGRAMS = LINK_STREAMS,	/* once, without a number */
};

/* One end of a connection; a host of 0 is not known. */
struct link_end {
	uint64_t host;
	uint32_t incarnation;
};

struct link_frame {
	enum link_frame_type type;
	struct link_end from, to;
	/* HELLO */
	bool is_reply;			/* needs none */
	bool is_up;			/* its sender takes data */
	char name[LINK_HOST_NAME_BYTES];
	uint32_t gid_count;
	uint8_t gid[SOFTEFA_MAX_DEVICES][16];
	/* DATA */
	enum link_stream_kind stream;
	uint32_t seq;
	const uint8_t *packet;
	size_t packet_bytes;
	/* DATA, ACK */
	struct link_stream_ack ack[LINK_STREAMS];
};

/*
 * Writes @frame to @bytes (LINK_FRAME_MAX_BYTES), which must not hold its
 * packet. Returns its length.
 */
size_t link_frame_encode(const struct link_frame *frame, uint8_t *bytes);

/*
 * The gate: any @bytes. The packet points into them and is not looked at.
 * -EPROTO with @reason.
 */
int link_frame_decode(const uint8_t *bytes, size_t len_bytes,
		      struct link_frame *frame, const char **reason);

#endif /* DAEMON_LINK_FRAME_H */
