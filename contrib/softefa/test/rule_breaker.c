/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Breaks one rule of the device, or does what is as close to it as the rule
 * allows. For test_rules.sh, which looks at what the device says of it.
 *
 *	rule_breaker break|keep CASE
 *
 * CASE is the name of a rule, with "/..." where there are several ways to
 * break it; without arguments it lists the cases.
 */
#include <stdio.h>
#include <string.h>

#include "fabtests/expect.h"
#include "hw/efa_io_defs.h"
#include "test/raw_endpoint.h"

#define BOTH_ENDS	(EFA_IO_RX_FIRST | EFA_IO_RX_LAST)
#define DEPTH		16u	/* of the rings of `a` and `b` */
#define DEEP		256u	/* of `deep`: more than a batch */
#define DEEP_CQ		1024u
#define SMALL_CQ	16u

static struct bench {
	struct two_qps pair, clock, wide;
	struct raw_endpoint a, b;	/* of pair; a sends to b */
	struct raw_endpoint deep;	/* of wide, to its own peer */
	bool keep;
} t;

static void open_bench(void)
{
	struct endpoint_wish wish = endpoint_wish_default();

	wish.send_depth = wish.recv_depth = DEPTH;
	wish.cq_depth = SMALL_CQ;
	wish.recv_sge = 1;
	two_qps_open(&t.pair, &wish);
	wish.send_depth = wish.recv_depth = DEEP;
	wish.cq_depth = DEEP_CQ;
	two_qps_open(&t.wide, &wish);
	/* Last, so that the device comes to it after all the others. */
	wish = endpoint_wish_default();
	two_qps_open(&t.clock, &wish);
	raw_open(&t.a, &t.pair.a);
	raw_open(&t.b, &t.pair.b);
	raw_open(&t.deep, &t.wide.a);
	REQUIRE_EQ(t.a.sq.num_entries, DEPTH);
	REQUIRE_EQ(t.b.rq.num_entries, DEPTH);
	REQUIRE_EQ(t.a.cq.num_entries, SMALL_CQ);
}

static void close_bench(void)
{
	two_qps_close(&t.clock);
	two_qps_close(&t.wide);
	two_qps_close(&t.pair);
}

/*
 * When it returns, the device has been at every queue since it was called:
 * a message needs a turn of the clock's queue, and between those of two
 * messages are turns of all others.
 */
static void let_device_look(void)
{
	struct request r = request_send(&t.clock.a, 1, 0, 8);

	for (int i = 0; i < 2; i++) {
		REQUIRE_EQ(receive_post(&t.clock.b, 2, 0, 8), 0);
		REQUIRE_EQ(request_post(&t.clock.a, &r), 0);
		COMPLETION_EXPECT(&t.clock.a, 1, IBV_WC_SUCCESS);
		COMPLETION_EXPECT(&t.clock.b, 2, IBV_WC_SUCCESS);
	}
}

/* Puts sends [first, first + count), each with its index for an ID. */
static void put_sends(struct raw_endpoint *from, uint32_t first,
		      uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++) {
		struct hw_send_wqe wqe = raw_send(from, (uint16_t)i);

		raw_put_send(from, i, &wqe);
	}
}

static void put_recvs(struct raw_endpoint *at, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++)
		raw_put_recv(at, i, (uint16_t)i, 8, BOTH_ENDS);
	raw_ring_rq(at, first + count);
}

/* One send that is not as it must be. */
static void send_one(const struct hw_send_wqe *wqe)
{
	put_recvs(&t.b, 0, 1);
	raw_put_send(&t.a, 0, wqe);
	raw_ring_sq(&t.a, 1);
	raw_await(&t.a, 1);
}

/* ---- send queue ---- */

static void sq_doorbell(void)
{
	put_recvs(&t.b, 0, DEPTH);
	put_sends(&t.a, 0, DEPTH);
	raw_ring_sq(&t.a, DEPTH + !t.keep);
	raw_await(&t.a, t.keep ? DEPTH : 1);
}

static void sq_doorbell_back(void)
{
	put_sends(&t.a, 0, 4);
	raw_ring_sq(&t.a, 3);
	let_device_look();
	raw_ring_sq(&t.a, t.keep ? 4 : 2);
	let_device_look();
}

static void sq_batch(void)
{
	uint32_t count = t.deep.sq.max_batch + !t.keep;
	struct raw_endpoint peer;

	REQUIRE(count < DEEP);
	raw_open(&peer, &t.wide.b);
	put_recvs(&peer, 0, count);
	put_sends(&t.deep, 0, count);
	let_device_look();
	raw_ring_sq(&t.deep, count);
	raw_await(&t.deep, count);
}

static void sq_late(void)
{
	put_recvs(&t.b, 0, 1);
	if (t.keep)
		put_sends(&t.a, 0, 1);
	raw_ring_sq(&t.a, 1);
	raw_await(&t.a, 1);
}

