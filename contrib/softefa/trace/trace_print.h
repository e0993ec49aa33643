/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TRACE_TRACE_PRINT_H
#define TRACE_TRACE_PRINT_H

#include <stdio.h>

#include "trace/record_text.h"
#include "trace/trace_filter.h"

/*
 * How a print ended. All but the first have printed what precedes the
 * trouble, which is at *offset of the file.
 */
enum trace_print_result {
	TRACE_PRINT_DONE,
	TRACE_PRINT_NOT_ENDED,	/* no TRACE_END: still running, or cut short */
	TRACE_PRINT_NO_TRACE,
	TRACE_PRINT_OTHER_VERSION,
	TRACE_PRINT_BAD_RECORD,
	TRACE_PRINT_READ_FAILED,	/* errno */
};

/* Prints to @out what of @file passes @filter, one line a record. */
enum trace_print_result trace_print(FILE *file, FILE *out,
				    const struct trace_filter *filter,
				    enum payload_text payload,
				    uint64_t *offset);

#endif /* TRACE_TRACE_PRINT_H */
