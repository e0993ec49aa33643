/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* RDMA read, write, write with immediate (solicited and not), inline. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define BUF_LEN		(24u << 20)

static bool has_read, has_write, has_unsolicited;
static uint32_t max_rdma;

static void check_read(struct two_qps *pair, uint32_t len, unsigned seed)
{
	struct request r = request_rdma(&pair->a, IBV_WR_RDMA_READ, seed, 8,
					len);

	expect_fill(pair->b.buf + 8, len, seed);
	memset(pair->a.buf, 0xee, len + 16);
	EXPECT_EQ(request_post(&pair->a, &r), 0);
	/* rdma-core reports the opcode of a read as that of a send. */
	COMPLETION_EXPECT(&pair->a, seed, IBV_WC_SUCCESS);
	EXPECT_FILLED(pair->a.buf + 8, len, seed);
	EXPECT_EQ(pair->a.buf[7], 0xee);
	EXPECT_EQ(pair->a.buf[8 + len], 0xee);
}

static void check_write(struct two_qps *pair, uint32_t len, unsigned seed)
{
	struct request r = request_rdma(&pair->a, IBV_WR_RDMA_WRITE, seed, 8,
					len);
	struct completion c;

	expect_fill(pair->a.buf + 8, len, seed);
	memset(pair->b.buf, 0xee, len + 16);
	EXPECT_EQ(request_post(&pair->a, &r), 0);
	c = COMPLETION_EXPECT(&pair->a, seed, IBV_WC_SUCCESS);
	EXPECT_EQ(c.opcode, IBV_WC_RDMA_WRITE);
	EXPECT_FILLED(pair->b.buf + 8, len, seed);
	EXPECT_EQ(pair->b.buf[7], 0xee);
	EXPECT_EQ(pair->b.buf[8 + len], 0xee);
	COMPLETION_NONE(&pair->b);
}

static void check_sizes(struct two_qps *pair)
{
	static const uint32_t sizes[] = { 0, 1, 4096, 8193, 65535, 65536,
		100000, 1u << 20, 20u << 20 };
	unsigned i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (sizes[i] > max_rdma)
			continue;
		expect_stage("RDMA read");
		if (has_read)
			check_read(pair, sizes[i], i);
		expect_stage("RDMA write");
		if (has_write)
			check_write(pair, sizes[i], i);
	}
}

static void check_write_imm(struct two_qps *pair, uint32_t len,
			    unsigned seed, bool unsolicited)
{
	struct request r = request_rdma(&pair->a, IBV_WR_RDMA_WRITE_WITH_IMM,
					seed, 0, len);
	struct completion c;

	r.imm = 0x10000000u + seed;
	expect_fill(pair->a.buf, len, seed);
	if (!unsolicited)
		EXPECT_EQ(receive_post(&pair->b, 77, BUF_LEN - 64, 64), 0);
	EXPECT_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, seed, IBV_WC_SUCCESS);
	c = COMPLETION_EXPECT(&pair->b, unsolicited ? 0 : 77, IBV_WC_SUCCESS);
	EXPECT_EQ(c.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	EXPECT_EQ(c.unsolicited, unsolicited);
	EXPECT(c.has_imm);
	EXPECT_EQ(c.imm, r.imm);
	EXPECT_EQ(c.byte_len, len);
	EXPECT_EQ(c.src_qp, pair->a.qp->qp_num);
	EXPECT_FILLED(pair->b.buf, len, seed);
}

static void check_write_imm_sizes(struct two_qps *pair, bool unsolicited)
{
	static const uint32_t sizes[] = { 0, 1, 8192, 65536, 70000, 1u << 20 };
	unsigned i;

	expect_stage(unsolicited ? "unsolicited write with immediate" :
		     "write with immediate");
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i] <= max_rdma)
			check_write_imm(pair, sizes[i], i + 1, unsolicited);
}

/* A posted receive stays when an unsolicited write comes in. */
static void check_unsolicited_keeps_receive(struct two_qps *pair)
{
	struct request r = request_send(&pair->a, 3, 0, 10);

	EXPECT_EQ(receive_post(&pair->b, 1234, 1 << 20, 64), 0);
	check_write_imm(pair, 500, 21, true);
	EXPECT_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, 3, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair->b, 1234, IBV_WC_SUCCESS);
}

