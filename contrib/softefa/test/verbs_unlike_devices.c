/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * verbs_unlike_devices NAME: two devices of which the first has the
 * capability NAME (softefa's --caps) and the second does not. What uses it
 * ends with a status that says so, whichever side lacks it, and everything
 * else works between them. Run by verbs_settings.sh.
 */
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define LEN			64u
#define FEATURE_MISMATCH	18u
#define RNR			10u

static struct ibv_context *ctx[2];
static struct endpoint with, without;	/* on the two devices */

static void open_both(uint16_t flags, uint8_t rnr_retry)
{
	struct endpoint_wish wish = endpoint_wish_default();

	wish.rnr_retry = rnr_retry;
	endpoint_open(&without, ctx[1], &wish);
	wish.efa_flags = flags;
	endpoint_open(&with, ctx[0], &wish);
	endpoint_connect(&with, &without.self);
	endpoint_connect(&without, &with.self);
}

static void close_both(void)
{
	endpoint_close(&with);
	endpoint_close(&without);
}

static void check_message(struct endpoint *from, struct endpoint *to)
{
	struct request r = request_send(from, 90, 0, LEN);

	expect_fill(from->buf, LEN, 5);
	REQUIRE_EQ(receive_post(to, 91, LEN, LEN), 0);
	REQUIRE_EQ(request_post(from, &r), 0);
	COMPLETION_EXPECT(from, 90, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(to, 91, IBV_WC_SUCCESS);
	EXPECT_FILLED(to->buf + LEN, LEN, 5);
}

static void ends_with(struct endpoint *e, enum ibv_wr_opcode op,
		      uint32_t device_status)
{
	struct request r = request_rdma(e, op, 7, 0, LEN);

	REQUIRE_EQ(request_post(e, &r), 0);
	EXPECT_EQ(COMPLETION_EXPECT(e, 7, device_status ?
				    IBV_WC_REM_INV_REQ_ERR :
				    IBV_WC_SUCCESS).vendor_err,
		  device_status);
}

/* rdma-core offers no such operation on the device that lacks it. */
static void check_rdma(enum ibv_wr_opcode op, enum ibv_wr_opcode other)
{
	open_both(0, 7);
	expect_fill(without.buf, LEN, 1);
	ends_with(&with, op, FEATURE_MISMATCH);
	EXPECT_FILLED(without.buf, LEN, 1);
	ends_with(&with, other, 0);
	ends_with(&without, other, 0);
	check_message(&with, &without);
	check_message(&without, &with);
	close_both();
}

/* Without the capability there is no end to the attempts. */
static void check_rnr_retry(void)
{
	struct request r;

	open_both(0, 0);
	r = request_send(&with, 1, 0, LEN);
	REQUIRE_EQ(request_post(&with, &r), 0);
	EXPECT_EQ(COMPLETION_EXPECT(&with, 1, IBV_WC_RNR_RETRY_EXC_ERR)
		  .vendor_err, RNR);
	r = request_send(&without, 2, 0, LEN);
	REQUIRE_EQ(request_post(&without, &r), 0);
	/* One that comes back, eleven attempts of the other later. */
	for (int i = 0; i < 11; i++) {
		r = request_send(&with, 3, 0, LEN);
		REQUIRE_EQ(request_post(&with, &r), 0);
		COMPLETION_EXPECT(&with, 3, IBV_WC_RNR_RETRY_EXC_ERR);
	}
	COMPLETION_NONE(&without);
	REQUIRE_EQ(receive_post(&with, 4, 0, LEN), 0);
	COMPLETION_EXPECT(&without, 2, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&with, 4, IBV_WC_SUCCESS);
	close_both();
}

static void write_imm(struct endpoint *from, struct endpoint *to)
{
	struct request r = request_rdma(from, IBV_WR_RDMA_WRITE_WITH_IMM, 8,
					0, LEN);
	struct completion c;

	r.imm = 99;
	REQUIRE_EQ(receive_post(to, 9, 0, LEN), 0);
	REQUIRE_EQ(request_post(from, &r), 0);
	COMPLETION_EXPECT(from, 8, IBV_WC_SUCCESS);
	c = COMPLETION_EXPECT(to, 9, IBV_WC_SUCCESS);
	EXPECT(!c.unsolicited);
	EXPECT(c.has_imm && c.imm == 99);
}

/*
 * A QP that takes unsolicited receives and one that cannot: an immediate is
 * refused in both directions and takes no receive. One that could and does
 * not want to is like the other.
 */
static void check_unsolicited(void)
{
	open_both(EFADV_QP_FLAGS_UNSOLICITED_WRITE_RECV, 7);
	REQUIRE_EQ(receive_post(&with, 1, LEN, LEN), 0);
	REQUIRE_EQ(receive_post(&without, 2, LEN, LEN), 0);
	ends_with(&with, IBV_WR_RDMA_WRITE_WITH_IMM, FEATURE_MISMATCH);
	ends_with(&without, IBV_WR_RDMA_WRITE_WITH_IMM, FEATURE_MISMATCH);
	ends_with(&with, IBV_WR_RDMA_WRITE, 0);
	ends_with(&without, IBV_WR_RDMA_WRITE, 0);
	COMPLETION_NONE(&with);
	COMPLETION_NONE(&without);
	close_both();
	open_both(0, 7);
	write_imm(&with, &without);
	write_imm(&without, &with);
	check_message(&with, &without);
	close_both();
}

static void check(const char *name)
{
	expect_stage(name);
	if (!strcmp(name, "rdma-read"))
		check_rdma(IBV_WR_RDMA_READ, IBV_WR_RDMA_WRITE);
	else if (!strcmp(name, "rdma-write"))
		check_rdma(IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ);
	else if (!strcmp(name, "rnr-retry"))
		check_rnr_retry();
	else if (!strcmp(name, "unsolicited-write-recv"))
		check_unsolicited();
	else
		expect_true(false, name, __FILE__, __LINE__);
}

int main(int argc, char **argv)
{
	expect_deadline(60);
	REQUIRE_EQ(argc, 2);
	ctx[0] = device_open(0);
	ctx[1] = device_open(1);
	check(argv[1]);
	device_close(ctx[0]);
	device_close(ctx[1]);
	return expect_result();
}
