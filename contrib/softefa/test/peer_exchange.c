/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "test/peer_exchange.h"

#include <string.h>

#include "fabtests/expect.h"
#include "fabtests/oob_pair.h"
#include "test/two_qps.h"

#define WINDOW		16u
#define SLOT_LEN	4096u
#define RECV_AREA	(WINDOW * SLOT_LEN)
#define RDMA_AREA	(2 * RECV_AREA)
#define RDMA_LEN	(1u << 20)

static uint32_t message_len(unsigned number)
{
	return 8 + number * 37 % (SLOT_LEN - 8);
}

static void post_window(struct endpoint *e, unsigned first, unsigned seed)
{
	struct request r;
	uint32_t number;
	uint8_t *slot;
	unsigned i;

	for (i = 0; i < WINDOW; i++) {
		number = first + i;
		slot = e->buf + i * SLOT_LEN;
		expect_fill(slot, message_len(number), seed + number);
		memcpy(slot, &number, sizeof(number));
		r = request_send(e, number, i * SLOT_LEN,
				 message_len(number));
		REQUIRE_EQ(request_post(e, &r), 0);
	}
}

static void check_received(struct endpoint *e, const struct completion *c,
			   unsigned first, unsigned seed)
{
	uint8_t *slot = e->buf + RECV_AREA + (c->wr_id & 0xff) * SLOT_LEN;
	uint8_t expected[SLOT_LEN];
	uint32_t number;

	memcpy(&number, slot, sizeof(number));
	REQUIRE(number - first < WINDOW);
	EXPECT_EQ(c->byte_len, message_len(number));
	expect_fill(expected, message_len(number), seed + number);
	memcpy(expected, &number, sizeof(number));
	EXPECT_BYTES(slot, expected, message_len(number));
	EXPECT_EQ(c->src_qp, e->peer.qpn);
}

static void exchange_messages(struct endpoint *e, int oob, unsigned rounds,
			      unsigned mine, unsigned theirs)
{
	unsigned first, i, sent, received;
	struct completion c;

	for (first = 0; first < WINDOW * rounds; first += WINDOW) {
		for (i = 0; i < WINDOW; i++)
			REQUIRE_EQ(receive_post(e, 0x100 | i,
						RECV_AREA + i * SLOT_LEN,
						SLOT_LEN), 0);
		oob_sync(oob);
		post_window(e, first, mine);
		for (sent = received = 0; sent + received < 2 * WINDOW; ) {
			c = completion_wait(e);
			REQUIRE_EQ(c.status, IBV_WC_SUCCESS);
			if (c.opcode == IBV_WC_SEND) {
				sent++;
				continue;
			}
			received++;
			check_received(e, &c, first, theirs);
		}
		EXPECT_EQ(sent, WINDOW);
	}
	oob_sync(oob);
}

static void exchange_rdma(struct endpoint *e, int oob, unsigned mine,
			  unsigned theirs)
{
	struct request r;

	expect_fill(e->buf + RDMA_AREA, RDMA_LEN, mine);
	oob_sync(oob);
	r = request_rdma(e, IBV_WR_RDMA_READ, 1, RDMA_AREA, RDMA_LEN);
	r.sge[0].addr += RDMA_LEN;
	REQUIRE_EQ(request_post(e, &r), 0);
	COMPLETION_EXPECT(e, 1, IBV_WC_SUCCESS);
	EXPECT_FILLED(e->buf + RDMA_AREA + RDMA_LEN, RDMA_LEN, theirs);
	oob_sync(oob);
	if (!device_has(e->ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE))
		return;
	r = request_rdma(e, IBV_WR_RDMA_WRITE, 2, RDMA_AREA, RDMA_LEN);
	r.remote_addr += 2 * RDMA_LEN;
	REQUIRE_EQ(request_post(e, &r), 0);
	COMPLETION_EXPECT(e, 2, IBV_WC_SUCCESS);
	oob_sync(oob);
	EXPECT_FILLED(e->buf + RDMA_AREA + 2 * RDMA_LEN, RDMA_LEN, theirs);
}

void peer_exchange(int oob, unsigned device, unsigned rounds, unsigned mine,
		   unsigned theirs)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct ibv_context *ctx = device_open(device);
	struct endpoint_addr peer;
	struct endpoint e;

	wish.buf_len = RDMA_AREA + 3 * RDMA_LEN;
	endpoint_open(&e, ctx, &wish);
	oob_swap(oob, &e.self, &peer, sizeof(peer));
	endpoint_connect(&e, &peer);
	exchange_messages(&e, oob, rounds, mine, theirs);
	if (device_has(ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_READ) &&
	    device_attr(ctx).max_rdma_size >= RDMA_LEN)
		exchange_rdma(&e, oob, mine, theirs);
	oob_sync(oob);
	endpoint_close(&e);
	device_close(ctx);
}
