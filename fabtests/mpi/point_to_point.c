/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Point-to-point messages of MPI whose every byte, sender, tag and length is
 * checked: pairs at all sizes, storms of nonblocking messages received in
 * another order than they are sent, receives from any source, and messages
 * that arrive before their receives. Any number of ranks from 2 on.
 *
 *	point_to_point [MAX-BYTES [ROUNDS]]
 *
 * Run below mpirun by contrib/setup/mpi_judge.sh.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabtests/expect.h"

#define DEADLINE_S	120
#define STORM		48	/* messages to each rank, all in flight */
#define EARLY		40	/* messages that wait for their receives */
#define TAG_PAIR	1
#define TAG_EARLY	7
#define TAG_ANSWER	9
#define TAG_STORM	100

static int rank, ranks;
static unsigned long long bytes_checked;

/* The protocols' limits lie at and beside these. */
static const int pair_bytes[] = {
	0, 1, 7, 32, 64, 333, 4095, 4096, 4097, 8191, 8192, 8193, 16384,
	32768, 65535, 65536, 65537, 131072, 262143, 1 << 20, (1 << 20) + 3,
	4 << 20, 16 << 20,
};
static const int storm_bytes[] = {
	0, 8, 100, 1024, 4000, 8160, 9000, 20000, 70000, 200000,
};
#define PAIR_SIZES	((int)(sizeof(pair_bytes) / sizeof(pair_bytes[0])))
#define STORM_SIZES	((int)(sizeof(storm_bytes) / sizeof(storm_bytes[0])))

/* What the bytes of message @number from @from to @to follow from. */
static unsigned seed_of(int from, int to, int number)
{
	return (unsigned)from * 7919u + (unsigned)to * 104729u +
		(unsigned)number * 31u + 1u;
}

static void *allocate(size_t len_bytes)
{
	void *buf = malloc(len_bytes ? len_bytes : 1);

	REQUIRE(buf);
	return buf;
}

static void check_message(const void *buf, int len_bytes,
			  const MPI_Status *status, int number)
{
	int count = -1;

	EXPECT_EQ(MPI_Get_count(status, MPI_BYTE, &count), MPI_SUCCESS);
	EXPECT_EQ(count, len_bytes);
	EXPECT_FILLED(buf, (size_t)len_bytes,
		      seed_of(status->MPI_SOURCE, rank, number));
	bytes_checked += (unsigned)len_bytes;
}

/* Each rank sends to the next and receives from the previous one. */
static void ring_of_one_size(int len_bytes, int number)
{
	int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
	uint8_t *out = allocate((size_t)len_bytes);
	uint8_t *in = allocate((size_t)len_bytes + 1);
	MPI_Status status;

	expect_fill(out, (size_t)len_bytes, seed_of(rank, next, number));
	in[len_bytes] = 0x5a;
	MPI_Sendrecv(out, len_bytes, MPI_BYTE, next, TAG_PAIR,
		     in, len_bytes + 1, MPI_BYTE, previous, TAG_PAIR,
		     MPI_COMM_WORLD, &status);
	EXPECT_EQ(status.MPI_SOURCE, previous);
	EXPECT_EQ(status.MPI_TAG, TAG_PAIR);
	EXPECT_EQ(in[len_bytes], 0x5a);
	check_message(in, len_bytes, &status, number);
	free(in);
	free(out);
}

static void pairs(int max_bytes)
{
	int i;

	expect_stage("pairs at all sizes");
	for (i = 0; i < PAIR_SIZES && pair_bytes[i] <= max_bytes; i++)
		ring_of_one_size(pair_bytes[i], i);
}

/* Message @number of a storm; each has a tag of its own. */
struct storm_message {
	uint8_t *buf;
	int len_bytes, peer, number;
};

static int storm_length(int from, int to, int number)
{
	unsigned seed = seed_of(from, to, number);

	return storm_bytes[seed / 31u % STORM_SIZES] + (int)(seed % 5u);
}

