/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the engine tells of its work while it is traced. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/engine_fault.h"
#include "engine/rdma.h"
#include "engine/trace_event.h"
#include "test/engine_rig.h"

#define EVENTS_MAX	64u

static struct seen {
	enum trace_kind kind;
	uint16_t device;
	uint32_t length;
	_Alignas(8) uint8_t bytes[TRACE_MAX_BODY];
} seen[EVENTS_MAX];
static unsigned seen_count, next;

static void keep(struct rig *rig, const struct trace_event *event)
{
	struct seen *to = &seen[seen_count++];

	(void)rig;
	assert_true(seen_count <= EVENTS_MAX);
	assert_true(event->body_bytes + event->tail_bytes <= TRACE_MAX_BODY);
	to->kind = event->kind;
	to->device = event->device;
	to->length = event->body_bytes + event->tail_bytes;
	memcpy(to->bytes, event->body, event->body_bytes);
	if (event->tail_bytes)
		memcpy(to->bytes + event->body_bytes, event->tail,
		       event->tail_bytes);
}

static void watch(struct rig *rig)
{
	seen_count = next = 0;
	rig->trace = keep;
	engine_set_traced(rig->engine, true);
}

/* The next event must be of this kind and device; its body. */
static const void *expect(enum trace_kind kind, uint16_t device,
			  uint32_t length)
{
	assert_true(next < seen_count);
	assert_int_equal(seen[next].kind, kind);
	assert_int_equal(seen[next].device, device);
	assert_int_equal(seen[next].length, length);
	return seen[next++].bytes;
}

static const struct trace_packet *expect_packet(enum trace_packet_event event,
						uint16_t device,
						uint32_t payload_bytes)
{
	const struct trace_packet *packet;

	packet = expect(TRACE_PACKET, device,
			sizeof(*packet) + payload_bytes);
	assert_int_equal(packet->event, event);
	assert_int_equal(packet->payload_bytes, payload_bytes);
	return packet;
}

static void expect_nothing(void)
{
	assert_int_equal(next, seen_count);
}

/* Everything from the doorbells to the two completions, in this order. */
static void test_message(void **state)
{
	const struct trace_doorbell *doorbell;
	const struct trace_recv_sge *sge;
	const struct trace_packet *packet;
	const struct trace_recv *recv;
	const struct trace_cqe *cqe;
	const struct trace_wqe *wqe;
	struct efa_io_cdesc entry;
	struct efa_io_tx_wqe posted;
	struct rig_pair pair;

	(void)state;
	rig_pair_init(&pair, ENGINE_QP_SRD, NULL, 0, NULL);
	rig_fill(&pair.guest[0], 0, 1000, 5);
	posted = rig_send(&pair.qp[0], &pair.qp[1], 33, 0, 1000);
	rig_set_imm(&posted);
	watch(&pair.rig);
	rig_post_recv(&pair.qp[1], 77, 4096, 2048);
	rig_poll(&pair.rig);
	doorbell = expect(TRACE_DOORBELL, 1, sizeof(*doorbell));
	assert_int_equal(doorbell->queue, TRACE_RQ);
	assert_int_equal(doorbell->value, 1);
	expect_nothing();

	rig_post(&pair.qp[0], &posted);
	doorbell = expect(TRACE_DOORBELL, 0, sizeof(*doorbell));
	assert_int_equal(doorbell->queue, TRACE_SQ);
	assert_int_equal(doorbell->qpn, engine_qp_number(pair.qp[0].qp));
	assert_int_equal(doorbell->value, 1);
	assert_int_equal(doorbell->taken, 0);
	wqe = expect(TRACE_WQE, 0, sizeof(*wqe) + 64);
	assert_int_equal(wqe->index, 0);
	assert_int_equal(wqe->wqe_bytes, 64);
	assert_memory_equal(wqe + 1, &posted, 64);
	packet = expect_packet(TRACE_SENT, 0, TRACE_MAX_PAYLOAD);
	assert_memory_equal(packet + 1, pair.guest[0].memory,
			    TRACE_MAX_PAYLOAD);
	recv = expect(TRACE_RECV, 1, sizeof(*recv) + sizeof(*sge));
	assert_int_equal(recv->req_id, 77);
	sge = (const void *)(recv + 1);
	assert_int_equal(sge->addr, rig_addr(&pair.guest[1], 4096));
	assert_int_equal(sge->length, 2048);
	packet = expect_packet(TRACE_RECEIVED, 1, TRACE_MAX_PAYLOAD);
	assert_int_equal(packet->length, 1000);
	assert_int_equal(packet->req_id, 33);
	assert_int_equal(packet->imm, RIG_IMM);
	assert_int_equal(packet->flags, TRACE_PACKET_HAS_IMM);
	assert_memory_equal(packet->src_gid,
			    engine_device_gid(pair.rig.device[0]), 16);
	assert_memory_equal(packet->dst_gid,
			    engine_device_gid(pair.rig.device[1]), 16);
	cqe = expect(TRACE_CQE, 1, sizeof(*cqe));
	memcpy(&entry, cqe->entry, sizeof(entry));
	assert_int_equal(entry.req_id, 77);
	assert_int_equal(entry.rx.length, 1000);
	cqe = expect(TRACE_CQE, 0, sizeof(*cqe));
	assert_memory_equal(cqe->entry, pair.cq[0].ring, sizeof(entry));
	expect_nothing();
	rig_pair_fini(&pair);
}

