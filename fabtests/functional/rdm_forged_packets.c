/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * An efa-direct endpoint sends to an RDM endpoint what no peer would: packets
 * of the protocol as they were recorded, with bytes, ids and lengths changed
 * at random, cut, repeated. The RDM endpoint has known it never, or has its
 * address. It may lose those packets and nothing else: its messages with an
 * honest peer go on.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rdma/fi_tagged.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"
#include "prov/efa/test/recorded_packets.h"

#define PACKETS		4000u
#define HONEST_EVERY	500u
#define HONEST_LEN	((size_t)100000)
#define HONEST_TAG	0x484f4e455354ull
#define FORGED_MAX	4000u
#define RECORDED	(sizeof(recorded_packets) / sizeof(*recorded_packets))

enum { CTX_HONEST, CTX_OPEN };

struct stage {
	struct fab_endpoint victim, honest, forger;
	uint64_t random;
	unsigned forged, taken;
};

/* xorshift64 */
static unsigned next_random(struct stage *s, unsigned below)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return (unsigned)(s->random >> 33) % below;
}

/* ---- forging ---- */

static size_t recorded_bytes(struct stage *s, uint8_t *bytes)
{
	const struct recorded_packet *recorded =
		&recorded_packets[next_random(s, RECORDED)];
	size_t len = strlen(recorded->hex) / 2;
	size_t payload = recorded->payload_len;

	for (size_t i = 0; i < len; i++) {
		unsigned byte;

		REQUIRE_EQ(sscanf(recorded->hex + 2 * i, "%2x", &byte), 1);
		bytes[i] = (uint8_t)byte;
	}
	if (payload > FORGED_MAX - len)
		payload = FORGED_MAX - len;
	memset(bytes + len, 0xbd, payload);
	return len + payload;
}

/* A word of the header becomes a small number, which ids, counts and lengths
 * are, or any. */
static void change_word(struct stage *s, uint8_t *bytes, size_t len)
{
	uint32_t value = next_random(s, 8);
	size_t at = next_random(s, 16) * 4;

	if (next_random(s, 3) == 0)
		value = (uint32_t)s->random;
	if (at + sizeof(value) <= len)
		memcpy(bytes + at, &value, sizeof(value));
}

static size_t forge(struct stage *s, uint8_t *bytes)
{
	size_t len = recorded_bytes(s, bytes);
	unsigned changes = next_random(s, 4);

	for (unsigned i = 0; i < changes; i++)
		change_word(s, bytes, len);
	if (next_random(s, 4) == 0)
		bytes[next_random(s, len < 64 ? (unsigned)len : 64)] =
			(uint8_t)s->random;
	if (next_random(s, 8) == 0)
		len = 1 + next_random(s, (unsigned)len);
	/* Seldom is a packet of another version worth its while. */
	if (len > 1 && next_random(s, 50))
		bytes[1] = 4;
	return len;
}

/* ---- the victim ---- */

/* What comes of the forger's packets is of no interest: some are messages,
 * and where it is known some of those fail. */
static bool victim_takes(struct stage *s, unsigned wanted)
{
	struct fi_cq_err_entry err = {};
	struct fi_cq_data_entry entry = {};
	ssize_t ret = fi_cq_read(s->victim.cq, &entry, 1);

	if (ret == -FI_EAVAIL) {
		REQUIRE_EQ(fi_cq_readerr(s->victim.cq, &err, 0), 1);
		entry.op_context = err.op_context;
		EXPECT(err.op_context != &s->victim.contexts[CTX_HONEST]);
	} else if (ret != 1) {
		REQUIRE_EQ(ret, -FI_EAGAIN);
		return false;
	}
	s->taken++;
	return entry.op_context == &s->victim.contexts[wanted];
}