/* Once around, so that the slot has been used before. */
static void sq_late_again(void)
{
	put_recvs(&t.b, 0, DEPTH);
	put_sends(&t.a, 0, DEPTH);
	raw_ring_sq(&t.a, DEPTH);
	raw_await(&t.a, DEPTH);
	raw_await(&t.b, DEPTH);
	put_recvs(&t.b, DEPTH, 1);
	if (t.keep)
		put_sends(&t.a, DEPTH, 1);
	raw_ring_sq(&t.a, DEPTH + 1);
	raw_await(&t.a, 1);
}

/* The last word of an entry comes when it is in flight. */
static void sq_torn(void)
{
	put_sends(&t.a, 0, 1);
	raw_ring_sq(&t.a, 1);
	let_device_look();
	raw_send_slot(&t.a, t.keep)[EFA_IO_TX_WQE_SIZE - 1] ^= 1;
	put_recvs(&t.b, 0, 1);
	raw_await(&t.a, 1);
}

/* Entry 16 lies where entry 0 was, which waits for a receive. */
static void sq_overwrite(void)
{
	uint32_t early = t.keep;

	put_sends(&t.a, 0, DEPTH);
	raw_ring_sq(&t.a, DEPTH);
	let_device_look();
	put_recvs(&t.b, 0, early);
	raw_await(&t.a, early);
	put_sends(&t.a, DEPTH, 1);
	let_device_look();
	put_recvs(&t.b, early, DEPTH - early);
	raw_await(&t.a, DEPTH - early);
}

static void sq_phase(void)
{
	struct hw_send_wqe wqe = raw_send(&t.a, 0);

	if (!t.keep)
		wqe.io.meta.ctrl2 ^= EFA_IO_TX_META_PHASE;
	send_one(&wqe);
}

static void sq_reserved(void)
{
	struct hw_send_wqe wqe = raw_send(&t.a, 0);

	/* Bits 0 and 1 are the processing hints. */
	wqe.io.meta.ctrl3 = t.keep ? 1 : 4;
	send_one(&wqe);
}

static void sq_malformed(void)
{
	struct hw_send_wqe wqe = raw_send(&t.a, 0);

	if (t.keep)
		wqe.io.meta.length = 0;	/* no SGE: an empty message */
	else
		wqe.io.meta.ctrl2 &= ~EFA_IO_TX_META_FIRST;
	send_one(&wqe);
}

static void sq_req_id(void)
{
	struct hw_send_wqe wqe = raw_send(&t.a, 77);
	uint32_t done = t.keep;

	raw_put_send(&t.a, 0, &wqe);
	raw_ring_sq(&t.a, 1);
	let_device_look();
	put_recvs(&t.b, 0, done);
	raw_await(&t.a, done);
	raw_put_send(&t.a, 1, &wqe);
	raw_ring_sq(&t.a, 2);
	let_device_look();
	put_recvs(&t.b, done, 2 - done);
	raw_await(&t.a, 2 - done);
}

/* ---- receive queue ---- */

static void rq_doorbell(void)
{
	put_recvs(&t.b, 0, DEPTH);
	raw_ring_rq(&t.b, DEPTH + !t.keep);
	let_device_look();
}

static void rq_doorbell_back(void)
{
	put_recvs(&t.b, 0, 3);
	let_device_look();
	raw_ring_rq(&t.b, t.keep ? 3 : 2);
	let_device_look();
}

static void rq_overwrite(void)
{
	put_recvs(&t.b, 0, 1);
	let_device_look();
	raw_recv_slot(&t.b, t.keep)->length = 9;
	put_sends(&t.a, 0, 1);
	raw_ring_sq(&t.a, 1);
	raw_await(&t.b, 1);
}

static void rq_reserved(void)
{
	raw_put_recv(&t.b, 0, 0, 8, BOTH_ENDS | (t.keep ? 0 : 1u << 24));
	raw_ring_rq(&t.b, 1);
	let_device_look();
}

static void rq_malformed(void)
{
	raw_put_recv(&t.b, 0, 0, 8, t.keep ? BOTH_ENDS : EFA_IO_RX_LAST);
	raw_ring_rq(&t.b, 1);
	let_device_look();
}

static void rq_req_id(void)
{
	raw_put_recv(&t.b, 0, 77, 8, BOTH_ENDS);
	raw_ring_rq(&t.b, 1);
	let_device_look();
	put_sends(&t.a, 0, 1);
	if (t.keep) {
		raw_ring_sq(&t.a, 1);
		raw_await(&t.b, 1);
	}
	raw_put_recv(&t.b, 1, 77, 8, BOTH_ENDS);
	raw_ring_rq(&t.b, 2);
	let_device_look();
}

/* ---- completion queue ---- */

static void complete(uint32_t first, uint32_t count)
{
	put_recvs(&t.b, first, count);
	put_sends(&t.a, first, count);
	raw_ring_sq(&t.a, first + count);
	raw_await(&t.a, count);
}

