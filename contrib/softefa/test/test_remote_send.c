/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Operations to another host: what goes out, and what answers make of them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/remote_send.h"
#include "test/far_host.h"

#define SEND		EFA_IO_SEND_QUEUE
#define STATUS(name)	EFA_IO_COMP_STATUS_##name
#define OK		STATUS(OK)
#define RNR		STATUS(REMOTE_ERROR_RNR)
#define UNRESPONSIVE	STATUS(LOCAL_ERROR_UNRESP_REMOTE)
#define LEN		500u
#define LOCAL		4096u
#define REMOTE		8192u
#define LONG		(3 * PACKET_SEGMENT_BYTES + 17)
#define RETRY_NS	2000000u	/* at least the pause after RNR */

struct bench {
	struct rig_pair pair;
	struct far_host far;
	struct engine_ah *ah;
};

static struct bench b;

static void start(enum engine_qp_type type)
{
	rig_pair_init(&b.pair, type, NULL, 0, NULL);
	far_host_init(&b.far, &b.pair.rig);
	assert_int_equal(engine_ah_create(b.pair.guest[0].pd, b.far.gid,
					  &b.ah), 0);
	rig_fill(&b.pair.guest[0], LOCAL, LONG, 5);
}

static int set_up(void **state)
{
	start(ENGINE_QP_SRD);
	return 0;
}

static int set_up_datagrams(void **state)
{
	start(ENGINE_QP_UD);
	return 0;
}

static int tear_down(void **state)
{
	far_host_fini(&b.far, &b.pair.rig);
	rig_pair_fini(&b.pair);
	return 0;
}

static void post_send(uint16_t req_id)
{
	struct efa_io_tx_wqe wqe = rig_send(&b.pair.qp[0], &b.pair.qp[1],
					    req_id, LOCAL, LEN);

	far_host_aim(&wqe, b.ah);
	rig_post(&b.pair.qp[0], &wqe);
}

static void post_rdma(enum efa_io_send_op_type op, uint16_t req_id,
		      uint32_t len_bytes, bool has_imm)
{
	struct efa_io_tx_wqe wqe = rig_rdma(&b.pair.qp[0], &b.pair.qp[1], op,
					    req_id, LOCAL, REMOTE, len_bytes);

	far_host_aim(&wqe, b.ah);
	if (has_imm)
		rig_set_imm(&wqe);
	rig_post(&b.pair.qp[0], &wqe);
}

static void answer(const struct packet *request, enum efa_io_comp_status status)
{
	far_host_answer(&b.far, request, status);
	rig_poll(&b.pair.rig);
}

static void ends(uint16_t req_id, enum efa_io_comp_status status)
{
	rig_cq_expect(&b.pair.cq[0], SEND, status, req_id);
	rig_cq_expect_empty(&b.pair.cq[0]);
}

static void is_pending(void)
{
	rig_cq_expect_empty(&b.pair.cq[0]);
}

/* ---- messages ---- */

static void test_message(void **state)
{
	struct packet packet;

	post_send(7);
	packet = far_host_take(&b.far, PACKET_SEND);
	far_host_expect_none(&b.far);
	assert_int_equal(packet.src_qpn, engine_qp_number(b.pair.qp[0].qp));
	assert_int_equal(packet.dst_qpn, FAR_HOST_QPN);
	assert_int_equal(packet.qkey, RIG_QKEY);
	assert_int_equal(packet.len_bytes, LEN);
	assert_memory_equal(packet.payload, b.pair.guest[0].memory + LOCAL,
			    LEN);
	assert_memory_equal(packet.dst_gid, b.far.gid, 16);
	is_pending();
	answer(&packet, OK);
	ends(7, OK);
	assert_int_equal(rig_counters(&b.pair.rig, 0).tx_messages, 1);
}

