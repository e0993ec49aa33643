/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#ifndef TRACE_RECORD_TEXT_H
#define TRACE_RECORD_TEXT_H

#include "trace/device_names.h"
#include "trace/text_line.h"
#include "trace/trace_reader.h"

/* What becomes of the payload of a message. */
enum payload_text {
	PAYLOAD_LIKELY_RDM,	/* decoded where it looks like RDM v4 */
	PAYLOAD_RDM,		/* decoded, whatever it looks like */
	PAYLOAD_RAW,		/* its bytes */
};

/*
 * @entry as one line: "SECONDS DEVICE KIND name=value ...", without a
 * newline. @start_ns: of the trace, from which time is counted.
 */
void record_text(struct text_line *line, const struct device_names *names,
		 const struct trace_entry *entry, uint64_t start_ns,
		 enum payload_text payload);

#endif /* TRACE_RECORD_TEXT_H */
