/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Requests of another host: what each does here, and how it is answered. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/far_host.h"

#define RECV		EFA_IO_RECV_QUEUE
#define STATUS(name)	EFA_IO_COMP_STATUS_##name
#define OK		STATUS(OK)
#define BAD_ADDRESS	STATUS(REMOTE_ERROR_BAD_ADDRESS)
#define BAD_DEST_QPN	STATUS(REMOTE_ERROR_BAD_DEST_QPN)
#define LEN		300u
#define AT		4096u
#define COUNTS_AT	64u
#define OP_ID		0x01020304u
#define GRH		40u

static struct rig_pair p;
static struct far_host far;
static struct engine_ah *ah;		/* the target's, of the far host */
static uint8_t bytes[PACKET_SEGMENT_BYTES];

static void start(enum engine_qp_type type, const struct rig_qp_opts *opts)
{
	rig_pair_init(&p, type, NULL, 0, opts);
	far_host_init(&far, &p.rig);
	assert_int_equal(engine_ah_create(p.guest[1].pd, far.gid, &ah), 0);
	memset(bytes, 0x6b, sizeof(bytes));
}

static int set_up(void **state)
{
	start(ENGINE_QP_SRD, NULL);
	return 0;
}

static int set_up_datagrams(void **state)
{
	start(ENGINE_QP_UD, NULL);
	return 0;
}

static int set_up_unsolicited(void **state)
{
	static const struct rig_qp_opts opts = {
		.flags = ENGINE_QP_UNSOLICITED_WRITE_RECV,
	};

	start(ENGINE_QP_SRD, &opts);
	return 0;
}

/* Remote reads and writes of the target are counted in its memory. */
static int set_up_counted(void **state)
{
	uint64_t addr[2];
	struct engine_comp_cntr *cntr;
	unsigned i;

	rig_pair_init(&p, ENGINE_QP_SRD, "next", 0, NULL);
	far_host_init(&far, &p.rig);
	assert_int_equal(engine_ah_create(p.guest[1].pd, far.gid, &ah), 0);
	rig_qp_set_state(&p.qp[1], ENGINE_QP_RESET);
	for (i = 0; i < 2; i++) {
		addr[0] = rig_addr(&p.guest[1], COUNTS_AT + 16 * i);
		addr[1] = addr[0] + 8;
		assert_int_equal(engine_comp_cntr_create(p.guest[1].ctx, addr,
							 &cntr), 0);
		assert_int_equal(engine_qp_attach_comp_cntr(p.qp[1].qp, cntr,
			i ? ENGINE_CNTR_REMOTE_READ :
			ENGINE_CNTR_REMOTE_WRITE), 0);
	}
	rig_qp_to_rts(&p.qp[1], 0);
	return 0;
}

static void expect_counts(uint64_t writes, uint64_t reads)
{
	uint64_t count[4];

	memcpy(count, p.guest[1].memory + COUNTS_AT, sizeof(count));
	assert_int_equal(count[0], writes);
	assert_int_equal(count[2], reads);
}

static int tear_down(void **state)
{
	far_host_fini(&far, &p.rig);
	rig_pair_fini(&p);
	return 0;
}

static struct packet message(uint32_t len_bytes)
{
	struct packet packet = far_host_packet(&far, PACKET_SEND, &p.qp[1]);

	packet.op_id = OP_ID;
	packet.len_bytes = len_bytes;
	packet.payload = bytes;
	return packet;
}

/* One segment that is all of the operation, at AT of the target. */
static struct packet rdma(enum packet_type type, uint32_t len_bytes)
{
	struct packet packet = far_host_packet(&far, type, &p.qp[1]);

	packet.op_id = OP_ID;
	packet.remote.addr = rig_addr(&p.guest[1], AT);
	packet.remote.key = p.guest[1].key;
	packet.remote.length = len_bytes;
	if (type != PACKET_WRITE_END)
		packet.len_bytes = len_bytes;
	if (type == PACKET_WRITE)
		packet.payload = bytes;
	return packet;
}

static void say(const struct packet *packet)
{
	assert_int_equal(far_host_say(&far, packet), 0);
	rig_poll(&p.rig);
}

