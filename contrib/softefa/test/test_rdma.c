/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/rdma.h"
#include "engine/requester.h"
#include "test/engine_rig.h"

#define SEND	EFA_IO_SEND_QUEUE
#define RECV	EFA_IO_RECV_QUEUE
#define STATUS(name)	EFA_IO_COMP_STATUS_##name
#define READ	EFA_IO_RDMA_READ
#define WRITE	EFA_IO_RDMA_WRITE
#define BIG	(5 * RDMA_SLICE_BYTES + 12345)	/* more than 16 bits */

static struct rig_pair p;

static int set_up(void **state)
{
	rig_pair_init(&p, ENGINE_QP_SRD, NULL, ENGINE_CQ_SGID, NULL);
	return 0;
}

static int set_up_unsolicited(void **state)
{
	static const struct rig_qp_opts opts = {
		.flags = ENGINE_QP_UNSOLICITED_WRITE_RECV,
	};

	rig_pair_init(&p, ENGINE_QP_SRD, NULL, ENGINE_CQ_SGID, &opts);
	return 0;
}

static int set_up_wide(void **state)
{
	static const struct rig_qp_opts opts = {
		.wqe_size = EFA_IO_TX_WQE_SIZE_WIDE,
	};

	rig_pair_init(&p, ENGINE_QP_SRD, "next", 0, &opts);
	return 0;
}

static int set_up_oldest(void **state)
{
	rig_pair_init(&p, ENGINE_QP_SRD, "0xefa0", 0, NULL);
	return 0;
}

static int tear_down(void **state)
{
	rig_pair_fini(&p);
	return 0;
}

static struct efa_io_tx_wqe rdma(enum efa_io_send_op_type op,
				 uint32_t len_bytes)
{
	return rig_rdma(&p.qp[0], &p.qp[1], op, 1, 0, 4096, len_bytes);
}

static void expect(struct efa_io_tx_wqe *wqe, enum efa_io_comp_status status)
{
	struct efa_io_cdesc entry;

	rig_post(&p.qp[0], wqe);
	entry = rig_cq_expect(&p.cq[0], SEND, status, wqe->meta.req_id);
	assert_int_equal((entry.flags & EFA_IO_CDESC_OP_TYPE) >>
			 EFA_IO_CDESC_OP_TYPE_SHIFT,
			 wqe->meta.ctrl1 & EFA_IO_TX_META_OP_TYPE);
}

static void test_read(void **state)
{
	static const uint32_t sizes[] = { 1, 4096, RDMA_SLICE_BYTES, BIG };
	struct efa_io_tx_wqe wqe;
	size_t i;

	for (i = 0; i < 4; i++) {
		rig_fill(&p.guest[1], 4096, sizes[i], i + 5);
		wqe = rdma(READ, sizes[i]);
		expect(&wqe, STATUS(OK));
		rig_assert_filled(&p.guest[0], 0, sizes[i], i + 5);
	}
	rig_cq_expect_empty(&p.cq[1]);
	assert_int_equal(rig_counters(&p.rig, 0).rdma_reads, 4);
}

static void test_write(void **state)
{
	struct efa_io_tx_wqe wqe = rdma(WRITE, BIG);

	rig_fill(&p.guest[0], 0, BIG, 5);
	p.guest[1].memory[4096 + BIG] = 77;
	expect(&wqe, STATUS(OK));
	rig_assert_filled(&p.guest[1], 4096, BIG, 5);
	assert_int_equal(p.guest[1].memory[4096 + BIG], 77);
	rig_cq_expect_empty(&p.cq[1]);
	assert_int_equal(rig_counters(&p.rig, 0).rdma_writes, 1);
	assert_int_equal(rig_counters(&p.rig, 0).tx_bytes, BIG);
}

