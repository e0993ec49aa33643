/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The trace of a daemon: at most one at a time, started and stopped by
 * whoever may control it.
 */
#ifndef DAEMON_TRACE_CONTROL_H
#define DAEMON_TRACE_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "daemon/emulated_device.h"
#include "daemon/trace_writer.h"

struct trace_control {
	struct engine *engine;
	const struct emulated_devices *devices;
	struct trace_writer *writer;	/* NULL: no trace is running */
	bool has_ended;			/* one was, with the counts below */
	struct trace_writer_counts last;
};

/* Both stay the caller's and must outlive it. */
void trace_control_init(struct trace_control *control, struct engine *engine,
			const struct emulated_devices *devices);

/*
 * Starts a trace into @fd, which it owns from here on whatever comes of it.
 * -EBUSY while one is running; the errors of trace_writer_open.
 */
int trace_control_start(struct trace_control *control, int fd);

/*
 * Ends it; the file is complete then. -ENOENT when none is running, or the
 * errno of a write that failed: the file is cut short there.
 */
int trace_control_stop(struct trace_control *control);

/* engine_ops.trace; a trace is running. */
void trace_control_event(struct trace_control *control,
			 const struct trace_event *event);

/* After each turn of the engine. */
void trace_control_flush(struct trace_control *control);

/* A line for `softefa show`, with its newline; as snprintf. */
int trace_control_describe(struct trace_control *control, char *text,
			   size_t text_bytes);

#endif /* DAEMON_TRACE_CONTROL_H */