/* The one answer to @request. */
static struct packet answer_is(const struct packet *request,
			       enum packet_type type,
			       enum efa_io_comp_status status)
{
	struct packet packet = far_host_take(&far, type);

	far_host_expect_none(&far);
	assert_int_equal(packet.status, status);
	assert_int_equal(packet.op_id, request->op_id);
	assert_int_equal(packet.src_qpn, request->dst_qpn);
	assert_int_equal(packet.dst_qpn, request->src_qpn);
	assert_memory_equal(packet.src_gid, request->dst_gid, 16);
	assert_memory_equal(packet.dst_gid, request->src_gid, 16);
	return packet;
}

static void ends_with(const struct packet *request,
		      enum efa_io_comp_status status)
{
	say(request);
	answer_is(request, PACKET_STATUS, status);
	rig_cq_expect_empty(&p.cq[1]);
}

static void is_filled(uint32_t len_bytes)
{
	assert_memory_equal(p.guest[1].memory + AT, bytes, len_bytes);
}

/* ---- messages ---- */

static void test_message(void **state)
{
	struct packet packet = message(LEN);
	struct efa_io_cdesc entry;

	packet.has_imm = true;
	packet.imm = RIG_IMM;
	rig_post_recv(&p.qp[1], 5, AT, LEN);
	say(&packet);
	answer_is(&packet, PACKET_STATUS, OK);
	entry = rig_cq_expect(&p.cq[1], RECV, OK, 5);
	assert_int_equal(entry.rx.length, LEN);
	assert_int_equal(entry.rx.src_qp_num, FAR_HOST_QPN);
	assert_int_equal(entry.rx.ah, engine_ah_number(ah));
	assert_int_equal(entry.rx.imm, RIG_IMM);
	is_filled(LEN);
	assert_int_equal(rig_counters(&p.rig, 1).rx_messages, 1);
}

static void test_no_receive(void **state)
{
	struct packet packet = message(LEN);

	ends_with(&packet, STATUS(REMOTE_ERROR_RNR));
	assert_int_equal(rig_counters(&p.rig, 1).rx_messages, 0);
}

static void test_short_receive(void **state)
{
	struct packet packet = message(LEN);

	rig_post_recv(&p.qp[1], 5, AT, LEN - 1);
	say(&packet);
	answer_is(&packet, PACKET_STATUS, STATUS(REMOTE_ERROR_BAD_LENGTH));
	rig_cq_expect(&p.cq[1], RECV, STATUS(LOCAL_ERROR_BAD_LENGTH), 5);
}

static void test_nobody(void **state)
{
	struct packet packet = message(LEN);

	rig_post_recv(&p.qp[1], 5, AT, LEN);
	packet.qkey++;
	ends_with(&packet, BAD_DEST_QPN);
	packet = message(LEN);
	packet.dst_qpn ^= 0x4000;
	ends_with(&packet, BAD_DEST_QPN);
	packet = message(LEN);
	packet.dst_gid[9] ^= 1;
	ends_with(&packet, STATUS(LOCAL_ERROR_UNREACH_REMOTE));
	rig_qp_set_state(&p.qp[1], ENGINE_QP_RESET);
	packet = message(LEN);
	ends_with(&packet, BAD_DEST_QPN);
}

/* A GID that is not of that host speaks for nobody. */
static void test_foreign_source(void **state)
{
	struct packet packet = message(LEN);

	rig_post_recv(&p.qp[1], 5, AT, LEN);
	packet.src_gid[15]++;
	assert_int_equal(far_host_say(&far, &packet), -EPROTO);
	memcpy(packet.src_gid, engine_device_gid(p.rig.device[0]), 16);
	assert_int_equal(far_host_say(&far, &packet), -EPROTO);
	far_host_expect_none(&far);
	rig_cq_expect_empty(&p.cq[1]);
}

static void test_guest_gone(void **state)
{
	struct packet packet = message(LEN);

	rig_post_recv(&p.qp[1], 5, AT, LEN);
	p.guest[1].is_gone = true;
	ends_with(&packet, BAD_DEST_QPN);
	packet = rdma(PACKET_WRITE, LEN);
	ends_with(&packet, BAD_DEST_QPN);
}