static void test_message_refused(void **state)
{
	static const enum efa_io_comp_status statuses[] = {
		STATUS(REMOTE_ERROR_BAD_DEST_QPN),
		STATUS(REMOTE_ERROR_BAD_LENGTH),
		STATUS(REMOTE_ERROR_BAD_STATUS),
	};
	struct packet packet;
	unsigned i;

	for (i = 0; i < 3; i++) {
		post_send(i);
		packet = far_host_take(&b.far, PACKET_SEND);
		answer(&packet, statuses[i]);
		ends(i, statuses[i]);
	}
	assert_int_equal(rig_counters(&b.pair.rig, 0).tx_messages, 0);
}

/* Sent again after a pause, as often as the QP allows. */
static void test_not_ready(void **state)
{
	struct packet packet;
	unsigned i;

	rig_qp_set_state(&b.pair.qp[0], ENGINE_QP_RESET);
	rig_qp_to_rts(&b.pair.qp[0], 2);
	post_send(3);
	for (i = 0; i < 3; i++) {
		packet = far_host_take(&b.far, PACKET_SEND);
		far_host_expect_none(&b.far);
		is_pending();
		answer(&packet, RNR);
		far_host_expect_none(&b.far);
		rig_advance(&b.pair.rig, RETRY_NS);
	}
	far_host_expect_none(&b.far);
	ends(3, RNR);
	post_send(4);
	packet = far_host_take(&b.far, PACKET_SEND);
	answer(&packet, RNR);
	rig_advance(&b.pair.rig, RETRY_NS);
	packet = far_host_take(&b.far, PACKET_SEND);
	answer(&packet, OK);
	ends(4, OK);
}

static void test_no_room(void **state)
{
	struct packet packet;

	b.far.is_full = true;
	post_send(1);
	post_send(2);
	far_host_expect_none(&b.far);
	b.far.is_full = false;
	rig_advance(&b.pair.rig, RETRY_NS);
	far_host_expect_none(&b.far);
	engine_host_ready(b.far.host, 1);
	rig_poll(&b.pair.rig);
	packet = far_host_take(&b.far, PACKET_SEND);
	far_host_expect_none(&b.far);
	answer(&packet, OK);
	ends(1, OK);
	engine_host_ready(b.far.host, 9);
	rig_poll(&b.pair.rig);
	packet = far_host_take(&b.far, PACKET_SEND);
	answer(&packet, OK);
	ends(2, OK);
}

static void test_local_key(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&b.pair.qp[0], &b.pair.qp[1], 1,
					    LOCAL, LEN);

	far_host_aim(&wqe, b.ah);
	wqe.data.sgl[0].lkey ^= 1;
	rig_post(&b.pair.qp[0], &wqe);
	far_host_expect_none(&b.far);
	ends(1, STATUS(LOCAL_ERROR_INVALID_LKEY));
}

/* ---- hosts that go, QPs that go ---- */

static void test_lost(void **state)
{
	struct packet packet;

	post_send(1);
	post_rdma(EFA_IO_RDMA_READ, 2, LEN, false);
	packet = far_host_take(&b.far, PACKET_SEND);
	engine_host_lost(b.far.host);
	rig_poll(&b.pair.rig);
	rig_cq_expect(&b.pair.cq[0], SEND, UNRESPONSIVE, 1);
	ends(2, UNRESPONSIVE);
	answer(&packet, OK);
	is_pending();
}

static void test_host_destroyed(void **state)
{
	post_send(1);
	engine_host_destroy(b.far.host);
	b.far.host = NULL;
	rig_poll(&b.pair.rig);
	ends(1, UNRESPONSIVE);
	post_send(2);
	ends(2, STATUS(LOCAL_ERROR_UNREACH_REMOTE));
}

/* The answer to what a QP had sent before it was flushed. */
static void test_flushed(void **state)
{
	struct packet packet;

	post_send(1);
	packet = far_host_take(&b.far, PACKET_SEND);
	rig_qp_set_state(&b.pair.qp[0], ENGINE_QP_ERR);
	rig_poll(&b.pair.rig);
	ends(1, STATUS(FLUSHED));
	answer(&packet, OK);
	is_pending();
}

/* ---- answers that lie ---- */

