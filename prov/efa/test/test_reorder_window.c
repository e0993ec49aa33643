/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The window as its caller uses it: packets come in any order, and what is
 * handed out must be in the order of the messages, each packet once.
 */
#include "rdm/reorder_window.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random_steps.h"

enum { SIZE = 16 };

static struct rdm_reorder_window window;

static int set_up(void **state)
{
	rdm_reorder_window_init(&window, SIZE);
	return 0;
}

static int tear_down(void **state)
{
	rdm_reorder_window_fini(&window);
	return 0;
}

struct content {
	uint32_t msg_id;
	uint32_t part;
};

static void park(uint32_t msg_id, uint32_t part)
{
	struct content content = { msg_id, part };
	struct rdm_stored_packet *stored =
		rdm_stored_packet_create(&content, sizeof(content));

	assert_non_null(stored);
	assert_int_equal(rdm_reorder_window_judge(&window, msg_id),
			 RDM_REORDER_EARLY);
	assert_int_equal(rdm_reorder_window_park(&window, msg_id, stored), 0);
}

static bool pop(struct content *content, bool *is_first)
{
	struct rdm_stored_packet *stored =
		rdm_reorder_window_pop(&window, is_first);

	if (!stored)
		return false;
	memcpy(content, stored->bytes, sizeof(*content));
	free(stored);
	return true;
}

static void expect_pop(uint32_t msg_id, uint32_t part, bool is_first)
{
	struct content content;
	bool first;

	assert_true(pop(&content, &first));
	assert_int_equal(content.msg_id, msg_id);
	assert_int_equal(content.part, part);
	assert_int_equal(first, is_first);
}

static void expect_none(void)
{
	bool first;

	assert_null(rdm_reorder_window_pop(&window, &first));
}

static void come(uint32_t msg_id)
{
	assert_int_equal(rdm_reorder_window_judge(&window, msg_id),
			 RDM_REORDER_NEXT);
	rdm_reorder_window_advance(&window);
}

static void in_order_takes_no_memory(void **state)
{
	for (uint32_t id = 0; id < 100; id++) {
		come(id);
		expect_none();
		assert_int_equal(rdm_reorder_window_judge(&window, id),
				 RDM_REORDER_OLD);
	}
	assert_null(window.ring);
	assert_null(window.far);
}

static void early_ones_wait(void **state)
{
	park(2, 0);
	park(1, 0);
	park(4, 0);
	expect_none();
	come(0);
	expect_pop(1, 0, true);
	expect_pop(2, 0, true);
	expect_none();
	come(3);
	expect_pop(4, 0, true);
	expect_none();
	come(5);
	assert_int_equal(window.num_parked, 0);
}

/* More of a message, or the same again: not the first, that is all. */
static void several_packets_of_one_message(void **state)
{
	park(1, 7);
	park(1, 8);
	park(1, 7);
	park(2, 1);
	come(0);
	expect_pop(1, 7, true);
	expect_pop(1, 8, false);
	expect_pop(1, 7, false);
	expect_pop(2, 1, true);
	expect_none();
	assert_int_equal(rdm_reorder_window_judge(&window, 2),
			 RDM_REORDER_OLD);
}

/* The number wraps; one can be half of all numbers ahead. */
static void far_ahead_and_around(void **state)
{
	window.expected = UINT32_MAX - 2;
	park(UINT32_MAX, 0);
	park(0, 0);
	park(UINT32_MAX - 2 + INT32_MAX, 0);
	park(UINT32_MAX - 2 + SIZE, 0);
	assert_int_equal(rdm_reorder_window_judge(&window, UINT32_MAX - 3),
			 RDM_REORDER_OLD);
	assert_int_equal(rdm_reorder_window_judge(&window, (uint32_t)
						  INT32_MAX - 2),
			 RDM_REORDER_OLD);
	come(UINT32_MAX - 2);
	expect_none();
	come(UINT32_MAX - 1);
	expect_pop(UINT32_MAX, 0, true);
	expect_pop(0, 0, true);
	for (uint32_t id = 1; id < SIZE - 3; id++) {
		expect_none();
		come(id);
	}
	expect_pop(SIZE - 3, 0, true);
	expect_none();
}