/* A large transfer leaves room for others: nothing of it is done at once. */
static void test_slices_share(void **state)
{
	struct efa_io_tx_wqe wqe = rdma(WRITE, 4 * REQUESTER_TURN_BYTES);
	struct rig_qp other;

	rig_qp_init(&p.guest[0], &other, ENGINE_QP_SRD, &p.cq[0], &p.cq[0],
		    NULL);
	rig_stage(&p.qp[0], &wqe);
	rig_ring_sq(&p.qp[0]);
	wqe = rig_send(&other, &p.qp[1], 2, 0, 8);
	rig_stage(&other, &wqe);
	rig_ring_sq(&other);
	rig_post_recv(&p.qp[1], 3, 0, 100);
	assert_true(engine_poll(p.rig.engine, 0) > 0);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 2);
	rig_cq_expect_empty(&p.cq[0]);
	rig_poll(&p.rig);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 1);
	engine_qp_destroy(other.qp);
	rig_qp_fini(&other);
}

/* Nor does it hold up what the same QP posts behind it. */
static void test_short_overtakes_long(void **state)
{
	struct efa_io_tx_wqe wqe = rdma(WRITE, BIG);

	rig_stage(&p.qp[0], &wqe);
	wqe = rig_send(&p.qp[0], &p.qp[1], 2, 0, 8);
	rig_post_recv(&p.qp[1], 3, 0, 100);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 2);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 1);
}

static void test_write_with_immediate(void **state)
{
	struct efa_io_tx_wqe wqe = rdma(WRITE, BIG);
	struct efa_io_cdesc entry;

	rig_set_imm(&wqe);
	rig_fill(&p.guest[0], 0, BIG, 6);
	rig_post_recv(&p.qp[1], 9, 3000000, 1);
	expect(&wqe, STATUS(OK));
	entry = rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 9);
	assert_int_equal(entry.flags & ~(EFA_IO_CDESC_PHASE |
					 EFA_IO_CDESC_Q_TYPE),
			 EFA_IO_CDESC_HAS_IMM |
			 WRITE << EFA_IO_CDESC_OP_TYPE_SHIFT);
	assert_int_equal(entry.rx.imm, RIG_IMM);
	assert_int_equal(entry.rx.length |
			 (uint32_t)entry.rx.length_hi << 16, BIG);
	assert_int_equal(entry.rx.src_qp_num, engine_qp_number(p.qp[0].qp));
	assert_int_equal(entry.rx.ah, engine_ah_number(p.guest[1].ah[0]));
	rig_assert_filled(&p.guest[1], 4096, BIG, 6);
	assert_int_equal(p.guest[1].memory[3000000], 0);
	/* The receive is used up. */
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect_empty(&p.cq[0]);
	rig_post_recv(&p.qp[1], 10, 3000000, 1);
	rig_advance(&p.rig, RNR_RETRY_NS);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 1);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 10);
}

static void test_solicited_write_can_fail_rnr(void **state)
{
	struct efa_io_tx_wqe wqe = rdma(WRITE, 8);

	rig_set_imm(&wqe);
	rig_qp_set_state(&p.qp[0], ENGINE_QP_RESET);
	rig_qp_to_rts(&p.qp[0], 0);
	expect(&wqe, STATUS(REMOTE_ERROR_RNR));
	assert_int_equal(rig_counters(&p.rig, 0).rdma_writes, 0);
}

static void test_unsolicited_write(void **state)
{
	struct efa_io_tx_wqe wqe = rdma(WRITE, 100);
	struct efa_io_cdesc entry;

	rig_set_imm(&wqe);
	rig_post_recv(&p.qp[1], 9, 8192, 100);
	expect(&wqe, STATUS(OK));
	entry = rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 0);
	assert_int_equal(entry.flags & EFA_IO_CDESC_UNSOLICITED,
			 EFA_IO_CDESC_UNSOLICITED);
	assert_int_equal(entry.rx.imm, RIG_IMM);
	assert_int_equal(entry.rx.length, 100);
	/* The receive is still there for a message. */
	wqe = rig_send(&p.qp[0], &p.qp[1], 2, 0, 8);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 9);
}