static void check_unsolicited(const struct endpoint_wish *basic)
{
	struct endpoint_wish wish = *basic;
	struct two_qps pair;

	if (!has_unsolicited || !has_write)
		return;
	wish.efa_flags = EFADV_QP_FLAGS_UNSOLICITED_WRITE_RECV;
	two_qps_open(&pair, &wish);
	check_write_imm_sizes(&pair, true);
	check_unsolicited_keeps_receive(&pair);
	two_qps_close(&pair);
}

static void check_inline_write(const struct endpoint_wish *basic,
			       uint32_t limit)
{
	struct endpoint_wish wish = *basic;
	struct two_qps pair;
	struct request r;
	uint8_t data[128];

	expect_stage("inline write");
	if (!has_write || limit <= 32)
		return;
	wish.efa_flags = EFADV_QP_FLAGS_INLINE_WRITE;
	wish.max_inline = limit;
	two_qps_open(&pair, &wish);
	r = request_rdma(&pair.a, IBV_WR_RDMA_WRITE, 9, 3, 0);
	r.inline_data = data;
	for (r.inline_len = 0; r.inline_len <= limit; r.inline_len++) {
		memset(pair.b.buf, 0xee, 256);
		expect_fill(data, limit, (unsigned)r.inline_len);
		EXPECT_EQ(request_post(&pair.a, &r), 0);
		memset(data, 0, sizeof(data));
		COMPLETION_EXPECT(&pair.a, 9, IBV_WC_SUCCESS);
		EXPECT_FILLED(pair.b.buf + 3, r.inline_len,
			      (unsigned)r.inline_len);
		EXPECT_EQ(pair.b.buf[3 + r.inline_len], 0xee);
	}
	EXPECT_EQ(request_post(&pair.a, &r), EINVAL);
	check_read(&pair, 5000, 3);
	check_write(&pair, 5000, 4);
	two_qps_close(&pair);
}

/* The remote address is the region's own, not the process's. */
static void check_iova(struct two_qps *pair)
{
	const uint64_t iova = 0x7000000000ull;
	struct ibv_mr *mr;
	struct request r;

	expect_stage("region with an address of its own");
	mr = ibv_reg_mr_iova(pair->b.pd, pair->b.buf + 4096, 65536, iova,
			     device_access(pair->ctx));
	REQUIRE(mr);
	expect_fill(pair->b.buf + 4096 + 100, 2000, 17);
	r = request_rdma(&pair->a, IBV_WR_RDMA_READ, 1, 0, 2000);
	r.remote_addr = iova + 100;
	r.rkey = mr->rkey;
	EXPECT_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, 1, IBV_WC_SUCCESS);
	EXPECT_FILLED(pair->a.buf, 2000, 17);
	EXPECT_EQ(ibv_dereg_mr(mr), 0);
}

static void check_too_many_sges(struct two_qps *pair)
{
	struct request r = request_rdma(&pair->a, IBV_WR_RDMA_READ, 1, 0, 100);

	expect_stage("two SGEs of an RDMA read");
	r.sge[1] = r.sge[0];
	r.sge_count = 2;
	EXPECT_EQ(request_post(&pair->a, &r), EINVAL);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct efadv_device_attr dev;
	struct ibv_context *ctx;
	struct two_qps pair;

	expect_deadline(90);
	ctx = device_open(0);
	dev = device_attr(ctx);
	device_close(ctx);
	has_read = dev.device_caps & EFADV_DEVICE_ATTR_CAPS_RDMA_READ;
	has_write = dev.device_caps & EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE;
	has_unsolicited = dev.device_caps &
			  EFADV_DEVICE_ATTR_CAPS_UNSOLICITED_WRITE_RECV;
	max_rdma = dev.max_rdma_size;
	if (!has_read && !has_write)
		expect_skip("a device with RDMA: this profile has none");
	wish.buf_len = BUF_LEN;
	two_qps_open(&pair, &wish);
	check_sizes(&pair);
	if (has_write)
		check_write_imm_sizes(&pair, false);
	if (has_read) {
		check_iova(&pair);
		check_too_many_sges(&pair);
	}
	two_qps_close(&pair);
	check_unsolicited(&wish);
	check_inline_write(&wish, dev.inline_buf_size_ex);
	return expect_result();
}
