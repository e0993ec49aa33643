/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/ud.h"
#include "test/engine_rig.h"

#define SEND	EFA_IO_SEND_QUEUE
#define RECV	EFA_IO_RECV_QUEUE
#define STATUS(name)	EFA_IO_COMP_STATUS_##name

static struct rig_pair p;

static int set_up(void **state)
{
	rig_pair_init(&p, ENGINE_QP_UD, NULL, ENGINE_CQ_SGID, NULL);
	return 0;
}

static int tear_down(void **state)
{
	rig_pair_fini(&p);
	return 0;
}

static void test_header_area(void **state)
{
	uint8_t fill[UD_HEADER_BYTES];
	struct efa_io_tx_wqe wqe;
	struct efa_io_cdesc entry;

	rig_fill(&p.guest[0], 0, 500, 1);
	rig_post_recv(&p.qp[1], 3, 1000, 540);
	wqe = rig_send(&p.qp[0], &p.qp[1], 4, 0, 500);
	rig_set_imm(&wqe);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 4);
	entry = rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 3);
	assert_int_equal(entry.rx.length, 540);
	assert_int_equal(entry.rx.imm, RIG_IMM);
	assert_int_equal(entry.rx.ah, engine_ah_number(p.guest[1].ah[0]));
	rig_assert_filled(&p.guest[1], 1000 + UD_HEADER_BYTES, 500, 1);
	memset(fill, UD_HEADER_FILL, sizeof(fill));
	assert_memory_equal(p.guest[1].memory + 1000, fill, sizeof(fill));
}

/* The header may have a descriptor to itself, as FI_MSG_PREFIX users do. */
static void test_header_apart(void **state)
{
	struct efa_io_tx_wqe wqe = rig_inline(&p.qp[0], &p.qp[1], 1, "word", 4);

	rig_stage_recv(&p.qp[1], 3, 1000, UD_HEADER_BYTES, EFA_IO_RX_FIRST);
	rig_stage_recv(&p.qp[1], 0, 5000, 4, EFA_IO_RX_LAST);
	rig_ring_rq(&p.qp[1]);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 3);
	assert_memory_equal(p.guest[1].memory + 5000, "word", 4);
}

static void test_mtu_counts_payload(void **state)
{
	uint32_t mtu = engine_device_profile(p.rig.device[0])->mtu;
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, mtu);
	struct efa_io_cdesc entry;

	rig_fill(&p.guest[0], 0, mtu, 2);
	rig_post_recv(&p.qp[1], 3, 20000, 65535);
	rig_post(&p.qp[0], &wqe);
	entry = rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 3);
	assert_int_equal(entry.rx.length, mtu + UD_HEADER_BYTES);
	rig_assert_filled(&p.guest[1], 20000 + UD_HEADER_BYTES, mtu, 2);
	wqe.data.sgl[0].length++;
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 1);
	rig_cq_expect(&p.cq[0], SEND, STATUS(LOCAL_ERROR_BAD_LENGTH), 1);
}

/* The sender hears nothing of what becomes of its message. */
static void expect_drop(struct efa_io_tx_wqe *wqe, unsigned device)
{
	uint64_t before = rig_counters(&p.rig, device).ud_drops;

	rig_post(&p.qp[0], wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), wqe->meta.req_id);
	rig_cq_expect_empty(&p.cq[1]);
	assert_int_equal(rig_counters(&p.rig, device).ud_drops, before + 1);
}

static void test_drops(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);
	static const uint8_t nobody[16] = { 9 };
	struct engine_ah *ah;

	expect_drop(&wqe, 1);
	rig_post_recv(&p.qp[1], 3, 0, 100);
	wqe.meta.qkey ^= 1;
	expect_drop(&wqe, 0);
	wqe.meta.qkey ^= 1;
	wqe.meta.dest_qp_num ^= 0x4000;
	expect_drop(&wqe, 0);
	wqe.meta.dest_qp_num ^= 0x4000;
	assert_int_equal(engine_ah_create(p.guest[0].pd, nobody, &ah), 0);
	wqe.meta.ah = engine_ah_number(ah);
	expect_drop(&wqe, 0);
	wqe.meta.ah = engine_ah_number(p.guest[0].ah[1]);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[1], RECV, STATUS(OK), 3);
}

/* Not to a QP of the other type, whatever its number. */
static void test_types_do_not_mix(void **state)
{
	struct efa_io_tx_wqe wqe;
	struct rig_qp srd;

	rig_qp_init(&p.guest[1], &srd, ENGINE_QP_SRD, &p.cq[1], &p.cq[1],
		    NULL);
	rig_post_recv(&srd, 3, 0, 100);
	rig_post_recv(&p.qp[1], 4, 0, 100);
	wqe = rig_send(&p.qp[0], &srd, 1, 0, 8);
	expect_drop(&wqe, 0);
	wqe = rig_send(&srd, &p.qp[1], 2, 0, 8);
	rig_post(&srd, &wqe);
	rig_cq_expect(&p.cq[1], SEND, STATUS(REMOTE_ERROR_BAD_DEST_QPN), 2);
	engine_qp_destroy(srd.qp);
	rig_qp_fini(&srd);
}

static void test_local_errors(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	wqe.data.sgl[0].lkey ^= 1;
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(LOCAL_ERROR_INVALID_LKEY), 1);
	wqe = rig_rdma(&p.qp[0], &p.qp[1], EFA_IO_RDMA_READ, 2, 0, 0, 8);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(LOCAL_ERROR_UNSUPPORTED_OP), 2);
	wqe = rig_rdma(&p.qp[0], &p.qp[1], EFA_IO_RDMA_WRITE, 3, 0, 0, 8);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(LOCAL_ERROR_UNSUPPORTED_OP), 3);
}

static void test_receive_too_short(void **state)
{
	struct efa_io_tx_wqe wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);

	rig_post_recv(&p.qp[1], 3, 0, UD_HEADER_BYTES + 7);
	rig_post(&p.qp[0], &wqe);
	rig_cq_expect(&p.cq[0], SEND, STATUS(OK), 1);
	rig_cq_expect(&p.cq[1], RECV, STATUS(LOCAL_ERROR_BAD_LENGTH), 3);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		T(header_area), T(header_apart), T(mtu_counts_payload),
		T(drops), T(types_do_not_mix), T(local_errors),
		T(receive_too_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
