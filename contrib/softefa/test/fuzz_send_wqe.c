/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Hostile rings: whatever bytes a guest puts into its send and receive
 * rings and doorbells, and whenever, the engine stays within memory, each
 * turn ends, and another guest's messages arrive as before.
 *
 * The input is a list of commands, one byte and its arguments each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/requester.h"
#include "test/engine_rig.h"

#define QPS		3	/* SRD narrow, SRD wide, UD */
#define TURNS_MAX	20000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const uint8_t *next, *end;
};

struct bench {
	struct rig rig;
	struct rig_guest hostile, other;
	struct rig_cq cq, other_cq;
	struct rig_qp qp[QPS], other_qp;
	struct engine_mr *spare_mr;
};

static struct device_profile profile;

static void require(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz_send_wqe: does not hold: %s\n", what);
	abort();
}

/* ---- reading the input: what is beyond its end is zero ---- */

static uint8_t take8(struct input *in)
{
	return in->next < in->end ? *in->next++ : 0;
}

static uint16_t take16(struct input *in)
{
	return take8(in) | take8(in) << 8;
}

static uint32_t take32(struct input *in)
{
	return take16(in) | (uint32_t)take16(in) << 16;
}

static void take_bytes(struct input *in, uint8_t *to, size_t len_bytes)
{
	while (len_bytes--)
		*to++ = take8(in);
}

/* ---- the bench ---- */

static void open_bench(struct bench *bench)
{
	struct rig_qp_opts opts[QPS] = {
		{ .sq_depth = 8, .rq_depth = 8 },
		{ .sq_depth = 8, .rq_depth = 8,
		  .wqe_size = EFA_IO_TX_WQE_SIZE_WIDE,
		  .flags = ENGINE_QP_SQ_REQ_ID_64 |
			ENGINE_QP_UNSOLICITED_WRITE_RECV },
		{ .sq_depth = 8, .rq_depth = 8 },
	};
	int i;

	/* Small tables and memories: most of the time would go into
	 * clearing them. */
	profile = *profile_find("next");
	profile.max_mr = 8;
	profile.max_qp = 8;
	rig_init_profiles(&bench->rig, &profile, &profile);
	bench->rig.memory_bytes = 512 * 1024;
	rig_guest_init(&bench->rig, &bench->hostile, 0);
	rig_guest_init(&bench->rig, &bench->other, 1);
	rig_cq_init(&bench->hostile, &bench->cq, 32,
		    ENGINE_CQ_EVENTS | ENGINE_CQ_SGID |
		    ENGINE_CQ_SQ_REQ_ID_64);
	rig_cq_init(&bench->other, &bench->other_cq, 32, 0);
	for (i = 0; i < QPS; i++)
		rig_qp_init(&bench->hostile, &bench->qp[i],
			    i == 2 ? ENGINE_QP_UD : ENGINE_QP_SRD,
			    &bench->cq, &bench->cq, &opts[i]);
	rig_qp_init(&bench->other, &bench->other_qp, ENGINE_QP_SRD,
		    &bench->other_cq, &bench->other_cq, NULL);
	bench->spare_mr = NULL;
}

static void close_bench(struct bench *bench)
{
	int i;

	rig_guest_fini(&bench->hostile);
	rig_guest_fini(&bench->other);
	for (i = 0; i < QPS; i++)
		rig_qp_fini(&bench->qp[i]);
	rig_qp_fini(&bench->other_qp);
	rig_cq_fini(&bench->cq);
	rig_cq_fini(&bench->other_cq);
	rig_fini(&bench->rig);
}

static void settle(struct bench *bench)
{
	unsigned turns = 0;

	while (engine_poll(bench->rig.engine, bench->rig.now_ns))
		require(++turns < TURNS_MAX, "polling comes to an end");
}

/* ---- the commands ---- */

static void write_ring(struct bench *bench, struct input *in)
{
	struct rig_qp *qp = &bench->qp[take8(in) % QPS];
	uint32_t size = qp->sq_depth * qp->wqe_size;
	uint32_t at = take16(in) % size;
	uint32_t len_bytes = take8(in);

	if (len_bytes > size - at)
		len_bytes = size - at;
	take_bytes(in, qp->sq_ring + at, len_bytes);
}

static void write_recv_ring(struct bench *bench, struct input *in)
{
	struct rig_qp *qp = &bench->qp[take8(in) % QPS];
	uint32_t size = qp->rq_depth * sizeof(struct efa_io_rx_desc);
	uint32_t at = take8(in) % size;
	uint32_t len_bytes = take8(in);

	if (len_bytes > size - at)
		len_bytes = size - at;
	take_bytes(in, qp->rq_ring + at, len_bytes);
}

static void ring_doorbell(struct bench *bench, struct input *in)
{
	struct rig_qp *qp = &bench->qp[take8(in) % QPS];

	switch (take8(in) % 5) {
	case 0:
		qp->sq_doorbell = take32(in);
		break;
	case 1:
		qp->rq_doorbell = take32(in);
		break;
	case 2:
		bench->cq.doorbell = take32(in);
		break;
	case 3:
		rig_ring_sq(qp);
		break;
	default:
		rig_ring_rq(qp);
		break;
	}
}

