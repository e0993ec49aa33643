/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * fi_av_remove of a peer that still had to answer: what waits for it ends,
 * what the device has ends as the device says, others go on, and a peer can be
 * inserted again, if it owes nothing.
 */
#include <sched.h>
#include <string.h>

#include <rdma/fi_tagged.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define LONG		((size_t)300000)	/* bytes that ask for an answer */
#define SHORT		((size_t)64)

#define TURNS		8u

enum { CTX_LONG, CTX_SHORT, CTX_RECV, CTX_OTHER, CTX_TURN };

/* @a talks; @silent answers nobody until it is told to. */
static struct fab_endpoint a, silent, other;
static fi_addr_t other_addr;	/* what @a calls it */

static struct fab_wish rdm_wish(void)
{
	struct fab_wish wish = fab_wish_direct();

	wish.fabric = "efa";
	wish.caps = FI_TAGGED;
	wish.buffers_unregistered = true;
	if (!fab_wish_is_there(&wish))
		expect_skip("RDM endpoints of the fabric efa");
	return wish;
}

static void open_all(void)
{
	struct fab_wish wish = rdm_wish();

	fab_open(&a, &wish);
	if (fab_is_in_tree(a.info))
		expect_skip("this provider: another one was loaded");
	fab_open(&silent, &wish);
	fab_open(&other, &wish);
	fab_connect(&a, silent.addr);
	fab_connect(&other, a.addr);
}

static void send_to(fi_addr_t whom, unsigned ctx, size_t len)
{
	REQUIRE_EQ(fi_tsend(a.ep, a.buf, len, NULL, whom, 7,
			    &a.contexts[ctx]), 0);
}

static void post_receive(struct fab_endpoint *e, size_t len)
{
	REQUIRE_EQ(fi_trecv(e->ep, e->buf, len, NULL, FI_ADDR_UNSPEC, 7, 0,
			    &e->contexts[CTX_RECV]), 0);
}

static void check_others_go_on(void)
{
	struct fab_completion c;
	bool is_sent = false, is_received = false;

	REQUIRE_EQ(fi_av_insert(a.av, other.addr, 1, &other_addr, 0,
				NULL), 1);
	post_receive(&other, LONG);
	expect_fill(a.buf, LONG, 3);
	send_to(other_addr, CTX_OTHER, LONG);
	while (!is_sent || !is_received) {
		is_sent |= fab_poll(&a, &c);
		is_received |= fab_poll(&other, &c);
		sched_yield();
	}
	EXPECT_FILLED(other.buf, LONG, 3);
}

/* What fails, and @successes before it or after it. */
static struct fi_cq_err_entry wait_for_error(int successes)
{
	struct fi_cq_err_entry err = {};
	struct fi_cq_data_entry entry;
	bool is_there = false;
	ssize_t ret;

	while (!is_there || successes) {
		ret = fi_cq_read(a.cq, &entry, 1);
		if (ret == -FI_EAVAIL) {
			REQUIRE(!is_there);
			is_there = true;
			REQUIRE_EQ(fi_cq_readerr(a.cq, &err, 0), 1);
		} else if (ret == 1) {
			successes--;
		}
		sched_yield();
	}
	return err;
}

/* The long message waits for the receiver's leave, which never comes. With
 * @is_replaced another peer has its index before progress is made. */
static void check_removed(bool is_replaced)
{
	struct fi_cq_err_entry err;

	expect_stage(is_replaced ? "a replaced peer" : "a removed peer");
	send_to(a.peer, CTX_LONG, LONG);
	REQUIRE_EQ(fi_av_remove(a.av, &a.peer, 1, 0), 0);
	EXPECT_EQ(fi_tsend(a.ep, a.buf, SHORT, NULL, a.peer, 7,
			   &a.contexts[CTX_SHORT]), -FI_EADDRNOTAVAIL);
	if (is_replaced) {
		fi_addr_t removed = a.peer;

		fab_connect(&a, other.addr);
		EXPECT_EQ(a.peer, removed);
		REQUIRE_EQ(fi_tsend(a.ep, a.buf, SHORT, NULL, a.peer, 8,
				    &a.contexts[CTX_OTHER]), 0);
	}
	err = wait_for_error(is_replaced);
	EXPECT_EQ(fab_context_number(&a, err.op_context), CTX_LONG);
	EXPECT_EQ(err.err, FI_ECANCELED);
	EXPECT(strstr(fi_cq_strerror(a.cq, err.prov_errno, err.err_data, NULL,
				     0), "fi_av_remove"));
}

/* Each is removed in favour of the other, without a look at the CQ; then all
 * that was sent ends. */
static void check_turns(void)
{
	const struct fab_endpoint *whom[] = { &silent, &other };
	unsigned ended = 0;

	expect_stage("taking turns at an index");
	for (unsigned i = 0; i < TURNS; i++) {
		fab_connect(&a, whom[i % 2]->addr);
		EXPECT_EQ(fi_tsend(a.ep, a.buf, SHORT, NULL, a.peer, 11,
				   &a.contexts[CTX_TURN + i]), 0);
		REQUIRE_EQ(fi_av_remove(a.av, &a.peer, 1, 0), 0);
	}
	while (ended < TURNS) {
		struct fi_cq_err_entry err = {};
		struct fi_cq_data_entry entry;
		ssize_t ret = fi_cq_read(a.cq, &entry, 1);

		if (ret == -FI_EAVAIL)
			REQUIRE_EQ(fi_cq_readerr(a.cq, &err, 0), 1);
		ended += ret == 1 || ret == -FI_EAVAIL;
		sched_yield();
	}
}

/* Removed, inserted again, and removed once more with a message that waits. */
static void check_removed_again(void)
{
	check_removed(false);
	fab_connect(&a, silent.addr);
	check_removed(false);
}

/* One that owes nothing is removed, and goes on from where it was. */
static void check_inserted_again(void)
{
	expect_stage("inserted again");
	check_others_go_on();
	REQUIRE_EQ(fi_av_remove(a.av, &other_addr, 1, 0), 0);
	check_others_go_on();
}

/* What only the device has to tell of ends as it tells: once, either way. */
static void check_in_flight(void)
{
	struct fi_cq_err_entry err;
	struct fab_completion c;

	expect_stage("removed with a message on its way");
	send_to(other_addr, CTX_SHORT, SHORT);
	REQUIRE_EQ(fi_av_remove(a.av, &other_addr, 1, 0), 0);
	for (;;) {
		struct fi_cq_data_entry entry;
		ssize_t ret = fi_cq_read(a.cq, &entry, 1);

		if (ret == 1) {
			c.ctx = fab_context_number(&a, entry.op_context);
			break;
		}
		if (ret == -FI_EAVAIL) {
			memset(&err, 0, sizeof(err));
			REQUIRE_EQ(fi_cq_readerr(a.cq, &err, 0), 1);
			c.ctx = fab_context_number(&a, err.op_context);
			break;
		}
		REQUIRE_EQ(ret, -FI_EAGAIN);
		sched_yield();
	}
	EXPECT_EQ(c.ctx, CTX_SHORT);
}

int main(void)
{
	expect_deadline(60);
	open_all();
	check_removed_again();
	fab_connect(&a, silent.addr);
	check_removed(true);
	REQUIRE_EQ(fi_av_remove(a.av, &a.peer, 1, 0), 0);
	check_others_go_on();
	check_inserted_again();
	check_in_flight();
	check_turns();
	expect_stage("close");
	fab_close(&a);
	fab_close(&silent);
	fab_close(&other);
	return expect_result();
}
