/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Senders that the receiver has not inserted: who they are is what their
 * packets say, as far as the device does not know better.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fi_tagged.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"
#include "rdm/wire_encode.h"
#include "test/fault_setting.h"

#define OPT_EFA_HOMOGENEOUS_PEERS	(-(0xefa << 16) + 7)

#define LEN	8u
#define LONG	((size_t)300000)	/* bytes that ask for an answer */

enum { CTX_MESSAGE, CTX_FIRST, CTX_SECOND };

static struct fab_wish rdm_wish(void)
{
	struct fab_wish wish = fab_wish_direct();

	wish.fabric = "efa";
	wish.caps = FI_TAGGED;
	if (!fab_wish_is_there(&wish))
		expect_skip("RDM endpoints of the fabric efa");
	return wish;
}

static void post_receive(struct fab_endpoint *e, unsigned ctx, size_t at)
{
	memset(e->buf + at, 0, LEN);
	REQUIRE_EQ(fi_recv(e->ep, e->buf + at, LEN, e->desc, FI_ADDR_UNSPEC,
			   &e->contexts[ctx]), 0);
}

/* Until @ctx has completed at @at; @by is to get on meanwhile. */
static void await(struct fab_endpoint *at, unsigned ctx,
		  struct fab_endpoint *by)
{
	struct fab_completion c;

	while (!fab_take_kept(at, ctx, &c)) {
		if (fab_poll_cq(at, &c))
			fab_keep(at, &c);
		if (fab_poll_cq(by, &c))
			fab_keep(by, &c);
		sched_yield();
	}
}

static void send_text(struct fab_endpoint *from, struct fab_endpoint *to,
		      const char *text)
{
	memcpy(from->buf, text, LEN);
	REQUIRE_EQ(fi_send(from->ep, from->buf, LEN, from->desc, from->peer,
			   &from->contexts[CTX_MESSAGE]), 0);
	await(from, CTX_MESSAGE, to);
}

/* An efa-direct endpoint sends a packet of the protocol that says it is from
 * @whom. */
static void send_as(struct fab_endpoint *from, struct fab_endpoint *to,
		    const struct fabric_address *whom, const char *text)
{
	const struct rdm_wire_message msg = { .raw_addr = whom };
	size_t header_len = rdm_wire_put_eager(from->buf, &msg);

	memcpy(from->buf + header_len, text, LEN);
	REQUIRE_EQ(fi_send(from->ep, from->buf, header_len + LEN, from->desc,
			   from->peer, &from->contexts[CTX_MESSAGE]), 0);
	await(from, CTX_MESSAGE, to);
}

/* Nobody knows the device's handle of the liar, but its GID is told with the
 * packet. The message is nobody's, and the next one takes the receive. */
static void check_lie(void)
{
	struct fab_wish rdm = rdm_wish(), direct = fab_wish_direct();
	struct fab_endpoint victim, honest, liar;
	struct fabric_address whom;

	expect_stage("a lie about the GID");
	fab_open(&victim, &rdm);
	fab_open(&honest, &rdm);
	fab_open(&liar, &direct);
	fab_connect(&liar, victim.addr);
	fab_connect(&honest, victim.addr);
	post_receive(&victim, CTX_FIRST, 0);
	post_receive(&victim, CTX_SECOND, 64);
	memcpy(&whom, liar.addr, sizeof(whom));
	whom.gid[15] ^= 0x55;
	send_as(&liar, &victim, &whom, "a lie...");
	send_text(&honest, &victim, "honest..");
	await(&victim, CTX_FIRST, &honest);
	EXPECT_BYTES(victim.buf, "honest..", LEN);
	/* the same without the lie is taken */
	whom.gid[15] ^= 0x55;
	send_as(&liar, &victim, &whom, "a truth.");
	await(&victim, CTX_SECOND, &honest);
	EXPECT_BYTES(victim.buf + 64, "a truth.", LEN);
	fab_close(&liar);
	fab_close(&honest);
	fab_close(&victim);
}

/* Another endpoint in the place of its own, which is for peers of its kind. */
static void reopen_homogeneous(struct fab_endpoint *e)
{
	bool yes = true;

	REQUIRE_EQ(fi_close(&e->ep->fid), 0);
	REQUIRE_EQ(fi_endpoint(e->domain, e->info, &e->ep, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(e->ep, &e->cq->fid, FI_TRANSMIT | FI_RECV), 0);
	REQUIRE_EQ(fi_ep_bind(e->ep, &e->av->fid, 0), 0);
	REQUIRE_EQ(fi_setopt(&e->ep->fid, FI_OPT_ENDPOINT,
			     OPT_EFA_HOMOGENEOUS_PEERS, &yes, sizeof(yes)), 0);
	REQUIRE_EQ(fi_enable(e->ep), 0);
}

/* Peers of one kind need no handshake, but have not met all the same. */
static void check_homogeneous(void)
{
	struct fab_wish rdm = rdm_wish();
	struct fab_endpoint a, b;

	expect_stage("homogeneous peers");
	fab_open(&a, &rdm);
	fab_open(&b, &rdm);
	reopen_homogeneous(&a);
	fab_connect(&a, b.addr);
	post_receive(&b, CTX_FIRST, 0);
	send_text(&a, &b, "stranger");
	await(&b, CTX_FIRST, &a);
	EXPECT_BYTES(b.buf, "stranger", LEN);
	fab_close(&a);
	fab_close(&b);
}

/* The device has no handle to give for a stranger, who gets no answer; but
 * when it asks again and there is one, it does. */
static void check_no_handle(void)
{
	struct fab_wish rdm = rdm_wish();
	struct fab_completion c;
	struct fab_endpoint a, b;

	if (!getenv("SOFTEFA_SOCKET"))
		return;
	expect_stage("no address handle");
	fab_open(&a, &rdm);
	fab_open(&b, &rdm);
	fab_connect(&a, b.addr);
	post_receive(&b, CTX_FIRST, 0);
	fault_set("command name=create_ah errno=ENOMEM");
	send_text(&a, &b, "no reply");
	await(&b, CTX_FIRST, &a);
	EXPECT_BYTES(b.buf, "no reply", LEN);
	/* it has tried by now */
	for (int i = 0; i < 10; i++)
		EXPECT(!fab_poll(&b, &c));
	fault_clear();
	/* this one asks to be answered */
	REQUIRE_EQ(fi_recv(b.ep, b.buf, LONG, b.desc, FI_ADDR_UNSPEC,
			   &b.contexts[CTX_SECOND]), 0);
	expect_fill(a.buf, LONG, 4);
	REQUIRE_EQ(fi_send(a.ep, a.buf, LONG, a.desc, a.peer,
			   &a.contexts[CTX_MESSAGE]), 0);
	await(&a, CTX_MESSAGE, &b);
	await(&b, CTX_SECOND, &a);
	EXPECT_FILLED(b.buf, LONG, 4);
	fab_close(&a);
	fab_close(&b);
}

static void skip_elsewhere(void)
{
	struct fab_wish wish = rdm_wish();
	struct fi_info *hints = fab_hints(&wish), *info = fab_getinfo(hints);

	if (fab_is_in_tree(info))
		expect_skip("this provider: another one was loaded");
	fi_freeinfo(info);
	fi_freeinfo(hints);
}

int main(void)
{
	expect_deadline(60);
	skip_elsewhere();
	check_lie();
	check_homogeneous();
	check_no_handle();
	return expect_result();
}
