/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Collective operations of MPI with their results checked: barriers, each
 * root of a broadcast, reductions with known sums, exchanges of all with all
 * in equal and in unequal parts, nonblocking ones that overlap, and the same
 * on a part of the ranks. Any number of ranks from 2 on, on one machine.
 *
 *	collectives [MAX-BYTES [ROUNDS]]
 *
 * Run below mpirun by contrib/setup/mpi_judge.sh.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fabtests/expect.h"

#define DEADLINE_S	120
#define BARRIERS	50

struct group {
	MPI_Comm comm;
	int rank, ranks;
};

static unsigned long long bytes_checked;

static const int item_counts[] = {
	1, 3, 17, 100, 511, 1024, 1025, 5000, 20000, 65536, 262144,
};
#define ITEM_COUNTS	((int)(sizeof(item_counts) / sizeof(item_counts[0])))

static void *allocate(size_t len_bytes)
{
	void *buf = malloc(len_bytes ? len_bytes : 1);

	REQUIRE(buf);
	return buf;
}

static unsigned seed_of(int from, int to, int count)
{
	return (unsigned)from * 7919u + (unsigned)to * 104729u +
		(unsigned)count * 31u + 1u;
}

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

/* The last to enter was there before the first to leave. */
static void check_barrier(const struct group *g, long long entered_ns,
			  long long left_ns)
{
	long long last_in = 0, first_out = 0;

	MPI_Allreduce(&entered_ns, &last_in, 1, MPI_LONG_LONG, MPI_MAX,
		      g->comm);
	MPI_Allreduce(&left_ns, &first_out, 1, MPI_LONG_LONG, MPI_MIN,
		      g->comm);
	EXPECT(last_in <= first_out);
}

/* The clock is one for all ranks: they are processes of one machine. */
static void barriers(const struct group *g)
{
	long long entered_ns;
	int i;

	expect_stage("barriers");
	for (i = 0; i < BARRIERS; i++) {
		entered_ns = now_ns();
		MPI_Barrier(g->comm);
		check_barrier(g, entered_ns, now_ns());
	}
}

static void broadcast(const struct group *g, int count)
{
	size_t len_bytes = (size_t)count * sizeof(int);
	void *buf = allocate(len_bytes);
	int root;

	expect_stage("MPI_Bcast");
	for (root = 0; root < g->ranks; root++) {
		memset(buf, 0, len_bytes);
		if (g->rank == root)
			expect_fill(buf, len_bytes, seed_of(root, 0, count));
		MPI_Bcast(buf, count, MPI_INT, root, g->comm);
		EXPECT_FILLED(buf, len_bytes, seed_of(root, 0, count));
		bytes_checked += len_bytes;
	}
	free(buf);
}

/* Item i of rank r is r * 3 + i % 1000: sums and maxima follow. */
static void all_reduce(const struct group *g, int count)
{
	long long *in = allocate((size_t)count * sizeof(*in));
	long long *sum = allocate((size_t)count * sizeof(*sum));
	long long *max = allocate((size_t)count * sizeof(*max));
	long long ranks = g->ranks;
	int i;

	expect_stage("MPI_Allreduce");
	for (i = 0; i < count; i++)
		in[i] = g->rank * 3 + i % 1000;
	MPI_Allreduce(in, sum, count, MPI_LONG_LONG, MPI_SUM, g->comm);
	MPI_Allreduce(in, max, count, MPI_LONG_LONG, MPI_MAX, g->comm);
	for (i = 0; i < count; i++) {
		EXPECT_EQ(sum[i], 3 * ranks * (ranks - 1) / 2 +
			  ranks * (i % 1000));
		EXPECT_EQ(max[i], 3 * (ranks - 1) + i % 1000);
	}
	bytes_checked += 2 * (size_t)count * sizeof(*in);
	free(max);
	free(sum);
	free(in);
}

