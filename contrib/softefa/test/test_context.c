/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/engine_rig.h"

static void test_close_takes_all(void **state)
{
	struct engine_device_counters counters;
	struct efa_io_tx_wqe wqe;
	struct engine_ah *ah;
	struct rig_pair p;

	rig_pair_init(&p, ENGINE_QP_SRD, NULL, ENGINE_CQ_EVENTS, NULL);
	wqe = rig_send(&p.qp[0], &p.qp[1], 1, 0, 8);
	rig_post(&p.qp[0], &wqe);
	/* The same address twice is to be destroyed twice. */
	assert_int_equal(engine_ah_create(p.guest[0].pd,
					  engine_device_gid(p.rig.device[1]),
					  &ah), 0);
	counters = rig_counters(&p.rig, 0);
	assert_int_equal(counters.contexts, 1);
	assert_int_equal(counters.pds, 1);
	assert_int_equal(counters.mrs, 1);
	assert_int_equal(counters.cqs, 1);
	assert_int_equal(counters.qps, 1);
	assert_int_equal(counters.ahs, 2);
	engine_context_destroy(p.guest[0].ctx);
	p.guest[0].ctx = NULL;
	counters = rig_counters(&p.rig, 0);
	assert_int_equal(counters.contexts, 0);
	assert_int_equal(counters.pds, 0);
	assert_int_equal(counters.mrs, 0);
	assert_int_equal(counters.cqs, 0);
	assert_int_equal(counters.qps, 0);
	assert_int_equal(counters.ahs, 0);
	rig_poll(&p.rig);
	assert_int_equal(rig_counters(&p.rig, 1).contexts, 1);
	rig_pair_fini(&p);
}

/* What the owner forgot goes with the engine. */
static void test_engine_takes_contexts(void **state)
{
	struct rig_pair p;
	int i;

	rig_pair_init(&p, ENGINE_QP_UD, NULL, 0, NULL);
	rig_fini(&p.rig);
	for (i = 0; i < 2; i++) {
		rig_qp_fini(&p.qp[i]);
		rig_cq_fini(&p.cq[i]);
		p.guest[i].ctx = NULL;
		rig_guest_fini(&p.guest[i]);
	}
}

static void test_limits(void **state)
{
	const struct device_profile *profile = profile_at(0);
	struct engine_cq_attr attr = { .depth = 1 };
	struct rig_guest guest;
	struct engine_cq *cq;
	struct engine_pd *pd;
	uint8_t ring[32];
	struct rig rig;
	uint32_t i;

	rig_init(&rig, NULL, NULL);
	rig_guest_init(&rig, &guest, 0);
	attr.ring = ring;
	for (i = 1; i < profile->max_pd; i++)
		assert_int_equal(engine_pd_create(guest.ctx, &pd), 0);
	assert_int_equal(engine_pd_create(guest.ctx, &pd), -ENOMEM);
	for (i = 0; i < profile->max_cq; i++)
		assert_int_equal(engine_cq_create(guest.ctx, &attr, &cq), 0);
	assert_int_equal(engine_cq_create(guest.ctx, &attr, &cq), -ENOMEM);
	rig_guest_fini(&guest);
	rig_fini(&rig);
}

static void test_gids_are_unique(void **state)
{
	struct engine_device *device;
	struct rig rig;

	rig_init(&rig, NULL, NULL);
	assert_int_equal(engine_device_create(rig.engine, profile_at(0),
					      engine_device_gid(rig.device[1]),
					      &device), -EEXIST);
	rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_close_takes_all),
		cmocka_unit_test(test_engine_takes_contexts),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_gids_are_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
