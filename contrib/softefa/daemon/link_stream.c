/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/link_stream.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void link_stream_init(struct link_stream *stream)
{
	memset(stream, 0, sizeof(*stream));
	TAILQ_INIT(&stream->in_flight);
	stream->rto_ns = LINK_STREAM_FIRST_RTO_NS;
}

void link_stream_fini(struct link_stream *stream)
{
	for (unsigned i = 0; i < LINK_STREAM_WINDOW; i++) {
		free(stream->frame[i].bytes);
		stream->frame[i].bytes = NULL;
	}
}

unsigned link_stream_room(const struct link_stream *stream)
{
	return LINK_STREAM_WINDOW - (stream->next_seq - stream->base_seq);
}

static struct link_stream_frame *frame_at(struct link_stream *stream,
					  uint32_t seq)
{
	return &stream->frame[seq % LINK_STREAM_WINDOW];
}

int link_stream_push(struct link_stream *stream, const void *bytes,
		     size_t len_bytes, uint64_t now_ns, uint32_t *seq)
{
	struct link_stream_frame *frame = frame_at(stream, stream->next_seq);

	assert(link_stream_room(stream) && !frame->is_in_flight);
	if (frame->room_bytes < len_bytes) {
		uint8_t *grown = realloc(frame->bytes, len_bytes);

		if (!grown)
			return -ENOMEM;
		frame->bytes = grown;
		frame->room_bytes = len_bytes;
	}
	memcpy(frame->bytes, bytes, len_bytes);
	frame->len_bytes = len_bytes;
	frame->seq = stream->next_seq++;
	frame->is_in_flight = true;
	frame->is_resent = false;
	frame->is_unsent = false;
	frame->sent_ns = now_ns;
	if (TAILQ_EMPTY(&stream->in_flight))
		stream->progress_ns = now_ns;
	TAILQ_INSERT_TAIL(&stream->in_flight, frame, link);
	*seq = frame->seq;
	return 0;
}

/* A frame that was sent clearly before one that has arrived is lost. */
static uint64_t reorder_slack_ns(const struct link_stream *stream)
{
	return LINK_STREAM_MIN_RTO_NS / 4 + stream->round_trip_ns / 2;
}

uint64_t link_stream_due_ns(const struct link_stream *stream)
{
	const struct link_stream_frame *first = TAILQ_FIRST(&stream->in_flight);

	if (!first)
		return UINT64_MAX;
	if (first->sent_ns + reorder_slack_ns(stream) <
	    stream->newest_acked_ns)
		return first->sent_ns;
	return first->sent_ns + stream->rto_ns;
}

const struct link_stream_frame *link_stream_due(struct link_stream *stream,
						uint64_t now_ns)
{
	struct link_stream_frame *frame = TAILQ_FIRST(&stream->in_flight);

	if (link_stream_due_ns(stream) > now_ns)
		return NULL;
	/* Doubled once a round, not for each frame of the round. */
	if (!frame->is_unsent && frame->sent_ns + stream->rto_ns <= now_ns &&
	    now_ns - stream->backed_off_ns >= stream->rto_ns) {
		stream->backed_off_ns = now_ns;
		stream->rto_ns *= 2;
		if (stream->rto_ns > LINK_STREAM_MAX_RTO_NS)
			stream->rto_ns = LINK_STREAM_MAX_RTO_NS;
	}
	frame->sent_ns = now_ns;
	frame->is_resent = true;
	if (!frame->is_unsent)
		stream->resent++;
	frame->is_unsent = false;
	TAILQ_REMOVE(&stream->in_flight, frame, link);
	TAILQ_INSERT_TAIL(&stream->in_flight, frame, link);
	return frame;
}

