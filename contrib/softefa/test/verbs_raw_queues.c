/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The plugin's device layer on the real rdma-core: devices found, objects
 * made, and messages sent through the rings it hands out, with and without
 * waiting for completion events.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

#include "compat/verbs_symbols.h"
#include "dev/addr_handle.h"
#include "dev/cq_create.h"
#include "dev/device_list.h"
#include "dev/mem_region.h"
#include "dev/queue_pair.h"
#include "fabtests/expect.h"
#include "hw/comp_queue.h"
#include "hw/recv_queue.h"
#include "hw/send_queue.h"

#define QKEY		0x11223344u
#define DEPTH		32u
#define GRH_BYTES	40u
#define ROUNDS		200u	/* around each ring several times */

struct side {
	struct dev_cq dev_cq;
	struct dev_qp dev_qp;
	struct hw_cq cq;
	struct hw_sq sq;
	struct hw_rq rq;
	struct dev_mr mr;
	uint8_t memory[512];
};

struct bench {
	const struct dev_device *device;
	struct dev_pd pd;
	struct dev_ah_table *ahs;
	const struct dev_ah *ah;	/* of the device itself */
	struct side a, b;
};

static struct bench bench;

static void side_open(struct bench *t, struct side *s,
		      const struct dev_qp_attr *wish, bool wait)
{
	struct dev_cq_attr cq_attr = { .depth = 4 * DEPTH, .wait = wait };
	struct dev_qp_attr attr = *wish;

	REQUIRE_EQ(dev_cq_create(t->device, &cq_attr, &s->dev_cq), 0);
	attr.send_cq = attr.recv_cq = &s->dev_cq;
	REQUIRE_EQ(dev_qp_create(&t->pd, &attr, &s->dev_qp), 0);
	REQUIRE_EQ(hw_cq_init(&s->cq, &s->dev_cq.geometry), 0);
	REQUIRE_EQ(hw_sq_init(&s->sq, &s->dev_qp.sq, 1), 0);
	REQUIRE_EQ(hw_rq_init(&s->rq, &s->dev_qp.rq, 1), 0);
	REQUIRE_EQ(dev_qp_enable(&s->dev_qp, &attr), 0);
	REQUIRE_EQ(dev_mr_create(&t->pd, s->memory, sizeof(s->memory),
				 IBV_ACCESS_LOCAL_WRITE, &s->mr), 0);
}

static void side_close(struct side *s)
{
	EXPECT_EQ(dev_mr_destroy(&s->mr), 0);
	EXPECT_EQ(dev_cq_destroy(&s->dev_cq), -EBUSY);
	EXPECT_EQ(dev_qp_destroy(&s->dev_qp), 0);
	hw_rq_fini(&s->rq);
	hw_sq_fini(&s->sq);
	EXPECT_EQ(dev_cq_destroy(&s->dev_cq), 0);
}

static void bench_open(struct bench *t, const struct dev_qp_attr *wish,
		       bool wait)
{
	const struct dev_list *list;

	REQUIRE_EQ(dev_list_get(&list), 0);
	t->device = &list->device[0];
	REQUIRE_EQ(dev_pd_create(t->device, &t->pd), 0);
	REQUIRE_EQ(dev_ah_table_create(&t->pd, &t->ahs), 0);
	REQUIRE_EQ(dev_ah_get(t->ahs, &t->device->gid, &t->ah), 0);
	side_open(t, &t->a, wish, wait);
	side_open(t, &t->b, wish, wait);
}

static void bench_close(struct bench *t)
{
	side_close(&t->a);
	EXPECT_EQ(dev_pd_destroy(&t->pd), -EBUSY);
	side_close(&t->b);
	dev_ah_put(t->ahs, t->ah);
	dev_ah_table_destroy(t->ahs);
	EXPECT_EQ(dev_pd_destroy(&t->pd), 0);
}

static void wait_for_event(struct side *s)
{
	struct pollfd pollfd = {
		.fd = s->dev_cq.channel->fd, .events = POLLIN,
	};

	hw_cq_arm(&s->cq);
	/* what came before arming gives no event for sure */
	if (hw_cq_peek(&s->cq))
		return;
	REQUIRE_EQ(poll(&pollfd, 1, 10000), 1);
	REQUIRE_EQ(dev_cq_take_event(&s->dev_cq), 1);
	hw_cq_event_taken(&s->cq);
}

/* The next entry of @s, a copy; waits for it. */
static struct efa_io_cdesc next_cqe(struct side *s)
{
	const struct efa_io_cdesc *cqe;
	struct efa_io_cdesc copy;

