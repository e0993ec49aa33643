/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Small rings, many messages: every index and counter wraps, data checked. */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include "fabtests/expect.h"
#include "hw/efa_io_defs.h"
#include "test/two_qps.h"

#define SLOT_LEN	256u

/*
 * Which of the messages of a window came: SRD does not keep their order,
 * so the number of the message is in its data.
 */
static unsigned take_message(struct endpoint *b, unsigned window,
			     unsigned first)
{
	struct completion c = completion_wait(b);
	uint8_t *slot = b->buf + c.wr_id * SLOT_LEN;
	uint32_t number;

	REQUIRE_EQ(c.status, IBV_WC_SUCCESS);
	REQUIRE(c.wr_id < window);
	memcpy(&number, slot, sizeof(number));
	REQUIRE(number - first < window);
	EXPECT_EQ(c.byte_len, 4 + number % 200);
	EXPECT_FILLED(slot + 4, number % 200, number);
	return number - first;
}

static void send_window(struct two_qps *pair, unsigned window, unsigned first)
{
	struct request r;
	uint32_t number;
	uint8_t *from;
	unsigned i;

	for (i = 0; i < window; i++) {
		number = first + i;
		from = pair->a.buf + i * SLOT_LEN;
		REQUIRE_EQ(receive_post(&pair->b, i, i * SLOT_LEN, SLOT_LEN),
			   0);
		memcpy(from, &number, sizeof(number));
		expect_fill(from + 4, number % 200, number);
		r = request_send(&pair->a, i, i * SLOT_LEN, 4 + number % 200);
		REQUIRE_EQ(request_post(&pair->a, &r), 0);
	}
}

static void run_windows(struct two_qps *pair, unsigned window,
			unsigned messages)
{
	uint64_t all = window == 64 ? UINT64_MAX : (1ull << window) - 1;
	uint64_t sent, received;
	struct completion c;
	unsigned first, i;

	for (first = 0; first < messages; first += window) {
		send_window(pair, window, first);
		for (sent = received = 0, i = 0; i < window; i++) {
			received |= 1ull << take_message(&pair->b, window,
							 first);
			c = completion_wait(&pair->a);
			REQUIRE_EQ(c.status, IBV_WC_SUCCESS);
			sent |= 1ull << c.wr_id;
		}
		REQUIRE_EQ(received, all);
		REQUIRE_EQ(sent, all);
	}
}

/* The rings are full at each window; a post beyond that is refused. */
static void check_small_rings(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct two_qps pair;
	struct request r;
	unsigned window;
	int i;

	expect_stage("small rings");
	wish.send_depth = 4;
	wish.recv_depth = 4;
	wish.cq_depth = 8;
	two_qps_open(&pair, &wish);
	run_windows(&pair, 4, 8000);
	for (i = 0; i < 4; i++)
		EXPECT_EQ(receive_post(&pair.b, 9, 0, SLOT_LEN), 0);
	EXPECT_EQ(receive_post(&pair.b, 9, 0, SLOT_LEN), ENOMEM);
	r = request_send(&pair.a, 9, 0, 8);
	for (window = 0; request_post(&pair.a, &r) == 0; window++)
		REQUIRE(window < 4096);
	EXPECT(window >= 4);
	two_qps_close(&pair);
}

/* More messages than 16 bits count; windows that no ring size divides. */
static void check_counters(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct two_qps pair;

	expect_stage("16-bit counters");
	wish.send_depth = 64;
	wish.recv_depth = 64;
	wish.cq_depth = 64;
	two_qps_open(&pair, &wish);
	run_windows(&pair, 37, 140000);
	run_windows(&pair, 64, 2000);
	two_qps_close(&pair);
}

static void post_scatter(struct endpoint *b, unsigned i, int sges)
{
	uint64_t at = (uintptr_t)b->buf + i * SLOT_LEN;
	struct ibv_sge sge[2] = {
		{ at, sges == 1 ? SLOT_LEN : 50, b->mr->lkey },
		{ at + 50, SLOT_LEN - 50, b->mr->lkey },
	};
	struct ibv_recv_wr *bad, wr = {
		.wr_id = i,
		.sg_list = sge,
		.num_sge = sges,
	};

	REQUIRE_EQ(ibv_post_recv(b->qp, &wr, &bad), 0);
}

/*
 * Receives of one and of two descriptors: a receive then straddles the end
 * of the ring, with its first descriptor last and its last one first.
 */
static void check_straddling(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct two_qps pair;
	unsigned i, n;

	expect_stage("receives across the end of the ring");
	wish.recv_sge = 2;
	wish.recv_depth = 4;
	two_qps_open(&pair, &wish);
	for (n = 0; n < 3000; n++) {
		struct request r = request_send(&pair.a, n, 0, 4 + n % 200);

		memcpy(pair.a.buf, &n, 4);
		expect_fill(pair.a.buf + 4, n % 200, n);
		i = n % 4;
		memset(pair.b.buf, 0, 4 * SLOT_LEN);
		post_scatter(&pair.b, i, n % 3 ? 2 : 1);
		REQUIRE_EQ(request_post(&pair.a, &r), 0);
		EXPECT_EQ(take_message(&pair.b, 4, n), 0);
		COMPLETION_EXPECT(&pair.a, n, IBV_WC_SUCCESS);
	}
	two_qps_close(&pair);
}

/* Entry @number of a CQ that nobody tells the device of having read. */
static void wait_entry(const struct efadv_cq_attr *cq, uint32_t number)
{
	const volatile struct efa_io_cdesc *ring = (const void *)cq->buffer;
	uint32_t slot = number % cq->num_entries;
	uint8_t phase = !(number / cq->num_entries % 2);

	while ((ring[slot].flags & EFA_IO_CDESC_PHASE) != phase)
		sched_yield();
	EXPECT_EQ(ring[slot].status, EFA_IO_COMP_STATUS_OK);
}

/*
 * libfabric's own provider, before 2.3, reads the ring and leaves the
 * doorbell of a CQ without events alone: so may others.
 */
static void check_silent_consumer(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct efadv_cq_attr a_cq = {}, b_cq = {};
	struct two_qps pair;
	struct request r;
	unsigned n;

	expect_stage("a consumer that does not ring the doorbell");
	wish.cq_depth = 16;
	wish.send_depth = 256;
	wish.recv_depth = 256;
	two_qps_open(&pair, &wish);
	REQUIRE_EQ(efadv_query_cq(ibv_cq_ex_to_cq(pair.a.cq), &a_cq,
				  sizeof(a_cq)), 0);
	REQUIRE_EQ(efadv_query_cq(ibv_cq_ex_to_cq(pair.b.cq), &b_cq,
				  sizeof(b_cq)), 0);
	/* As many as rdma-core posts without having seen a completion. */
	for (n = 0; n < 256; n++) {
		REQUIRE_EQ(receive_post(&pair.b, n, 0, SLOT_LEN), 0);
		r = request_send(&pair.a, n, 0, SLOT_LEN);
		REQUIRE_EQ(request_post(&pair.a, &r), 0);
		wait_entry(&a_cq, n);
		wait_entry(&b_cq, n);
	}
	two_qps_close(&pair);
}

int main(void)
{
	struct ibv_context *ctx;
	bool scatter;

	expect_deadline(180);
	ctx = device_open(0);
	scatter = device_attr(ctx).max_rq_sge >= 2;
	device_close(ctx);
	check_small_rings();
	if (scatter)
		check_straddling();
	check_silent_consumer();
	check_counters();
	return expect_result();
}
