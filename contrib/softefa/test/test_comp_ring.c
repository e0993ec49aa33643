/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/comp_ring.h"
#include "engine/device_state.h"
#include "test/engine_rig.h"

#define SEND	EFA_IO_SEND_QUEUE
#define RECV	EFA_IO_RECV_QUEUE
#define STATUS(name)	EFA_IO_COMP_STATUS_##name

static struct rig rig;
static struct rig_guest guest;
static struct rig_cq cq;
static struct rig_qp qp;

static void open_bench(uint32_t depth, uint32_t cq_flags, const char *profile)
{
	uint32_t qp_flags = 0;

	if (cq_flags & ENGINE_CQ_SQ_REQ_ID_64)
		qp_flags = ENGINE_QP_SQ_REQ_ID_64;
	rig_init(&rig, profile, NULL);
	rig_guest_init(&rig, &guest, 0);
	rig_cq_init(&guest, &cq, depth, cq_flags);
	rig_qp_init(&guest, &qp, ENGINE_QP_UD, &cq, &cq,
		    &(struct rig_qp_opts) { .flags = qp_flags });
}

static int tear_down(void **state)
{
	rig_guest_fini(&guest);
	rig_qp_fini(&qp);
	rig_cq_fini(&cq);
	rig_fini(&rig);
	return 0;
}

/* A UD message to nobody: one send completion, nothing else. */
static void complete_one(uint64_t req_id)
{
	struct efa_io_tx_wqe wqe = rig_inline(&qp, &qp, req_id, "", 0);

	wqe.meta.qkey++;
	rig_post(&qp, &wqe);
}

static void test_layout(void **state)
{
	static const uint8_t zero[32];
	struct efa_io_cdesc *first;

	open_bench(4, 0, NULL);
	first = (struct efa_io_cdesc *)cq.ring;
	complete_one(0x9abc);
	assert_int_equal(first->req_id, 0x9abc);
	assert_int_equal(first->status, 0);
	assert_int_equal(first->flags, EFA_IO_CDESC_PHASE |
			 SEND << EFA_IO_CDESC_Q_TYPE_SHIFT);
	assert_int_equal(first->qp_num, engine_qp_number(qp.qp));
	assert_memory_equal(first->reserved, zero, sizeof(first->reserved));
	assert_memory_equal(cq.ring + 32, zero, 32);
}

static void test_wide_request_id(void **state)
{
	struct efa_io_cdesc entry;

	open_bench(4, ENGINE_CQ_SQ_REQ_ID_64, "next");
	complete_one(0xfedcba9876543210ull);
	entry = rig_cq_expect(&cq, SEND, STATUS(OK), 0x3210);
	assert_int_equal(entry.tx.req_id_ex[0], 0x7654);
	assert_int_equal(entry.tx.req_id_ex[1], 0xba98);
	assert_int_equal(entry.tx.req_id_ex[2], 0xfedc);
}

/* Through the 16 bits of the consumer's counter and far beyond. */
static void test_phase_and_wrap(void **state)
{
	uint32_t i;

	open_bench(4, 0, NULL);
	for (i = 0; i < 140000; i++) {
		complete_one(i);
		rig_cq_expect(&cq, SEND, STATUS(OK), i);
	}
	rig_cq_expect_empty(&cq);
	assert_int_equal(rig.rules, 0);
}

/* A consumer that claims to be ahead of the device: its CQ is broken. */
static void test_doorbell_ahead(void **state)
{
	struct efa_io_cdesc entry;

	open_bench(4, 0, NULL);
	complete_one(0);
	rig_cq_expect(&cq, SEND, STATUS(OK), 0);
	cq.doorbell = 3;
	complete_one(1);
	assert_int_equal(rig.rules, 1);
	assert_ptr_equal(rig.rule_opaque, &guest);
	assert_non_null(strstr(rig.rule_text, "3 entries consumed"));
	/* It stays broken, and so does the QP. */
	cq.doorbell = 1;
	rig_poll(&rig);
	complete_one(2);
	assert_false(rig_cq_take(&cq, &entry));
	assert_int_equal(rig.rules, 1);
	assert_int_equal(rig_counters(&rig, 0).rule_breaks, 1);
}

static void complete_many(uint32_t count)
{
	while (count--)
		complete_one(count);
}

/* The doorbell says afterwards that its consumer had not taken them all. */
static void test_overrun(void **state)
{
	open_bench(4, 0, NULL);
	complete_many(8);
	assert_int_equal(rig.rules, 0);
	/* Before the last of them was written, entries 0 to 2 were gone. */
	cq.doorbell = 2;
	complete_one(0);
	assert_int_equal(rig.rules, 1);
	assert_int_equal(rig.rule, ENGINE_RULE_CQ_OVERRUN);
	assert_non_null(strstr(rig.rule_text, "entry 2 was overwritten"));
	/* It goes on: the entries are lost, the queue is not. */
	cq.doorbell = 9;
	complete_one(0);
	assert_int_equal(rig.rules, 1);
	assert_int_equal(rig_counters(&rig, 0).completions, 10);
}