	while (!(cqe = hw_cq_peek(&s->cq))) {
		if (s->dev_cq.channel)
			wait_for_event(s);
		else
			sched_yield();
	}
	copy = *cqe;
	hw_cq_consume(&s->cq);
	hw_cq_publish(&s->cq);
	return copy;
}

static void post_recv(struct side *s)
{
	struct hw_sge sge = {
		.addr = (uintptr_t)s->memory, .length = sizeof(s->memory),
		.lkey = s->mr.lkey,
	};

	REQUIRE(hw_rq_has_room(&s->rq, 1));
	hw_rq_post(&s->rq, &sge, 1, s, sge.length, 0, false);
}

static void post_send(struct bench *t, struct side *from, struct side *to,
		      uint32_t len, bool in_line)
{
	struct hw_dest dest = {
		.ahn = t->ah->ahn, .qpn = to->dev_qp.qpn, .qkey = QKEY,
	};
	struct hw_sge sge = {
		.addr = (uintptr_t)from->memory, .length = len,
		.lkey = from->mr.lkey,
	};
	struct hw_send_wqe wqe;

	hw_wqe_init(&wqe, from->sq.entry_size, EFA_IO_SEND, &dest);
	if (in_line)
		memcpy(hw_wqe_inline(&wqe, len), from->memory, len);
	else
		hw_wqe_set_sgl(&wqe, &sge, 1);
	hw_wqe_set_imm(&wqe, len);
	REQUIRE(!hw_sq_is_full(&from->sq));
	hw_sq_post(&from->sq, &wqe, from, 0, 0, false);
}

static void check_sent(struct side *s)
{
	struct efa_io_cdesc cqe = next_cqe(s);
	struct hw_req_slot *slot;

	REQUIRE(hw_cqe_is_send(&cqe));
	EXPECT_EQ(cqe.status, EFA_IO_COMP_STATUS_OK);
	EXPECT_EQ(cqe.qp_num, s->dev_qp.qpn);
	slot = hw_sq_find(&s->sq, hw_cqe_tx_id(&cqe, s->sq.wide_ids));
	REQUIRE(slot && slot->context == s);
	hw_sq_put(&s->sq, slot);
}

static void check_received(struct side *s, struct side *from, uint32_t len,
			   uint32_t grh)
{
	struct efa_io_cdesc cqe = next_cqe(s);
	struct hw_req_slot *slot;

	REQUIRE(!hw_cqe_is_send(&cqe));
	EXPECT_EQ(cqe.status, EFA_IO_COMP_STATUS_OK);
	EXPECT_EQ(hw_cqe_rx_length(&cqe), len + grh);
	EXPECT(hw_cqe_has_imm(&cqe));
	EXPECT_EQ(cqe.rx.imm, len);
	EXPECT_EQ(cqe.rx.src_qp_num, from->dev_qp.qpn);
	EXPECT_EQ(cqe.rx.ah, bench.ah->ahn);
	EXPECT_BYTES(s->memory + grh, from->memory, len);
	slot = hw_rq_find(&s->rq, cqe.req_id);
	REQUIRE(slot && slot->context == s);
	hw_rq_put(&s->rq, slot);
}

static void exchange(const struct dev_qp_attr *wish, bool wait)
{
	uint32_t grh = wish->type == DEV_QP_UD ? GRH_BYTES : 0;
	uint32_t inline_size = wish->inline_size;

	bench_open(&bench, wish, wait);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		bool in_line = inline_size && round % 2;
		uint32_t len = in_line ? 1 + round % inline_size :
			       1 + round % 400;

		memset(bench.a.memory, (int)round, sizeof(bench.a.memory));
		memset(bench.b.memory, 0xff, sizeof(bench.b.memory));
		post_recv(&bench.b);
		post_send(&bench, &bench.a, &bench.b, len, in_line);
		check_received(&bench.b, &bench.a, len, grh);
		check_sent(&bench.a);
	}
	bench_close(&bench);
}

/* Posted receives come back flushed, in order, when the QP is stopped. */
static void flushed(const struct dev_qp_attr *wish)
{
	bench_open(&bench, wish, false);
	for (uint32_t i = 0; i < DEPTH; i++)
		post_recv(&bench.a);
	EXPECT_EQ(dev_qp_flush(&bench.a.dev_qp), 0);
	for (uint32_t i = 0; i < DEPTH; i++) {
		struct efa_io_cdesc cqe = next_cqe(&bench.a);

		EXPECT_EQ(cqe.status, EFA_IO_COMP_STATUS_FLUSHED);
		EXPECT(hw_rq_find(&bench.a.rq, cqe.req_id));
	}
	bench_close(&bench);
}