/* ---- RDMA ---- */

static void test_write(void **state)
{
	struct packet packet = rdma(PACKET_WRITE, LEN), answer;

	say(&packet);
	answer = answer_is(&packet, PACKET_STATUS, OK);
	is_filled(LEN);
	assert_int_equal(rig_counters(&p.rig, 1).rx_bytes, LEN);
	/* It names the QP, and so may the next one: another is not meant. */
	assert_true(answer.target_serial);
	packet.target_serial = answer.target_serial;
	ends_with(&packet, OK);
	packet.target_serial++;
	ends_with(&packet, BAD_DEST_QPN);
}

/* The last segment of an operation whose first may come later. */
static void test_segment(void **state)
{
	struct packet packet = rdma(PACKET_WRITE, PACKET_SEGMENT_BYTES + 10);

	packet.offset = PACKET_SEGMENT_BYTES;
	packet.len_bytes = 10;
	ends_with(&packet, OK);
	assert_memory_equal(p.guest[1].memory + AT + PACKET_SEGMENT_BYTES,
			    bytes, 10);
	assert_int_equal(p.guest[1].memory[AT], 0);
	packet.len_bytes = 9;
	assert_int_equal(far_host_say(&far, &packet), -EPROTO);
	packet.len_bytes = 10;
	packet.offset = 10;
	assert_int_equal(far_host_say(&far, &packet), -EPROTO);
	far_host_expect_none(&far);
}

static void try_bad_memory(enum packet_type type)
{
	struct packet packet = rdma(type, LEN);

	packet.remote.key ^= 1;
	ends_with(&packet, BAD_ADDRESS);
	packet = rdma(type, LEN);
	packet.remote.addr = rig_addr(&p.guest[1], RIG_MEMORY_BYTES) - LEN + 1;
	ends_with(&packet, BAD_ADDRESS);
	packet = rdma(type, LEN);
	packet.remote.addr = UINT64_MAX - 10;
	ends_with(&packet, BAD_ADDRESS);
	packet = rdma(type, LEN);
	p.guest[1].hole_start = AT + 7;
	p.guest[1].hole_bytes = 1;
	ends_with(&packet, BAD_ADDRESS);
	p.guest[1].hole_bytes = 0;
}

static void test_bad_memory(void **state)
{
	try_bad_memory(PACKET_WRITE);
	try_bad_memory(PACKET_READ);
}

/* It has no address handle of the initiator. */
static void test_unknown_peer(void **state)
{
	struct packet packet = rdma(PACKET_WRITE, LEN);

	engine_ah_destroy(ah);
	ends_with(&packet, STATUS(REMOTE_ERROR_UNKNOWN_PEER));
	packet = rdma(PACKET_READ, LEN);
	ends_with(&packet, STATUS(REMOTE_ERROR_UNKNOWN_PEER));
	assert_int_equal(p.guest[1].memory[AT], 0);
}

static void test_read(void **state)
{
	struct packet packet = rdma(PACKET_READ, LEN), answer;

	rig_fill(&p.guest[1], AT, LEN, 9);
	say(&packet);
	answer = answer_is(&packet, PACKET_READ_DATA, OK);
	assert_int_equal(answer.len_bytes, LEN);
	assert_memory_equal(answer.payload, p.guest[1].memory + AT, LEN);
	assert_true(answer.target_serial);
	assert_int_equal(rig_counters(&p.rig, 1).tx_bytes, LEN);
	packet = rdma(PACKET_READ, 0);
	say(&packet);
	answer = answer_is(&packet, PACKET_READ_DATA, OK);
	assert_int_equal(answer.len_bytes, 0);
}

static struct packet write_end(bool is_unsolicited)
{
	struct packet packet = rdma(PACKET_WRITE_END, LEN);

	packet.has_imm = true;
	packet.imm = RIG_IMM;
	packet.is_unsolicited = is_unsolicited;
	return packet;
}

