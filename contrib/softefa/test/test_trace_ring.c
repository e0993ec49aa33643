/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>

#include "daemon/trace_ring.h"

static void take_all(struct trace_ring *ring, uint8_t *to, size_t *length)
{
	const uint8_t *bytes;
	size_t part;

	for (*length = 0; (part = trace_ring_peek(ring, &bytes));
	     *length += part) {
		memcpy(to + *length, bytes, part);
		trace_ring_take(ring, part);
	}
}

static void test_pieces_wrap(void **state)
{
	const struct trace_piece piece[] = {
		{ "abcde", 5 }, { NULL, 0 }, { "fghij", 5 },
	};
	struct trace_ring ring;
	uint8_t taken[16];
	size_t length;
	int i;

	(void)state;
	assert_int_equal(trace_ring_init(&ring, 16), 0);
	for (i = 0; i < 40; i++) {
		assert_true(trace_ring_put(&ring, piece, 3));
		take_all(&ring, taken, &length);
		assert_int_equal(length, 10);
		assert_memory_equal(taken, "abcdefghij", 10);
	}
	trace_ring_fini(&ring);
}

/* All or nothing: what was refused leaves no byte behind. */
static void test_full(void **state)
{
	const struct trace_piece ten = { "0123456789", 10 };
	const struct trace_piece parts[] = { { "ab", 2 }, { "cdefg", 5 } };
	struct trace_ring ring;
	uint8_t taken[16];
	size_t length;

	(void)state;
	assert_int_equal(trace_ring_init(&ring, 16), 0);
	assert_true(trace_ring_put(&ring, &ten, 1));
	assert_false(trace_ring_put(&ring, parts, 2));
	assert_true(trace_ring_put(&ring, parts, 1));
	take_all(&ring, taken, &length);
	assert_int_equal(length, 12);
	assert_memory_equal(taken, "0123456789ab", 12);
	assert_true(trace_ring_put(&ring, &ten, 1));
	assert_false(trace_ring_put(&ring, parts, 2));
	take_all(&ring, taken, &length);
	assert_int_equal(length, 10);
	trace_ring_fini(&ring);
}

#define COUNT	200000u

static void *put_numbers(void *arg)
{
	struct trace_ring *ring = arg;
	uint32_t i;

	for (i = 0; i < COUNT; i++) {
		const struct trace_piece piece[] = { { &i, 1 }, { &i, 4 } };

		while (!trace_ring_put(ring, piece, 2))
			sched_yield();
	}
	return NULL;
}

/* Every byte once and in order, whatever the threads' turns are. */
static void test_two_threads(void **state)
{
	struct trace_ring ring;
	uint8_t record[5];
	const uint8_t *bytes;
	uint32_t number, next = 0;
	pthread_t thread;
	size_t length, i, have = 0;

	(void)state;
	assert_int_equal(trace_ring_init(&ring, 1024), 0);
	assert_int_equal(pthread_create(&thread, NULL, put_numbers, &ring), 0);
	while (next < COUNT) {
		length = trace_ring_peek(&ring, &bytes);
		if (!length)
			sched_yield();
		for (i = 0; i < length; i++) {
			record[have++] = bytes[i];
			if (have < sizeof(record))
				continue;
			memcpy(&number, record + 1, sizeof(number));
			assert_int_equal(number, next);
			assert_int_equal(record[0], next & 0xff);
			next++;
			have = 0;
		}
		trace_ring_take(&ring, length);
	}
	pthread_join(thread, NULL);
	assert_int_equal(trace_ring_peek(&ring, &bytes), 0);
	trace_ring_fini(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_wrap),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_two_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