static void reduce_scatter(const struct group *g, int count)
{
	int *in = allocate((size_t)count * (size_t)g->ranks * sizeof(*in));
	int *out = allocate((size_t)count * sizeof(*out));
	int i, base = g->ranks * (g->ranks - 1) / 2;

	expect_stage("MPI_Reduce_scatter_block");
	for (i = 0; i < count * g->ranks; i++)
		in[i] = g->rank + i;
	MPI_Reduce_scatter_block(in, out, count, MPI_INT, MPI_SUM, g->comm);
	for (i = 0; i < count; i++)
		EXPECT_EQ(out[i], base + g->ranks * (g->rank * count + i));
	bytes_checked += (size_t)count * sizeof(*out);
	free(out);
	free(in);
}

static void all_to_all(const struct group *g, int count)
{
	size_t part = (size_t)count * sizeof(int);
	uint8_t *out = allocate(part * (size_t)g->ranks);
	uint8_t *in = allocate(part * (size_t)g->ranks);
	int peer;

	expect_stage("MPI_Alltoall");
	for (peer = 0; peer < g->ranks; peer++)
		expect_fill(out + part * (size_t)peer, part,
			    seed_of(g->rank, peer, count));
	MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, g->comm);
	for (peer = 0; peer < g->ranks; peer++)
		EXPECT_FILLED(in + part * (size_t)peer, part,
			      seed_of(peer, g->rank, count));
	bytes_checked += part * (size_t)g->ranks;
	free(in);
	free(out);
}

/* From @from to @to: nothing for some, much for others. */
static int uneven_bytes(int from, int to, int count)
{
	return (from + 2 * to) % 3 * count + (from == to ? 5 : 0);
}

struct uneven {
	uint8_t *buf;
	int *count, *offset;
};

static struct uneven uneven_create(const struct group *g, int count,
				   bool is_send)
{
	struct uneven u;
	int peer, total = 0;

	u.count = allocate((size_t)g->ranks * sizeof(int));
	u.offset = allocate((size_t)g->ranks * sizeof(int));
	for (peer = 0; peer < g->ranks; peer++) {
		u.count[peer] = is_send ? uneven_bytes(g->rank, peer, count) :
			uneven_bytes(peer, g->rank, count);
		u.offset[peer] = total;
		total += u.count[peer];
	}
	u.buf = allocate((size_t)total);
	return u;
}

static void uneven_destroy(struct uneven *u)
{
	free(u->buf);
	free(u->count);
	free(u->offset);
}

static void all_to_all_uneven(const struct group *g, int count)
{
	struct uneven out = uneven_create(g, count, true);
	struct uneven in = uneven_create(g, count, false);
	int peer;

	expect_stage("MPI_Alltoallv");
	for (peer = 0; peer < g->ranks; peer++)
		expect_fill(out.buf + out.offset[peer],
			    (size_t)out.count[peer],
			    seed_of(g->rank, peer, count));
	MPI_Alltoallv(out.buf, out.count, out.offset, MPI_BYTE,
		      in.buf, in.count, in.offset, MPI_BYTE, g->comm);
	for (peer = 0; peer < g->ranks; peer++) {
		EXPECT_FILLED(in.buf + in.offset[peer],
			      (size_t)in.count[peer],
			      seed_of(peer, g->rank, count));
		bytes_checked += (unsigned)in.count[peer];
	}
	uneven_destroy(&in);
	uneven_destroy(&out);
}

static void gather_and_scatter(const struct group *g, int count)
{
	size_t part = (size_t)count * sizeof(int);
	uint8_t *whole = allocate(part * (size_t)g->ranks);
	uint8_t *mine = allocate(part);
	int root = count % g->ranks, peer;

	expect_stage("MPI_Allgather, MPI_Scatter, MPI_Gather");
	expect_fill(mine, part, seed_of(g->rank, 1, count));
	MPI_Allgather(mine, count, MPI_INT, whole, count, MPI_INT, g->comm);
	for (peer = 0; peer < g->ranks; peer++)
		EXPECT_FILLED(whole + part * (size_t)peer, part,
			      seed_of(peer, 1, count));
	memset(mine, 0, part);
	MPI_Scatter(whole, count, MPI_INT, mine, count, MPI_INT, root,
		    g->comm);
	EXPECT_FILLED(mine, part, seed_of(g->rank, 1, count));
	memset(whole, 0, part * (size_t)g->ranks);
	MPI_Gather(mine, count, MPI_INT, whole, count, MPI_INT, root, g->comm);
	for (peer = 0; g->rank == root && peer < g->ranks; peer++)
		EXPECT_FILLED(whole + part * (size_t)peer, part,
			      seed_of(peer, 1, count));
	bytes_checked += part * (size_t)(g->ranks + 1);
	free(mine);
	free(whole);
}