void link_stream_not_sent(struct link_stream *stream, uint32_t seq,
			  uint64_t when_ns)
{
	struct link_stream_frame *frame = frame_at(stream, seq);

	assert(frame->is_in_flight && frame->seq == seq);
	frame->sent_ns = when_ns > stream->rto_ns ?
		when_ns - stream->rto_ns : 0;
	frame->is_resent = true;
	frame->is_unsent = true;
	TAILQ_REMOVE(&stream->in_flight, frame, link);
	TAILQ_INSERT_HEAD(&stream->in_flight, frame, link);
}

uint64_t link_stream_stalled_ns(const struct link_stream *stream,
				uint64_t now_ns)
{
	if (TAILQ_EMPTY(&stream->in_flight) || now_ns < stream->progress_ns)
		return 0;
	return now_ns - stream->progress_ns;
}

/* Smoothed as TCP does (RFC 6298): four deviations above the mean. */
static void measure(struct link_stream *stream, uint64_t sample_ns)
{
	uint64_t off;

	if (!stream->round_trip_ns) {
		stream->round_trip_ns = sample_ns + 1;
		stream->deviation_ns = sample_ns / 2;
	} else {
		off = sample_ns > stream->round_trip_ns ?
			sample_ns - stream->round_trip_ns :
			stream->round_trip_ns - sample_ns;
		stream->deviation_ns = (3 * stream->deviation_ns + off) / 4;
		stream->round_trip_ns =
			(7 * stream->round_trip_ns + sample_ns) / 8 + 1;
	}
	stream->rto_ns = stream->round_trip_ns + 4 * stream->deviation_ns;
	if (stream->rto_ns < LINK_STREAM_MIN_RTO_NS)
		stream->rto_ns = LINK_STREAM_MIN_RTO_NS;
	if (stream->rto_ns > LINK_STREAM_MAX_RTO_NS)
		stream->rto_ns = LINK_STREAM_MAX_RTO_NS;
}

static unsigned end_frame(struct link_stream *stream, uint32_t seq,
			  uint64_t now_ns)
{
	struct link_stream_frame *frame = frame_at(stream, seq);

	if (!frame->is_in_flight || frame->seq != seq)
		return 0;
	frame->is_in_flight = false;
	TAILQ_REMOVE(&stream->in_flight, frame, link);
	/* Of one sent twice it is not known which of them arrived. */
	if (!frame->is_resent && now_ns >= frame->sent_ns) {
		measure(stream, now_ns - frame->sent_ns);
		if (frame->sent_ns > stream->newest_acked_ns)
			stream->newest_acked_ns = frame->sent_ns;
	}
	stream->progress_ns = now_ns;
	return 1;
}

unsigned link_stream_acked(struct link_stream *stream,
			   const struct link_stream_ack *ack,
			   uint64_t now_ns)
{
	uint32_t out = stream->next_seq - stream->base_seq;
	uint64_t bits = ack->bits;
	unsigned count = 0;
	uint32_t seq;

	/* An old one, or of frames that were never sent. */
	if (ack->next - stream->base_seq > out)
		return 0;
	for (seq = stream->base_seq; seq != ack->next; seq++)
		count += end_frame(stream, seq, now_ns);
	for (; bits; bits &= bits - 1) {
		seq = ack->next + (uint32_t)__builtin_ctzll(bits);
		if (seq - stream->base_seq < out)
			count += end_frame(stream, seq, now_ns);
	}
	while (stream->base_seq != stream->next_seq &&
	       !frame_at(stream, stream->base_seq)->is_in_flight)
		stream->base_seq++;
	return count;
}

bool link_stream_arrived(struct link_stream *stream, uint32_t seq)
{
	struct link_stream_ack *received = &stream->received;
	uint32_t ahead = seq - received->next;
	uint64_t bit;

	stream->owes_ack = true;
	if (ahead >= LINK_STREAM_WINDOW)
		return false;
	bit = 1ull << ahead;
	if (received->bits & bit)
		return false;
	received->bits |= bit;
	while (received->bits & 1) {
		received->bits >>= 1;
		received->next++;
	}
	return true;
}
