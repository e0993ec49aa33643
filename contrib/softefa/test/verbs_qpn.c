/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * verbs_qpn FIRST first|round-robin: the QP numbers of a device started with
 * --qpn-start FIRST and --qpn-reuse, and what a destroyed QP leaves behind:
 * its completions stay in the ring. Run by verbs_settings.sh.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define CDESC_BYTES	32
#define CDESC_QPN	4	/* offset, 16 bits */
#define MOST		256

static struct ibv_context *ctx;
static struct endpoint_wish wish;

/* All that the device gives at a time, alike in no low bits. */
static void check_numbers(uint32_t first, uint32_t max_qp)
{
	static struct endpoint e[MOST];
	bool seen[MOST] = {};
	uint32_t slots = 1, qpn, high = 0, i;

	expect_stage("all QP numbers");
	REQUIRE(max_qp <= MOST);
	while (slots < max_qp)
		slots *= 2;
	for (i = 0; i < max_qp; i++) {
		endpoint_open(&e[i], ctx, &wish);
		qpn = e[i].qp->qp_num;
		EXPECT(qpn > 0 && qpn < 0xffff);
		EXPECT(!seen[qpn % slots]);
		seen[qpn % slots] = true;
		high += qpn >= max_qp;
	}
	EXPECT_EQ(e[0].qp->qp_num, first);
	EXPECT(first < max_qp || high > 0);
	for (i = 0; i < max_qp; i++)
		endpoint_close(&e[i]);
}

static void check_traffic(struct endpoint *a, struct endpoint *b)
{
	struct request r = request_send(a, 70, 0, 32);

	EXPECT_EQ(receive_post(b, 71, 64, 32), 0);
	EXPECT_EQ(request_post(a, &r), 0);
	COMPLETION_EXPECT(b, 71, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(a, 70, IBV_WC_SUCCESS);
}

/* The successor of a destroyed QP, which another qkey keeps apart. */
static void check_reuse(bool first)
{
	struct endpoint old, new, peer;
	struct completion c;
	struct request r;
	uint32_t qpn;

	expect_stage("reuse");
	endpoint_open(&peer, ctx, &wish);
	endpoint_open(&old, ctx, &wish);
	qpn = old.qp->qp_num;
	endpoint_connect(&peer, &old.self);
	endpoint_close(&old);
	endpoint_create(&new, ctx, &wish);
	EXPECT_EQ(new.qp->qp_num == qpn, first);
	new.self.qkey = TEST_QKEY + 1;
	REQUIRE_EQ(endpoint_to_rts(&new, 0), 0);
	EXPECT_EQ(ibv_modify_qp(new.qp, &(struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTS, .cur_qp_state = IBV_QPS_RTS,
		.qkey = TEST_QKEY + 1 }, IBV_QP_STATE | IBV_QP_QKEY), 0);
	endpoint_connect(&new, &peer.self);
	EXPECT_EQ(receive_post(&new, 60, 0, 32), 0);
	r = request_send(&peer, 61, 0, 32);	/* with the old qkey */
	REQUIRE_EQ(request_post(&peer, &r), 0);
	c = completion_wait(&peer);
	EXPECT(c.status != IBV_WC_SUCCESS);
	EXPECT_EQ(c.vendor_err, 9);
	COMPLETION_NONE(&new);
	endpoint_connect(&peer, &new.self);
	r = request_send(&peer, 62, 0, 32);
	REQUIRE_EQ(request_post(&peer, &r), 0);
	COMPLETION_EXPECT(&peer, 62, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&new, 60, IBV_WC_SUCCESS);
	check_traffic(&new, &peer);
	endpoint_close(&new);
	endpoint_close(&peer);
}

static unsigned count_entries(const struct efadv_cq_attr *ring, uint32_t qpn)
{
	unsigned count = 0;
	uint16_t number;

	for (uint32_t i = 0; i < ring->num_entries; i++) {
		memcpy(&number, ring->buffer + i * CDESC_BYTES + CDESC_QPN,
		       sizeof(number));
		count += number == qpn;
	}
	return count;
}

/* Three completions nobody took: destroying the QP takes none away. */
static void check_stale(void)
{
	struct efadv_cq_attr ring = {};
	struct endpoint e, witness;
	struct request r;
	uint32_t qpn;
	int i;

	expect_stage("completions of a destroyed QP");
	endpoint_open(&e, ctx, &wish);
	endpoint_open(&witness, ctx, &wish);
	endpoint_connect(&e, &witness.self);
	qpn = e.qp->qp_num;
	r = request_send(&e, 80, 0, 16);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(receive_post(&witness, 81, 64, 16), 0);
		REQUIRE_EQ(request_post(&e, &r), 0);
	}
	for (i = 0; i < 3; i++)
		COMPLETION_EXPECT(&witness, 81, IBV_WC_SUCCESS);
	REQUIRE_EQ(efadv_query_cq(ibv_cq_ex_to_cq(e.cq), &ring, sizeof(ring)),
		   0);
	/* The sender's side comes after the receiver's. */
	while (count_entries(&ring, qpn) < 3)
		;
	EXPECT_EQ(ibv_destroy_ah(e.ah), 0);
	EXPECT_EQ(ibv_destroy_qp(e.qp), 0);
	EXPECT_EQ(count_entries(&ring, qpn), 3);
	EXPECT_EQ(ibv_destroy_cq(ibv_cq_ex_to_cq(e.cq)), 0);
	EXPECT_EQ(ibv_dereg_mr(e.mr), 0);
	EXPECT_EQ(ibv_dealloc_pd(e.pd), 0);
	endpoint_close(&witness);
}

int main(int argc, char **argv)
{
	struct ibv_device_attr attr;

	expect_deadline(60);
	REQUIRE_EQ(argc, 3);
	wish = endpoint_wish_default();
	wish.rnr_retry = 0;
	wish.buf_len = 4096;
	ctx = device_open(0);
	REQUIRE_EQ(ibv_query_device(ctx, &attr), 0);
	check_numbers((uint32_t)strtoul(argv[1], NULL, 10),
		      (uint32_t)attr.max_qp);
	check_reuse(!strcmp(argv[2], "first"));
	check_stale();
	device_close(ctx);
	return expect_result();
}
