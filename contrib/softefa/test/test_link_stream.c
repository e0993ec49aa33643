/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A stream over a simulated link that loses, delays, repeats and swaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "daemon/link_stream.h"
#include "engine/random_sequence.h"

#define MESSAGES	4000u
#define WIRE_FRAMES	4096u
#define TICK_NS		100000ull

struct pattern {
	const char *name;
	unsigned loss, repeat;		/* percent */
	uint64_t delay_ns, jitter_ns;
};

static const struct pattern patterns[] = {
	{ "clean", 0, 0, 200000, 0 },
	{ "jitter", 0, 0, 100000, 5000000 },
	{ "loss", 5, 0, 200000, 100000 },
	{ "repeats", 0, 30, 200000, 3000000 },
	{ "all at once", 20, 20, 500000, 10000000 },
	{ "half is lost", 50, 0, 200000, 0 },
};

struct wire_frame {
	bool is_used, is_ack;
	uint64_t arrives_ns;
	uint32_t seq, value;
	struct link_stream_ack ack;
};

struct simulation {
	const struct pattern *pattern;
	struct random_sequence random;
	struct link_stream from, to;
	struct wire_frame wire[WIRE_FRAMES];
	uint8_t taken[MESSAGES];	/* how often */
	unsigned pushed, delivered;
	uint64_t now_ns;
};

static void put(struct simulation *sim, struct wire_frame frame)
{
	const struct pattern *p = sim->pattern;
	unsigned copies = 1;

	if (random_sequence_below(&sim->random, 100) < p->loss)
		copies = 0;
	else if (random_sequence_below(&sim->random, 100) < p->repeat)
		copies = 2;
	for (unsigned i = 0; copies && i < WIRE_FRAMES; i++) {
		if (sim->wire[i].is_used)
			continue;
		frame.is_used = true;
		frame.arrives_ns = sim->now_ns + p->delay_ns +
			random_sequence_below(&sim->random, p->jitter_ns + 1);
		sim->wire[i] = frame;
		copies--;
	}
	assert_int_equal(copies, 0);
}

static void send_all(struct simulation *sim)
{
	const struct link_stream_frame *due;
	struct wire_frame frame = { 0 };

	while (sim->pushed < MESSAGES && link_stream_room(&sim->from)) {
		frame.value = sim->pushed++;
		assert_int_equal(link_stream_push(&sim->from, &frame.value,
						  sizeof(frame.value),
						  sim->now_ns, &frame.seq), 0);
		put(sim, frame);
	}
	while ((due = link_stream_due(&sim->from, sim->now_ns))) {
		assert_int_equal(due->len_bytes, sizeof(frame.value));
		memcpy(&frame.value, due->bytes, sizeof(frame.value));
		frame.seq = due->seq;
		put(sim, frame);
	}
}

static void arrive(struct simulation *sim, struct wire_frame *frame)
{
	frame->is_used = false;
	if (frame->is_ack) {
		link_stream_acked(&sim->from, &frame->ack, sim->now_ns);
		return;
	}
	if (link_stream_arrived(&sim->to, frame->seq)) {
		sim->taken[frame->value]++;
		sim->delivered++;
	}
}

static void step(struct simulation *sim)
{
	sim->now_ns += TICK_NS;
	for (unsigned i = 0; i < WIRE_FRAMES; i++)
		if (sim->wire[i].is_used &&
		    sim->wire[i].arrives_ns <= sim->now_ns)
			arrive(sim, &sim->wire[i]);
	if (sim->to.owes_ack) {
		sim->to.owes_ack = false;
		put(sim, (struct wire_frame) { .is_ack = true,
					       .ack = sim->to.received });
	}
	send_all(sim);
}

/* Starts near the wrap of the numbers. */
static void set_up(struct simulation *sim, const struct pattern *pattern,
		   uint64_t seed)
{
	memset(sim, 0, sizeof(*sim));
	sim->pattern = pattern;
	sim->now_ns = 1000000000ull;
	random_sequence_init(&sim->random, seed, 0);
	link_stream_init(&sim->from);
	link_stream_init(&sim->to);
	sim->from.next_seq = sim->from.base_seq = UINT32_MAX - 100;
	sim->to.received.next = UINT32_MAX - 100;
}

static void tear_down(struct simulation *sim)
{
	link_stream_fini(&sim->from);
	link_stream_fini(&sim->to);
}