/* What may have been rung before the last entry proves nothing. */
static void test_no_overrun_without_proof(void **state)
{
	open_bench(4, 0, NULL);
	complete_many(8);
	cq.doorbell = 3;
	complete_one(0);
	cq.doorbell = 9;
	complete_many(60000);
	cq.doorbell = (9 + 59999) & EFA_IO_DB_CONS_MASK;
	complete_many(1);
	assert_int_equal(rig.rules, 0);
}

/* The last word of a consumer is heard when its queue goes. */
static void test_overrun_told_at_the_end(void **state)
{
	open_bench(4, 0, NULL);
	complete_many(8);
	cq.doorbell = 1;
	engine_context_destroy(guest.ctx);
	guest.ctx = NULL;
	assert_int_equal(rig.rules, 1);
	assert_int_equal(rig.rule, ENGINE_RULE_CQ_OVERRUN);
}

static void test_broken_stops_both_directions(void **state)
{
	struct engine_qp_state_attr attr;
	struct rig_cq other;
	struct rig_qp second;

	open_bench(4, 0, NULL);
	rig_cq_init(&guest, &other, 16, 0);
	/* Sends report elsewhere: the broken one is its receive CQ. */
	rig_qp_init(&guest, &second, ENGINE_QP_UD, &other, &cq, NULL);
	rig_post_recv(&second, 9, 0, 100);
	cq.doorbell = 1;
	complete_one(0);
	rig_poll(&rig);
	engine_qp_query(second.qp, &attr);
	assert_int_equal(attr.state, ENGINE_QP_ERR);
	engine_qp_query(qp.qp, &attr);
	assert_int_equal(attr.state, ENGINE_QP_ERR);
	engine_qp_destroy(second.qp);
	rig_qp_fini(&second);
	assert_int_equal(engine_cq_destroy(other.cq), 0);
	rig_cq_fini(&other);
}

/*
 * Rung late or never, a doorbell says nothing of what was read: the
 * consumer keeps its own pace, here that of the device.
 */
static void test_doorbell_behind(void **state)
{
	struct efa_io_cdesc *ring;
	unsigned i;

	open_bench(4, 0, NULL);
	ring = (struct efa_io_cdesc *)cq.ring;
	for (i = 0; i < 200000; i++) {
		complete_one(i);
		assert_int_equal(ring[i % 4].req_id, (uint16_t)i);
		assert_int_equal(ring[i % 4].flags & EFA_IO_CDESC_PHASE,
				 !(i / 4 % 2));
		if (i == 100000)
			cq.doorbell = i & EFA_IO_DB_CONS_MASK;
	}
	assert_int_equal(rig.rules, 0);
}

/* Nobody can know how far the consumer is. */
static void test_without_doorbell(void **state)
{
	struct engine_cq_attr attr = { .depth = 4 };
	struct rig_cq blind = { .depth = 4 };
	struct rig_qp sender;
	struct efa_io_tx_wqe wqe;
	unsigned i;

	open_bench(4, 0, NULL);
	blind.ring = calloc(4, 32);
	attr.ring = blind.ring;
	assert_int_equal(engine_cq_create(guest.ctx, &attr, &blind.cq), 0);
	rig_qp_init(&guest, &sender, ENGINE_QP_UD, &blind, &blind, NULL);
	wqe = rig_inline(&sender, &qp, 1, "", 0);
	for (i = 0; i < 9; i++)
		rig_post(&sender, &wqe);
	assert_int_equal(rig.rules, 0);
	blind.consumed = 8;
	rig_cq_expect(&blind, SEND, STATUS(OK), 1);
	rig_cq_expect_empty(&blind);
	engine_qp_destroy(sender.qp);
	rig_qp_fini(&sender);
	rig_cq_fini(&blind);
}

static void take_event(void)
{
	cq.sn++;
}

static void publish(bool arm)
{
	cq.doorbell = (cq.consumed & EFA_IO_DB_CONS_MASK) |
		(cq.sn & 3) << EFA_IO_DB_CMD_SN_SHIFT |
		(arm ? EFA_IO_DB_ARM : 0);
}

/*
 * One event for one sequence number, armed or not; the next when the
 * consumer has published that it took the last and there is more.
 */
static void test_events(void **state)
{
	open_bench(64, ENGINE_CQ_EVENTS, NULL);
	rig_poll(&rig);
	assert_int_equal(rig.events, 0);
	publish(true);
	rig_poll(&rig);
	assert_int_equal(rig.events, 0);
	complete_one(1);
	assert_int_equal(rig.events, 1);
	assert_ptr_equal(rig.event_opaque, &cq);
	complete_one(2);
	assert_int_equal(rig.events, 1);
	/* The event is read and the queue armed again, not emptied. */
	take_event();
	publish(true);
	rig_poll(&rig);
	assert_int_equal(rig.events, 2);
	take_event();
	rig_cq_expect(&cq, SEND, STATUS(OK), 1);
	rig_cq_expect(&cq, SEND, STATUS(OK), 2);
	publish(true);
	rig_poll(&rig);
	assert_int_equal(rig.events, 2);
	/* The request is overwritten by a poll: the event comes all the same. */
	publish(false);
	complete_one(3);
	assert_int_equal(rig.events, 3);
	assert_int_equal(engine_cq_event_count(cq.cq), 3);
}

