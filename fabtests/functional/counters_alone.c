/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An application that looks at nothing but counters: it can post more than
 * its CQ has room for, and every operation is counted once. A device with
 * counters of its own (softefa's profile next, which on_profile_next.sh runs
 * this on) also tells what peers do without a word.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <rdma/fi_rma.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define MANY	40000u		/* a CQ has 32768 entries at most */
#define FEW	10u
#define LEN	256u
#define WAIT_MS	60000

enum { SEND, RECV, READ, WRITE, REMOTE_READ, REMOTE_WRITE, OPS };

static const uint64_t op_flag[OPS] = {
	FI_SEND, FI_RECV, FI_READ, FI_WRITE, FI_REMOTE_READ, FI_REMOTE_WRITE,
};

static struct fab_endpoint e;	/* for domain, vector and buffer */

/* An endpoint with a counter for each operation. */
struct counted {
	struct fid_ep *ep;
	struct fid_cq *cq;
	struct fid_cntr *cntr[OPS];
	fi_addr_t addr;
};

static struct counted a, b;	/* a acts, b is acted on */
static bool device_counts;

static void open_counted(struct counted *c)
{
	struct fi_cntr_attr cntr_attr = { .wait_obj = FI_WAIT_UNSPEC };
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_MSG };
	uint8_t addr[FAB_ADDR_MAX];
	size_t len = sizeof(addr);

	REQUIRE_EQ(fi_cq_open(e.domain, &cq_attr, &c->cq, NULL), 0);
	REQUIRE_EQ(fi_endpoint(e.domain, e.info, &c->ep, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(c->ep, &e.av->fid, 0), 0);
	REQUIRE_EQ(fi_ep_bind(c->ep, &c->cq->fid, FI_TRANSMIT | FI_RECV |
			      FI_SELECTIVE_COMPLETION), 0);
	for (int i = 0; i < OPS; i++) {
		REQUIRE_EQ(fi_cntr_open(e.domain, &cntr_attr, &c->cntr[i],
					NULL), 0);
		REQUIRE_EQ(fi_ep_bind(c->ep, &c->cntr[i]->fid, op_flag[i]),
			   0);
	}
	REQUIRE_EQ(fi_enable(c->ep), 0);
	REQUIRE_EQ(fi_getname(&c->ep->fid, addr, &len), 0);
	REQUIRE_EQ(fi_av_insert(e.av, addr, 1, &c->addr, 0, NULL), 1);
}

static void close_counted(struct counted *c)
{
	EXPECT_EQ(fi_close(&c->cntr[SEND]->fid), -FI_EBUSY);
	EXPECT_EQ(fi_close(&c->ep->fid), 0);
	EXPECT_EQ(fi_close(&c->cq->fid), 0);
	for (int i = 0; i < OPS; i++)
		EXPECT_EQ(fi_close(&c->cntr[i]->fid), 0);
}

static void expect_counts(struct counted *c, const unsigned counts[OPS])
{
	for (int i = 0; i < OPS; i++) {
		if (!EXPECT_EQ(fi_cntr_wait(c->cntr[i], counts[i], WAIT_MS),
			       0))
			expect_give_up();
		EXPECT_EQ(fi_cntr_read(c->cntr[i]), counts[i]);
		EXPECT_EQ(fi_cntr_readerr(c->cntr[i]), 0);
	}
}

static ssize_t write_once(void)
{
	return fi_write(a.ep, e.buf, LEN, e.desc, b.addr,
			(uintptr_t)e.buf + LEN, fi_mr_key(e.mr),
			&e.contexts[0]);
}

/* More than the CQ's ring and the send queue take: reading the counter is
 * all that makes room again. */
static void post_more_than_the_cq(void)
{
	ssize_t ret;

	expect_stage("more than the CQ has room for");
	for (unsigned i = 0; i < MANY; i++) {
		while ((ret = write_once()) == -FI_EAGAIN) {
			EXPECT(fi_cntr_read(a.cntr[WRITE]) <= i);
			sched_yield();
		}
		REQUIRE_EQ(ret, 0);
	}
	expect_counts(&a, (unsigned[OPS]){ [WRITE] = MANY });
	expect_counts(&b, (unsigned[OPS]){
			[REMOTE_WRITE] = device_counts ? MANY : 0 });
	EXPECT_EQ(fi_cntr_set(a.cntr[WRITE], 0), 0);
	EXPECT_EQ(fi_cntr_set(b.cntr[REMOTE_WRITE], 0), 0);
}