static uint64_t run(const struct pattern *pattern, uint64_t seed)
{
	static struct simulation sim;
	uint64_t start_ns, took_ns;

	set_up(&sim, pattern, seed);
	start_ns = sim.now_ns;
	while (sim.delivered < MESSAGES ||
	       link_stream_due_ns(&sim.from) != UINT64_MAX) {
		step(&sim);
		assert_true(sim.now_ns - start_ns < 600000000000ull);
		assert_true(link_stream_stalled_ns(&sim.from, sim.now_ns) <
			    5000000000ull);
	}
	for (unsigned i = 0; i < MESSAGES; i++)
		assert_int_equal(sim.taken[i], 1);
	assert_int_equal(link_stream_room(&sim.from), LINK_STREAM_WINDOW);
	if (!pattern->loss && !pattern->jitter_ns)
		assert_int_equal(sim.from.resent, 0);
	took_ns = sim.now_ns - start_ns;
	tear_down(&sim);
	return took_ns;
}

static void test_patterns(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		print_message("pattern %s\n", patterns[i].name);
		for (uint64_t seed = 1; seed <= 3; seed++)
			run(&patterns[i], seed);
	}
}

static void test_same_seed_same_time(void **state)
{
	(void)state;
	assert_true(run(&patterns[4], 7) == run(&patterns[4], 7));
	assert_true(run(&patterns[4], 7) != run(&patterns[4], 8));
}

static void test_silence(void **state)
{
	static struct simulation sim;
	const struct pattern dead = { "dead", 100, 0, 1000, 0 };
	unsigned i;

	(void)state;
	set_up(&sim, &dead, 1);
	assert_true(link_stream_stalled_ns(&sim.from, sim.now_ns) == 0);
	for (i = 0; i < 30000; i++)
		step(&sim);
	assert_int_equal(sim.pushed, LINK_STREAM_WINDOW);
	assert_int_equal(link_stream_room(&sim.from), 0);
	assert_true(link_stream_stalled_ns(&sim.from, sim.now_ns) >=
		    29999 * TICK_NS);
	/* Backed off: about one round each LINK_STREAM_MAX_RTO_NS. */
	assert_true(sim.from.resent >= 10 * LINK_STREAM_WINDOW &&
		    sim.from.resent <= 30 * LINK_STREAM_WINDOW);
	tear_down(&sim);
}

/* Whatever the other end claims, nothing ends that it cannot have. */
static void test_lying_acks(void **state)
{
	struct link_stream stream;
	struct link_stream_ack ack = { .next = 3, .bits = UINT64_MAX };
	uint32_t seq;

	(void)state;
	link_stream_init(&stream);
	assert_int_equal(link_stream_acked(&stream, &ack, 5), 0);
	assert_int_equal(link_stream_push(&stream, "x", 1, 1, &seq), 0);
	assert_int_equal(link_stream_push(&stream, "y", 1, 1, &seq), 0);
	assert_int_equal(link_stream_acked(&stream, &ack, 5), 0);
	ack.next = UINT32_MAX;
	assert_int_equal(link_stream_acked(&stream, &ack, 5), 0);
	assert_int_equal(link_stream_room(&stream), LINK_STREAM_WINDOW - 2);
	ack.next = 0;
	assert_int_equal(link_stream_acked(&stream, &ack, 5), 2);
	assert_int_equal(link_stream_acked(&stream, &ack, 5), 0);
	assert_int_equal(link_stream_room(&stream), LINK_STREAM_WINDOW);
	assert_int_equal(stream.next_seq, stream.base_seq);
	link_stream_fini(&stream);
}

static void test_far_numbers(void **state)
{
	struct link_stream stream;

	(void)state;
	link_stream_init(&stream);
	assert_false(link_stream_arrived(&stream, LINK_STREAM_WINDOW));
	assert_false(link_stream_arrived(&stream, UINT32_MAX));
	assert_true(link_stream_arrived(&stream, LINK_STREAM_WINDOW - 1));
	assert_false(link_stream_arrived(&stream, LINK_STREAM_WINDOW - 1));
	assert_true(link_stream_arrived(&stream, 0));
	assert_int_equal(stream.received.next, 1);
	assert_true(stream.received.bits ==
		    1ull << (LINK_STREAM_WINDOW - 2));
	link_stream_fini(&stream);
}

static void test_not_sent(void **state)
{
	struct link_stream stream;
	uint32_t seq;

	(void)state;
	link_stream_init(&stream);
	assert_int_equal(link_stream_push(&stream, "x", 1, 1000, &seq), 0);
	link_stream_not_sent(&stream, seq, 2000000000ull);
	assert_null(link_stream_due(&stream, 1999999999ull));
	assert_non_null(link_stream_due(&stream, 2000000000ull));
	link_stream_fini(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_same_seed_same_time),
		cmocka_unit_test(test_silence),
		cmocka_unit_test(test_lying_acks),
		cmocka_unit_test(test_far_numbers),
		cmocka_unit_test(test_not_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