static void test_immediate(void **state)
{
	struct packet packet = write_end(false);
	struct efa_io_cdesc entry;

	ends_with(&packet, STATUS(REMOTE_ERROR_RNR));
	rig_post_recv(&p.qp[1], 5, 0, 0);
	say(&packet);
	answer_is(&packet, PACKET_STATUS, OK);
	entry = rig_cq_expect(&p.cq[1], RECV, OK, 5);
	assert_int_equal(entry.rx.imm, RIG_IMM);
	assert_int_equal(entry.rx.length, LEN);
	rig_post_recv(&p.qp[1], 6, 0, 0);
	packet = write_end(true);
	ends_with(&packet, STATUS(REMOTE_ERROR_FEATURE_MISMATCH));
}

static void test_unsolicited(void **state)
{
	struct packet packet = write_end(true);
	struct efa_io_cdesc entry;

	say(&packet);
	answer_is(&packet, PACKET_STATUS, OK);
	assert_true(rig_cq_take(&p.cq[1], &entry));
	assert_true(entry.flags & EFA_IO_CDESC_UNSOLICITED);
	assert_int_equal(entry.rx.imm, RIG_IMM);
	packet = write_end(false);
	ends_with(&packet, STATUS(REMOTE_ERROR_FEATURE_MISMATCH));
}

/* Each operation once, when its last segment has been carried out; one with an
 * immediate, when that is told. */
static void test_counted(void **state)
{
	struct packet packet = rdma(PACKET_WRITE, PACKET_SEGMENT_BYTES + 10);

	packet.len_bytes = PACKET_SEGMENT_BYTES;
	ends_with(&packet, OK);
	expect_counts(0, 0);
	packet.offset = PACKET_SEGMENT_BYTES;
	packet.len_bytes = 10;
	ends_with(&packet, OK);
	expect_counts(1, 0);
	packet = rdma(PACKET_WRITE, LEN);
	packet.remote.key ^= 1;
	ends_with(&packet, BAD_ADDRESS);
	packet = rdma(PACKET_WRITE, LEN);
	packet.has_imm = true;
	ends_with(&packet, OK);
	packet = write_end(false);
	ends_with(&packet, STATUS(REMOTE_ERROR_RNR));
	expect_counts(1, 0);
	rig_post_recv(&p.qp[1], 5, 0, 0);
	say(&packet);
	answer_is(&packet, PACKET_STATUS, OK);
	rig_cq_expect(&p.cq[1], RECV, OK, 5);
	expect_counts(2, 0);
	packet = rdma(PACKET_READ, 0);
	say(&packet);
	answer_is(&packet, PACKET_READ_DATA, OK);
	expect_counts(2, 1);
}

/* ---- datagrams: no answer, whatever becomes of them ---- */

static void test_datagram(void **state)
{
	struct packet packet = far_host_packet(&far, PACKET_DATAGRAM,
					       &p.qp[1]);
	struct efa_io_cdesc entry;

	packet.len_bytes = LEN;
	packet.payload = bytes;
	rig_post_recv(&p.qp[1], 5, AT - GRH, LEN + GRH);
	say(&packet);
	entry = rig_cq_expect(&p.cq[1], RECV, OK, 5);
	assert_int_equal(entry.rx.length, LEN + GRH);
	is_filled(LEN);
	say(&packet);
	assert_int_equal(rig_counters(&p.rig, 1).ud_drops, 1);
	packet.qkey++;
	say(&packet);
	assert_int_equal(rig_counters(&p.rig, 1).ud_drops, 2);
	far_host_expect_none(&far);
	rig_cq_expect_empty(&p.cq[1]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_message),
		TEST(test_no_receive),
		TEST(test_short_receive),
		TEST(test_nobody),
		TEST(test_foreign_source),
		TEST(test_guest_gone),
		TEST(test_write),
		TEST(test_segment),
		TEST(test_bad_memory),
		TEST(test_unknown_peer),
		TEST(test_read),
		TEST(test_immediate),
		cmocka_unit_test_setup_teardown(test_unsolicited,
						set_up_unsolicited, tear_down),
		cmocka_unit_test_setup_teardown(test_counted, set_up_counted,
						tear_down),
		cmocka_unit_test_setup_teardown(test_datagram,
						set_up_datagrams, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