static void test_not_ready(void **state)
{
	struct efa_io_tx_wqe posted;
	struct rig_pair pair;
	unsigned i;

	(void)state;
	rig_pair_init(&pair, ENGINE_QP_SRD, NULL, 0, NULL);
	posted = rig_send(&pair.qp[0], &pair.qp[1], 1, 0, 0);
	rig_stage(&pair.qp[0], &posted);
	watch(&pair.rig);
	rig_ring_sq(&pair.qp[0]);
	rig_poll(&pair.rig);
	rig_advance(&pair.rig, 10000000);
	expect(TRACE_DOORBELL, 0, sizeof(struct trace_doorbell));
	expect(TRACE_WQE, 0, sizeof(struct trace_wqe) + 64);
	for (i = 0; i < 2; i++) {
		expect_packet(TRACE_SENT, 0, 0);
		expect_packet(TRACE_NOT_READY, 1, 0);
	}
	expect_nothing();
	rig_pair_fini(&pair);
}

static void test_datagram_lost(void **state)
{
	struct efa_io_tx_wqe posted;
	struct rig_pair pair;

	(void)state;
	rig_pair_init(&pair, ENGINE_QP_UD, NULL, 0, NULL);
	rig_fill(&pair.guest[0], 0, 20, 9);
	posted = rig_send(&pair.qp[0], &pair.qp[1], 1, 0, 20);
	posted.meta.qkey++;
	watch(&pair.rig);
	rig_post(&pair.qp[0], &posted);
	next = 2;
	assert_memory_equal(expect_packet(TRACE_SENT, 0, 20) + 1,
			    pair.guest[0].memory, 20);
	expect_packet(TRACE_DROPPED, 0, 0);
	expect(TRACE_CQE, 0, sizeof(struct trace_cqe));
	expect_nothing();
	rig_pair_fini(&pair);
}

/* A segment each, of which both sides tell. */
static void test_rdma_segments(void **state)
{
	const uint32_t length = 2 * RDMA_SLICE_BYTES + 100;
	const struct trace_packet *packet;
	struct efa_io_tx_wqe posted;
	uint32_t done = 0, segment;
	struct rig_pair pair;

	(void)state;
	rig_pair_init(&pair, ENGINE_QP_SRD, NULL, 0, NULL);
	posted = rig_rdma(&pair.qp[0], &pair.qp[1], EFA_IO_RDMA_READ, 8, 0,
			  4096, length);
	watch(&pair.rig);
	rig_post(&pair.qp[0], &posted);
	next = 2;
	while (done < length) {
		segment = length - done;
		if (segment > RDMA_SLICE_BYTES)
			segment = RDMA_SLICE_BYTES;
		packet = expect_packet(TRACE_SENT, 0, 0);
		assert_int_equal(packet->offset, done);
		assert_int_equal(packet->segment, segment);
		packet = expect_packet(TRACE_RECEIVED, 1, 0);
		assert_int_equal(packet->offset, done);
		assert_int_equal(packet->segment, segment);
		assert_int_equal(packet->length, length);
		assert_int_equal(packet->rkey, pair.guest[1].key);
		assert_int_equal(packet->remote_addr,
				 rig_addr(&pair.guest[1], 4096));
		done += segment;
	}
	expect(TRACE_CQE, 0, sizeof(struct trace_cqe));
	expect_nothing();
	rig_pair_fini(&pair);
}

