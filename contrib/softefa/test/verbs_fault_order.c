/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Faults of order: SRD messages arrive permuted, each once; UD datagrams
 * are dropped, duplicated and permuted; the same seed gives the same
 * decisions and, for requests of one doorbell, the same order.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/fault_setting.h"
#include "test/two_qps.h"

#define MESSAGES	32u
#define SLOT		64u	/* bytes of the buffer for one */
#define GRH		40u	/* room in front of a datagram */

/* Receives for all, then all requests with one doorbell. */
static void post_all(struct two_qps *pair)
{
	struct request r;
	uint32_t i;

	for (i = 0; i < MESSAGES; i++)
		REQUIRE_EQ(receive_post(&pair->b, i, 8192 + i * 2 * SLOT,
					2 * SLOT), 0);
	ibv_wr_start(pair->a.qpx);
	for (i = 0; i < MESSAGES; i++) {
		memcpy(pair->a.buf + i * SLOT, &i, sizeof(i));
		r = request_send(&pair->a, i, i * SLOT, SLOT);
		request_build(&pair->a, &r);
	}
	REQUIRE_EQ(ibv_wr_complete(pair->a.qpx), 0);
}

static uint32_t read_number(struct two_qps *pair, uint64_t wr_id, bool ud)
{
	uint32_t number;

	memcpy(&number, pair->b.buf + 8192 + wr_id * 2 * SLOT +
	       (ud ? GRH : 0), sizeof(number));
	REQUIRE(number < MESSAGES);
	return number;
}

/* All arrive, each once; @order[i]: which came as number i. */
static void exchange(struct two_qps *pair, uint32_t order[MESSAGES])
{
	bool seen[MESSAGES] = { false };
	struct completion c;
	uint32_t i;

	post_all(pair);
	for (i = 0; i < MESSAGES; i++) {
		c = completion_wait(&pair->b);
		EXPECT_EQ(c.status, IBV_WC_SUCCESS);
		order[i] = read_number(pair, c.wr_id, false);
		EXPECT(!seen[order[i]]);
		seen[order[i]] = true;
	}
	for (i = 0; i < MESSAGES; i++)
		EXPECT_EQ(completion_wait(&pair->a).status, IBV_WC_SUCCESS);
	COMPLETION_NONE(&pair->a);
	COMPLETION_NONE(&pair->b);
}

static unsigned count_moved(const uint32_t order[MESSAGES])
{
	unsigned moved = 0;
	uint32_t i;

	for (i = 0; i < MESSAGES; i++)
		moved += order[i] != i;
	return moved;
}

static void check_reorder(struct two_qps *pair, const char *fault)
{
	uint32_t order[MESSAGES];

	expect_stage(fault);
	exchange(pair, order);
	EXPECT_EQ(count_moved(order), 0);
	fault_set("%s qp=%u", fault, pair->a.self.qpn);
	exchange(pair, order);
	EXPECT(count_moved(order) > MESSAGES / 4);
	fault_clear();
	exchange(pair, order);
	EXPECT_EQ(count_moved(order), 0);
}

/* A QP that the fault does not select keeps its order. */
static void check_selected_only(struct two_qps *pair)
{
	uint32_t order[MESSAGES];

	expect_stage("another QP is selected");
	fault_set("reorder delay=0..1ms qp=%u", pair->b.self.qpn);
	exchange(pair, order);
	EXPECT_EQ(count_moved(order), 0);
	fault_clear();
}

static void run_seed(struct two_qps *pair, unsigned seed,
		     unsigned long long *mark, uint32_t order[MESSAGES],
		     char *text, size_t text_bytes)
{
	fault_set("reorder window=8 delay=200ms prob=0.75 seed=%u", seed);
	exchange(pair, order);
	fault_clear();
	fault_log_read(mark, text, text_bytes);
}

