/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Messages so long that the receiver reads them out of the sender's memory,
 * where the devices can: with the receiver's buffer registered, and without,
 * when it has to ask for another way; cut to a shorter receive; many at once;
 * and of memory that the sender takes away before it is read.
 *
 * FABTESTS_CHILD_PROVIDER_PATH as in rdm_messages.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rdma/fi_tagged.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"
#include "fabtests/oob_pair.h"

#define LEN		((size_t)2 << 20)
#define MESSAGES	6u
#define BUF_LEN		((MESSAGES + 1) * LEN)
#define SHORT_LEN	100u
#define TAG		7

/* ---- one call ---- */

static void send_at(struct fab_endpoint *e, unsigned ctx, size_t at,
		    size_t len, void *desc)
{
	struct fab_completion c;
	ssize_t ret;

	while ((ret = fi_tsend(e->ep, e->buf + at, len, desc, e->peer, TAG,
			       &e->contexts[ctx])) == -FI_EAGAIN)
		REQUIRE(!fab_poll(e, &c));
	REQUIRE_EQ(ret, 0);
}

static void recv_at(struct fab_endpoint *e, unsigned ctx, size_t at,
		    size_t len, void *desc)
{
	REQUIRE_EQ(fi_trecv(e->ep, e->buf + at, len, desc, e->peer, TAG, 0,
			    &e->contexts[ctx]), 0);
}

/* A short message to and fro: each side has had the other's handshake, and
 * nothing sent before is under way any more. */
static void greet(struct fab_endpoint *e, bool first)
{
	for (int i = 0; i < 4; i++) {
		if ((i % 2 == 0) == first)
			send_at(e, i, 0, SHORT_LEN, e->desc);
		else
			recv_at(e, i, 0, SHORT_LEN, e->desc);
		FAB_EXPECT(e, i);
	}
}

/* ---- what is tried: the first process sends, the second receives ---- */

static void read_one(struct fab_endpoint *e, int oob, bool first,
		     bool is_registered, unsigned seed)
{
	struct fab_completion c;

	if (first) {
		expect_fill(e->buf, LEN, seed);
		oob_sync(oob);
		send_at(e, 1, 0, LEN, e->desc);
		FAB_EXPECT(e, 1);
		return;
	}
	memset(e->buf, 0xee, LEN + SHORT_LEN);
	recv_at(e, 2, 0, LEN, is_registered ? e->desc : NULL);
	oob_sync(oob);
	c = FAB_EXPECT(e, 2);
	EXPECT_EQ(c.len, LEN);
	EXPECT_FILLED(e->buf, LEN, seed);
	EXPECT_EQ(e->buf[LEN], 0xee);
}

/* The sender has no part in it that the receive is too short. */
static void read_some(struct fab_endpoint *e, int oob, bool first)
{
	struct fi_cq_err_entry err;

	if (first) {
		expect_fill(e->buf, LEN, 5);
		oob_sync(oob);
		send_at(e, 1, 0, LEN, e->desc);
		FAB_EXPECT(e, 1);
		return;
	}
	memset(e->buf, 0xee, LEN);
	recv_at(e, 2, 0, LEN / 2 + 1, e->desc);
	oob_sync(oob);
	err = fab_wait_error(e);
	EXPECT_EQ(err.err, FI_ETRUNC);
	EXPECT_EQ(err.olen, LEN - (LEN / 2 + 1));
	EXPECT_EQ(fab_context_number(e, err.op_context), 2);
	EXPECT_FILLED(e->buf, LEN / 2 + 1, 5);
	EXPECT_EQ(e->buf[LEN / 2 + 1], 0xee);
}

