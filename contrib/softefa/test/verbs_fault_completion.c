/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Completions that are kept back: the peer's answer comes before the
 * request's own completion, and the reverse; and those of a queue pair that
 * was destroyed meanwhile, which then lie in the ring all the same.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "fabtests/expect.h"
#include "prov/efa/src/hw/efa_io_defs.h"
#include "test/fault_setting.h"
#include "test/two_qps.h"

#define HOLD_MS		30

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

static void send_from(struct endpoint *from, uint64_t wr_id)
{
	struct request r = request_send(from, wr_id, 0, 64);

	REQUIRE_EQ(request_post(from, &r), 0);
}

/* A message there and back; the sender's own completion comes last. */
static void check_answer_first(struct two_qps *pair)
{
	expect_stage("the answer comes before the completion");
	fault_set("hold-cqe queue=send until=recv qp=%u", pair->a.self.qpn);
	REQUIRE_EQ(receive_post(&pair->a, 1, 4096, 64), 0);
	REQUIRE_EQ(receive_post(&pair->b, 2, 4096, 64), 0);
	send_from(&pair->a, 3);
	COMPLETION_EXPECT(&pair->b, 2, IBV_WC_SUCCESS);
	COMPLETION_NONE(&pair->a);
	send_from(&pair->b, 4);
	COMPLETION_EXPECT(&pair->b, 4, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair->a, 1, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair->a, 3, IBV_WC_SUCCESS);
	fault_clear();
}

/* The receiver hears of a message after the sender, and of it alone. */
static void check_receive_last(struct two_qps *pair)
{
	expect_stage("the receive completes after the send");
	fault_set("hold-cqe queue=recv until=send qp=%u peer=%u",
		  pair->b.self.qpn, pair->a.self.qpn);
	REQUIRE_EQ(receive_post(&pair->a, 1, 4096, 64), 0);
	REQUIRE_EQ(receive_post(&pair->b, 2, 4096, 64), 0);
	send_from(&pair->a, 3);
	COMPLETION_EXPECT(&pair->a, 3, IBV_WC_SUCCESS);
	COMPLETION_NONE(&pair->b);
	send_from(&pair->b, 4);
	COMPLETION_EXPECT(&pair->b, 4, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair->b, 2, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair->a, 1, IBV_WC_SUCCESS);
	fault_clear();
}

static void check_time(struct two_qps *pair, const char *queue,
		       struct endpoint *held, struct endpoint *other)
{
	long long start;

	expect_stage("a completion is late by a time");
	fault_set("hold-cqe queue=%s time=%dms qp=%u nth=1", queue, HOLD_MS,
		  held->self.qpn);
	REQUIRE_EQ(receive_post(&pair->b, 7, 4096, 64), 0);
	start = now_ms();
	send_from(&pair->a, 7);
	COMPLETION_EXPECT(other, 7, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(held, 7, IBV_WC_SUCCESS);
	EXPECT(now_ms() - start >= HOLD_MS - 1);
	fault_clear();
}

/* The entry at @index of the CQ's ring, which rdma-core need not like. */
static struct efa_io_cdesc ring_entry(struct endpoint *e, unsigned index)
{
	struct efadv_cq_attr attr = {};
	struct efa_io_cdesc entry;

	REQUIRE_EQ(efadv_query_cq(ibv_cq_ex_to_cq(e->cq), &attr,
				  sizeof(attr)), 0);
	REQUIRE(index < attr.num_entries);
	memcpy(&entry, attr.buffer + (size_t)index * attr.entry_size,
	       sizeof(entry));
	return entry;
}

static void close_without_qp(struct endpoint *e)
{
	EXPECT_EQ(ibv_destroy_ah(e->ah), 0);
	EXPECT_EQ(ibv_destroy_cq(ibv_cq_ex_to_cq(e->cq)), 0);
	EXPECT_EQ(ibv_dereg_mr(e->mr), 0);
	EXPECT_EQ(ibv_dealloc_pd(e->pd), 0);
	munmap(e->buf, e->buf_len);
}

/* @fault holds the completion of one request past the end of its QP. */
static void check_destroyed(struct two_qps *pair,
			    const struct endpoint_wish *wish,
			    const char *fault)
{
	struct endpoint e;

	expect_stage("completions of a destroyed queue pair");
	endpoint_open(&e, pair->ctx, wish);
	endpoint_connect(&e, &pair->b.self);
	fault_set("%s qp=%u", fault, e.self.qpn);
	REQUIRE_EQ(receive_post(&pair->b, 8, 4096, 64), 0);
	send_from(&e, 9);
	COMPLETION_EXPECT(&pair->b, 8, IBV_WC_SUCCESS);
	COMPLETION_NONE(&e);
	EXPECT_EQ(ibv_destroy_qp(e.qp), 0);
	while (!(ring_entry(&e, 0).flags & EFA_IO_CDESC_PHASE))
		;
	EXPECT_EQ(ring_entry(&e, 0).qp_num, e.self.qpn & 0xffff);
	EXPECT_EQ(ring_entry(&e, 0).status, 0);
	fault_clear();
	close_without_qp(&e);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct two_qps pair;

	expect_deadline(60);
	two_qps_open(&pair, &wish);
	check_answer_first(&pair);
	check_receive_last(&pair);
	check_time(&pair, "send", &pair.a, &pair.b);
	check_time(&pair, "recv", &pair.b, &pair.a);
	check_destroyed(&pair, &wish, "hold-cqe until=destroy");
	check_destroyed(&pair, &wish, "hold-cqe until=destroy time=5ms");
	check_destroyed(&pair, &wish, "hold-cqe time=50ms");
	two_qps_close(&pair);
	return expect_result();
}