static void test_wrong_answers(void **state)
{
	struct packet request, lie;

	post_send(1);
	request = far_host_take(&b.far, PACKET_SEND);
	lie = request;
	lie.op_id += 1;
	answer(&lie, OK);
	lie.op_id = UINT32_MAX;
	answer(&lie, OK);
	is_pending();
	lie = far_host_packet(&b.far, PACKET_READ_DATA, &b.pair.qp[0]);
	lie.qkey = 0;
	lie.op_id = request.op_id;
	lie.len_bytes = 8;
	lie.payload = (const uint8_t *)"01234567";
	assert_int_equal(far_host_say(&b.far, &lie), 0);
	rig_poll(&b.pair.rig);
	is_pending();
	answer(&request, OK);
	ends(1, OK);
	answer(&request, RNR);
	is_pending();
}

/* ---- RDMA ---- */

static struct packet take_segment(uint32_t offset)
{
	struct packet packet = far_host_take(&b.far, PACKET_WRITE);

	assert_int_equal(packet.offset, offset);
	assert_int_equal(packet.remote.length, LONG);
	assert_int_equal(packet.remote.addr,
			 rig_addr(&b.pair.guest[1], REMOTE));
	assert_memory_equal(packet.payload,
			    b.pair.guest[0].memory + LOCAL + offset,
			    packet.len_bytes);
	return packet;
}

static void test_write(void **state)
{
	struct packet packet[3], last;
	unsigned i;

	post_rdma(EFA_IO_RDMA_WRITE, 9, LONG, false);
	for (i = 0; i < 3; i++)
		packet[i] = take_segment(i * PACKET_SEGMENT_BYTES);
	far_host_expect_none(&b.far);
	/* In another order; the last one leaves after all others. */
	answer(&packet[2], OK);
	answer(&packet[0], OK);
	far_host_expect_none(&b.far);
	answer(&packet[1], OK);
	last = take_segment(3 * PACKET_SEGMENT_BYTES);
	assert_int_equal(last.len_bytes, LONG - 3 * PACKET_SEGMENT_BYTES);
	is_pending();
	answer(&last, OK);
	ends(9, OK);
	assert_int_equal(rig_counters(&b.pair.rig, 0).rdma_writes, 1);
}

/* No more than REMOTE_MAX_SEGMENTS are out. */
static void test_write_window(void **state)
{
	const uint32_t len = (REMOTE_MAX_SEGMENTS + 3) * PACKET_SEGMENT_BYTES;
	struct packet packet[REMOTE_MAX_SEGMENTS];
	unsigned i;

	post_rdma(EFA_IO_RDMA_WRITE, 9, len, false);
	for (i = 0; i < REMOTE_MAX_SEGMENTS; i++)
		packet[i] = far_host_take(&b.far, PACKET_WRITE);
	far_host_expect_none(&b.far);
	answer(&packet[5], OK);
	far_host_take(&b.far, PACKET_WRITE);
	far_host_expect_none(&b.far);
	answer(&packet[6], OK);
	far_host_take(&b.far, PACKET_WRITE);
	answer(&packet[7], OK);
	far_host_expect_none(&b.far);
	is_pending();
	answer(&packet[8], STATUS(REMOTE_ERROR_BAD_ADDRESS));
	ends(9, STATUS(REMOTE_ERROR_BAD_ADDRESS));
}

/* The immediate goes when all bytes are there, and alone once more. */
static void test_write_imm(void **state)
{
	struct packet first, second, end;

	post_rdma(EFA_IO_RDMA_WRITE, 9, PACKET_SEGMENT_BYTES + 1, true);
	first = far_host_take(&b.far, PACKET_WRITE);
	second = far_host_take(&b.far, PACKET_WRITE);
	answer(&second, OK);
	far_host_expect_none(&b.far);
	answer(&first, OK);
	end = far_host_take(&b.far, PACKET_WRITE_END);
	assert_true(end.has_imm);
	assert_int_equal(end.imm, RIG_IMM);
	answer(&end, RNR);
	is_pending();
	rig_advance(&b.pair.rig, RETRY_NS);
	end = far_host_take(&b.far, PACKET_WRITE_END);
	far_host_expect_none(&b.far);
	answer(&end, OK);
	ends(9, OK);
}