static void test_commands(void **state)
{
	const struct trace_command *command;
	struct engine_mr *mr;
	struct rig_pair pair;
	struct engine_pd *pd;

	(void)state;
	rig_pair_init(&pair, ENGINE_QP_SRD, NULL, 0, NULL);
	watch(&pair.rig);
	assert_int_equal(engine_pd_create(pair.guest[1].ctx, &pd), 0);
	assert_int_equal(engine_mr_create(pd, rig_addr(&pair.guest[1], 64),
					  100, 0x1000, 1, &mr), 0);
	command = expect(TRACE_COMMAND, 1, sizeof(*command));
	assert_int_equal(command->command, TRACE_CREATE_PD);
	assert_int_equal(command->number, engine_pd_number(pd));
	command = expect(TRACE_COMMAND, 1, sizeof(*command));
	assert_int_equal(command->command, TRACE_CREATE_MR);
	assert_int_equal(command->number, engine_mr_key(mr));
	assert_int_equal(command->arg[0], engine_pd_number(pd));
	assert_int_equal(command->arg[1], rig_addr(&pair.guest[1], 64));
	assert_int_equal(command->arg[2], 100);
	assert_int_equal(command->arg[3], 0x1000);
	assert_int_equal(command->arg[4], 1);
	rig_qp_set_state(&pair.qp[0], ENGINE_QP_ERR);
	command = expect(TRACE_COMMAND, 0, sizeof(*command));
	assert_int_equal(command->command, TRACE_MODIFY_QP);
	assert_int_equal(command->number, engine_qp_number(pair.qp[0].qp));
	assert_int_equal(command->arg[1], ENGINE_QP_ERR);
	expect_nothing();
	/* It goes with the context, and no later command may follow. */
	engine_set_traced(pair.rig.engine, false);
	rig_pair_fini(&pair);
	expect_nothing();
}

/* A fault that strikes is told before what it does. */
static void test_fault_text(void **state)
{
	char error[FAULT_ERROR_BYTES];
	struct efa_io_tx_wqe posted;
	struct rig_pair pair;
	unsigned i, fault = EVENTS_MAX, cqe = EVENTS_MAX;

	(void)state;
	rig_pair_init(&pair, ENGINE_QP_SRD, NULL, 0, NULL);
	assert_int_equal(engine_fault_add(pair.rig.engine,
					  "status code=13 nth=1", error), 1);
	posted = rig_send(&pair.qp[0], &pair.qp[1], 1, 0, 0);
	watch(&pair.rig);
	rig_post(&pair.qp[0], &posted);
	for (i = 0; i < seen_count; i++) {
		if (seen[i].kind == TRACE_FAULT)
			fault = i;
		if (seen[i].kind == TRACE_CQE)
			cqe = i;
	}
	assert_true(fault < cqe && cqe < EVENTS_MAX);
	assert_int_equal(seen[fault].device, TRACE_NO_DEVICE);
	assert_non_null(memmem(seen[fault].bytes, seen[fault].length,
			       "status", 6));
	assert_null(memchr(seen[fault].bytes, '\n', seen[fault].length));
	rig_pair_fini(&pair);
}

static void test_rule_text(void **state)
{
	struct efa_io_tx_wqe posted;
	struct rig_pair pair;
	unsigned i, rules = 0;

	(void)state;
	rig_pair_init(&pair, ENGINE_QP_SRD, NULL, 0, NULL);
	posted = rig_send(&pair.qp[0], &pair.qp[1], 1, 0, 0);
	posted.meta.reserved1 = 1;
	watch(&pair.rig);
	rig_post(&pair.qp[0], &posted);
	for (i = 0; i < seen_count; i++) {
		if (seen[i].kind != TRACE_RULE)
			continue;
		rules++;
		assert_int_equal(seen[i].length, strlen(pair.rig.rule_text));
		assert_memory_equal(seen[i].bytes, pair.rig.rule_text,
				    seen[i].length);
	}
	assert_int_equal(rules, 1);
	rig_pair_fini(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_message),
		cmocka_unit_test(test_not_ready),
		cmocka_unit_test(test_datagram_lost),
		cmocka_unit_test(test_rdma_segments),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_fault_text),
		cmocka_unit_test(test_rule_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