/* The last ones of the window have nobody to wait for but their time. */
static void check_seed(struct two_qps *pair)
{
	static char text[3][16384];
	uint32_t order[3][MESSAGES];
	unsigned long long mark = 0;

	expect_stage("same seed, same schedule");
	fault_log_read(&mark, text[0], sizeof(text[0]));
	run_seed(pair, 7, &mark, order[0], text[0], sizeof(text[0]));
	run_seed(pair, 7, &mark, order[1], text[1], sizeof(text[1]));
	run_seed(pair, 8, &mark, order[2], text[2], sizeof(text[2]));
	EXPECT(strlen(text[0]) > 200);
	EXPECT_STR(text[1], text[0]);
	EXPECT(strcmp(text[2], text[0]));
	EXPECT_BYTES(order[1], order[0], sizeof(order[0]));
	EXPECT(memcmp(order[2], order[0], sizeof(order[0])));
}

/* How often each of the datagrams arrives; those that do, in which order. */
static unsigned exchange_ud(struct two_qps *pair, unsigned expected,
			    unsigned times[MESSAGES])
{
	unsigned moved = 0, i, last = 0, number;
	struct completion c;

	memset(times, 0, MESSAGES * sizeof(*times));
	post_all(pair);
	for (i = 0; i < MESSAGES; i++)
		EXPECT_EQ(completion_wait(&pair->a).status, IBV_WC_SUCCESS);
	for (i = 0; i < expected; i++) {
		c = completion_wait(&pair->b);
		EXPECT_EQ(c.status, IBV_WC_SUCCESS);
		number = read_number(pair, c.wr_id, true);
		times[number]++;
		moved += number < last;
		last = number;
	}
	COMPLETION_NONE(&pair->b);
	return moved;
}

/* Uses up the receives that dropped datagrams have left. */
static void use_up(struct two_qps *pair, unsigned receives)
{
	struct request r = request_send(&pair->a, 99, 0, SLOT);
	unsigned i;

	for (i = 0; i < receives; i++) {
		REQUIRE_EQ(request_post(&pair->a, &r), 0);
		completion_wait(&pair->a);
		completion_wait(&pair->b);
	}
}

static void check_datagrams(struct endpoint_wish *wish)
{
	unsigned times[MESSAGES], i;
	struct two_qps pair;

	expect_stage("datagrams dropped, duplicated, permuted");
	wish->ud = true;
	two_qps_open(&pair, wish);
	EXPECT_EQ(exchange_ud(&pair, MESSAGES, times), 0);
	fault_set("drop every=4 qp=%u", pair.a.self.qpn);
	exchange_ud(&pair, MESSAGES * 3 / 4, times);
	for (i = 0; i < MESSAGES; i++)
		EXPECT_EQ(times[i], i % 4 != 0);
	fault_clear();
	use_up(&pair, MESSAGES / 4);
	/* No receive is left for the second half of those that follow. */
	fault_set("duplicate count=16 qp=%u", pair.a.self.qpn);
	exchange_ud(&pair, MESSAGES, times);
	for (i = 0; i < MESSAGES; i++)
		EXPECT_EQ(times[i], i < 16 ? 2 : 0);
	fault_clear();
	fault_set("reorder delay=0..1ms qp=%u", pair.a.self.qpn);
	EXPECT(exchange_ud(&pair, MESSAGES, times) > 4);
	for (i = 0; i < MESSAGES; i++)
		EXPECT_EQ(times[i], 1);
	fault_clear();
	two_qps_close(&pair);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct two_qps pair;

	expect_deadline(120);
	wish.send_depth = wish.recv_depth = MESSAGES;
	two_qps_open(&pair, &wish);
	check_reorder(&pair, "reorder delay=0..2ms seed=3");
	check_reorder(&pair, "reorder window=8");
	check_selected_only(&pair);
	check_seed(&pair);
	two_qps_close(&pair);
	check_datagrams(&wish);
	return expect_result();
}
