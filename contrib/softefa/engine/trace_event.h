/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What the engine tells its owner while it is traced: one event, which is
 * one record of a trace file.
 */
#ifndef ENGINE_TRACE_EVENT_H
#define ENGINE_TRACE_EVENT_H

#include <stddef.h>
#include <stdint.h>

#include "trace_file_defs.h"

/*
 * The body of the record is @body and then @tail, at most TRACE_MAX_BODY
 * bytes together; both are good until the call returns.
 */
struct trace_event {
	enum trace_kind kind;
	uint16_t device;	/* engine_device_index */
	uint32_t body_bytes;
	uint32_t tail_bytes;	/* 0: there is none */
	const void *body;
	const void *tail;
};

#endif /* ENGINE_TRACE_EVENT_H */