/* What the device says about itself must be usable to its limits. */
static void limits(void)
{
	const struct dev_list *list;
	const struct dev_device *device;
	struct dev_qp_attr attr = { .type = DEV_QP_SRD, .qkey = QKEY };
	struct dev_cq_attr cq_attr = { .depth = 16 };
	struct dev_cq cq;
	struct dev_qp qp;
	struct dev_pd pd;

	REQUIRE_EQ(dev_list_get(&list), 0);
	device = &list->device[0];
	REQUIRE_EQ(dev_pd_create(device, &pd), 0);
	REQUIRE_EQ(dev_cq_create(device, &cq_attr, &cq), 0);
	attr.send_cq = attr.recv_cq = &cq;
	attr.send_depth = device->max_send_depth;
	attr.recv_depth = device->efa.max_rq_wr;
	attr.send_sge = device->efa.max_sq_sge;
	attr.recv_sge = 1;
	attr.inline_size = device->inline_size;
	REQUIRE_EQ(dev_qp_create(&pd, &attr, &qp), 0);
	EXPECT(qp.sq.num_entries >= attr.send_depth);
	EXPECT(qp.rq.num_entries >= attr.recv_depth);
	EXPECT_EQ(qp.inline_size, device->inline_size);
	EXPECT_EQ(dev_qp_destroy(&qp), 0);
	attr.send_depth++;
	EXPECT_EQ(dev_qp_create(&pd, &attr, &qp), -EINVAL);
	if (device->caps.wide_wqe) {
		attr.send_depth = device->max_send_depth_wide;
		attr.inline_size = device->inline_size_wide;
		REQUIRE_EQ(dev_qp_create(&pd, &attr, &qp), 0);
		EXPECT_EQ(qp.sq.entry_size, EFA_IO_TX_WQE_SIZE_WIDE);
		EXPECT_EQ(qp.inline_size, device->inline_size_wide);
		EXPECT_EQ(dev_qp_destroy(&qp), 0);
	}
	EXPECT_EQ(dev_cq_destroy(&cq), 0);
	cq_attr.depth = device->attr.max_cqe;
	REQUIRE_EQ(dev_cq_create(device, &cq_attr, &cq), 0);
	EXPECT_EQ(cq.geometry.num_entries, cq_attr.depth);
	EXPECT_EQ(dev_cq_destroy(&cq), 0);
	EXPECT_EQ(dev_pd_destroy(&pd), 0);
}

static void devices(void)
{
	const struct dev_list *list, *again;

	expect_stage("devices");
	REQUIRE_EQ(dev_list_get(&list), 0);
	EXPECT_EQ(dev_list_get(&again), 0);
	EXPECT(list == again);
	for (uint32_t i = 0; i < list->count; i++) {
		const struct dev_device *device = &list->device[i];

		EXPECT_EQ(device->attr.vendor_id, 0x1d0f);
		EXPECT_EQ(device->mtu, device->port.max_msg_sz);
		EXPECT(device->speed_bps >= 1000000000);
		EXPECT(device->has_pci);
		EXPECT_STR(device->driver, "efa");
	}
	EXPECT(list->count < 2 ||
	       memcmp(&list->device[0].gid, &list->device[1].gid, 16));
	dev_list_release();
	REQUIRE_EQ(dev_list_get(&list), 0);
}

int main(void)
{
	struct dev_qp_attr wish = {
		.type = DEV_QP_SRD, .send_depth = DEPTH, .recv_depth = DEPTH,
		.send_sge = 1, .recv_sge = 1, .inline_size = 32,
		.qkey = QKEY, .rnr_retry = 7,
	};
	const struct dev_list *list;

	expect_deadline(120);
	if (dev_list_get(&list))
		expect_skip("no usable EFA device; run it under softefa");
	devices();
	REQUIRE_EQ(dev_list_get(&list), 0);
	expect_stage("limits");
	limits();
	expect_stage("SRD");
	exchange(&wish, false);
	if (list->device[0].caps.cq_notification) {
		expect_stage("SRD with events");
		exchange(&wish, true);
	}
	expect_stage("flush");
	flushed(&wish);
	if (list->device[0].caps.wide_wqe) {
		expect_stage("SRD, 128-byte WQEs");
		wish.inline_size = list->device[0].inline_size_wide;
		exchange(&wish, false);
	}
	expect_stage("UD");
	wish.type = DEV_QP_UD;
	wish.inline_size = 32;
	exchange(&wish, false);
	dev_list_release();
	return expect_result();
}
