/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Matching: single cases by hand, then millions of random steps against a
 * model that does what the rule says, in arrays searched from the front.
 */
#include "rdm/tag_match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_steps.h"

#define ANY	RDM_MATCH_ANY_SOURCE

static struct rdm_match match;

static int set_up(void **state)
{
	rdm_match_init(&match, 0x5eed);
	return 0;
}

static int tear_down(void **state)
{
	rdm_match_fini(&match);
	return 0;
}

static void post(struct rdm_match_recv *recv, uint64_t source, uint64_t tag,
		 uint64_t ignore)
{
	rdm_match_recv_set(recv, source, tag, ignore);
	assert_null(rdm_match_find_message(&match, recv));
	rdm_match_add_recv(&match, recv);
}

static void arrive(struct rdm_match_message *message, uint64_t source,
		   uint64_t tag)
{
	message->source = source;
	message->tag = tag;
	assert_null(rdm_match_find_recv(&match, source, tag));
	rdm_match_add_message(&match, message);
}

/* What a receive takes; it is taken out. */
static struct rdm_match_message *take(uint64_t source, uint64_t tag,
				      uint64_t ignore)
{
	struct rdm_match_recv recv;
	struct rdm_match_message *message;

	rdm_match_recv_set(&recv, source, tag, ignore);
	message = rdm_match_find_message(&match, &recv);
	if (message)
		rdm_match_remove_message(&match, message);
	return message;
}

/* ---- cases ---- */

static void exact_tag_and_source(void **state)
{
	struct rdm_match_recv recv;

	post(&recv, 3, 7, 0);
	assert_null(rdm_match_find_recv(&match, 3, 8));
	assert_null(rdm_match_find_recv(&match, 4, 7));
	assert_ptr_equal(rdm_match_find_recv(&match, 3, 7), &recv);
	rdm_match_remove_recv(&match, &recv);
	assert_null(rdm_match_find_recv(&match, 3, 7));
}

/* Whatever their kinds are, the first posted one wins. */
static void first_posted_wins(void **state)
{
	static const struct {
		uint64_t source, tag, ignore;
	} all_take_it[] = {
		{ ANY, 0, UINT64_MAX }, { 3, 7, 0 }, { ANY, 7, 0 },
		{ 3, 6, 1 }, { 3, 7, 0 }, { ANY, 5, 2 },
	};
	enum { RECVS = sizeof(all_take_it) / sizeof(all_take_it[0]) };
	struct rdm_match_recv recv[RECVS];

	for (unsigned int first = 0; first < RECVS; first++) {
		for (unsigned int i = 0; i < RECVS; i++) {
			unsigned int at = (first + i) % RECVS;

			post(&recv[at], all_take_it[at].source,
			     all_take_it[at].tag, all_take_it[at].ignore);
		}
		for (unsigned int i = 0; i < RECVS; i++) {
			struct rdm_match_recv *found =
				rdm_match_find_recv(&match, 3, 7);

			assert_ptr_equal(found, &recv[(first + i) % RECVS]);
			rdm_match_remove_recv(&match, found);
		}
		assert_null(rdm_match_find_recv(&match, 3, 7));
	}
}

static void first_arrived_is_taken(void **state)
{
	struct rdm_match_message a, b, c, d;

	arrive(&a, 1, 10);
	arrive(&b, 2, 10);
	arrive(&c, 1, 11);
	arrive(&d, 1, 10);
	assert_ptr_equal(take(ANY, 11, 0), &c);
	assert_ptr_equal(take(2, 0, UINT64_MAX), &b);
	assert_ptr_equal(take(ANY, 0, UINT64_MAX), &a);
	assert_ptr_equal(take(1, 10, 0), &d);
	assert_null(take(ANY, 0, UINT64_MAX));
	assert_null(rdm_match_first_message(&match));
}

/* Bits under the mask do not count in what the receive says either. */
static void ignored_bits_of_the_receive(void **state)
{
	struct rdm_match_recv recv;

	post(&recv, 1, 0xff, 0x0f);
	assert_ptr_equal(rdm_match_find_recv(&match, 1, 0xf0), &recv);
	assert_ptr_equal(rdm_match_find_recv(&match, 1, 0xf5), &recv);
	assert_null(rdm_match_find_recv(&match, 1, 0xe5));
}

/* A receive for several messages stays where it is in the order. */
static void found_receive_stays_in_place(void **state)
{
	struct rdm_match_recv several, later;

	post(&several, ANY, 0, UINT64_MAX);
	post(&later, 1, 5, 0);
	for (int i = 0; i < 3; i++)
		assert_ptr_equal(rdm_match_find_recv(&match, 1, 5), &several);
	rdm_match_remove_recv(&match, &several);
	assert_ptr_equal(rdm_match_find_recv(&match, 1, 5), &later);
}

/* Asking takes nothing, and what is removed from the middle of the queue of
 * one key leaves the others in order. */
