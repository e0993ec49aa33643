/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "trace/trace_print.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static void print_head(FILE *out, const struct trace_file_header *header)
{
	time_t seconds = header->start_realtime_ns / 1000000000u;
	char text[32];
	struct tm parts;

	if (!gmtime_r(&seconds, &parts) ||
	    !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts))
		strcpy(text, "?");
	fprintf(out, "# trace of softefa, format %u.%u, started %s\n",
		header->major, header->minor, text);
}

/* True once the end was seen. */
static bool print_entry(const struct trace_reader *reader, FILE *out,
			const struct trace_entry *entry,
			struct device_names *names,
			const struct trace_filter *filter,
			enum payload_text payload)
{
	const uint64_t start_ns = reader->header.start_ns;
	const struct trace_record *record = &entry->record;
	struct text_line line;

	if (record->kind == TRACE_DEVICE)
		device_names_learn(names, record->device, &entry->device);
	if (trace_filter_passes(filter, entry,
				device_names_of(names, record->device),
				start_ns)) {
		record_text(&line, names, entry, start_ns, payload);
		fprintf(out, "%s\n", line.text);
	}
	return record->kind == TRACE_END;
}

enum trace_print_result trace_print(FILE *file, FILE *out,
				    const struct trace_filter *filter,
				    enum payload_text payload,
				    uint64_t *offset)
{
	struct device_names names = { 0 };
	struct trace_reader reader;
	struct trace_entry entry;
	enum trace_read read;
	bool is_ended = false;
	int ret;

	*offset = 0;
	ret = trace_reader_init(&reader, file);
	if (ret == -EIO)
		return TRACE_PRINT_READ_FAILED;
	if (ret)
		return ret == -EPROTO ? TRACE_PRINT_OTHER_VERSION :
			TRACE_PRINT_NO_TRACE;
	print_head(out, &reader.header);
	while ((read = trace_reader_next(&reader, &entry)) ==
	       TRACE_READ_RECORD)
		is_ended = print_entry(&reader, out, &entry, &names, filter,
				       payload);
	*offset = reader.offset;
	switch (read) {
	case TRACE_READ_BAD: return TRACE_PRINT_BAD_RECORD;
	case TRACE_READ_FAILED: return TRACE_PRINT_READ_FAILED;
	case TRACE_READ_CUT: return TRACE_PRINT_NOT_ENDED;
	default: return is_ended ? TRACE_PRINT_DONE : TRACE_PRINT_NOT_ENDED;
	}
}