static void test_unsolicited_on_one_side(void **state)
{
	struct efa_io_tx_wqe wqe;
	struct rig_qp solicited;

	rig_qp_init(&p.guest[0], &solicited, ENGINE_QP_SRD, &p.cq[0],
		    &p.cq[0], NULL);
	wqe = rig_rdma(&solicited, &p.qp[1], WRITE, 1, 0, 0, 8);
	rig_post(&solicited, &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 1);
	rig_set_imm(&wqe);
	rig_post(&solicited, &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(REMOTE_ERROR_FEATURE_MISMATCH),
		      1);
	engine_qp_destroy(solicited.qp);
	rig_qp_fini(&solicited);
}

static void test_inline_write(void **state)
{
	struct efa_io_tx_wqe wqe = rdma(WRITE, 80);
	uint8_t data[80];

	memset(data, 0x5a, sizeof(data));
	wqe.meta.ctrl1 |= EFA_IO_TX_META_INLINE_MSG;
	wqe.meta.length = 80;
	memcpy(wqe.data.rdma_req.inline_data, data, 80);
	expect(&wqe, STATUS(OK));
	assert_memory_equal(p.guest[1].memory + 4096, data, 80);
	wqe.data.rdma_req.remote_mem.length = 79;
	expect(&wqe, STATUS(LOCAL_ERROR_BAD_LENGTH));
	wqe.meta.length = 0;
	wqe.data.rdma_req.remote_mem.length = 0;
	expect(&wqe, STATUS(OK));
}

static void test_empty_write(void **state)
{
	struct efa_io_tx_wqe wqe = rdma(WRITE, 0);

	wqe.data.rdma_req.remote_mem.rkey ^= 1;
	expect(&wqe, STATUS(OK));
	wqe.data.rdma_req.local_mem[0].lkey ^= 1;
	expect(&wqe, STATUS(LOCAL_ERROR_INVALID_LKEY));
}

static void test_remote_range(void **state)
{
	struct efa_io_tx_wqe wqe;
	struct efa_io_remote_mem_addr *remote = &wqe.data.rdma_req.remote_mem;
	enum efa_io_send_op_type op;

	for (op = READ; op <= WRITE; op++) {
		wqe = rdma(op, 4096);
		remote->rkey ^= 1;
		expect(&wqe, STATUS(REMOTE_ERROR_BAD_ADDRESS));
		/* Keys are of 24 bits; what is above them is no key. */
		remote->rkey ^= 1 | 1u << 31;
		expect(&wqe, STATUS(REMOTE_ERROR_BAD_ADDRESS));
		wqe = rdma(op, 4096);
		remote->buf_addr_lo = RIG_MEMORY_BYTES - 4095;
		expect(&wqe, STATUS(REMOTE_ERROR_BAD_ADDRESS));
		remote->buf_addr_lo--;
		expect(&wqe, STATUS(OK));
		remote->buf_addr_lo = -1;
		remote->buf_addr_hi = (RIG_MEMORY_BASE >> 32) - 1;
		expect(&wqe, STATUS(REMOTE_ERROR_BAD_ADDRESS));
		remote->buf_addr_lo = -100;
		remote->buf_addr_hi = -1;
		expect(&wqe, STATUS(REMOTE_ERROR_BAD_ADDRESS));
		p.guest[1].hole_start = 8192;
		p.guest[1].hole_bytes = 1;
		wqe = rdma(op, 5000);
		expect(&wqe, STATUS(REMOTE_ERROR_BAD_ADDRESS));
		p.guest[1].hole_bytes = 0;
	}
}

