/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What match_cost.sh counts the instructions of: one match, with a number of
 * receives or of unexpected messages outstanding, in the ways that programs
 * have them. Each cost_ function does one match and is entered often; the
 * rest of the program is not collected.
 *
 *	match_cost OUTSTANDING
 *
 * Prints a line for each function: its name and how often it was entered.
 */
#include <stdio.h>
#include <stdlib.h>

#include "rdm/tag_match.h"

#define ROUNDS		1000u
#define SOURCES		64u
/* What MPI has in every ignore mask: bits of its own protocol. */
#define MPI_IGNORE	0x6000000000000000u
#define MPI_ANY_TAG	(MPI_IGNORE | 0x7fffffffu)

/* A function of its own, also where another one is the same. */
#ifdef __clang__
#define MEASURED	__attribute__((noinline))
#else
#define MEASURED	__attribute__((noinline, noclone, no_icf))
#endif

static struct rdm_match match;
static struct rdm_match_recv *recvs;
static struct rdm_match_message *messages;
static unsigned int outstanding;

/* ---- what is measured ---- */

/* A message has come: the receive that takes it is not posted any more. */
static inline struct rdm_match_recv *arrive(uint64_t source, uint64_t tag)
{
	struct rdm_match_recv *recv = rdm_match_find_recv(&match, source, tag);

	if (recv)
		rdm_match_remove_recv(&match, recv);
	return recv;
}

static MEASURED struct rdm_match_recv *
cost_arrive_tags(uint64_t source, uint64_t tag)
{
	return arrive(source, tag);
}

static MEASURED struct rdm_match_recv *
cost_arrive_queue(uint64_t source, uint64_t tag)
{
	return arrive(source, tag);
}

static MEASURED struct rdm_match_recv *
cost_arrive_kinds(uint64_t source, uint64_t tag)
{
	return arrive(source, tag);
}

static MEASURED void
cost_arrive_unexpected(struct rdm_match_message *message)
{
	if (!rdm_match_find_recv(&match, message->source, message->tag))
		rdm_match_add_message(&match, message);
}

/* A receive is posted: it takes a message, or stays. */
static inline struct rdm_match_message *post(struct rdm_match_recv *recv)
{
	struct rdm_match_message *message =
		rdm_match_find_message(&match, recv);

	if (message)
		rdm_match_remove_message(&match, message);
	else
		rdm_match_add_recv(&match, recv);
	return message;
}

static MEASURED struct rdm_match_message *
cost_post_tags(struct rdm_match_recv *recv)
{
	return post(recv);
}

static MEASURED struct rdm_match_message *
cost_post_any(struct rdm_match_recv *recv)
{
	return post(recv);
}

static MEASURED struct rdm_match_message *
cost_post_nothing(struct rdm_match_recv *recv)
{
	return post(recv);
}

/* ---- the situations ---- */

static void begin(void)
{
	rdm_match_init(&match, 1);
}

static void end(const char *name)
{
	rdm_match_fini(&match);
	printf("%s %u\n", name, ROUNDS);
}

/* Any of them in turn, far apart. */
static unsigned int pick(unsigned int round)
{
	return (unsigned int)(round * 2654435761u) % outstanding;
}

static void require(int is_true, const char *what)
{
	if (is_true)
		return;
	fprintf(stderr, "match_cost: %s\n", what);
	exit(1);
}

static void run_arrive_tags(void)
{
	begin();
	for (unsigned int i = 0; i < outstanding; i++) {
		rdm_match_recv_set(&recvs[i], i % SOURCES, i, MPI_IGNORE);
		rdm_match_add_recv(&match, &recvs[i]);
	}
	for (unsigned int round = 0; round < ROUNDS; round++) {
		unsigned int i = pick(round);

		require(cost_arrive_tags(i % SOURCES, i) == &recvs[i],
			"a message matched the wrong receive");
		rdm_match_add_recv(&match, &recvs[i]);
	}
	end("cost_arrive_tags");
}

static void run_arrive_queue(void)
{
	struct rdm_match_recv *recv;

	begin();
	for (unsigned int i = 0; i < outstanding; i++) {
		rdm_match_recv_set(&recvs[i], 1, 1, MPI_IGNORE);
		rdm_match_add_recv(&match, &recvs[i]);
	}
	for (unsigned int round = 0; round < ROUNDS; round++) {
		recv = cost_arrive_queue(1, 1);
		require(recv == &recvs[round % outstanding],
			"a message matched out of order");
		rdm_match_add_recv(&match, recv);
	}
	end("cost_arrive_queue");
}

