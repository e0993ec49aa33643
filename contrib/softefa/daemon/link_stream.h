/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One direction pair of a link to another host: frames go out with sequence
 * numbers until they are acknowledged, and come in once each, in the order
 * in which they arrive. Pure: time is an argument, nothing is sent here.
 *
 *	push --> [window of frames] --> due: to be sent again
 *	                ^
 *	acked: numbers below @next and the bits above it
 *
 * Each call is O(1) but for acked, which looks at each frame once more in
 * its life. Memory is at most LINK_STREAM_WINDOW frames.
 */
#ifndef DAEMON_LINK_STREAM_H
#define DAEMON_LINK_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#define LINK_STREAM_WINDOW	64u	/* bits of an acknowledgement */

/* Until frames tell what a round trip takes; the bounds of the guess. */
#define LINK_STREAM_FIRST_RTO_NS	20000000ull
#define LINK_STREAM_MIN_RTO_NS		2000000ull
#define LINK_STREAM_MAX_RTO_NS		200000000ull

struct link_stream_frame {
	uint32_t seq;
	bool is_in_flight, is_resent;
	bool is_unsent;			/* never left, link_stream_not_sent */
	uint64_t sent_ns;		/* the last time */
	size_t len_bytes, room_bytes;
	uint8_t *bytes;			/* kept for the next frame */
	TAILQ_ENTRY(link_stream_frame) link;
};

TAILQ_HEAD(link_stream_frames, link_stream_frame);

/* What one end has received: all below next, and next + i for each bit i. */
struct link_stream_ack {
	uint32_t next;
	uint64_t bits;
};

struct link_stream {
	/* sending */
	uint32_t next_seq, base_seq;	/* base: the oldest not acknowledged */
	struct link_stream_frames in_flight;	/* by sent_ns */
	uint64_t round_trip_ns, deviation_ns;	/* 0: not known yet */
	uint64_t rto_ns;
	uint64_t backed_off_ns;		/* when rto_ns was doubled last */
	uint64_t newest_acked_ns;	/* the sent_ns of a frame that arrived */
	uint64_t progress_ns;		/* of the last acknowledgement */
	uint64_t resent;		/* frames, not those that never left */
	struct link_stream_frame frame[LINK_STREAM_WINDOW];
	/* receiving */
	struct link_stream_ack received;
	bool owes_ack;
};

void link_stream_init(struct link_stream *stream);
/* Forgets all frames; ready for link_stream_init. */
void link_stream_fini(struct link_stream *stream);

/* Frames that can be pushed now. */
unsigned link_stream_room(const struct link_stream *stream);

/*
 * Takes a copy of @bytes as the next frame, sent at @now_ns; there must be
 * room. 0 and its number in @seq, or -ENOMEM.
 */
int link_stream_push(struct link_stream *stream, const void *bytes,
		     size_t len_bytes, uint64_t now_ns, uint32_t *seq);

/*
 * The next frame that has to be sent again, which counts as sent at @now_ns;
 * NULL: none is due. Good until it is acknowledged.
 */
const struct link_stream_frame *link_stream_due(struct link_stream *stream,
						uint64_t now_ns);

/* Frame @seq, just pushed or due, did not leave: it is due at @when_ns. */
void link_stream_not_sent(struct link_stream *stream, uint32_t seq,
			  uint64_t when_ns);

/* When the next one is due; UINT64_MAX: nothing is in flight. */
uint64_t link_stream_due_ns(const struct link_stream *stream);

/* How long nothing was acknowledged of what is in flight; 0: nothing is. */
uint64_t link_stream_stalled_ns(const struct link_stream *stream,
				uint64_t now_ns);

/* Any @ack of the other end. Returns the number of frames it ends. */
unsigned link_stream_acked(struct link_stream *stream,
			   const struct link_stream_ack *ack,
			   uint64_t now_ns);

/*
 * Frame @seq, any number, has arrived: true if it is new. Either way an
 * acknowledgement is owed.
 */
bool link_stream_arrived(struct link_stream *stream, uint32_t seq);

#endif /* DAEMON_LINK_STREAM_H */
