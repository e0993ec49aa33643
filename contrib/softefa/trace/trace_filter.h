/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which records of a trace somebody wants to see. What was lost always
 * passes: without it the rest would look complete.
 */
#ifndef TRACE_TRACE_FILTER_H
#define TRACE_TRACE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/trace_reader.h"

struct trace_filter {
	uint32_t kinds;		/* 1 << enum trace_kind; 0: all */
	bool has_qp, has_req_id;
	uint32_t qp;
	uint64_t req_id;
	const char *device;	/* its name, NULL: all; the caller's */
	uint64_t since_ns, until_ns;	/* counted from the trace's start */
};

/* Passes everything. */
void trace_filter_init(struct trace_filter *filter);

/*
 * Takes one condition; all given must hold.
 *	"--kind"	names, separated by commas
 *	"--qp"		a QP number: the queue's, the object's, or either end
 *			of a packet
 *	"--req-id"	a request ID, of WQE, receive, completion, packet
 *	"--device"	a device's name
 *	"--since", "--until"	seconds, with up to nine decimals
 * 0, -ENOENT for another word, or -EINVAL with what is allowed in @remedy.
 */
int trace_filter_set(struct trace_filter *filter, const char *option,
		     const char *value, const char **remedy);

/*
 * @device: the name of the record's device, NULL if it has none. @start_ns:
 * of the trace.
 */
bool trace_filter_passes(const struct trace_filter *filter,
			 const struct trace_entry *entry, const char *device,
			 uint64_t start_ns);

#endif /* TRACE_TRACE_FILTER_H */
