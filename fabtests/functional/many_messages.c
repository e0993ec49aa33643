/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Two processes exchange many messages in both directions at once, over
 * the smallest queues and over large ones: rings and counters wrap, posts
 * meet full queues, each message arrives once and whole.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"
#include "fabtests/functional/two_processes.h"
#include "fabtests/oob_pair.h"

#define SLOTS		32u
#define SLOT_LEN	1024u
#define RECV_AREA	(SLOTS * SLOT_LEN)
#define RECV_CTX	256u	/* contexts of receives begin here */

struct flow {
	struct fab_endpoint e;
	unsigned messages;
	unsigned mine, theirs;	/* seeds */
	unsigned posted, sent;
	unsigned recv_posted, received;
	bool send_busy[SLOTS];
	uint8_t *arrived;	/* one byte a message */
};

static size_t message_len(unsigned number)
{
	return 4 + number * 13 % (SLOT_LEN - 4);
}

static void post_receive(struct flow *f, unsigned slot)
{
	size_t offset = RECV_AREA + slot * SLOT_LEN;
	ssize_t ret = fab_recv(&f->e, RECV_CTX + slot, offset, SLOT_LEN);

	REQUIRE_EQ(ret, 0);
	f->recv_posted++;
}

/* True when a message went; false when all slots or the queue are full. */
static bool post_send(struct flow *f)
{
	uint32_t number = f->posted;
	unsigned slot = number % SLOTS;
	uint8_t *buf = f->e.buf + slot * SLOT_LEN;
	ssize_t ret;

	if (f->posted == f->messages || f->send_busy[slot])
		return false;
	expect_fill(buf, message_len(number), f->mine + number);
	memcpy(buf, &number, sizeof(number));
	ret = fab_send(&f->e, slot, slot * SLOT_LEN, message_len(number));
	if (ret == -FI_EAGAIN)
		return false;
	REQUIRE_EQ(ret, 0);
	f->send_busy[slot] = true;
	f->posted++;
	return true;
}

static void take_message(struct flow *f, const struct fab_completion *c)
{
	unsigned slot = c->ctx - RECV_CTX;
	uint8_t *buf = f->e.buf + RECV_AREA + slot * SLOT_LEN;
	uint8_t expected[SLOT_LEN];
	uint32_t number;

	memcpy(&number, buf, sizeof(number));
	REQUIRE(number < f->messages);
	EXPECT_EQ(f->arrived[number], 0);
	f->arrived[number]++;
	EXPECT_EQ(c->len, message_len(number));
	EXPECT_EQ(c->source, f->e.peer);
	expect_fill(expected, message_len(number), f->theirs + number);
	memcpy(expected, &number, sizeof(number));
	EXPECT_BYTES(buf, expected, message_len(number));
	f->received++;
	if (f->recv_posted < f->messages)
		post_receive(f, slot);
}

static bool take_completion(struct flow *f)
{
	struct fab_completion c;

	if (!fab_poll(&f->e, &c))
		return false;
	if (c.ctx >= RECV_CTX) {
		take_message(f, &c);
		return true;
	}
	REQUIRE(c.ctx < SLOTS && f->send_busy[c.ctx]);
	f->send_busy[c.ctx] = false;
	f->sent++;
	return true;
}

static void run_flow(struct flow *f)
{
	bool busy;

	while (f->sent < f->messages || f->received < f->messages) {
		busy = post_send(f);
		busy |= take_completion(f);
		if (!busy)
			sched_yield();
	}
}

static void run(int oob, bool first, size_t queue_size, unsigned messages)
{
	struct fab_wish wish = fab_wish_direct();
	struct fab_completion c;
	struct flow f = {
		.messages = messages,
		.mine = first ? 1000 : 500000,
		.theirs = first ? 500000 : 1000,
	};
	unsigned i;

	wish.tx_size = queue_size;
	wish.rx_size = queue_size;
	f.arrived = calloc(messages, 1);
	REQUIRE(f.arrived);
	fab_open_pair(&f.e, &wish, oob);
	for (i = 0; i < SLOTS && i < f.e.info->rx_attr->size; i++)
		post_receive(&f, i);
	oob_sync(oob);
	run_flow(&f);
	EXPECT(!fab_poll(&f.e, &c));
	for (i = 0; i < messages; i++)
		EXPECT_EQ(f.arrived[i], 1);
	oob_sync(oob);
	fab_close(&f.e);
	free(f.arrived);
}

static void run_all(int oob, bool first)
{
	expect_stage("small queues");
	run(oob, first, 4, 20000);
	run(oob, first, 32, 20000);
	expect_stage("more messages than 16 bits count");
	run(oob, first, 0, 70000);
}

int main(void)
{
	struct fab_wish wish = fab_wish_direct();

	return two_processes(run_all, &wish, 240);
}