/* No wake-up is lost over many rounds of the protocol, whatever is seen. */
static void test_no_lost_event(void **state)
{
	unsigned round;

	open_bench(64, ENGINE_CQ_EVENTS, NULL);
	for (round = 0; round < 1000; round++) {
		publish(true);
		if (round & 1)
			publish(false);
		complete_one(round);
		assert_int_equal(rig.events, round + 1);
		take_event();
		rig_cq_expect(&cq, SEND, STATUS(OK), round);
	}
}

/*
 * A driver that polls and does not ring the doorbell is more than a ring
 * behind by it, and then arms. The entries that follow come at once, more
 * than the ring holds: they are lost, the wake-up is not.
 */
static void test_event_far_behind(void **state)
{
	struct efa_io_tx_wqe wqe;
	unsigned i;

	open_bench(4, ENGINE_CQ_EVENTS, NULL);
	for (i = 0; i < 100; i++) {
		complete_one(i);
		rig_cq_expect(&cq, SEND, STATUS(OK), i);
		cq.doorbell = 0;
	}
	assert_int_equal(rig.events, 1);
	take_event();
	publish(true);
	rig_poll(&rig);
	assert_int_equal(rig.events, 1);
	for (i = 0; i < 8; i++) {
		wqe = rig_inline(&qp, &qp, i, "", 0);
		wqe.meta.qkey++;
		rig_stage(&qp, &wqe);
	}
	rig_ring_sq(&qp);
	rig_poll(&rig);
	assert_int_equal(rig.events, 2);
	assert_int_equal(rig.rules, 0);
}

static void test_no_events_unless_asked(void **state)
{
	open_bench(64, 0, NULL);
	publish(true);
	complete_one(1);
	assert_int_equal(rig.events, 0);
}

static int create(struct engine_cq_attr attr)
{
	struct engine_cq *created;
	int err;

	attr.ring = cq.ring;
	err = engine_cq_create(guest.ctx, &attr, &created);
	if (!err)
		assert_int_equal(engine_cq_destroy(created), 0);
	return err;
}

static void test_attributes(void **state)
{
	volatile uint32_t *db = &cq.doorbell;
	uint32_t max;

	open_bench(4, 0, "0xefa0");
	max = engine_device_profile(rig.device[0])->max_cqe;
#define ATTR(...) (struct engine_cq_attr) { __VA_ARGS__ }
	assert_int_equal(create(ATTR(.depth = 4, .doorbell = db)), 0);
	assert_int_equal(create(ATTR(.depth = max, .doorbell = db)), 0);
	assert_int_equal(create(ATTR(.depth = 2 * max)), -EINVAL);
	assert_int_equal(create(ATTR(.depth = 0)), -EINVAL);
	assert_int_equal(create(ATTR(.depth = 12)), -EINVAL);
	assert_int_equal(create(ATTR(.depth = 4, .flags = ENGINE_CQ_EVENTS)),
			 -EINVAL);
	assert_int_equal(create(ATTR(.depth = 4, .flags = ENGINE_CQ_EVENTS,
				     .doorbell = db)), 0);
	assert_int_equal(create(ATTR(.depth = 4, .flags = ENGINE_CQ_SGID)),
			 -EOPNOTSUPP);
	assert_int_equal(create(ATTR(.depth = 4,
				     .flags = ENGINE_CQ_SQ_REQ_ID_64)),
			 -EOPNOTSUPP);
	assert_int_equal(create(ATTR(.depth = 4, .flags = 1u << 7)),
			 -EOPNOTSUPP);
}

static void test_busy_while_used(void **state)
{
	open_bench(4, 0, NULL);
	assert_int_equal(engine_cq_destroy(cq.cq), -EBUSY);
	engine_qp_destroy(qp.qp);
	assert_int_equal(engine_cq_destroy(cq.cq), 0);
	assert_int_equal(rig_counters(&rig, 0).cqs, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_teardown(test_##name, tear_down)
	const struct CMUnitTest tests[] = {
		T(layout), T(wide_request_id), T(phase_and_wrap),
		T(doorbell_ahead), T(broken_stops_both_directions),
		T(overrun), T(no_overrun_without_proof),
		T(overrun_told_at_the_end), T(doorbell_behind),
		T(without_doorbell), T(events), T(no_lost_event),
		T(event_far_behind),
		T(no_events_unless_asked), T(attributes), T(busy_while_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
