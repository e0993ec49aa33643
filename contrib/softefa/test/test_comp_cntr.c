/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "test/engine_rig.h"

#define COMP_AT		0x1000u		/* in the guest's memory */
#define ERR_AT		0x2008u

static struct rig_pair p;

static int open_pair(void **state)
{
	rig_pair_init(&p, ENGINE_QP_SRD, "next", 0, NULL);
	return 0;
}

static int close_pair(void **state)
{
	rig_pair_fini(&p);
	return 0;
}

static struct engine_comp_cntr *create(struct rig_guest *guest)
{
	const uint64_t addr[] = { rig_addr(guest, COMP_AT),
				  rig_addr(guest, ERR_AT) };
	struct engine_comp_cntr *cntr = NULL;

	assert_int_equal(engine_comp_cntr_create(guest->ctx, addr, &cntr), 0);
	return cntr;
}

static uint64_t at(const struct rig_guest *guest, uint32_t offset)
{
	uint64_t value;

	memcpy(&value, guest->memory + offset, sizeof(value));
	return value;
}

/* Attached to a QP that sends to another; unsignalled sends count too. */
static void test_counts(void **state)
{
	struct engine_comp_cntr *cntr = create(&p.guest[0]);
	struct efa_io_tx_wqe wqe;

	rig_qp_set_state(&p.qp[0], ENGINE_QP_RESET);
	assert_int_equal(engine_qp_attach_comp_cntr(p.qp[0].qp, cntr,
						    ENGINE_CNTR_SEND), 0);
	rig_qp_to_rts(&p.qp[0], 0);
	p.qp[0].sq_posted = 0;
	rig_post_recv(&p.qp[1], 1, 0, 64);
	wqe = rig_send(&p.qp[0], &p.qp[1], 2, 0, 64);
	wqe.meta.ctrl2 &= (uint8_t)~EFA_IO_TX_META_COMP_REQ;
	rig_post(&p.qp[0], &wqe);
	assert_int_equal(at(&p.guest[0], COMP_AT), 1);
	assert_int_equal(at(&p.guest[0], ERR_AT), 0);
	rig_post(&p.qp[0], &wqe);		/* no receive, no retry */
	assert_int_equal(at(&p.guest[0], COMP_AT), 1);
	assert_int_equal(at(&p.guest[0], ERR_AT), 1);
	assert_int_equal(engine_comp_cntr_destroy(cntr), -EBUSY);
	assert_int_equal(rig_counters(&p.rig, 0).cntrs, 1);
}

/* What the guest writes there is overwritten, and unmapping breaks nothing. */
static void test_memory(void **state)
{
	struct engine_comp_cntr *cntr = create(&p.guest[0]);

	memset(p.guest[0].memory + COMP_AT, 0xff, 8);
	engine_comp_cntr_set(cntr, ENGINE_CNTR_COMP, 9);
	assert_int_equal(at(&p.guest[0], COMP_AT), 9);
	p.guest[0].hole_start = COMP_AT;
	p.guest[0].hole_bytes = 8;
	engine_comp_cntr_set(cntr, ENGINE_CNTR_COMP, 10);
	assert_int_equal(at(&p.guest[0], COMP_AT), 9);
	assert_int_equal(engine_comp_cntr_read(cntr, ENGINE_CNTR_COMP), 10);
	assert_int_equal(engine_comp_cntr_destroy(cntr), 0);
}

static void test_refused(void **state)
{
	struct rig_guest *guest = &p.guest[0];
	uint64_t addr[] = { rig_addr(guest, COMP_AT + 4),
			    rig_addr(guest, ERR_AT) };
	struct engine_comp_cntr *cntr;

	assert_int_equal(engine_comp_cntr_create(guest->ctx, addr, &cntr),
			 -EINVAL);
	addr[0] = rig_addr(guest, guest->memory_bytes);
	assert_int_equal(engine_comp_cntr_create(guest->ctx, addr, &cntr),
			 -EFAULT);
	cntr = create(guest);
	/* In RTS, of another context, nothing at all. */
	assert_int_equal(engine_qp_attach_comp_cntr(p.qp[0].qp, cntr,
						    ENGINE_CNTR_SEND), -EINVAL);
	assert_int_equal(engine_qp_attach_comp_cntr(p.qp[1].qp, cntr,
						    ENGINE_CNTR_SEND), -EINVAL);
	rig_qp_set_state(&p.qp[0], ENGINE_QP_RESET);
	assert_int_equal(engine_qp_attach_comp_cntr(p.qp[0].qp, cntr, 0),
			 -EINVAL);
	assert_int_equal(engine_qp_attach_comp_cntr(p.qp[0].qp, cntr, 64),
			 -EOPNOTSUPP);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_pair, close_pair)
	const struct CMUnitTest tests[] = {
		TEST(test_counts),
		TEST(test_memory),
		TEST(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