static void peek_then_claim_from_the_middle(void **state)
{
	struct rdm_match_message message[5];
	struct rdm_match_recv ask;

	for (int i = 0; i < 5; i++)
		arrive(&message[i], 1, 5);
	rdm_match_recv_set(&ask, 1, 5, 0);
	assert_ptr_equal(rdm_match_find_message(&match, &ask), &message[0]);
	assert_ptr_equal(rdm_match_find_message(&match, &ask), &message[0]);
	rdm_match_remove_message(&match, &message[2]);
	rdm_match_remove_message(&match, &message[0]);
	assert_ptr_equal(take(ANY, 5, 0), &message[1]);
	assert_ptr_equal(take(1, 5, 0), &message[3]);
	assert_ptr_equal(take(1, 5, 0), &message[4]);
	assert_null(take(1, 5, 0));
}

/* More kinds than there is room for, all in use: the answers are the same,
 * and when the first ones have no receives left, new ones get their place. */
static void more_kinds_than_room(void **state)
{
	enum { KINDS = 3 * RDM_MATCH_KINDS };
	struct rdm_match_recv recv[KINDS];
	struct rdm_match_message message;

	for (unsigned int i = 0; i < KINDS; i++)
		post(&recv[i], ANY, 0, 1ull << i);
	for (unsigned int i = KINDS; i-- > 0;)
		assert_ptr_equal(rdm_match_find_recv(&match, 9, 1ull << i),
				 &recv[i]);
	for (unsigned int i = 0; i < KINDS; i++) {
		assert_ptr_equal(rdm_match_find_recv(&match, 9, 0), &recv[i]);
		rdm_match_remove_recv(&match, &recv[i]);
	}
	assert_int_equal(match.num_kinds, RDM_MATCH_KINDS);
	arrive(&message, 9, 0);
	for (int i = 0; i < 1000; i++)
		assert_null(take(9, 1, 1ull << (20 + i % 4)));
	assert_true(match.kind[0].ignore >= 1ull << 20);
	assert_ptr_equal(take(9, 0, 1ull << 40), &message);
}

/* ---- the model ---- */

enum {
	OBJECTS = 512,		/* receives, and messages, at most */
	SOURCES = 4,
	TAGS = 8,
};

struct model_recv {
	struct rdm_match_recv entry;
	uint64_t source, tag, ignore;
	bool is_posted, is_multi;
};

struct model_message {
	struct rdm_match_message entry;
	uint64_t source, tag;
	bool is_there;
};

struct model {
	struct model_recv recv[OBJECTS];
	struct model_message message[OBJECTS];
	/* in order */
	struct model_recv *posted[OBJECTS];
	struct model_message *arrived[OBJECTS];
	unsigned int num_posted, num_arrived;
	struct random_source random;
	/* what happened, to prove that it did */
	unsigned long matched_at_post, matched_at_arrival, cancelled, claimed;
};

static struct model model;

static bool model_takes(const struct model_recv *recv,
			const struct model_message *message)
{
	return (recv->source == ANY || recv->source == message->source) &&
	       ((recv->tag ^ message->tag) & ~recv->ignore) == 0;
}

static struct model_recv *model_find_recv(const struct model_message *message)
{
	for (unsigned int i = 0; i < model.num_posted; i++)
		if (model_takes(model.posted[i], message))
			return model.posted[i];
	return NULL;
}

static struct model_message *model_find_message(const struct model_recv *recv)
{
	for (unsigned int i = 0; i < model.num_arrived; i++)
		if (model_takes(recv, model.arrived[i]))
			return model.arrived[i];
	return NULL;
}

static void model_remove_recv(struct model_recv *recv)
{
	unsigned int at = 0;

	while (model.posted[at] != recv)
		at++;
	memmove(&model.posted[at], &model.posted[at + 1],
		(--model.num_posted - at) * sizeof(model.posted[0]));
	recv->is_posted = false;
	rdm_match_remove_recv(&match, &recv->entry);
	memset(&recv->entry, 0xee, sizeof(recv->entry));
}

static void model_remove_message(struct model_message *message)
{
	unsigned int at = 0;

	while (model.arrived[at] != message)
		at++;
	memmove(&model.arrived[at], &model.arrived[at + 1],
		(--model.num_arrived - at) * sizeof(model.arrived[0]));
	message->is_there = false;
	rdm_match_remove_message(&match, &message->entry);
	memset(&message->entry, 0xee, sizeof(message->entry));
}

/* Masks of which there are more than kinds; mostly the first few, as few as
 * @kinds, so that each way of being searched is taken. */
static uint64_t random_ignore(unsigned int kinds)
{
	static const uint64_t ignore[] = {
		0, UINT64_MAX, 0x3, 0x4, 0x1, 0x5, 0x2, 0x6, 0x7,
		0xffff0000, 0xf000000000000000, 0xf0, 0x8000000000000001,
	};

	return ignore[random_below(&model.random, kinds)];
}

static uint64_t random_tag(void)
{
	uint64_t tag = random_below(&model.random, TAGS);

	return random_below(&model.random, 4) ? tag : tag << 61 | tag;
}