static void cq_doorbell(void)
{
	complete(0, 2);
	raw_ring_cq(&t.a, t.keep ? 2 : 3);
	/* A broken queue takes no entry that could be waited for. */
	put_recvs(&t.b, 2, 1);
	put_sends(&t.a, 2, 1);
	raw_ring_sq(&t.a, 3);
	let_device_look();
}

/* Destroying a queue does not hide what its doorbell says. */
static void cq_doorbell_last(void)
{
	complete(0, 2);
	raw_ring_cq(&t.a, t.keep ? 2 : 3);
}

/* Round the ring once and more; then the consumer says how far it is. */
static void cq_overrun(void)
{
	complete(0, SMALL_CQ);
	raw_await(&t.b, SMALL_CQ);
	raw_ring_cq(&t.b, SMALL_CQ);
	complete(SMALL_CQ, 4);
	/* The device looked last before it wrote over entry 3. */
	raw_ring_cq(&t.a, t.keep ? 4 : 2);
}

/* ---- memory ---- */

static void lkey(void)
{
	struct hw_send_wqe wqe = raw_send(&t.a, 0);

	/* The other side's key of the same PD is as good as one's own. */
	wqe.io.data.sgl[0].lkey = t.keep ? t.a.e->mr->lkey :
		(t.a.e->mr->lkey ^ 0x800000);
	send_one(&wqe);
}

static void lkey_range(void)
{
	struct hw_send_wqe wqe = raw_send(&t.a, 0);
	uint64_t addr = (uintptr_t)t.a.e->buf + t.a.e->buf_len - 8 + !t.keep;

	wqe.io.data.sgl[0].buf_addr_lo = (uint32_t)addr;
	wqe.io.data.sgl[0].buf_addr_hi = (uint32_t)(addr >> 32);
	send_one(&wqe);
}

static void lkey_recv(void)
{
	raw_put_recv(&t.b, 0, 0, 8, BOTH_ENDS);
	if (!t.keep)
		raw_recv_slot(&t.b, 0)->lkey_ctrl ^= 0x800000;
	raw_ring_rq(&t.b, 1);
	put_sends(&t.a, 0, 1);
	raw_ring_sq(&t.a, 1);
	raw_await(&t.b, 1);
}

/* A key that is wrong at the other side is the other side's to refuse. */
static void lkey_remote(void)
{
	struct hw_sge sge = {
		.addr = (uintptr_t)t.a.e->buf, .length = 8,
		.lkey = t.a.e->mr->lkey ^ (t.keep ? 0 : 0x800000),
	};
	struct hw_send_wqe wqe;

	hw_wqe_init(&wqe, t.a.sq.entry_size, EFA_IO_RDMA_READ, &t.a.dest);
	hw_wqe_set_rdma(&wqe, &sge, t.a.e->peer.buf,
			t.a.e->peer.rkey ^ (t.keep ? 0x800000 : 0));
	send_one(&wqe);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "sq-doorbell", sq_doorbell },
	{ "sq-doorbell/back", sq_doorbell_back },
	{ "sq-batch", sq_batch },
	{ "sq-late", sq_late },
	{ "sq-late/again", sq_late_again },
	{ "sq-torn", sq_torn },
	{ "sq-overwrite", sq_overwrite },
	{ "sq-phase", sq_phase },
	{ "sq-reserved", sq_reserved },
	{ "sq-malformed", sq_malformed },
	{ "sq-req-id", sq_req_id },
	{ "rq-doorbell", rq_doorbell },
	{ "rq-doorbell/back", rq_doorbell_back },
	{ "rq-overwrite", rq_overwrite },
	{ "rq-reserved", rq_reserved },
	{ "rq-malformed", rq_malformed },
	{ "rq-req-id", rq_req_id },
	{ "cq-doorbell", cq_doorbell },
	{ "cq-doorbell/last", cq_doorbell_last },
	{ "cq-overrun", cq_overrun },
	{ "lkey", lkey },
	{ "lkey/range", lkey_range },
	{ "lkey/recv", lkey_recv },
	{ "lkey/remote", lkey_remote },
};

#define NUM_CASES (sizeof(cases) / sizeof(cases[0]))

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc == 1 && i < NUM_CASES; i++)
		puts(cases[i].name);
	if (argc == 1)
		return 0;
	REQUIRE_EQ(argc, 3);
	for (i = 0; i < NUM_CASES && strcmp(cases[i].name, argv[2]); i++)
		;
	REQUIRE(i < NUM_CASES);
	t.keep = !strcmp(argv[1], "keep");
	REQUIRE(t.keep || !strcmp(argv[1], "break"));
	expect_deadline(60);
	expect_stage(argv[2]);
	open_bench();
	cases[i].run();
	close_bench();
	return expect_result();
}