/* A range with an address of its own: offsets count from there. */
static void test_iova(void **state)
{
	struct efa_io_tx_wqe wqe = rdma(WRITE, 64);
	struct engine_mr *mr;

	rig_fill(&p.guest[0], 0, 64, 8);
	assert_int_equal(engine_mr_create(p.guest[1].pd, RIG_MEMORY_BASE + 8192,
					  4096, 0x1000,
					  ENGINE_ACCESS_LOCAL_WRITE |
					  ENGINE_ACCESS_REMOTE_WRITE, &mr), 0);
	wqe.data.rdma_req.remote_mem.rkey = engine_mr_key(mr);
	expect(&wqe, STATUS(REMOTE_ERROR_BAD_ADDRESS));
	wqe.data.rdma_req.remote_mem.buf_addr_hi = 0;
	wqe.data.rdma_req.remote_mem.buf_addr_lo = 0x1000 + 4096 - 64;
	expect(&wqe, STATUS(OK));
	rig_assert_filled(&p.guest[1], 8192 + 4096 - 64, 64, 8);
}

static void expect_with_access(enum efa_io_send_op_type op, uint32_t access,
			       bool is_remote, enum efa_io_comp_status status)
{
	struct efa_io_tx_wqe wqe = rdma(op, 64);
	struct engine_mr *mr;

	assert_int_equal(engine_mr_create(p.guest[is_remote].pd,
					  RIG_MEMORY_BASE, 65536,
					  RIG_MEMORY_BASE, access, &mr), 0);
	if (is_remote)
		wqe.data.rdma_req.remote_mem.rkey = engine_mr_key(mr);
	else
		wqe.data.rdma_req.local_mem[0].lkey = engine_mr_key(mr);
	expect(&wqe, status);
	engine_mr_destroy(mr);
}

static void test_access(void **state)
{
	expect_with_access(READ, ENGINE_ACCESS_REMOTE_READ, true, STATUS(OK));
	expect_with_access(READ, ENGINE_ACCESS_REMOTE_WRITE |
			   ENGINE_ACCESS_LOCAL_WRITE, true,
			   STATUS(REMOTE_ERROR_BAD_ADDRESS));
	expect_with_access(WRITE, ENGINE_ACCESS_REMOTE_WRITE, true,
			   STATUS(OK));
	expect_with_access(WRITE, ENGINE_ACCESS_REMOTE_READ |
			   ENGINE_ACCESS_LOCAL_WRITE, true,
			   STATUS(REMOTE_ERROR_BAD_ADDRESS));
	expect_with_access(READ, ENGINE_ACCESS_LOCAL_WRITE, false, STATUS(OK));
	expect_with_access(READ, ENGINE_ACCESS_REMOTE_READ |
			   ENGINE_ACCESS_REMOTE_WRITE, false,
			   STATUS(LOCAL_ERROR_INVALID_LKEY));
	expect_with_access(WRITE, 0, false, STATUS(OK));
}

/* The keys of another PD, even of the same client, open nothing. */
static void test_other_pd(void **state)
{
	struct efa_io_tx_wqe wqe = rdma(READ, 64);
	struct engine_pd *pd;
	struct engine_mr *mr;

	assert_int_equal(engine_pd_create(p.guest[1].ctx, &pd), 0);
	assert_int_equal(engine_mr_create(pd, RIG_MEMORY_BASE, 65536,
					  RIG_MEMORY_BASE,
					  ENGINE_ACCESS_REMOTE_READ, &mr), 0);
	wqe.data.rdma_req.remote_mem.rkey = engine_mr_key(mr);
	expect(&wqe, STATUS(REMOTE_ERROR_BAD_ADDRESS));
	wqe = rdma(READ, 64);
	assert_int_equal(engine_pd_create(p.guest[0].ctx, &pd), 0);
	assert_int_equal(engine_mr_create(pd, RIG_MEMORY_BASE, 65536,
					  RIG_MEMORY_BASE,
					  ENGINE_ACCESS_LOCAL_WRITE, &mr), 0);
	wqe.data.rdma_req.local_mem[0].lkey = engine_mr_key(mr);
	expect(&wqe, STATUS(LOCAL_ERROR_INVALID_LKEY));
}