static void count_each_kind(void)
{
	expect_stage("a few of each kind");
	for (unsigned i = 0; i < FEW; i++) {
		REQUIRE_EQ(fi_recv(b.ep, e.buf, LEN, e.desc, FI_ADDR_UNSPEC,
				   &e.contexts[i]), 0);
		REQUIRE_EQ(fi_send(a.ep, e.buf + LEN, LEN, e.desc, b.addr,
				   &e.contexts[i]), 0);
		REQUIRE_EQ(fi_read(a.ep, e.buf, LEN, e.desc, b.addr,
				   (uintptr_t)e.buf + LEN, fi_mr_key(e.mr),
				   &e.contexts[i]), 0);
		REQUIRE_EQ(write_once(), 0);
	}
	expect_counts(&a, (unsigned[OPS]){
			[SEND] = FEW, [READ] = FEW, [WRITE] = FEW });
	expect_counts(&b, (unsigned[OPS]){
			[RECV] = FEW,
			[REMOTE_READ] = device_counts ? FEW : 0,
			[REMOTE_WRITE] = device_counts ? FEW : 0 });
}

/* A write with data is one of the peer's, and no receive even where it uses
 * one up. */
static void count_data(void)
{
	const bool takes_receives = e.info->mode & FI_RX_CQ_DATA;

	expect_stage("a write with data");
	if (takes_receives)
		REQUIRE_EQ(fi_recv(b.ep, e.buf, LEN, e.desc, FI_ADDR_UNSPEC,
				   &e.contexts[0]), 0);
	REQUIRE_EQ(fi_writedata(a.ep, e.buf, LEN, e.desc, 7, b.addr,
				(uintptr_t)e.buf + LEN, fi_mr_key(e.mr),
				&e.contexts[0]), 0);
	expect_counts(&a, (unsigned[OPS]){
			[SEND] = FEW, [READ] = FEW, [WRITE] = FEW + 1 });
	expect_counts(&b, (unsigned[OPS]){
			[RECV] = FEW,
			[REMOTE_READ] = device_counts ? FEW : 0,
			[REMOTE_WRITE] = device_counts ? FEW + 1 : 1 });
}

static void set_and_add(void)
{
	struct fid_cntr *cntr = a.cntr[WRITE];

	expect_stage("values of the application's");
	EXPECT_EQ(fi_cntr_set(cntr, 3), 0);
	EXPECT_EQ(fi_cntr_read(cntr), 3);
	EXPECT_EQ(fi_cntr_add(cntr, 4), 0);
	REQUIRE_EQ(write_once(), 0);
	EXPECT_EQ(fi_cntr_wait(cntr, 8, WAIT_MS), 0);
	EXPECT_EQ(fi_cntr_read(cntr), 8);
	EXPECT_EQ(fi_cntr_wait(cntr, 9, 1), -FI_ETIMEDOUT);
	EXPECT_EQ(fi_cntr_adderr(cntr, 2), 0);
	EXPECT_EQ(fi_cntr_readerr(cntr), 2);
	EXPECT_EQ(fi_cntr_seterr(cntr, 1), 0);
	EXPECT_EQ(fi_cntr_readerr(cntr), 1);
}

/* To a queue pair that nobody has: the one that was closed. */
static void count_failure(void)
{
	struct fi_cq_err_entry err;

	expect_stage("a failure");
	close_counted(&b);
	REQUIRE_EQ(fi_send(a.ep, e.buf, LEN, e.desc, b.addr, &e.contexts[5]),
		   0);
	EXPECT_EQ(fi_cntr_wait(a.cntr[SEND], FEW + 3, WAIT_MS), -FI_EAVAIL);
	EXPECT_EQ(fi_cntr_readerr(a.cntr[SEND]), 1);
	memset(&err, 0, sizeof(err));
	while (fi_cq_readerr(a.cq, &err, 0) == -FI_EAGAIN)
		sched_yield();
	EXPECT_EQ(fab_context_number(&e, err.op_context), 5);
	EXPECT_EQ(fi_cntr_readerr(a.cntr[SEND]), 1);
}

int main(void)
{
	const char *profile = getenv("TEST_PROFILE");
	struct fab_wish wish = fab_wish_rma();

	expect_deadline(300);
	device_counts = profile && !strcmp(profile, "next");
	fab_open(&e, &wish);
	open_counted(&a);
	open_counted(&b);
	post_more_than_the_cq();
	count_each_kind();
	count_data();
	set_and_add();
	count_failure();
	expect_stage("closing");
	close_counted(&a);
	fab_close(&e);
	return expect_result();
}
