/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Any bytes as a trace file: every record that passes the reader can be
 * filtered and printed, nothing beyond them is read, and the print ends.
 * See fuzz_inputs.c for running it.
 *
 * The first byte chooses: the bytes as they are; behind a good header; or
 * as bodies of records with good headers, since bytes alone seldom are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/trace_print.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct image {
	uint8_t *bytes;
	size_t used, size;
};

static void append(struct image *image, const void *bytes, size_t length)
{
	if (image->used + length > image->size) {
		image->size = (image->used + length) * 2;
		image->bytes = realloc(image->bytes, image->size);
		if (!image->bytes)
			abort();
	}
	memcpy(image->bytes + image->used, bytes, length);
	image->used += length;
}

static void append_header(struct image *image)
{
	struct trace_file_header header = {
		.major = TRACE_MAJOR,
		.minor = TRACE_MINOR,
		.header_bytes = sizeof(header),
	};

	memcpy(header.magic, TRACE_MAGIC, sizeof(header.magic));
	append(image, &header, sizeof(header));
}

/* Two bytes of input choose kind and length, what follows is the body. */
static void append_records(struct image *image, const uint8_t *data,
			   size_t size)
{
	struct trace_record record = { 0 };

	while (size >= 2) {
		record.kind = data[0] % (TRACE_END + 2u);
		record.device = data[0] & 0x10 ? TRACE_NO_DEVICE : data[0] & 3;
		record.length_bytes = data[1] * 2u;
		data += 2;
		size -= 2;
		if (record.length_bytes > size)
			record.length_bytes = (uint32_t)size;
		append(image, &record, sizeof(record));
		append(image, data, record.length_bytes);
		data += record.length_bytes;
		size -= record.length_bytes;
	}
}

static void print(const struct image *image, const struct trace_filter *filter,
		  enum payload_text payload)
{
	static char sink[1 << 16];
	FILE *in, *out;
	uint64_t offset;

	in = fmemopen(image->bytes, image->used, "r");
	out = fmemopen(sink, sizeof(sink), "w");
	if (!in || !out)
		abort();
	trace_print(in, out, filter, payload, &offset);
	if (offset > image->used && offset > TRACE_MAX_BODY) {
		fprintf(stderr, "fuzz_trace_file: read beyond the end\n");
		abort();
	}
	fclose(in);
	fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace_filter all, some;
	struct image image = { 0 };
	const char *remedy;

	if (size < 2)
		return 0;
	if (data[0] % 3)
		append_header(&image);
	if (data[0] % 3 == 2)
		append_records(&image, data + 1, size - 1);
	else
		append(&image, data + 1, size - 1);
	trace_filter_init(&all);
	print(&image, &all, PAYLOAD_LIKELY_RDM);
	print(&image, &all, PAYLOAD_RDM);
	trace_filter_init(&some);
	if (trace_filter_set(&some, "--qp", "0", &remedy) ||
	    trace_filter_set(&some, "--req-id", "0", &remedy))
		abort();
	print(&image, &some, PAYLOAD_RAW);
	free(image.bytes);
	return 0;
}