static void test_target_must_know_us(void **state)
{
	struct efa_io_tx_wqe wqe = rdma(READ, 64);

	engine_ah_destroy(p.guest[1].ah[0]);
	expect(&wqe, STATUS(REMOTE_ERROR_UNKNOWN_PEER));
	assert_int_equal(engine_ah_create(p.guest[1].pd,
					  engine_device_gid(p.rig.device[0]),
					  &p.guest[1].ah[0]), 0);
	expect(&wqe, STATUS(OK));
}

static void test_lengths(void **state)
{
	struct efa_io_tx_wqe wqe = rdma(READ, 64);
	uint32_t max = engine_device_profile(p.rig.device[0])->max_rdma_size;

	wqe.data.rdma_req.remote_mem.length = 63;
	expect(&wqe, STATUS(LOCAL_ERROR_BAD_LENGTH));
	wqe = rdma(READ, max + 1);
	expect(&wqe, STATUS(LOCAL_ERROR_BAD_LENGTH));
	wqe = rdma(READ, max);
	expect(&wqe, STATUS(LOCAL_ERROR_INVALID_LKEY));
	wqe = rdma(READ, 64);
	wqe.meta.length = 2;
	expect(&wqe, STATUS(LOCAL_ERROR_BAD_LENGTH));
	wqe.meta.length = 0;
	expect(&wqe, STATUS(LOCAL_ERROR_BAD_LENGTH));
}

/* One turn in, something on either side goes: the rest must not happen. */
static void start_long_write(void)
{
	struct efa_io_tx_wqe wqe = rdma(WRITE, 4 * REQUESTER_TURN_BYTES);

	rig_stage(&p.qp[0], &wqe);
	rig_ring_sq(&p.qp[0]);
	assert_true(engine_poll(p.rig.engine, 0) > 0);
	rig_cq_expect_empty(&p.cq[0]);
}

static void test_remote_memory_goes(void **state)
{
	start_long_write();
	engine_mr_destroy(p.guest[1].mr);
	rig_poll(&p.rig);
	rig_cq_expect(&p.cq[0], SEND, STATUS(REMOTE_ERROR_BAD_ADDRESS), 1);
}

static void test_local_memory_goes(void **state)
{
	start_long_write();
	engine_mr_destroy(p.guest[0].mr);
	rig_poll(&p.rig);
	rig_cq_expect(&p.cq[0], SEND, STATUS(LOCAL_ERROR_INVALID_LKEY), 1);
}

static void test_target_goes(void **state)
{
	start_long_write();
	engine_context_destroy(p.guest[1].ctx);
	p.guest[1].ctx = NULL;
	rig_poll(&p.rig);
	rig_cq_expect(&p.cq[0], SEND, STATUS(REMOTE_ERROR_BAD_DEST_QPN), 1);
}

static void test_target_dies(void **state)
{
	start_long_write();
	p.guest[1].is_gone = true;
	rig_poll(&p.rig);
	rig_cq_expect(&p.cq[0], SEND, STATUS(REMOTE_ERROR_BAD_DEST_QPN), 1);
}

static void test_initiator_dies(void **state)
{
	start_long_write();
	p.guest[0].is_gone = true;
	rig_poll(&p.rig);
	rig_cq_expect_empty(&p.cq[0]);
	rig_cq_expect_empty(&p.cq[1]);
}

static void test_initiator_destroyed(void **state)
{
	start_long_write();
	engine_qp_destroy(p.qp[0].qp);
	rig_poll(&p.rig);
	rig_cq_expect_empty(&p.cq[0]);
}

static void test_flushed_half_way(void **state)
{
	start_long_write();
	rig_qp_set_state(&p.qp[0], ENGINE_QP_ERR);
	rig_cq_expect(&p.cq[0], SEND, STATUS(FLUSHED), 1);
	rig_poll(&p.rig);
	rig_cq_expect_empty(&p.cq[0]);
}