static void say_data(const struct packet *request, const uint8_t *bytes,
		     uint32_t len_bytes)
{
	struct packet data = far_host_packet(&b.far, PACKET_READ_DATA,
					     &b.pair.qp[0]);

	data.qkey = 0;
	data.op_id = request->op_id;
	data.offset = request->offset;
	data.len_bytes = len_bytes;
	data.payload = bytes;
	assert_int_equal(far_host_say(&b.far, &data), 0);
	rig_poll(&b.pair.rig);
}

static void test_read(void **state)
{
	const uint8_t *mine = b.pair.guest[0].memory + LOCAL;
	uint8_t bytes[PACKET_SEGMENT_BYTES];
	struct packet packet[2];

	memset(bytes, 0xd7, sizeof(bytes));
	post_rdma(EFA_IO_RDMA_READ, 9, PACKET_SEGMENT_BYTES + 100, false);
	packet[0] = far_host_take(&b.far, PACKET_READ);
	far_host_expect_none(&b.far);
	/* Of another length than was asked for; beyond what was asked for. */
	say_data(&packet[0], bytes, 100);
	packet[0].offset = 2 * PACKET_SEGMENT_BYTES;
	say_data(&packet[0], bytes, 100);
	packet[0].offset = 0;
	/* Well, but not an answer to a read. */
	answer(&packet[0], OK);
	is_pending();
	rig_assert_filled(&b.pair.guest[0], LOCAL, LONG, 5);
	say_data(&packet[0], bytes, PACKET_SEGMENT_BYTES);
	packet[1] = far_host_take(&b.far, PACKET_READ);
	assert_int_equal(packet[1].offset, PACKET_SEGMENT_BYTES);
	say_data(&packet[1], bytes, 99);
	is_pending();
	say_data(&packet[1], bytes, 100);
	ends(9, OK);
	assert_memory_equal(mine, bytes, PACKET_SEGMENT_BYTES);
	assert_memory_equal(mine + PACKET_SEGMENT_BYTES, bytes, 100);
	assert_int_equal(rig_counters(&b.pair.rig, 0).rdma_reads, 1);
}

static void test_read_refused(void **state)
{
	struct packet packet;

	post_rdma(EFA_IO_RDMA_READ, 9, LEN, false);
	packet = far_host_take(&b.far, PACKET_READ);
	answer(&packet, STATUS(REMOTE_ERROR_UNKNOWN_PEER));
	ends(9, STATUS(REMOTE_ERROR_UNKNOWN_PEER));
	/* Where the bytes would go has vanished meanwhile. */
	post_rdma(EFA_IO_RDMA_READ, 8, 8, false);
	packet = far_host_take(&b.far, PACKET_READ);
	b.pair.guest[0].hole_start = LOCAL;
	b.pair.guest[0].hole_bytes = 1;
	say_data(&packet, (const uint8_t *)"01234567", 8);
	ends(8, STATUS(LOCAL_ERROR_INVALID_LKEY));
}

/* ---- datagrams ---- */

static void test_datagram(void **state)
{
	struct packet packet;

	post_send(1);
	packet = far_host_take(&b.far, PACKET_DATAGRAM);
	assert_int_equal(packet.len_bytes, LEN);
	assert_int_equal(packet.op_id, 0);
	ends(1, OK);
	assert_int_equal(rig_counters(&b.pair.rig, 0).ud_drops, 0);
	b.far.is_full = true;
	post_send(2);
	far_host_expect_none(&b.far);
	ends(2, OK);
	assert_int_equal(rig_counters(&b.pair.rig, 0).ud_drops, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_message),
		TEST(test_message_refused),
		TEST(test_not_ready),
		TEST(test_no_room),
		TEST(test_local_key),
		TEST(test_lost),
		TEST(test_host_destroyed),
		TEST(test_flushed),
		TEST(test_wrong_answers),
		TEST(test_write),
		TEST(test_write_window),
		TEST(test_write_imm),
		TEST(test_read),
		TEST(test_read_refused),
		cmocka_unit_test_setup_teardown(test_datagram,
						set_up_datagrams, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
