/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the writer writes, read by the reader: a file from end to end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/trace_writer.h"
#include "trace/trace_reader.h"

/* A regular file without a name; the writer closes a duplicate. */
static int new_file(void)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static struct trace_writer *open_writer(int fd, uint32_t ring_bytes)
{
	struct trace_writer *writer;

	assert_int_equal(trace_writer_open(&writer, dup(fd), ring_bytes), 0);
	return writer;
}

static void put_text(struct trace_writer *writer, uint64_t time_ns,
		     const char *text, uint32_t length)
{
	const struct trace_event event = {
		.kind = TRACE_FAULT,
		.device = 3,
		.body = text,
		.body_bytes = length / 2,
		.tail = text + length / 2,
		.tail_bytes = length - length / 2,
	};

	trace_writer_put(writer, time_ns, &event);
}

static FILE *reread(int fd, struct trace_reader *reader)
{
	FILE *file;

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	file = fdopen(fd, "r");
	assert_non_null(file);
	assert_int_equal(trace_reader_init(reader, file), 0);
	return file;
}

static void expect_end(struct trace_reader *reader, uint64_t records,
		       uint64_t lost)
{
	struct trace_entry entry;

	assert_int_equal(trace_reader_next(reader, &entry), TRACE_READ_RECORD);
	assert_int_equal(entry.record.kind, TRACE_END);
	assert_int_equal(entry.end.records, records);
	assert_int_equal(entry.end.lost, lost);
	assert_int_equal(trace_reader_next(reader, &entry), TRACE_READ_OVER);
}

static void test_round_trip(void **state)
{
	char text[32] = "what happened at 0000";
	struct trace_writer_counts counts;
	struct trace_writer *writer;
	struct trace_reader reader;
	struct trace_entry entry;
	int fd = new_file(), i;
	FILE *file;

	(void)state;
	/* What was in the file does not stay behind a shorter trace. */
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	writer = open_writer(fd, 1 << 20);
	for (i = 0; i < 5000; i++) {
		snprintf(text + 17, 12, "%04d", i);
		put_text(writer, 1000 + i, text, strlen(text));
		if (i % 16 == 0)
			trace_writer_flush(writer);
	}
	trace_writer_close(writer, &counts);
	assert_int_equal(counts.records, 5000);
	assert_int_equal(counts.lost, 0);
	assert_int_equal(counts.error, 0);

	file = reread(fd, &reader);
	for (i = 0; i < 5000; i++) {
		assert_int_equal(trace_reader_next(&reader, &entry),
				 TRACE_READ_RECORD);
		assert_int_equal(entry.record.kind, TRACE_FAULT);
		assert_int_equal(entry.record.device, 3);
		assert_int_equal(entry.record.time_ns, 1000 + i);
		snprintf(text + 17, 12, "%04d", i);
		assert_int_equal(entry.record.length_bytes, strlen(text));
		assert_memory_equal(entry.bytes, text, strlen(text));
	}
	expect_end(&reader, 5000, 0);
	fclose(file);
}

/* A body larger than the ring can never fit, whatever the thread does. */
static void test_lost_is_told(void **state)
{
	static char large[TRACE_MAX_BODY];
	struct trace_writer_counts counts;
	struct trace_writer *writer;
	struct trace_reader reader;
	struct trace_entry entry;
	int fd = new_file(), i;
	FILE *file;

	(void)state;
	writer = open_writer(fd, 512);
	for (i = 0; i < 3; i++)
		put_text(writer, 5, large, sizeof(large));
	/* The thread empties the ring at its own pace. */
	do {
		trace_writer_flush(writer);
		put_text(writer, 6, "fits", 4);
		trace_writer_read_counts(writer, &counts);
	} while (!counts.records);
	put_text(writer, 7, large, sizeof(large));
	trace_writer_close(writer, &counts);
	assert_int_equal(counts.records, 1);

	file = reread(fd, &reader);
	assert_int_equal(trace_reader_next(&reader, &entry),
			 TRACE_READ_RECORD);
	assert_int_equal(entry.record.kind, TRACE_LOST);
	assert_int_equal(entry.lost.records, counts.lost - 1);
	assert_true(entry.lost.records >= 3);
	assert_int_equal(trace_reader_next(&reader, &entry),
			 TRACE_READ_RECORD);
	assert_memory_equal(entry.bytes, "fits", 4);
	/* The last one has no record behind it to be told by but the end. */
	expect_end(&reader, 1, counts.lost);
	fclose(file);
}

static void refuse(int fd)
{
	struct trace_writer *writer;

	assert_true(fd >= 0);
	assert_int_equal(trace_writer_open(&writer, fd, 1024), -EINVAL);
	assert_int_equal(fcntl(fd, F_GETFD), -1);	/* closed all the same */
}

static void test_files_that_could_block(void **state)
{
	char name[] = "/tmp/test-trace-writer-XXXXXX";
	int pair[2], fd;

	(void)state;
	assert_int_equal(pipe(pair), 0);
	refuse(pair[1]);
	close(pair[0]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	refuse(pair[0]);
	close(pair[1]);
	refuse(open("/dev/full", O_WRONLY));
	refuse(open("/", O_RDONLY));
	fd = mkstemp(name);
	assert_true(fd >= 0);
	close(fd);
	refuse(open(name, O_RDONLY));
	refuse(open(name, O_PATH));
	unlink(name);
}

/* The file can grow no further: told, and no record is waited for. */
static void test_write_fails(void **state)
{
	static char text[TRACE_MAX_BODY];
	struct trace_writer_counts counts;
	char name[] = "/tmp/test-trace-writer-XXXXXX";
	struct rlimit before, limit;
	struct trace_writer *writer;
	struct trace_entry entry;
	struct trace_reader reader;
	enum trace_read read;
	FILE *file;
	int fd = mkstemp(name), i;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 10000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	writer = open_writer(fd, 1 << 20);
	for (i = 0; i < 50; i++)
		put_text(writer, 1, text, sizeof(text));
	trace_writer_close(writer, &counts);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(counts.error, EFBIG);

	file = reread(fd, &reader);
	do {
		read = trace_reader_next(&reader, &entry);
	} while (read == TRACE_READ_RECORD);
	assert_int_equal(read, TRACE_READ_CUT);
	fclose(file);
	unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_lost_is_told),
		cmocka_unit_test(test_files_that_could_block),
		cmocka_unit_test(test_write_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
