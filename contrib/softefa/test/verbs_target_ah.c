/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * verbs_target_ah on|off: with --rule target-ah=on the target of an RDMA
 * operation must have an address handle of the initiator, with off not.
 * Run by verbs_settings.sh.
 */
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define LENGTH	70000u		/* more than 16 bits */

static struct two_qps pair;
static bool is_on;

static void forget_initiator(void)
{
	EXPECT_EQ(ibv_destroy_ah(pair.b.ah), 0);
	pair.b.ah = NULL;
}

static void check_unknown(enum ibv_wr_opcode op)
{
	struct request r = request_rdma(&pair.a, op, 1, 0, LENGTH);

	expect_fill(pair.a.buf, LENGTH, 1);
	expect_fill(pair.b.buf, LENGTH, 2);
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	if (!is_on) {
		COMPLETION_EXPECT(&pair.a, 1, IBV_WC_SUCCESS);
		return;
	}
	EXPECT_EQ(COMPLETION_EXPECT(&pair.a, 1,
				    IBV_WC_REM_OP_ERR).vendor_err, 14);
	EXPECT_FILLED(pair.a.buf, LENGTH, 1);
	EXPECT_FILLED(pair.b.buf, LENGTH, 2);
}

/* The receiver learns of the sender and the length all the same. */
static void check_immediate(uint16_t ahn)
{
	struct request r = request_rdma(&pair.a, IBV_WR_RDMA_WRITE_WITH_IMM,
					3, 0, LENGTH);
	struct completion c;

	r.imm = 99;
	REQUIRE_EQ(receive_post(&pair.b, 4, 0, 0), 0);
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	COMPLETION_EXPECT(&pair.a, 3, IBV_WC_SUCCESS);
	c = COMPLETION_EXPECT(&pair.b, 4, IBV_WC_SUCCESS);
	EXPECT_EQ(c.byte_len, LENGTH);
	EXPECT_EQ(c.imm, 99);
	EXPECT_EQ(c.ahn, ahn);
	EXPECT_EQ(c.src_qp, pair.a.qp->qp_num);
}

int main(int argc, char **argv)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct efadv_ah_attr ah = {};

	expect_deadline(60);
	REQUIRE_EQ(argc, 2);
	is_on = !strcmp(argv[1], "on");
	wish.buf_len = LENGTH;
	two_qps_open(&pair, &wish);
	forget_initiator();
	expect_stage("read from a target that does not know us");
	check_unknown(IBV_WR_RDMA_READ);
	expect_stage("write to a target that does not know us");
	check_unknown(IBV_WR_RDMA_WRITE);
	if (!is_on)
		check_immediate(0xffff);
	expect_stage("a target that knows us");
	endpoint_connect(&pair.b, &pair.a.self);
	REQUIRE_EQ(efadv_query_ah(pair.b.ah, &ah, sizeof(ah)), 0);
	check_immediate(ah.ahn);
	two_qps_close(&pair);
	return expect_result();
}
