/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Objects closed in every order, with work outstanding and completions
 * unread: what is in use stays, and in the end everything is gone, in time
 * and in silence. With an argument the peers are silent as well, by a fault
 * of the device.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define OBJECTS		4
#define ORDERS		24
#define CLOSE_SECONDS	10

enum object { EP, AV, CQ, MR };

static struct fid *fid_of(struct fab_endpoint *e, enum object object)
{
	switch (object) {
	case EP:
		return &e->ep->fid;
	case AV:
		return &e->av->fid;
	case CQ:
		return &e->cq->fid;
	default:
		return &e->mr->fid;
	}
}

/* Number @order of the permutations of 0 to 3. */
static void permute(unsigned order, enum object *objects)
{
	enum object rest[OBJECTS] = { EP, AV, CQ, MR };

	for (unsigned left = OBJECTS; left; left--) {
		unsigned pick = order % left;

		order /= left;
		*objects++ = rest[pick];
		memmove(&rest[pick], &rest[pick + 1],
			(left - pick - 1) * sizeof(*rest));
	}
}

/* Those that the endpoint uses are closed when it is. */
static void close_in(struct fab_endpoint *e, unsigned order)
{
	enum object objects[OBJECTS];
	bool closed[OBJECTS] = { false };

	permute(order, objects);
	for (int i = 0; i < OBJECTS; i++) {
		bool used = !closed[EP] && objects[i] != EP &&
			    objects[i] != MR;

		EXPECT_EQ(fi_close(fid_of(e, objects[i])),
			  used ? -FI_EBUSY : 0);
		closed[objects[i]] = !used;
		EXPECT_EQ(fi_close(&e->domain->fid), i < OBJECTS - 1 ||
			  !closed[AV] || !closed[CQ] ? -FI_EBUSY : 0);
	}
	if (closed[AV] && closed[CQ])
		return;
	for (int i = 0; i < OBJECTS; i++)
		if (!closed[i])
			EXPECT_EQ(fi_close(fid_of(e, (enum object)i)), 0);
	EXPECT_EQ(fi_close(&e->domain->fid), 0);
}

static void load(struct fab_endpoint *e)
{
	fab_connect(e, e->addr);
	for (unsigned i = 0; i < 8; i++) {
		REQUIRE_EQ(fab_recv(e, 1, 4096, 64), 0);
		/* twice as many as there are receives */
		REQUIRE_EQ(fab_send(e, 2, 0, 64), 0);
		REQUIRE_EQ(fab_send(e, 2, 0, 64), 0);
	}
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void check_orders(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint e;
	double begin;

	expect_stage("every order of closing");
	for (unsigned order = 0; order < ORDERS; order++) {
		fab_open(&e, &wish);
		load(&e);
		begin = now();
		close_in(&e, order);
		EXPECT(now() - begin < CLOSE_SECONDS);
		EXPECT_EQ(fi_close(&e.fabric->fid), 0);
		fi_freeinfo(e.info);
		munmap(e.buf, e.buf_len);
	}
}

/* Nobody answers; the endpoint goes nevertheless, and leaves nothing. */
static void check_silent_peer(void)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint a, b;
	struct fi_cq_data_entry entry;
	double begin;

	expect_stage("a peer that does not answer");
	fab_open(&a, &wish);
	fab_open(&b, &wish);
	fab_connect(&a, b.addr);
	for (unsigned i = 0; i < 16; i++)
		REQUIRE_EQ(fab_send(&a, 1, 0, 64), 0);
	REQUIRE_EQ(fi_inject(a.ep, a.buf, 8, a.peer), 0);
	begin = now();
	EXPECT_EQ(fi_close(&a.ep->fid), 0);
	EXPECT(now() - begin < CLOSE_SECONDS);
	EXPECT_EQ(fi_cq_read(a.cq, &entry, 1), -FI_EAGAIN);
	EXPECT_EQ(fi_close(&a.cq->fid), 0);
	EXPECT_EQ(fi_close(&a.av->fid), 0);
	EXPECT_EQ(fi_close(&a.mr->fid), 0);
	EXPECT_EQ(fi_close(&a.domain->fid), 0);
	EXPECT_EQ(fi_close(&a.fabric->fid), 0);
	fi_freeinfo(a.info);
	munmap(a.buf, a.buf_len);
	fab_close(&b);
}

int main(int argc, char **argv)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint e;

	expect_deadline(120);
	fab_open(&e, &wish);
	if (fab_is_in_tree(e.info))
		expect_skip("silence after close: the in-tree provider leaves completions");
	fab_close(&e);
	if (argc > 1)
		check_silent_peer();
	else
		check_orders();
	return expect_result();
}