/* A broadcast, a reduction and a barrier that are under way together. */
static void overlapping(const struct group *g, int count)
{
	size_t len_bytes = (size_t)count * sizeof(int);
	int *in = allocate(len_bytes), *sum = allocate(len_bytes);
	void *cast = allocate(len_bytes);
	MPI_Request request[3];
	int i, root = g->ranks - 1;

	expect_stage("nonblocking collectives");
	for (i = 0; i < count; i++)
		in[i] = g->rank + i;
	memset(cast, 0, len_bytes);
	if (g->rank == root)
		expect_fill(cast, len_bytes, seed_of(root, 2, count));
	MPI_Ibcast(cast, count, MPI_INT, root, g->comm, &request[0]);
	MPI_Iallreduce(in, sum, count, MPI_INT, MPI_SUM, g->comm, &request[1]);
	MPI_Ibarrier(g->comm, &request[2]);
	EXPECT_EQ(MPI_Waitall(3, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
	EXPECT_FILLED(cast, len_bytes, seed_of(root, 2, count));
	for (i = 0; i < count; i++)
		EXPECT_EQ(sum[i], g->ranks * (g->ranks - 1) / 2 +
			  g->ranks * i);
	bytes_checked += 2 * len_bytes;
	free(cast);
	free(sum);
	free(in);
}

static void all_sizes(const struct group *g, size_t max_bytes)
{
	int i, count;

	for (i = 0; i < ITEM_COUNTS; i++) {
		count = item_counts[i];
		if ((size_t)count * sizeof(int) > max_bytes)
			break;
		broadcast(g, count);
		all_reduce(g, count);
		reduce_scatter(g, count);
		all_to_all(g, count);
		all_to_all_uneven(g, count);
		gather_and_scatter(g, count);
		overlapping(g, count);
	}
}

static void group_fill(struct group *g, MPI_Comm comm)
{
	g->comm = comm;
	MPI_Comm_rank(comm, &g->rank);
	MPI_Comm_size(comm, &g->ranks);
}

/* Odd and even ranks by themselves, in reverse order. */
static void halves(const struct group *world)
{
	struct group half;
	MPI_Comm comm;

	MPI_Comm_split(world->comm, world->rank % 2, -world->rank, &comm);
	group_fill(&half, comm);
	all_sizes(&half, 20000 * sizeof(int));
	MPI_Comm_free(&comm);
}

static int report(const struct group *g, int failed)
{
	unsigned long long total = 0;
	int sum = 0;

	expect_stage("the report");
	MPI_Reduce(&bytes_checked, &total, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM,
		   0, g->comm);
	MPI_Allreduce(&failed, &sum, 1, MPI_INT, MPI_SUM, g->comm);
	if (!g->rank)
		printf("collectives: %d ranks, %llu bytes checked, %s\n",
		       g->ranks, total, sum ? "FAILED" : "ok");
	return sum ? 1 : 0;
}

int main(int argc, char **argv)
{
	int max_bytes = argc > 1 ? atoi(argv[1]) : 1 << 20;
	int rounds = argc > 2 ? atoi(argv[2]) : 1, round, failed;
	struct group world;

	expect_deadline(DEADLINE_S);
	expect_stage("MPI_Init");
	MPI_Init(&argc, &argv);
	group_fill(&world, MPI_COMM_WORLD);
	REQUIRE(world.ranks >= 2 && max_bytes > 0 && rounds > 0);
	for (round = 0; round < rounds; round++) {
		barriers(&world);
		all_sizes(&world, (size_t)max_bytes);
		halves(&world);
	}
	failed = report(&world, expect_result());
	expect_stage("MPI_Finalize");
	MPI_Finalize();
	return failed;
}
