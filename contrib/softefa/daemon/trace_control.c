/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "daemon/trace_control.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "daemon/fault_log.h"

void trace_control_init(struct trace_control *control, struct engine *engine,
			const struct emulated_devices *devices)
{
	*control = (struct trace_control) {
		.engine = engine,
		.devices = devices,
	};
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* The reader knows no daemon: the names and addresses go first. */
static void put_devices(struct trace_control *control)
{
	const struct emulated_devices *devices = control->devices;
	unsigned i;

	for (i = 0; i < devices->count; i++) {
		const struct emulated_device *device = &devices->device[i];
		struct trace_device body = {
			.mtu = device->profile->mtu,
			.caps = device->profile->device_caps,
		};
		const struct trace_event event = {
			.kind = TRACE_DEVICE,
			.device = engine_device_index(device->engine),
			.body = &body,
			.body_bytes = sizeof(body),
		};

		snprintf(body.name, sizeof(body.name), "%s",
			 device->entry.ibdev);
		snprintf(body.profile, sizeof(body.profile), "%s",
			 device->profile->name);
		memcpy(body.gid, device->gid, sizeof(body.gid));
		trace_writer_put(control->writer, now_ns(), &event);
	}
}

int trace_control_start(struct trace_control *control, int fd)
{
	int ret;

	if (control->writer) {
		close(fd);
		return -EBUSY;
	}
	ret = trace_writer_open(&control->writer, fd, TRACE_WRITER_RING_BYTES);
	if (ret)
		return ret;
	put_devices(control);
	engine_set_traced(control->engine, true);
	return 0;
}

int trace_control_stop(struct trace_control *control)
{
	struct trace_writer *writer = control->writer;

	if (!writer)
		return -ENOENT;
	engine_set_traced(control->engine, false);
	control->writer = NULL;
	trace_writer_close(writer, &control->last);
	control->has_ended = true;
	if (control->last.error)
		fault_log("the trace could not be written to its end: %s",
			  strerror(control->last.error));
	return -control->last.error;
}

void trace_control_event(struct trace_control *control,
			 const struct trace_event *event)
{
	trace_writer_put(control->writer, now_ns(), event);
}

void trace_control_flush(struct trace_control *control)
{
	if (control->writer)
		trace_writer_flush(control->writer);
}

int trace_control_describe(struct trace_control *control, char *text,
			   size_t text_bytes)
{
	struct trace_writer_counts counts = control->last;

	if (control->writer)
		trace_writer_read_counts(control->writer, &counts);
	else if (!control->has_ended)
		return snprintf(text, text_bytes, "trace: none\n");
	return snprintf(text, text_bytes,
			"trace: %s, %llu records, %llu lost%s%s\n",
			control->writer ? "running" : "stopped",
			(unsigned long long)counts.records,
			(unsigned long long)counts.lost,
			counts.error ? ", cannot be written: " : "",
			counts.error ? strerror(counts.error) : "");
}