static void honest_exchange(struct stage *s, unsigned seed)
{
	struct fab_endpoint *from = &s->honest, *to = &s->victim;
	struct fab_completion c;
	bool is_sent = false, is_received = false;
	ssize_t ret;

	expect_fill(from->buf, HONEST_LEN, seed);
	REQUIRE_EQ(fi_trecv(to->ep, to->buf, HONEST_LEN, to->desc, to->peer,
			    HONEST_TAG, 0, &to->contexts[CTX_HONEST]), 0);
	while ((ret = fi_tsend(from->ep, from->buf, HONEST_LEN, from->desc,
			       from->peer, HONEST_TAG, from->contexts)) ==
	       -FI_EAGAIN)
		EXPECT(!fab_poll(from, &c));
	REQUIRE_EQ(ret, 0);
	while (!is_sent || !is_received) {
		is_received |= victim_takes(s, CTX_HONEST);
		is_sent |= fab_poll(from, &c);
		sched_yield();
	}
	EXPECT_FILLED(to->buf, HONEST_LEN, seed);
}

/* The forger is answered now and then, and has nowhere to put it: that does
 * not hold up anybody else. What it sends may be refused, or fail. */
static void send_forged(struct stage *s)
{
	struct fab_endpoint *e = &s->forger;
	struct fi_cq_err_entry err = {};
	struct fi_cq_data_entry entry;
	size_t len = forge(s, e->buf);
	ssize_t ret;

	do {
		ret = fi_send(e->ep, e->buf, len, e->desc, e->peer,
			      e->contexts);
		victim_takes(s, CTX_OPEN);
	} while (ret == -FI_EAGAIN);
	REQUIRE_EQ(ret, 0);
	while ((ret = fi_cq_read(e->cq, &entry, 1)) == -FI_EAGAIN) {
		victim_takes(s, CTX_OPEN);
		sched_yield();
	}
	if (ret == -FI_EAVAIL)
		REQUIRE_EQ(fi_cq_readerr(e->cq, &err, 0), 1);
	s->forged++;
}

/* ---- both kinds of forger ---- */

static void insert(struct fab_endpoint *e, const struct fab_endpoint *whom,
		   fi_addr_t *addr)
{
	REQUIRE_EQ(fi_av_insert(e->av, whom->addr, 1, addr, 0, NULL), 1);
}

static void open_all(struct stage *s, bool is_known)
{
	struct fab_wish rdm = fab_wish_direct(), direct = fab_wish_direct();
	fi_addr_t known;

	rdm.fabric = "efa";
	rdm.caps = FI_TAGGED | FI_DIRECTED_RECV;
	if (!fab_wish_is_there(&rdm))
		expect_skip("RDM endpoints of the fabric efa");
	/* The forger's messages are soon through or never. */
	direct.rnr_retry = 0;
	fab_open(&s->victim, &rdm);
	if (fab_is_in_tree(s->victim.info))
		expect_skip("a provider that bears it: the in-tree one aborts");
	fab_open(&s->honest, &rdm);
	fab_open(&s->forger, &direct);
	insert(&s->victim, &s->honest, &s->victim.peer);
	insert(&s->honest, &s->victim, &s->honest.peer);
	insert(&s->forger, &s->victim, &s->forger.peer);
	if (is_known)
		insert(&s->victim, &s->forger, &known);
}

static void run(bool is_known, uint64_t seed)
{
	static struct stage s;

	s = (struct stage) { .random = seed };
	open_all(&s, is_known);
	for (unsigned i = 0; i < PACKETS; i++) {
		/* Something for its messages to be matched with. */
		if (i % 50 == 0)
			fi_recv(s.victim.ep, s.victim.buf + HONEST_LEN, 5000,
				s.victim.desc, FI_ADDR_UNSPEC,
				&s.victim.contexts[CTX_OPEN]);
		send_forged(&s);
		if (i % HONEST_EVERY == 0)
			honest_exchange(&s, i);
	}
	honest_exchange(&s, PACKETS);
	EXPECT_EQ(s.forged, PACKETS);
	fab_close(&s.forger);
	fab_close(&s.victim);
	fab_close(&s.honest);
}

int main(void)
{
	expect_deadline(240);
	expect_stage("a forger that nobody knows");
	run(false, 88172645463325252ull);
	expect_stage("a forger with an address");
	run(true, 362436069362436069ull);
	return expect_result();
}
