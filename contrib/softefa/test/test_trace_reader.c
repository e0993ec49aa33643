/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Trace files built by hand, whole and damaged. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "trace/trace_reader.h"

static uint8_t image[8192];
static size_t used;

static void append(const void *bytes, size_t length)
{
	assert_true(used + length <= sizeof(image));
	memcpy(image + used, bytes, length);
	used += length;
}

static struct trace_file_header header(void)
{
	struct trace_file_header header = {
		.major = TRACE_MAJOR,
		.header_bytes = sizeof(header),
		.start_ns = 5,
	};

	memcpy(header.magic, TRACE_MAGIC, sizeof(header.magic));
	return header;
}

static void begin(void)
{
	struct trace_file_header head = header();

	used = 0;
	append(&head, sizeof(head));
}

static void append_record(uint16_t kind, const void *body, uint32_t length)
{
	const struct trace_record record = {
		.time_ns = 7, .kind = kind, .length_bytes = length,
	};

	append(&record, sizeof(record));
	append(body, length);
}

static FILE *open_image(struct trace_reader *reader, int expected)
{
	FILE *file = fmemopen(image, used, "r");

	assert_non_null(file);
	assert_int_equal(trace_reader_init(reader, file), expected);
	return file;
}

static void expect_init(int expected)
{
	struct trace_reader reader;

	fclose(open_image(&reader, expected));
}

/* What the first record of the image comes to. */
static enum trace_read first(void)
{
	struct trace_reader reader;
	struct trace_entry entry;
	FILE *file = open_image(&reader, 0);
	enum trace_read read = trace_reader_next(&reader, &entry);

	fclose(file);
	return read;
}

static void test_headers(void **state)
{
	struct trace_file_header head = header();

	(void)state;
	begin();
	expect_init(0);
	assert_int_equal(first(), TRACE_READ_OVER);
	used = sizeof(head) - 1;
	expect_init(-EBADMSG);
	head.magic[7] = 'F';
	memcpy(image, &head, sizeof(head));
	used = sizeof(head);
	expect_init(-EBADMSG);
	head = header();
	head.major++;
	memcpy(image, &head, sizeof(head));
	expect_init(-EPROTO);
	/* A later minor version may have a longer header. */
	head = header();
	head.minor = 9;
	head.header_bytes += 8;
	memcpy(image, &head, sizeof(head));
	append("12345678", 8);
	append_record(TRACE_RULE, "x", 1);
	assert_int_equal(first(), TRACE_READ_RECORD);
	head.header_bytes = sizeof(head) - 1;
	memcpy(image, &head, sizeof(head));
	expect_init(-EBADMSG);
	head.header_bytes = 0xffffffff;
	memcpy(image, &head, sizeof(head));
	expect_init(-EBADMSG);
}

static void test_every_cut(void **state)
{
	const struct trace_end end = { 1, 2 };
	size_t whole, length;

	(void)state;
	begin();
	append_record(TRACE_END, &end, sizeof(end));
	whole = used;
	assert_int_equal(first(), TRACE_READ_RECORD);
	for (length = sizeof(struct trace_file_header) + 1; length < whole;
	     length++) {
		used = length;
		assert_int_equal(first(), TRACE_READ_CUT);
	}
}

static enum trace_read one(uint16_t kind, const void *body, uint32_t length)
{
	begin();
	append_record(kind, body, length);
	return first();
}

static void test_bodies_too_short(void **state)
{
	static const uint8_t zero[256];
	static const struct {
		uint16_t kind;
		uint32_t least;
	} kinds[] = {
		{ TRACE_DEVICE, sizeof(struct trace_device) },
		{ TRACE_DOORBELL, sizeof(struct trace_doorbell) },
		{ TRACE_RECV, sizeof(struct trace_recv) },
		{ TRACE_PACKET, sizeof(struct trace_packet) },
		{ TRACE_CQE, sizeof(struct trace_cqe) },
		{ TRACE_COMMAND, sizeof(struct trace_command) },
		{ TRACE_RULE, 0 },
		{ TRACE_FAULT, 0 },
		{ TRACE_LOST, sizeof(struct trace_lost) },
		{ TRACE_END, sizeof(struct trace_end) },
		{ 999, 0 },
	};
	unsigned i;

	(void)state;
	assert_int_equal(one(0, zero, 0), TRACE_READ_BAD);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		assert_int_equal(one(kinds[i].kind, zero, kinds[i].least),
				 TRACE_READ_RECORD);
		/* Longer ones are a later minor version's. */
		assert_int_equal(one(kinds[i].kind, zero, kinds[i].least + 8),
				 TRACE_READ_RECORD);
		if (kinds[i].least)
			assert_int_equal(one(kinds[i].kind, zero,
					     kinds[i].least - 1),
					 TRACE_READ_BAD);
	}
}

static void test_counts_that_lie(void **state)
{
	struct {
		struct trace_wqe wqe;
		uint8_t entry[128];
	} wqe = { .wqe.wqe_bytes = 64 };
	struct {
		struct trace_recv recv;
		struct trace_recv_sge sge[2];
	} recv = { .recv.sge_count = 2 };
	struct {
		struct trace_packet packet;
		uint8_t payload[300];
	} packet = { .packet.payload_bytes = 256 };

	(void)state;
	assert_int_equal(one(TRACE_WQE, &wqe, 16 + 64), TRACE_READ_RECORD);
	assert_int_equal(one(TRACE_WQE, &wqe, 16 + 63), TRACE_READ_BAD);
	wqe.wqe.wqe_bytes = 128;
	assert_int_equal(one(TRACE_WQE, &wqe, 16 + 127), TRACE_READ_BAD);
	wqe.wqe.wqe_bytes = 32;
	assert_int_equal(one(TRACE_WQE, &wqe, sizeof(wqe)), TRACE_READ_BAD);
	assert_int_equal(one(TRACE_RECV, &recv, sizeof(recv)),
			 TRACE_READ_RECORD);
	assert_int_equal(one(TRACE_RECV, &recv, sizeof(recv) - 1),
			 TRACE_READ_BAD);
	recv.recv.sge_count = 0xffff;
	assert_int_equal(one(TRACE_RECV, &recv, sizeof(recv)),
			 TRACE_READ_BAD);
	assert_int_equal(one(TRACE_PACKET, &packet, 96 + 256),
			 TRACE_READ_RECORD);
	assert_int_equal(one(TRACE_PACKET, &packet, 96 + 255),
			 TRACE_READ_BAD);
	packet.packet.payload_bytes = 257;
	assert_int_equal(one(TRACE_PACKET, &packet, 96 + 300),
			 TRACE_READ_BAD);
}

static void test_too_long(void **state)
{
	struct trace_record record = {
		.kind = 999, .length_bytes = TRACE_MAX_BODY + 1,
	};
	static const uint8_t zero[TRACE_MAX_BODY + 1];

	(void)state;
	begin();
	append(&record, sizeof(record));
	append(zero, sizeof(zero));
	assert_int_equal(first(), TRACE_READ_BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_bodies_too_short),
		cmocka_unit_test(test_counts_that_lie),
		cmocka_unit_test(test_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
