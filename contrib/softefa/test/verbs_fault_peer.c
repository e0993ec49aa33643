/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Peers that die: one that no longer answers, one whose queue pair is gone
 * while its owner has it, and messages of one that arrive after its end.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "fabtests/expect.h"
#include "test/fault_setting.h"
#include "test/two_qps.h"

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ll + now.tv_nsec / 1000000;
}

static void post_send(struct endpoint *e, uint64_t wr_id)
{
	struct request r = request_send(e, wr_id, 0, 64);

	REQUIRE_EQ(request_post(e, &r), 0);
}

/* A message of another pair, so that time has passed for the device. */
static void pass(struct endpoint *from, struct endpoint *to)
{
	REQUIRE_EQ(receive_post(to, 70, 4096, 64), 0);
	post_send(from, 71);
	/* To itself both complete in one queue, the receive first. */
	COMPLETION_EXPECT(to, 70, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(from, 71, IBV_WC_SUCCESS);
}

static void check_blackhole(struct two_qps *pair, struct endpoint *other)
{
	long long start = now_ms();

	expect_stage("nobody answers");
	fault_set("blackhole time=40ms after=1 peer=%u", pair->b.self.qpn);
	pass(&pair->a, &pair->b);
	REQUIRE_EQ(receive_post(&pair->b, 1, 4096, 64), 0);
	post_send(&pair->a, 2);
	post_send(&pair->a, 3);
	/* Others are not kept waiting. */
	pass(other, other);
	EXPECT_EQ(COMPLETION_EXPECT(&pair->a, 2, IBV_WC_RESP_TIMEOUT_ERR)
		  .vendor_err, 13);
	EXPECT_EQ(COMPLETION_EXPECT(&pair->a, 3, IBV_WC_RESP_TIMEOUT_ERR)
		  .vendor_err, 13);
	EXPECT(now_ms() - start >= 39);
	COMPLETION_NONE(&pair->b);
	/* The other way is open, and when the fault is gone so is this. */
	REQUIRE_EQ(receive_post(&pair->a, 4, 4096, 64), 0);
	post_send(&pair->b, 5);
	COMPLETION_EXPECT(&pair->b, 5, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair->a, 4, IBV_WC_SUCCESS);
	fault_clear();
	post_send(&pair->a, 6);
	COMPLETION_EXPECT(&pair->a, 6, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair->b, 1, IBV_WC_SUCCESS);
}

/* That @e is dead, and does not know it. */
static void check_dead(struct endpoint *e, struct endpoint *other)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	post_send(e, 80);
	pass(other, other);
	COMPLETION_NONE(e);
	EXPECT_EQ(ibv_modify_qp(e->qp, &attr, IBV_QP_STATE), EINVAL);
}

static void check_kill_remote(const struct endpoint_wish *wish,
			      struct endpoint *other)
{
	struct two_qps pair;

	expect_stage("the peer's queue pair is gone");
	two_qps_open(&pair, wish);
	fault_set("kill-qp nth=2 qp=%u", pair.a.self.qpn);
	pass(&pair.a, &pair.b);
	REQUIRE_EQ(receive_post(&pair.b, 1, 4096, 64), 0);
	post_send(&pair.a, 2);
	EXPECT_EQ(completion_wait(&pair.a).vendor_err, 9);
	fault_clear();
	post_send(&pair.a, 3);
	EXPECT_EQ(completion_wait(&pair.a).vendor_err, 9);
	COMPLETION_NONE(&pair.b);
	check_dead(&pair.b, other);
	two_qps_close(&pair);
}

static void check_kill_local(const struct endpoint_wish *wish,
			     struct endpoint *other)
{
	struct two_qps pair;

	expect_stage("the sender's own queue pair is gone");
	two_qps_open(&pair, wish);
	fault_set("kill-qp side=local nth=1 qp=%u", pair.a.self.qpn);
	REQUIRE_EQ(receive_post(&pair.b, 1, 4096, 64), 0);
	post_send(&pair.a, 2);
	post_send(&pair.a, 3);
	pass(other, other);
	COMPLETION_NONE(&pair.a);
	COMPLETION_NONE(&pair.b);
	check_dead(&pair.a, other);
	post_send(&pair.b, 4);
	EXPECT_EQ(completion_wait(&pair.b).vendor_err, 9);
	fault_clear();
	two_qps_close(&pair);
}

static void check_late(const struct endpoint_wish *wish,
		       struct endpoint *other)
{
	struct two_qps pair;
	struct completion c;

	expect_stage("a message later than its queue pair");
	two_qps_open(&pair, wish);
	fault_set("late-packets delay=100ms qp=%u", pair.a.self.qpn);
	memcpy(pair.a.buf, "late", 4);
	REQUIRE_EQ(receive_post(&pair.b, 1, 4096, 256), 0);
	post_send(&pair.a, 2);
	post_send(&pair.a, 3);	/* finds no receive, and nobody cares */
	pass(other, other);
	EXPECT_EQ(ibv_destroy_qp(pair.a.qp), 0);
	memset(pair.a.buf, 0, 64);
	fault_clear();
	c = COMPLETION_EXPECT(&pair.b, 1, IBV_WC_SUCCESS);
	EXPECT_EQ(c.src_qp, pair.a.self.qpn);
	EXPECT_BYTES(pair.b.buf + 4096 + (wish->ud ? 40 : 0), "late", 4);

	EXPECT_EQ(ibv_destroy_ah(pair.a.ah), 0);
	EXPECT_EQ(ibv_destroy_cq(ibv_cq_ex_to_cq(pair.a.cq)), 0);
	EXPECT_EQ(ibv_dereg_mr(pair.a.mr), 0);
	EXPECT_EQ(ibv_dealloc_pd(pair.a.pd), 0);
	munmap(pair.a.buf, pair.a.buf_len);
	endpoint_close(&pair.b);
	device_close(pair.ctx);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct endpoint other;
	struct two_qps pair;

	expect_deadline(60);
	two_qps_open(&pair, &wish);
	endpoint_open(&other, pair.ctx, &wish);
	endpoint_connect(&other, &other.self);
	check_blackhole(&pair, &other);
	check_kill_remote(&wish, &other);
	check_kill_local(&wish, &other);
	check_late(&wish, &other);
	wish.ud = true;
	check_late(&wish, &other);
	endpoint_close(&other);
	two_qps_close(&pair);
	return expect_result();
}