static void set_random_recv(struct model_recv *recv, unsigned int kinds)
{
	recv->source = random_below(&model.random, 3) ?
		random_below(&model.random, SOURCES) : ANY;
	recv->tag = random_tag();
	recv->ignore = random_ignore(kinds);
	rdm_match_recv_set(&recv->entry, recv->source, recv->tag,
			   recv->ignore);
}

static void step_post(unsigned int kinds)
{
	struct model_recv *recv =
		&model.recv[random_below(&model.random, OBJECTS)];
	struct model_message *message;

	if (recv->is_posted)
		return;
	set_random_recv(recv, kinds);
	recv->is_multi = !random_below(&model.random, 20);
	while ((message = model_find_message(recv))) {
		assert_ptr_equal(rdm_match_find_message(&match, &recv->entry),
				 &message->entry);
		model_remove_message(message);
		model.matched_at_post++;
		if (!recv->is_multi)
			return;
	}
	assert_null(rdm_match_find_message(&match, &recv->entry));
	rdm_match_add_recv(&match, &recv->entry);
	recv->is_posted = true;
	model.posted[model.num_posted++] = recv;
}

static void step_arrive(void)
{
	struct model_message *message =
		&model.message[random_below(&model.random, OBJECTS)];
	struct rdm_match_recv *found;
	struct model_recv *recv;

	if (message->is_there)
		return;
	message->source = random_below(&model.random, SOURCES);
	message->tag = random_tag();
	recv = model_find_recv(message);
	found = rdm_match_find_recv(&match, message->source, message->tag);
	assert_ptr_equal(found, recv ? &recv->entry : NULL);
	if (recv) {
		model.matched_at_arrival++;
		if (!recv->is_multi || !random_below(&model.random, 5))
			model_remove_recv(recv);
		return;
	}
	message->entry.source = message->source;
	message->entry.tag = message->tag;
	rdm_match_add_message(&match, &message->entry);
	message->is_there = true;
	model.arrived[model.num_arrived++] = message;
}

static void step_cancel(void)
{
	if (!model.num_posted)
		return;
	model.cancelled++;
	model_remove_recv(model.posted[random_below(&model.random,
						    model.num_posted)]);
}

/* Peeks, and takes what it finds or something else altogether. */
static void step_peek(unsigned int kinds)
{
	struct model_message *message;
	struct model_recv ask;

	set_random_recv(&ask, kinds);
	message = model_find_message(&ask);
	assert_ptr_equal(rdm_match_find_message(&match, &ask.entry),
			 message ? &message->entry : NULL);
	if (message && random_below(&model.random, 2)) {
		model.claimed++;
		model_remove_message(message);
	} else if (model.num_arrived && !random_below(&model.random, 4)) {
		model_remove_message(model.arrived[random_below(
			&model.random, model.num_arrived)]);
	}
}

static void check_first_message(void)
{
	assert_ptr_equal(rdm_match_first_message(&match),
			 model.num_arrived ? &model.arrived[0]->entry : NULL);
}

static void check_counts(void)
{
	unsigned int listed = 0, recvs = 0;
	struct util_list *node;

	for (node = match.listed_recvs.next; node != &match.listed_recvs;
	     node = node->next)
		listed++;
	for (unsigned int i = 0; i < match.num_kinds; i++)
		recvs += match.kind[i].num_recvs;
	assert_int_equal(recvs + listed, model.num_posted);
}

/* Times of more receives take turns with times of more messages. */
static void random_run(uint64_t seed, unsigned int kinds, unsigned long steps)
{
	unsigned int favour = 0;

	memset(&model, 0, sizeof(model));
	model.random.state = seed;
	for (unsigned long step = 0; step < steps; step++) {
		unsigned int what = random_below(&model.random, 100);

		if (step % 1000 == 0) {
			favour = random_below(&model.random, 80);
			check_counts();
		}
		if (what < 5)
			step_cancel();
		else if (what < 15)
			step_peek(kinds);
		else if (what < 15 + favour)
			step_post(kinds);
		else
			step_arrive();
		check_first_message();
	}
	check_counts();
	while (model.num_arrived)
		model_remove_message(model.arrived[0]);
	while (model.num_posted)
		model_remove_recv(model.posted[0]);
	check_first_message();
	assert_int_equal(match.kinds_with_recvs, 0);
	assert_true(model.matched_at_post > steps / 100);
	assert_true(model.matched_at_arrival > steps / 100);
	assert_true(model.cancelled > steps / 100);
	assert_true(model.claimed > steps / 1000);
}

static void random_few_kinds(void **state)
{
	random_run(1, 2, random_steps(2000000));
}

static void random_as_many_kinds_as_fit(void **state)
{
	random_run(2, 3, random_steps(2000000));
}

static void random_more_kinds(void **state)
{
	random_run(3, 13, random_steps(2000000));
}

#define CASE(f)	cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(exact_tag_and_source),
		CASE(first_posted_wins),
		CASE(first_arrived_is_taken),
		CASE(ignored_bits_of_the_receive),
		CASE(found_receive_stays_in_place),
		CASE(peek_then_claim_from_the_middle),
		CASE(more_kinds_than_room),
		CASE(random_few_kinds),
		CASE(random_as_many_kinds_as_fit),
		CASE(random_more_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
