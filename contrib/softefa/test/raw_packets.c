/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A verbs QP on the one side and the raw-packet peer on the other:
 * raw_packets LINK, where LINK leads to the daemon that this runs on.
 */
#include <stdio.h>
#include <string.h>

#include "fabtests/expect.h"
#include "rawpeer/raw_peer.h"
#include "test/two_qps.h"

#define WAIT_MS		20000u
#define RAW_QPN		0x4711u
#define LEN		512u

static const uint8_t raw_gid[16] = { 0xfe, 0x80, [8] = 1, [15] = 2 };

struct bench {
	struct ibv_context *ctx;
	struct endpoint e;
	struct raw_peer *peer;
	const uint8_t *gid;		/* of the QP */
	uint32_t qpn;
};

static void open_bench(struct bench *b, const char *link)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct endpoint_addr raw = { .qpn = RAW_QPN, .qkey = TEST_QKEY };

	b->ctx = device_open(0);
	wish.rnr_retry = 1;
	endpoint_open(&b->e, b->ctx, &wish);
	memcpy(raw.gid.raw, raw_gid, 16);
	endpoint_connect(&b->e, &raw);
	b->gid = b->e.self.gid.raw;
	b->qpn = b->e.self.qpn;
	REQUIRE_EQ(raw_peer_open(&b->peer, link, raw_gid, 1), 0);
	REQUIRE_EQ(raw_peer_wait_for(b->peer, b->gid, WAIT_MS), 0);
}

static void close_bench(struct bench *b)
{
	raw_peer_close(b->peer);
	endpoint_close(&b->e);
	device_close(b->ctx);
}

static uint32_t message(struct bench *b, uint32_t qpn, uint32_t qkey,
			const void *bytes, size_t len)
{
	enum efa_io_comp_status status = 99;

	REQUIRE_EQ(raw_peer_message(b->peer, RAW_QPN, b->gid, qpn, qkey,
				    bytes, len, &status, WAIT_MS), 0);
	return status;
}

static void raw_to_verbs(struct bench *b)
{
	uint8_t bytes[LEN];
	struct completion c;

	expect_stage("a raw message to a verbs QP");
	expect_fill(bytes, LEN, 5);
	REQUIRE_EQ(receive_post(&b->e, 1, 0, LEN), 0);
	EXPECT_EQ(message(b, b->qpn, TEST_QKEY, bytes, LEN),
		  EFA_IO_COMP_STATUS_OK);
	c = completion_wait(&b->e);
	EXPECT_EQ(c.status, IBV_WC_SUCCESS);
	EXPECT_EQ(c.byte_len, LEN);
	EXPECT_EQ(c.src_qp, RAW_QPN);
	EXPECT_FILLED(b->e.buf, LEN, 5);
	expect_stage("raw messages that are not taken");
	EXPECT_EQ(message(b, b->qpn, TEST_QKEY, bytes, LEN),
		  EFA_IO_COMP_STATUS_REMOTE_ERROR_RNR);
	EXPECT_EQ(message(b, b->qpn, TEST_QKEY + 1, bytes, LEN),
		  EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_DEST_QPN);
	EXPECT_EQ(message(b, b->qpn ^ 0x100, TEST_QKEY, bytes, LEN),
		  EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_DEST_QPN);
}

/* The raw peer receives a message and answers it as it likes. */
static void verbs_to_raw(struct bench *b, enum efa_io_comp_status status)
{
	struct packet packet;
	struct completion c;
	struct request r;

	expect_fill(b->e.buf, LEN, 6);
	r = request_send(&b->e, 2, 0, LEN);
	REQUIRE_EQ(request_post(&b->e, &r), 0);
	REQUIRE_EQ(raw_peer_receive(b->peer, &packet, WAIT_MS), 0);
	EXPECT_EQ(packet.type, PACKET_SEND);
	EXPECT_EQ(packet.dst_qpn, RAW_QPN);
	EXPECT_EQ(packet.src_qpn, b->qpn);
	EXPECT_EQ(packet.qkey, TEST_QKEY);
	REQUIRE_EQ(packet.len_bytes, LEN);
	EXPECT_FILLED(packet.payload, LEN, 6);
	COMPLETION_NONE(&b->e);
	REQUIRE_EQ(raw_peer_answer(b->peer, &packet, status, WAIT_MS), 0);
	c = completion_wait(&b->e);
	EXPECT_EQ(c.wr_id, 2u);
	EXPECT_EQ(c.status == IBV_WC_SUCCESS, status == 0);
	if (status)
		EXPECT_EQ(c.vendor_err, (uint32_t)status);
}