static void storm_fill(struct storm_message *list, bool is_send)
{
	int peer, number, from, to, count = 0;

	for (peer = 0; peer < ranks; peer++)
		for (number = 0; number < STORM; number++) {
			from = is_send ? rank : peer;
			to = is_send ? peer : rank;
			list[count].peer = peer;
			list[count].number = number;
			list[count].len_bytes = storm_length(from, to, number);
			list[count].buf =
				allocate((size_t)list[count].len_bytes);
			if (is_send)
				expect_fill(list[count].buf,
					    (size_t)list[count].len_bytes,
					    seed_of(from, to, number));
			count++;
		}
}

/* The order in which @count messages are posted: all once, mixed up. */
static void shuffle(struct storm_message *list, int count, unsigned seed)
{
	struct storm_message swap;
	int i, other;

	for (i = count - 1; i > 0; i--) {
		seed = seed * 1103515245u + 12345u;
		other = (int)((seed >> 8) % (unsigned)(i + 1));
		swap = list[i];
		list[i] = list[other];
		list[other] = swap;
	}
}

static void storm_check(struct storm_message *in, const MPI_Status *status,
			int count)
{
	int i;

	for (i = 0; i < count; i++) {
		EXPECT_EQ(status[i].MPI_SOURCE, in[i].peer);
		EXPECT_EQ(status[i].MPI_TAG, TAG_STORM + in[i].number);
		check_message(in[i].buf, in[i].len_bytes, &status[i],
			      in[i].number);
	}
}

static void storm_post(struct storm_message *in, struct storm_message *out,
		       int count, MPI_Request *request)
{
	int i;

	for (i = 0; i < count; i++) {
		MPI_Irecv(in[i].buf, in[i].len_bytes, MPI_BYTE, in[i].peer,
			  TAG_STORM + in[i].number, MPI_COMM_WORLD,
			  &request[i]);
		MPI_Isend(out[i].buf, out[i].len_bytes, MPI_BYTE, out[i].peer,
			  TAG_STORM + out[i].number, MPI_COMM_WORLD,
			  &request[count + i]);
	}
}

/* All ranks to all ranks, themselves included, everything at a time. */
static void storm(unsigned round)
{
	int count = ranks * STORM, i;
	struct storm_message *in = allocate((size_t)count * sizeof(*in));
	struct storm_message *out = allocate((size_t)count * sizeof(*out));
	MPI_Request *request = allocate(2 * (size_t)count * sizeof(*request));
	MPI_Status *status = allocate(2 * (size_t)count * sizeof(*status));

	expect_stage("a storm of nonblocking messages");
	storm_fill(in, false);
	storm_fill(out, true);
	shuffle(in, count, round * 17u + (unsigned)rank);
	shuffle(out, count, round * 23u + (unsigned)rank + 1000u);
	storm_post(in, out, count, request);
	EXPECT_EQ(MPI_Waitall(2 * count, request, status), MPI_SUCCESS);
	storm_check(in, status, count);
	for (i = 0; i < count; i++) {
		free(in[i].buf);
		free(out[i].buf);
	}
	free(status);
	free(request);
	free(out);
	free(in);
}

static int early_length(int from, int number)
{
	return number % 9 == 8 ? 150000 + from : number % 4 * 3000 + from;
}

/* Rank 0 takes what it can get, learning the size from a probe. */
static void early_receive(void)
{
	int *seen = allocate((size_t)ranks * sizeof(*seen));
	int left = (ranks - 1) * EARLY, count;
	MPI_Status status;
	void *buf;

	memset(seen, 0, (size_t)ranks * sizeof(*seen));
	while (left--) {
		MPI_Probe(MPI_ANY_SOURCE, TAG_EARLY, MPI_COMM_WORLD, &status);
		MPI_Get_count(&status, MPI_BYTE, &count);
		buf = allocate((size_t)count);
		MPI_Recv(buf, count, MPI_BYTE, status.MPI_SOURCE, TAG_EARLY,
			 MPI_COMM_WORLD, &status);
		/* Messages of one sender and tag do not overtake. */
		check_message(buf, early_length(status.MPI_SOURCE,
						seen[status.MPI_SOURCE]),
			      &status, seen[status.MPI_SOURCE]);
		seen[status.MPI_SOURCE]++;
		free(buf);
	}
	for (count = 1; count < ranks; count++)
		EXPECT_EQ(seen[count], EARLY);
	free(seen);
}