/* Receives from one source or any, with one tag or any: all four kinds. */
static void run_arrive_kinds(void)
{
	begin();
	for (unsigned int i = 0; i < outstanding; i++) {
		rdm_match_recv_set(&recvs[i],
				   i & 1 ? RDM_MATCH_ANY_SOURCE : i,
				   (uint64_t)i << 32,
				   i & 2 ? MPI_ANY_TAG : MPI_IGNORE);
		rdm_match_add_recv(&match, &recvs[i]);
	}
	for (unsigned int round = 0; round < ROUNDS; round++) {
		unsigned int i = pick(round);

		require(cost_arrive_kinds(i, (uint64_t)i << 32) == &recvs[i],
			"a message matched the wrong receive");
		rdm_match_add_recv(&match, &recvs[i]);
	}
	end("cost_arrive_kinds");
}

static void add_messages(void)
{
	begin();
	for (unsigned int i = 0; i < outstanding; i++) {
		messages[i].source = i % SOURCES;
		messages[i].tag = i;
		rdm_match_add_message(&match, &messages[i]);
	}
}

/* Also what it costs to find the message again that has just come. */
static void run_post_tags(void)
{
	struct rdm_match_recv recv;

	add_messages();
	for (unsigned int round = 0; round < ROUNDS; round++) {
		unsigned int i = pick(round);

		rdm_match_recv_set(&recv, i % SOURCES, i, MPI_IGNORE);
		if (round == 0)	/* fills the hash of the kind */
			rdm_match_find_message(&match, &recv);
		require(cost_post_tags(&recv) == &messages[i],
			"a receive took the wrong message");
		rdm_match_add_message(&match, &messages[i]);
	}
	end("cost_post_tags");
}

static void run_post_any(void)
{
	struct rdm_match_message *message;
	struct rdm_match_recv recv;

	add_messages();
	rdm_match_recv_set(&recv, RDM_MATCH_ANY_SOURCE, 0, MPI_ANY_TAG);
	rdm_match_find_message(&match, &recv);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		message = cost_post_any(&recv);
		require(message == &messages[round % outstanding],
			"a receive took a message out of order");
		rdm_match_add_message(&match, message);
	}
	end("cost_post_any");
}

static void run_post_nothing(void)
{
	struct rdm_match_recv recv;

	add_messages();
	for (unsigned int round = 0; round < ROUNDS; round++) {
		rdm_match_recv_set(&recv, SOURCES, round, MPI_IGNORE);
		if (round == 0)
			rdm_match_find_message(&match, &recv);
		require(!cost_post_nothing(&recv),
			"a receive took a message of another source");
		rdm_match_remove_recv(&match, &recv);
	}
	end("cost_post_nothing");
}

static void run_arrive_unexpected(void)
{
	struct rdm_match_message message;

	begin();
	for (unsigned int i = 0; i < outstanding; i++) {
		rdm_match_recv_set(&recvs[i], i % SOURCES, i, MPI_IGNORE);
		rdm_match_add_recv(&match, &recvs[i]);
	}
	for (unsigned int round = 0; round < ROUNDS; round++) {
		message.source = SOURCES;
		message.tag = round;
		cost_arrive_unexpected(&message);
		require(rdm_match_first_message(&match) == &message,
			"a message matched a receive of another source");
		rdm_match_remove_message(&match, &message);
	}
	end("cost_arrive_unexpected");
}

int main(int argc, char **argv)
{
	outstanding = argc == 2 ? (unsigned int)strtoul(argv[1], NULL, 10) : 0;
	if (!outstanding || outstanding > 1000000) {
		fprintf(stderr, "usage: match_cost 1..1000000\n");
		return 2;
	}
	recvs = calloc(outstanding, sizeof(*recvs));
	messages = calloc(outstanding, sizeof(*messages));
	require(recvs && messages, "no memory");
	run_arrive_tags();
	run_arrive_queue();
	run_arrive_kinds();
	run_arrive_unexpected();
	run_post_tags();
	run_post_any();
	run_post_nothing();
	free(messages);
	free(recvs);
	return 0;
}