/* An entry that is right in all but one or two bytes. */
static void stage_entry(struct bench *bench, struct input *in)
{
	struct rig_qp *from = &bench->qp[take8(in) % QPS];
	struct rig_qp *to = &bench->qp[take8(in) % QPS];
	struct efa_io_tx_wqe wqe;
	uint8_t kind = take8(in), at = take8(in), bits = take8(in);

	if (kind & 8)
		to = &bench->other_qp;
	switch (kind % 4) {
	case 0:
		wqe = rig_send(from, to, take8(in), take16(in), take16(in));
		break;
	case 1:
		wqe = rig_inline(from, to, take8(in), &bench->rig,
				 take8(in) % 81);
		break;
	default:
		wqe = rig_rdma(from, to, kind % 4 - 1, take8(in), take16(in),
			       take16(in), take32(in) % (1 << 20));
		break;
	}
	if (kind & 16)
		rig_set_imm(&wqe);
	if (kind & 32)
		((uint8_t *)&wqe)[at % sizeof(wqe)] ^= bits;
	rig_stage(from, &wqe);
	rig_ring_sq(from);
}

static void stage_receive(struct bench *bench, struct input *in)
{
	struct rig_qp *qp = &bench->qp[take8(in) % QPS];
	uint8_t kind = take8(in);

	rig_stage_recv(qp, take8(in), take16(in), take16(in),
		       (kind & 1 ? EFA_IO_RX_FIRST : 0) |
		       (kind & 2 ? EFA_IO_RX_LAST : 0) |
		       (uint32_t)(kind & 0x10) << 24);
	rig_ring_rq(qp);
}

static void change_state(struct bench *bench, struct input *in)
{
	struct rig_qp *qp = &bench->qp[take8(in) % QPS];
	struct engine_qp_state_attr attr = {
		.state = take8(in) % 8, .qkey = RIG_QKEY, .port = 1,
		.rnr_retry = take8(in) % 8,
	};
	uint32_t mask = take32(in);

	/* Half of the time one that can succeed. */
	if (mask & 1u << 31)
		mask = ENGINE_QPA_STATE | (mask & 0xffff0);
	if (!engine_qp_modify(qp->qp, &attr, mask) &&
	    (mask & ENGINE_QPA_STATE) && attr.state == ENGINE_QP_RESET) {
		qp->sq_posted = 0;
		qp->rq_posted = 0;
		rig_qp_to_rts(qp, attr.rnr_retry);
	}
}

static void change_memory(struct bench *bench, struct input *in)
{
	uint8_t what = take8(in);

	if (what & 1) {
		bench->hostile.hole_start = take16(in);
		bench->hostile.hole_bytes = take8(in);
	} else if (bench->spare_mr) {
		engine_mr_destroy(bench->spare_mr);
		bench->spare_mr = NULL;
	} else if (engine_mr_create(bench->hostile.pd,
				    RIG_MEMORY_BASE + take16(in), take16(in),
				    take32(in), take8(in), &bench->spare_mr)) {
		bench->spare_mr = NULL;
	}
}

static void run_command(struct bench *bench, struct input *in)
{
	struct efa_io_cdesc entry;

	switch (take8(in) % 10) {
	case 0:
		write_ring(bench, in);
		break;
	case 1:
		write_recv_ring(bench, in);
		break;
	case 2:
		ring_doorbell(bench, in);
		break;
	case 3:
	case 4:
		stage_entry(bench, in);
		break;
	case 5:
		stage_receive(bench, in);
		break;
	case 6:
		change_state(bench, in);
		break;
	case 7:
		change_memory(bench, in);
		break;
	case 8:
		bench->rig.now_ns += take8(in) * (RNR_RETRY_NS / 16);
		engine_poll(bench->rig.engine, bench->rig.now_ns);
		break;
	default:
		settle(bench);
		while (take8(in) & 1 && rig_cq_take(&bench->cq, &entry))
			bench->cq.sn++;
		break;
	}
}

/* The guest that did nothing wrong: its QP works, its data arrive. */
static void check_other(struct bench *bench)
{
	struct efa_io_tx_wqe wqe;
	struct efa_io_cdesc entry;
	bool has_sent = false, has_received = false;

	/* What was sent to it meanwhile found no receive, or waits. */
	engine_context_destroy(bench->hostile.ctx);
	bench->hostile.ctx = NULL;
	bench->rig.now_ns += RNR_RETRY_NS;
	settle(bench);
	while (rig_cq_take(&bench->other_cq, &entry))
		;
	rig_fill(&bench->other, 0, 512, 42);
	rig_post_recv(&bench->other_qp, 7, 1024, 512);
	wqe = rig_send(&bench->other_qp, &bench->other_qp, 8, 0, 512);
	rig_stage(&bench->other_qp, &wqe);
	rig_ring_sq(&bench->other_qp);
	settle(bench);
	while (rig_cq_take(&bench->other_cq, &entry)) {
		require(!entry.status, "the other guest sees no error");
		has_sent |= entry.req_id == 8;
		has_received |= entry.req_id == 7 && entry.rx.length == 512;
	}
	require(has_sent && has_received, "the other guest can send");
	rig_assert_filled(&bench->other, 1024, 512, 42);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	struct bench bench;

	open_bench(&bench);
	while (in.next < in.end)
		run_command(&bench, &in);
	settle(&bench);
	check_other(&bench);
	close_bench(&bench);
	return 0;
}