static void read_many(struct fab_endpoint *e, int oob, bool first)
{
	bool seen[MESSAGES] = { false };
	struct fab_completion c;

	for (unsigned i = 0; i < MESSAGES; i++) {
		if (first)
			expect_fill(e->buf + i * LEN, LEN - i, i);
		else
			recv_at(e, i, i * LEN, LEN, i % 3 ? e->desc : NULL);
	}
	oob_sync(oob);
	for (unsigned i = 0; first && i < MESSAGES; i++)
		send_at(e, i, i * LEN, LEN - i, e->desc);
	for (unsigned i = 0; i < MESSAGES; i++) {
		c = fab_wait(e);
		REQUIRE(c.ctx < MESSAGES && !seen[c.ctx]);
		seen[c.ctx] = true;
		if (first)
			continue;
		EXPECT_EQ(c.len, LEN - c.ctx);
		EXPECT_FILLED(e->buf + c.ctx * LEN, LEN - c.ctx, c.ctx);
	}
}

/* Both sides learn of it, once, and messages go on. */
static void read_nothing(struct fab_endpoint *e, int oob, bool first)
{
	struct fi_cq_err_entry err;
	struct fid_mr *mr;

	if (!first) {
		oob_sync(oob);
		recv_at(e, 2, 0, LEN, e->desc);
		err = fab_wait_error(e);
		EXPECT_EQ(fab_context_number(e, err.op_context), 2);
		EXPECT(err.err != FI_ETRUNC);
		return;
	}
	REQUIRE_EQ(fi_mr_reg(e->domain, e->buf, LEN, FI_SEND, 0, 0, 0, &mr,
			     NULL), 0);
	send_at(e, 1, 0, LEN, fi_mr_desc(mr));
	REQUIRE_EQ(fi_close(&mr->fid), 0);
	oob_sync(oob);
	err = fab_wait_error(e);
	EXPECT_EQ(fab_context_number(e, err.op_context), 1);
	EXPECT_EQ(err.err, FI_ECANCELED);
}

static void run_all(int oob, bool first)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_endpoint e;

	wish.fabric = "efa";
	wish.caps = FI_TAGGED | FI_DIRECTED_RECV;
	wish.buf_len = BUF_LEN;
	wish.buffers_unregistered = true;
	if (!fab_wish_is_there(&wish))
		expect_skip("RDM endpoints of the fabric efa");
	fab_open_pair(&e, &wish, oob);
	oob_sync(oob);
	greet(&e, first);
	expect_stage("into a registered buffer");
	read_one(&e, oob, first, true, 1);
	expect_stage("into another");
	read_one(&e, oob, first, false, 2);
	greet(&e, first);
	expect_stage("many at once");
	read_many(&e, oob, first);
	greet(&e, first);
	/* libfabric's own provider does not answer the sender of a message
	 * that is too long, and has none of the errors before 2.7 */
	if (!fab_is_in_tree(e.info) && !getenv("FABTESTS_CHILD_PROVIDER_PATH")) {
		expect_stage("into a shorter one");
		read_some(&e, oob, first);
		greet(&e, first);
	}
	/* what is in packets is the sender's device's to read */
	if (!fab_is_in_tree(e.info) && !getenv("FI_EFA_RUNT_SIZE") &&
	    !getenv("FABTESTS_CHILD_PROVIDER_PATH")) {
		expect_stage("of memory that is gone");
		read_nothing(&e, oob, first);
		greet(&e, first);
	}
	oob_sync(oob);
	fab_close(&e);
}

int main(void)
{
	const char *path;
	pid_t child;
	int oob;

	expect_deadline(120);
	/* between processes of one host, too, it is the device that counts */
	setenv("FI_EFA_ENABLE_SHM_TRANSFER", "0", 1);
	setenv("FI_EFA_USE_DEVICE_RDMA", "1", 0);
	oob = oob_fork(&child);
	path = getenv("FABTESTS_CHILD_PROVIDER_PATH");
	if (child == 0 && path)
		setenv("FI_PROVIDER_PATH", path, 1);
	run_all(oob, child != 0);
	if (child == 0)
		expect_child_exit();
	expect_child(child);
	return expect_result();
}
