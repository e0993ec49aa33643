/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * verbs_wqe_formats ID-BITS SMALL-INLINE LARGE-INLINE: send queues with
 * entries of 64 and of 128 bytes, on a device with request IDs of 16 or 64
 * bits. The queue says what it is, carries every kind of entry several times
 * around, and its completions have the IDs of that width. LARGE-INLINE 0: the
 * device has no entries of 128 bytes. Run by verbs_settings.sh.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabtests/expect.h"
#include "hw/efa_io_defs.h"
#include "test/two_qps.h"

#define DEPTH		8u
#define ROUNDS		40u		/* of four entries: the ring wraps */
#define WIDE_ID		0xabcd123400005678ull
#define LEN		1000u

struct format {
	unsigned id_bits, entry_bytes;
	uint32_t max_inline;
};

static struct two_qps pair;
static struct efadv_cq_attr cq;
static uint32_t seen;			/* entries of the send CQ */

/* The ID of the next send completion as the device writes it. */
static void check_raw_id(const struct format *format, uint64_t wr_id)
{
	const uint8_t *slot = cq.buffer +
		(size_t)(seen++ % cq.num_entries) * cq.entry_size;
	struct efa_io_cdesc entry;
	struct completion c;
	uint64_t id;

	c = COMPLETION_EXPECT(&pair.a, wr_id, IBV_WC_SUCCESS);
	EXPECT_EQ(c.qp_num, pair.a.qp->qp_num);
	memcpy(&entry, slot, sizeof(entry));
	id = (uint64_t)entry.tx.req_id_ex[2] << 48 |
	     (uint64_t)entry.tx.req_id_ex[1] << 32 |
	     (uint64_t)entry.tx.req_id_ex[0] << 16 | entry.req_id;
	if (format->id_bits == 64)
		EXPECT_EQ(id, wr_id);
	else
		EXPECT(id <= UINT16_MAX);	/* rdma-core's own index */
}

static void send_buffer(const struct format *format, uint32_t round)
{
	struct request r = request_send(&pair.a, WIDE_ID + round, 0, LEN);

	expect_fill(pair.a.buf, LEN, (uint8_t)round);
	REQUIRE_EQ(receive_post(&pair.b, round, LEN, LEN), 0);
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	check_raw_id(format, r.wr_id);
	COMPLETION_EXPECT(&pair.b, round, IBV_WC_SUCCESS);
	EXPECT_FILLED(pair.b.buf + LEN, LEN, (uint8_t)round);
}

/* As many bytes as the entry has room for. */
static void send_inline(const struct format *format, uint32_t round)
{
	struct request r = request_send(&pair.a, WIDE_ID - round, 0, 0);
	uint8_t bytes[128];
	struct completion c;

	expect_fill(bytes, format->max_inline, (uint8_t)~round);
	r.inline_data = bytes;
	r.inline_len = format->max_inline;
	REQUIRE_EQ(receive_post(&pair.b, round, LEN, LEN), 0);
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	check_raw_id(format, r.wr_id);
	c = COMPLETION_EXPECT(&pair.b, round, IBV_WC_SUCCESS);
	EXPECT_EQ(c.byte_len, format->max_inline);
	EXPECT_FILLED(pair.b.buf + LEN, format->max_inline, (uint8_t)~round);
}

static void move(const struct format *format, enum ibv_wr_opcode op,
		 uint32_t round)
{
	struct request r = request_rdma(&pair.a, op, round, 2 * LEN, LEN);
	uint8_t *from = pair.a.buf, *to = pair.b.buf;

	if (op == IBV_WR_RDMA_READ) {
		from = pair.b.buf;
		to = pair.a.buf;
	}
	expect_fill(from + 2 * LEN, LEN, (uint8_t)(round + 3));
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	check_raw_id(format, round);
	EXPECT_FILLED(to + 2 * LEN, LEN, (uint8_t)(round + 3));
}

static void check_queue(const struct format *format)
{
	struct efadv_wq_attr sq = {}, rq = {};
	struct request r = request_send(&pair.a, 1, 0, 0);
	uint8_t bytes[128] = {};

	REQUIRE_EQ(efadv_query_qp_wqs(pair.a.qp, &sq, &rq, sizeof(sq)), 0);
	EXPECT_EQ(sq.entry_size, format->entry_bytes);
	EXPECT_EQ(!!(sq.caps & EFADV_WQ_CAPS_64_BIT_REQ_ID),
		  format->id_bits == 64);
	r.inline_data = bytes;
	r.inline_len = format->max_inline + 1;
	EXPECT_EQ(request_post(&pair.a, &r), EINVAL);
}

static void check_format(const struct format *format)
{
	struct endpoint_wish wish = endpoint_wish_default();

	wish.send_depth = DEPTH;
	wish.max_inline = format->max_inline;
	two_qps_open(&pair, &wish);
	REQUIRE_EQ(efadv_query_cq(ibv_cq_ex_to_cq(pair.a.cq), &cq,
				  sizeof(cq)), 0);
	seen = 0;
	check_queue(format);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		send_buffer(format, round);
		send_inline(format, round);
		move(format, IBV_WR_RDMA_READ, round);
		move(format, IBV_WR_RDMA_WRITE, round);
	}
	two_qps_close(&pair);
}

int main(int argc, char **argv)
{
	struct format format = { .entry_bytes = 64 };
	uint32_t large;

	expect_deadline(60);
	REQUIRE_EQ(argc, 4);
	format.id_bits = (unsigned)atoi(argv[1]);
	format.max_inline = (uint32_t)atoi(argv[2]);
	large = (uint32_t)atoi(argv[3]);
	expect_stage("entries of 64 bytes");
	check_format(&format);
	format.entry_bytes = 128;
	format.max_inline = large;
	expect_stage("entries of 128 bytes");
	if (large)
		check_format(&format);
	return expect_result();
}