/* Its number may be another QP's by then; the rest is not for that one. */
static void test_number_of_target_reused(void **state)
{
	struct device_profile lonely = *profile_at(0);
	struct rig_guest guest[2];
	struct efa_io_tx_wqe wqe;
	struct rig_cq cq[2];
	struct rig_qp qp[2];
	uint32_t number;
	struct rig rig;
	int i;

	lonely.max_qp = 1;
	rig_init_profiles(&rig, &lonely, &lonely);
	for (i = 0; i < 2; i++) {
		rig_guest_init(&rig, &guest[i], i);
		rig_cq_init(&guest[i], &cq[i], 8, 0);
		rig_qp_init(&guest[i], &qp[i], ENGINE_QP_SRD, &cq[i], &cq[i],
			    NULL);
	}
	wqe = rig_rdma(&qp[0], &qp[1], WRITE, 1, 0, 0,
		       4 * REQUESTER_TURN_BYTES);
	rig_stage(&qp[0], &wqe);
	rig_ring_sq(&qp[0]);
	assert_true(engine_poll(rig.engine, 0) > 0);
	number = engine_qp_number(qp[1].qp);
	do {
		engine_qp_destroy(qp[1].qp);
		rig_qp_fini(&qp[1]);
		rig_qp_init(&guest[1], &qp[1], ENGINE_QP_SRD, &cq[1], &cq[1],
			    NULL);
	} while (engine_qp_number(qp[1].qp) != number);
	rig_poll(&rig);
	rig_cq_expect(&cq[0], SEND, STATUS(REMOTE_ERROR_BAD_DEST_QPN), 1);
	for (i = 0; i < 2; i++) {
		rig_guest_fini(&guest[i]);
		rig_qp_fini(&qp[i]);
		rig_cq_fini(&cq[i]);
	}
	rig_fini(&rig);
}

static void test_no_write_on_the_oldest(void **state)
{
	struct efa_io_tx_wqe wqe = rdma(WRITE, 64);

	expect(&wqe, STATUS(LOCAL_ERROR_UNSUPPORTED_OP));
	wqe = rdma(READ, 64);
	expect(&wqe, STATUS(OK));
}

static void test_write_to_the_oldest(void **state)
{
	struct rig_guest guest[2];
	struct efa_io_tx_wqe wqe;
	struct rig_cq cq[2];
	struct rig_qp qp[2];
	struct rig rig;
	int i;

	rig_init(&rig, "0xefa2", "0xefa0");
	for (i = 0; i < 2; i++) {
		rig_guest_init(&rig, &guest[i], i);
		rig_cq_init(&guest[i], &cq[i], 8, 0);
		rig_qp_init(&guest[i], &qp[i], ENGINE_QP_SRD, &cq[i], &cq[i],
			    NULL);
	}
	wqe = rig_rdma(&qp[0], &qp[1], WRITE, 1, 0, 0, 64);
	rig_post(&qp[0], &wqe);
	rig_cq_expect(&cq[0], SEND, STATUS(REMOTE_ERROR_FEATURE_MISMATCH), 1);
	for (i = 0; i < 2; i++) {
		rig_guest_fini(&guest[i]);
		rig_qp_fini(&qp[i]);
		rig_cq_fini(&cq[i]);
	}
	rig_fini(&rig);
}

int main(void)
{
#define W(name, with) cmocka_unit_test_setup_teardown(test_##name, with, 						      tear_down)
#define T(name) W(name, set_up)
	const struct CMUnitTest tests[] = {
		T(read), T(write), T(slices_share), T(short_overtakes_long),
		T(write_with_immediate), T(solicited_write_can_fail_rnr),
		W(unsolicited_write, set_up_unsolicited),
		W(unsolicited_on_one_side, set_up_unsolicited),
		W(inline_write, set_up_wide), T(empty_write),
		T(remote_range), T(iova), T(access), T(other_pd),
		T(target_must_know_us), T(lengths), T(remote_memory_goes),
		T(local_memory_goes), T(target_goes), T(target_dies),
		T(initiator_dies), T(initiator_destroyed),
		T(flushed_half_way), W(no_write_on_the_oldest, set_up_oldest),
		cmocka_unit_test(test_write_to_the_oldest),
		cmocka_unit_test(test_number_of_target_reused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
