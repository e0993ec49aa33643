/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A message that fails at its sender, of each protocol and before or after
 * some of it has arrived: the receiver waits for it no longer, and the next
 * message comes through. The sender learns of it once; so does the receive
 * that has matched it; one that no packet came for stays posted. What was
 * injected is not given up by a close, although the receiver refused it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rdma/fi_tagged.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"
#include "fabtests/oob_pair.h"
#include "test/fault_setting.h"

#define LEN		((size_t)600 << 10)
#define BUF_LEN		(2 * LEN)
#define SHORT_LEN	100u

enum { FAILS = 1, FOLLOWS = 2, GREETING = 3 };	/* contexts and tags */

static const struct failure {
	const char *what;
	size_t len;
	const char *fault;	/* of the sender's packets */
	bool is_matched;	/* the receive learns of it */
	bool is_unexpected;
} failures[] = {
	{ "an eager message", 4000, "type=65 nth=1", false, false },
	{ "an eager message, nobody waits", 4000, "type=65 nth=1", false, true },
	{ "a medium message, all", 40000, "type=67", false, false },
	{ "a medium message, one segment", 40000, "type=67 nth=2", true, false },
	{ "a medium message, its first segment", 40000, "type=67 nth=1", true,
	  false },
	{ "a medium message, unexpected", 40000, "type=67 nth=2", true, true },
	{ "a long-CTS message, its first packet", LEN, "type=69 nth=1", false,
	  false },
	{ "a long-CTS message, its data", LEN, "type=4 nth=20", true, false },
};

#define FAILURES	(sizeof(failures) / sizeof(failures[0]))

static void send_tag(struct fab_endpoint *e, unsigned tag, size_t len)
{
	struct fab_completion c;
	ssize_t ret;

	while ((ret = fi_tsend(e->ep, e->buf, len, e->desc, e->peer, tag,
			       &e->contexts[tag])) == -FI_EAGAIN)
		REQUIRE(!fab_poll(e, &c));
	REQUIRE_EQ(ret, 0);
}

static void recv_tag(struct fab_endpoint *e, unsigned tag, size_t len)
{
	REQUIRE_EQ(fi_trecv(e->ep, e->buf + (tag == FOLLOWS ? LEN : 0), len,
			    e->desc, FI_ADDR_UNSPEC, tag, 0,
			    &e->contexts[tag]), 0);
}

static void greet(struct fab_endpoint *e, bool first)
{
	for (int i = 0; i < 4; i++) {
		if ((i % 2 == 0) == first)
			send_tag(e, GREETING, SHORT_LEN);
		else
			recv_tag(e, GREETING, SHORT_LEN);
		FAB_EXPECT(e, GREETING);
	}
}

static void expect_error(struct fab_endpoint *e, int err)
{
	struct fi_cq_err_entry entry = fab_wait_error(e);

	EXPECT_EQ(fab_context_number(e, entry.op_context), FAILS);
	EXPECT_EQ(entry.err, err);
}

static void run_sender(struct fab_endpoint *e, const struct failure *f,
		       int oob)
{
	fault_set("status code=invalid-lkey op=send queue=send %s", f->fault);
	oob_sync(oob);
	send_tag(e, FAILS, f->len);
	expect_error(e, FI_EINVAL);
	fault_clear();
	expect_fill(e->buf, SHORT_LEN, 77);
	send_tag(e, FOLLOWS, SHORT_LEN);
	FAB_EXPECT(e, FOLLOWS);
	oob_sync(oob);
}

static void run_receiver(struct fab_endpoint *e, const struct failure *f,
			 int oob)
{
	if (!f->is_unexpected)
		recv_tag(e, FAILS, LEN);
	recv_tag(e, FOLLOWS, SHORT_LEN);
	oob_sync(oob);
	if (f->is_matched && !f->is_unexpected)
		expect_error(e, FI_ECANCELED);
	FAB_EXPECT(e, FOLLOWS);
	EXPECT_FILLED(e->buf + LEN, SHORT_LEN, 77);
	if (f->is_unexpected)
		recv_tag(e, FAILS, LEN);
	if (f->is_matched && f->is_unexpected)
		expect_error(e, FI_ECANCELED);
	if (!f->is_matched) {
		REQUIRE_EQ(fi_cancel(&e->ep->fid, &e->contexts[FAILS]), 0);
		expect_error(e, FI_ECANCELED);
	}
	oob_sync(oob);
}

static void close_sender(struct fab_endpoint *e, int oob)
{
	fault_set("rnr times=8 op=send type=65 nth=1");
	oob_sync(oob);
	expect_fill(e->buf, SHORT_LEN, 78);
	REQUIRE_EQ(fi_tinject(e->ep, e->buf, SHORT_LEN, e->peer, FOLLOWS), 0);
	fab_close(e);
	fault_clear();
	oob_sync(oob);
}

static void outlive_sender(struct fab_endpoint *e, int oob)
{
	recv_tag(e, FOLLOWS, SHORT_LEN);
	oob_sync(oob);
	FAB_EXPECT(e, FOLLOWS);
	EXPECT_FILLED(e->buf + LEN, SHORT_LEN, 78);
	oob_sync(oob);
	fab_close(e);
}

static void run_all(int oob, bool first)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint e;

	wish.fabric = "efa";
	wish.caps = FI_TAGGED;
	wish.buf_len = BUF_LEN;
	if (!fab_wish_is_there(&wish))
		expect_skip("RDM endpoints of the fabric efa");
	fab_open_pair(&e, &wish, oob);
	if (fab_is_in_tree(e.info))
		expect_skip("PEER_ERROR, which libfabric's own provider has since 2.7");
	oob_sync(oob);
	for (unsigned i = 0; i < FAILURES; i++) {
		greet(&e, first);
		expect_stage(failures[i].what);
		if (first)
			run_sender(&e, &failures[i], oob);
		else
			run_receiver(&e, &failures[i], oob);
	}
	greet(&e, first);
	oob_sync(oob);
	expect_stage("closing with an injected message refused");
	if (first)
		close_sender(&e, oob);
	else
		outlive_sender(&e, oob);
}

int main(void)
{
	pid_t child;
	int oob;

	expect_deadline(120);
	if (!getenv("SOFTEFA_SOCKET"))
		expect_skip("softefa, whose faults make messages fail");
	oob = oob_fork(&child);
	run_all(oob, child != 0);
	if (child == 0)
		expect_child_exit();
	expect_child(child);
	return expect_result();
}