/* One packet when the message was far, another when it was near. */
static void far_and_near_packets_of_one(void **state)
{
	park(SIZE + 4, 1);
	for (uint32_t id = 0; id < 10; id++)
		come(id);
	park(SIZE + 4, 2);
	for (uint32_t id = 10; id < SIZE + 4; id++) {
		expect_none();
		come(id);
	}
	expect_pop(SIZE + 4, 1, true);
	expect_pop(SIZE + 4, 2, false);
	expect_none();
	come(SIZE + 5);
}

static void parked_packets_have_a_limit(void **state)
{
	uint32_t content = 0;
	struct rdm_stored_packet *one =
		rdm_stored_packet_create(&content, sizeof(content));

	for (uint32_t i = 0; i < RDM_REORDER_MAX_PARKED; i++)
		park(1 + i * 3, 0);
	assert_int_equal(rdm_reorder_window_park(&window, 2, one), -ENOBUFS);
	come(0);
	expect_pop(1, 0, true);
	assert_int_equal(rdm_reorder_window_park(&window, 3, one), 0);
	/* the rest is freed with the window */
}

/* ---- random ---- */

enum { MESSAGES = 256, PARTS = 3 };

struct sender {
	uint32_t first, next;		/* messages in flight: [first, next) */
	uint8_t sent[MESSAGES];		/* parts under way, a bit each */
};

/* What has been handed out. */
static struct {
	uint32_t message;		/* of the last first packet */
	uint32_t messages, parts;
} out;

static void handed_out(const struct content *content, bool is_first)
{
	if (is_first) {
		assert_int_equal(content->msg_id, out.message + 1);
		out.message++;
		out.messages++;
	} else {
		assert_true((int32_t)(content->msg_id - out.message) <= 0);
	}
	out.parts++;
}

static void deliver(uint32_t msg_id, uint32_t part)
{
	struct content content = { msg_id, part };
	bool is_first = true;

	switch (rdm_reorder_window_judge(&window, msg_id)) {
	case RDM_REORDER_NEXT:
		rdm_reorder_window_advance(&window);
		handed_out(&content, true);
		while (pop(&content, &is_first))
			handed_out(&content, is_first);
		break;
	case RDM_REORDER_EARLY:
		park(msg_id, part);
		break;
	case RDM_REORDER_OLD:
		handed_out(&content, false);
		break;
	}
}

static void send_some(struct sender *sender, struct random_source *random)
{
	while (sender->next - sender->first < MESSAGES &&
	       random_below(random, 50)) {
		sender->sent[sender->next++ % MESSAGES] =
			1 + random_below(random, (1 << PARTS) - 1);
	}
}

/* A part of any message in flight, of the first ones more often. */
static unsigned int deliver_any(struct sender *sender,
				struct random_source *random)
{
	uint32_t in_flight = sender->next - sender->first;
	uint32_t back = random_below(random, 1 + random_below(random,
							      in_flight));
	uint32_t id = sender->first + back;
	uint8_t *parts = &sender->sent[id % MESSAGES];
	uint32_t part = random_below(random, PARTS);

	if (!(*parts & 1 << part))
		return 0;
	*parts &= ~(1 << part);
	deliver(id, part);
	while (sender->first != sender->next &&
	       !sender->sent[sender->first % MESSAGES])
		sender->first++;
	return 1;
}

static void random_order(void **state)
{
	unsigned long parts, steps = random_steps(1000000), done = 0;
	struct random_source random = { .state = 11 };
	struct sender sender = { .first = UINT32_MAX - 100 };
	uint32_t begin = sender.next = sender.first;

	window.expected = begin;
	out.message = begin - 1;
	out.messages = out.parts = 0;
	for (parts = 0; parts < steps;) {
		send_some(&sender, &random);
		if (sender.first != sender.next)
			parts += deliver_any(&sender, &random);
	}
	while (sender.first != sender.next)
		parts += deliver_any(&sender, &random);
	done = sender.next - begin;
	assert_int_equal(window.num_parked, 0);
	assert_int_equal(out.messages, done);
	assert_int_equal(out.parts, parts);
	assert_int_equal(window.expected, sender.next);
	assert_non_null(window.far);
}

#define CASE(f)	cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(in_order_takes_no_memory),
		CASE(early_ones_wait),
		CASE(several_packets_of_one_message),
		CASE(far_ahead_and_around),
		CASE(far_and_near_packets_of_one),
		CASE(parked_packets_have_a_limit),
		CASE(random_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
