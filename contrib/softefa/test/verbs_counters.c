/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What `softefa show --counters` says of the queues of this process: of each
 * of many, more than fit one answer of the daemon, and the true numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "test/show_output.h"
#include "test/two_qps.h"

#define PAIRS		50	/* 100 QPs: some 40 KB of lines */
#define MESSAGES	7u
#define BYTES		100u

static struct two_qps pair[PAIRS];
static char text[1 << 20];

static void show(const char *option)
{
	show_output_read(option, text, sizeof(text));
}

/* The value of one line, which must be there once. */
static long long counter(const char *object, const char *name)
{
	char start[128];
	const char *line;

	snprintf(start, sizeof(start), "\n%s %s ", object, name);
	line = strstr(text, start);
	if (!expect_true(line, start, __FILE__, __LINE__))
		return -1;
	EXPECT(!strstr(line + 1, start));
	return atoll(line + strlen(start));
}

static long long qp_counter(const struct endpoint *e, const char *name)
{
	char object[64];

	snprintf(object, sizeof(object), "%s/qp/%u",
		 ibv_get_device_name(e->ctx->device), e->qp->qp_num);
	return counter(object, name);
}

/*
 * A message that finds no receive, until it is seen to have waited for one.
 * Each look takes a time that the device spends on trying again.
 */
static void exchange_late(struct two_qps *p)
{
	struct request r = request_send(&p->a, 1, 0, BYTES);

	REQUIRE_EQ(request_post(&p->a, &r), 0);
	do {
		show("--counters");
	} while (qp_counter(&p->a, "rnr") == 0);
	EXPECT_EQ(qp_counter(&p->a, "wqes"), 1);
	EXPECT_EQ(qp_counter(&p->a, "completions"), 0);
	EXPECT_EQ(qp_counter(&p->b, "rnr"), 0);
	REQUIRE_EQ(receive_post(&p->b, 2, 0, BYTES), 0);
	COMPLETION_EXPECT(&p->a, 1, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&p->b, 2, IBV_WC_SUCCESS);
}

/* The initiator counts what it read, the target nothing. */
static void read_remote(struct two_qps *p)
{
	uint32_t len = 2 * device_mtu(p->ctx) + 1;
	struct request r = request_rdma(&p->a, IBV_WR_RDMA_READ, 1, 0, len);

	REQUIRE_EQ(request_post(&p->a, &r), 0);
	COMPLETION_EXPECT(&p->a, 1, IBV_WC_SUCCESS);
	show("--counters");
	EXPECT_EQ(qp_counter(&p->a, "rx_packets"), 3);
	EXPECT_EQ(qp_counter(&p->a, "rx_bytes"), len);
	EXPECT_EQ(qp_counter(&p->a, "tx_bytes"), 0);
	EXPECT_EQ(qp_counter(&p->b, "tx_bytes"), 0);
	EXPECT_EQ(qp_counter(&p->b, "completions"), 0);
}

/* More than the receive has room for. */
static void send_too_much(struct two_qps *p)
{
	struct request r = request_send(&p->a, 1, 0, BYTES);

	REQUIRE_EQ(receive_post(&p->b, 2, 0, BYTES / 2), 0);
	REQUIRE_EQ(request_post(&p->a, &r), 0);
	COMPLETION_EXPECT(&p->a, 1, IBV_WC_REM_INV_REQ_ERR);
	show("--counters");
	EXPECT_EQ(qp_counter(&p->a, "completions"), 1);
	EXPECT_EQ(qp_counter(&p->a, "errors"), 1);
	EXPECT_EQ(qp_counter(&p->a, "tx_bytes"), 0);
}

static void exchange(struct two_qps *p)
{
	struct request r = request_send(&p->a, 1, 0, BYTES);

	for (uint32_t i = 0; i < MESSAGES; i++) {
		REQUIRE_EQ(receive_post(&p->b, 2, 0, BYTES), 0);
		REQUIRE_EQ(request_post(&p->a, &r), 0);
		COMPLETION_EXPECT(&p->a, 1, IBV_WC_SUCCESS);
		COMPLETION_EXPECT(&p->b, 2, IBV_WC_SUCCESS);
	}
}

static void check_pair(const struct two_qps *p, uint32_t messages)
{
	EXPECT_EQ(qp_counter(&p->a, "wqes"), messages);
	EXPECT_EQ(qp_counter(&p->a, "sq_doorbells"), messages);
	EXPECT_EQ(qp_counter(&p->a, "tx_packets"), messages);
	EXPECT_EQ(qp_counter(&p->a, "tx_bytes"), messages * BYTES);
	EXPECT_EQ(qp_counter(&p->a, "completions"), messages);
	EXPECT_EQ(qp_counter(&p->a, "errors"), 0);
	EXPECT_EQ(qp_counter(&p->b, "receives"), messages);
	EXPECT_EQ(qp_counter(&p->b, "rq_doorbells"), messages);
	EXPECT_EQ(qp_counter(&p->b, "rx_packets"), messages);
	EXPECT_EQ(qp_counter(&p->b, "rx_bytes"), messages * BYTES);
	EXPECT_EQ(qp_counter(&p->b, "wqes"), 0);
}

/* Each line is "object name value"; one CQ each has @completions in all. */
static void check_form(unsigned long long completions)
{
	char object[64], name[64], rest;
	unsigned long long value, counted = 0;
	unsigned cqs = 0;
	char *line = text;

	for (char *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (sscanf(line, "%63s %63s %llu%c", object, name, &value,
			   &rest) != 3)
			expect_true(false, line, __FILE__, __LINE__);
		if (!strstr(object, "/cq/") || strcmp(name, "completions"))
			continue;
		cqs++;
		counted += value;
	}
	EXPECT_EQ(*line, '\0');
	EXPECT_EQ(cqs, 2 * PAIRS);
	EXPECT_EQ(counted, completions);
}

/* The form for people: a line for each queue, of what is not 0. */
static void check_readable(const struct endpoint *e)
{
	char line[160];

	show("");
	snprintf(line, sizeof(line), "\n%s/qp/%u: pid %d rq_doorbells %u "
		 "receives %u rx_packets %u rx_bytes %u completions %u\n",
		 ibv_get_device_name(e->ctx->device), e->qp->qp_num, getpid(),
		 MESSAGES, MESSAGES, MESSAGES, MESSAGES * BYTES, MESSAGES);
	if (!expect_true(strstr(text, line), line, __FILE__, __LINE__))
		fputs(text, stderr);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();

	expect_deadline(120);
	wish.buf_len = 32768;
	for (int i = 0; i < PAIRS; i++)
		two_qps_open(&pair[i], &wish);
	exchange(&pair[0]);
	exchange(&pair[PAIRS - 1]);
	show("--counters");
	EXPECT(strlen(text) > 32768);
	check_pair(&pair[0], MESSAGES);
	check_pair(&pair[1], 0);
	check_pair(&pair[PAIRS - 1], MESSAGES);
	check_form(4 * MESSAGES);
	check_readable(&pair[0].b);
	exchange_late(&pair[1]);
	if (device_has(pair[2].ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_READ))
		read_remote(&pair[2]);
	send_too_much(&pair[3]);
	for (int i = 0; i < PAIRS; i++)
		two_qps_close(&pair[i]);
	return expect_result();
}