/* None of it may be delivered, or harm what follows. */
static void malformed(struct bench *b)
{
	uint8_t bytes[PACKET_HEADER_BYTES + 64];
	struct packet forged = { .type = PACKET_SEND, .src_qpn = 1,
				 .op_id = 77 };

	expect_stage("malformed packets");
	memset(bytes, 0xff, sizeof(bytes));
	for (size_t len = 1; len <= sizeof(bytes); len += 13)
		REQUIRE_EQ(raw_peer_send_bytes(b->peer, b->gid, len & 1, bytes,
					       len, WAIT_MS), 0);
	expect_stage("a packet from a GID of another host");
	memcpy(forged.src_gid, b->gid, 16);
	memcpy(forged.dst_gid, b->gid, 16);
	forged.dst_qpn = b->qpn;
	forged.qkey = TEST_QKEY;
	forged.payload = bytes;
	forged.len_bytes = 8;
	REQUIRE_EQ(receive_post(&b->e, 9, 0, LEN), 0);
	REQUIRE_EQ(raw_peer_send(b->peer, &forged, WAIT_MS), 0);
	expect_stage("answers to nothing");
	memcpy(forged.src_gid, raw_gid, 16);
	for (uint32_t id = 0; id < 200; id++) {
		forged = (struct packet) { .type = PACKET_STATUS,
					   .op_id = id * 7919 };
		memcpy(forged.src_gid, raw_gid, 16);
		memcpy(forged.dst_gid, b->gid, 16);
		REQUIRE_EQ(raw_peer_send(b->peer, &forged, WAIT_MS), 0);
	}
	COMPLETION_NONE(&b->e);
	/* The receive is there for a good one. */
	EXPECT_EQ(message(b, b->qpn, TEST_QKEY, "good", 4),
		  EFA_IO_COMP_STATUS_OK);
	COMPLETION_EXPECT(&b->e, 9, IBV_WC_SUCCESS);
	EXPECT_BYTES(b->e.buf, "good", 4);
}

static void goodbye(struct bench *b)
{
	struct packet packet;
	struct completion c;
	struct request r;

	expect_stage("the raw peer leaves without an answer");
	r = request_send(&b->e, 3, 0, LEN);
	REQUIRE_EQ(request_post(&b->e, &r), 0);
	REQUIRE_EQ(raw_peer_receive(b->peer, &packet, WAIT_MS), 0);
	raw_peer_close(b->peer);
	c = completion_wait(&b->e);
	EXPECT_EQ(c.vendor_err,
		  (uint32_t)EFA_IO_COMP_STATUS_LOCAL_ERROR_UNRESP_REMOTE);
	REQUIRE_EQ(request_post(&b->e, &r), 0);
	c = completion_wait(&b->e);
	EXPECT_EQ(c.vendor_err,
		  (uint32_t)EFA_IO_COMP_STATUS_LOCAL_ERROR_UNREACH_REMOTE);
	endpoint_close(&b->e);
	device_close(b->ctx);
}

int main(int argc, char **argv)
{
	struct bench b;

	if (argc != 2) {
		fprintf(stderr, "usage: raw_packets LINK\n");
		return 2;
	}
	expect_deadline(120);
	open_bench(&b, argv[1]);
	raw_to_verbs(&b);
	expect_stage("a verbs message to a raw QP");
	verbs_to_raw(&b, EFA_IO_COMP_STATUS_OK);
	expect_stage("statuses that the raw peer chooses");
	verbs_to_raw(&b, EFA_IO_COMP_STATUS_REMOTE_ERROR_ABORT);
	verbs_to_raw(&b, EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_LENGTH);
	malformed(&b);
	close_bench(&b);
	open_bench(&b, argv[1]);
	goodbye(&b);
	return expect_result();
}
