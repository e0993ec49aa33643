/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sys/socket.h>

#include "daemon/event_channel.h"

#define BURST	2000u

struct event {
	uint64_t handle;
};

struct fixture {
	struct poll_loop loop;
	struct event_channel *channel;
	int client;		/* the client's own end */
};

static void setup(struct fixture *f)
{
	assert_int_equal(poll_loop_init(&f->loop), 0);
	assert_int_equal(event_channel_open(&f->channel, &f->loop,
					    sizeof(struct event),
					    &f->client), 0);
	fcntl(f->client, F_SETFL, O_NONBLOCK);
	event_channel_attach(f->channel, dup(f->client));
}

static void teardown(struct fixture *f)
{
	event_channel_close(f->channel);
	poll_loop_fini(&f->loop);
	close(f->client);
}

static int push(struct fixture *f, uint64_t handle)
{
	struct event event = { handle };

	return event_channel_push(f->channel, &event);
}

/* The next event's handle, 0 when there is none. */
static uint64_t take(struct fixture *f)
{
	struct event event;
	ssize_t n = read(f->client, &event, sizeof(event));

	return n == sizeof(event) ? event.handle : 0;
}

static void test_one_read_one_event(void **state)
{
	struct fixture f;
	char room[64];

	setup(&f);
	assert_int_equal(push(&f, 5), 0);
	assert_int_equal(push(&f, 6), 0);
	assert_int_equal(read(f.client, room, sizeof(room)), 8);
	assert_int_equal(take(&f), 6);
	assert_int_equal(take(&f), 0);
	teardown(&f);
}

static void test_drop_leaves_the_others(void **state)
{
	struct fixture f;

	setup(&f);
	for (uint64_t i = 0; i < 10; i++)
		push(&f, 1 + i % 2);
	assert_int_equal(take(&f), 1);
	assert_int_equal(event_channel_drop(f.channel, 1), 4);
	assert_int_equal(event_channel_drop(f.channel, 1), 0);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(take(&f), 2);
	assert_int_equal(take(&f), 0);
	teardown(&f);
}

/* More events than the socket holds: none is lost, in order. */
static void test_burst_waits(void **state)
{
	struct fixture f;
	uint64_t next = 1;

	setup(&f);
	for (uint64_t i = 1; i <= BURST; i++)
		assert_int_equal(push(&f, i), 0);
	assert_int_equal(event_channel_drop(f.channel, BURST - 1), 1);
	assert_int_equal(event_channel_drop(f.channel, 2), 1);
	while (next <= BURST) {
		uint64_t got = take(&f);

		if (!got) {
			assert_true(poll_loop_run(&f.loop, 0, 1) == 1);
			continue;
		}
		if (next == 2 || next == BURST - 1)
			next++;
		assert_int_equal(got, next);
		next++;
	}
	assert_int_equal(take(&f), 0);
	assert_int_equal(poll_loop_run(&f.loop, 0, 1), 0);
	teardown(&f);
}

/* As long as CQs use it, a channel that the client closed is not dead. */
static void test_closed_by_client(void **state)
{
	struct fixture f;

	setup(&f);
	close(f.client);
	assert_int_equal(poll_loop_run(&f.loop, 0, 8), 0);
	assert_int_equal(push(&f, 1), 0);
	assert_int_equal(event_channel_drop(f.channel, 1), 1);
	event_channel_detach(f.channel);
	assert_int_equal(poll_loop_run(&f.loop, 0, 8), 1);
	assert_true(event_channel_is_dead(f.channel));
	assert_int_equal(push(&f, 1), -EPIPE);
	event_channel_close(f.channel);
	poll_loop_fini(&f.loop);
}

/* A hostile client shuts its end down while CQs are attached. */
static void test_shut_down_by_client(void **state)
{
	struct fixture f;

	setup(&f);
	push(&f, 1);
	shutdown(f.client, SHUT_RDWR);
	assert_int_equal(poll_loop_run(&f.loop, 0, 8), 1);
	assert_false(event_channel_is_dead(f.channel));
	assert_int_equal(push(&f, 1), -EPIPE);
	assert_int_equal(event_channel_drop(f.channel, 1), 0);
	event_channel_detach(f.channel);
	assert_true(event_channel_is_dead(f.channel));
	teardown(&f);
}

static void test_is(void **state)
{
	struct fixture f, g;
	int copy;

	setup(&f);
	setup(&g);
	copy = dup(f.client);
	assert_true(event_channel_is(f.channel, copy));
	assert_false(event_channel_is(g.channel, copy));
	assert_false(event_channel_is(f.channel, STDIN_FILENO));
	assert_false(event_channel_is(f.channel, -1));
	close(copy);
	teardown(&f);
	teardown(&g);
}

/* A client that reads nothing costs a bounded amount of memory. */
static void test_bound(void **state)
{
	unsigned count, taken = 0;
	struct fixture f;
	int ret;

	setup(&f);
	for (count = 0; !(ret = push(&f, count + 1)); count++)
		assert_true(count < 10 * EVENT_CHANNEL_MAX_WAITING);
	assert_int_equal(ret, -ENOMEM);
	assert_true(count >= EVENT_CHANNEL_MAX_WAITING);
	assert_int_equal(push(&f, 1), -ENOMEM);
	/* What was taken in arrives, in order. */
	do {
		while (take(&f) == taken + 1)
			taken++;
	} while (poll_loop_run(&f.loop, 0, 1));
	assert_int_equal(taken, count);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_read_one_event),
		cmocka_unit_test(test_drop_leaves_the_others),
		cmocka_unit_test(test_burst_waits),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_closed_by_client),
		cmocka_unit_test(test_shut_down_by_client),
		cmocka_unit_test(test_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