/* Sent before the barrier, received after it: unexpected at rank 0. */
static void early_send(void)
{
	MPI_Request request[EARLY];
	void *buf[EARLY];
	int i, len_bytes;

	for (i = 0; i < EARLY; i++) {
		len_bytes = early_length(rank, i);
		buf[i] = allocate((size_t)len_bytes);
		expect_fill(buf[i], (size_t)len_bytes, seed_of(rank, 0, i));
		MPI_Isend(buf[i], len_bytes, MPI_BYTE, 0, TAG_EARLY,
			  MPI_COMM_WORLD, &request[i]);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	EXPECT_EQ(MPI_Waitall(EARLY, request, MPI_STATUSES_IGNORE),
		  MPI_SUCCESS);
	for (i = 0; i < EARLY; i++)
		free(buf[i]);
}

static void early(void)
{
	expect_stage("messages before their receives, from any source");
	if (rank) {
		early_send();
		return;
	}
	MPI_Barrier(MPI_COMM_WORLD);
	early_receive();
}

/* Any source and any tag, each answered synchronously to its sender. */
static void questions(void)
{
	int i, number;
	MPI_Status status;

	expect_stage("questions from any source, answered");
	if (rank) {
		for (i = 0; i < EARLY; i++) {
			number = rank * 1000 + i;
			MPI_Ssend(&number, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
			MPI_Recv(&number, 1, MPI_INT, 0, TAG_ANSWER,
				 MPI_COMM_WORLD, &status);
			EXPECT_EQ(number, -(rank * 1000 + i));
		}
		return;
	}
	for (i = 0; i < (ranks - 1) * EARLY; i++) {
		MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
			 MPI_COMM_WORLD, &status);
		EXPECT_EQ(number, status.MPI_SOURCE * 1000 + status.MPI_TAG);
		number = -number;
		MPI_Ssend(&number, 1, MPI_INT, status.MPI_SOURCE, TAG_ANSWER,
			  MPI_COMM_WORLD);
	}
}

/* Every second int of a column: data that is not in one piece. */
static void strided(void)
{
	enum { COLUMN = 3000 };
	int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
	int out[2 * COLUMN], in[2 * COLUMN], i;
	MPI_Datatype column;

	expect_stage("strided data");
	for (i = 0; i < 2 * COLUMN; i++) {
		out[i] = rank * 1000000 + i;
		in[i] = -1;
	}
	MPI_Type_vector(COLUMN, 1, 2, MPI_INT, &column);
	MPI_Type_commit(&column);
	MPI_Sendrecv(out, 1, column, next, TAG_PAIR, in, 1, column, previous,
		     TAG_PAIR, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (i = 0; i < 2 * COLUMN; i++)
		EXPECT_EQ(in[i], i % 2 ? -1 : previous * 1000000 + i);
	MPI_Type_free(&column);
}

/* @failed of this rank; the sum over all, and what was checked, is told. */
static int report(int failed)
{
	unsigned long long total = 0;
	int sum = 0;

	expect_stage("the report");
	MPI_Reduce(&bytes_checked, &total, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM,
		   0, MPI_COMM_WORLD);
	MPI_Allreduce(&failed, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("point_to_point: %d ranks, %llu bytes checked, %s\n",
		       ranks, total, sum ? "FAILED" : "ok");
	return sum ? 1 : 0;
}

int main(int argc, char **argv)
{
	int max_bytes = argc > 1 ? atoi(argv[1]) : 4 << 20;
	int rounds = argc > 2 ? atoi(argv[2]) : 2, round, failed;

	expect_deadline(DEADLINE_S);
	expect_stage("MPI_Init");
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	REQUIRE(ranks >= 2 && max_bytes > 0 && rounds > 0);
	for (round = 0; round < rounds; round++) {
		pairs(max_bytes);
		storm((unsigned)round);
		early();
		questions();
		/* Rank 0 took any tag: nobody may be further before. */
		MPI_Barrier(MPI_COMM_WORLD);
		strided();
	}
	failed = report(expect_result());
	expect_stage("MPI_Finalize");
	MPI_Finalize();
	return failed;
}
