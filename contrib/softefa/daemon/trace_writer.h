/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Writes a trace file without ever making the device wait: records go into
 * a ring, and a thread of the writer's own takes them to the file. What
 * finds the ring full is counted; the next record that fits is preceded by
 * TRACE_LOST with that count.
 *
 *	engine's thread --put--> ring --write(2)--> file
 */
#ifndef DAEMON_TRACE_WRITER_H
#define DAEMON_TRACE_WRITER_H

#include <stdint.h>

#include "engine/trace_event.h"

#define TRACE_WRITER_RING_BYTES	(8u << 20)

struct trace_writer;

struct trace_writer_counts {
	uint64_t records;	/* put; TRACE_LOST and TRACE_END not counted */
	uint64_t lost;
	int error;		/* errno of the write that failed, or 0 */
};

/*
 * Empties the file @fd and starts to write it, with @ring_bytes (a power of
 * two) between. The writer owns and closes @fd, also when this fails.
 * -EINVAL unless it is a regular file open for writing: anything else can
 * block for ever; -ENOMEM, or the errno of a call.
 */
int trace_writer_open(struct trace_writer **writer, int fd,
		      uint32_t ring_bytes);

/* @time_ns: CLOCK_MONOTONIC. Never waits, never fails; may be counted lost. */
void trace_writer_put(struct trace_writer *writer, uint64_t time_ns,
		      const struct trace_event *event);

/* To be called when a batch has been put: the thread may be asleep. */
void trace_writer_flush(struct trace_writer *writer);

/* Any time before the close. */
void trace_writer_read_counts(struct trace_writer *writer,
			      struct trace_writer_counts *counts);

/*
 * Writes what is in the ring and TRACE_END, and closes the file: this waits
 * for the file system. @counts as above, final.
 */
void trace_writer_close(struct trace_writer *writer,
			struct trace_writer_counts *counts);

#endif /* DAEMON_TRACE_WRITER_H */
