/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/guest_copy.h"
#include "engine/profile.h"
#include "engine/profile_setting.h"
#include "engine/recv_ring.h"
#include "engine/ud.h"
#include "hw/efa_io_defs.h"

static void test_presets_by_name(void **state)
{
	static const char *const names[] = {
		"0xefa3", "0xefa2", "0xefa1", "0xefa0", "next",
	};
	unsigned i;

	for (i = 0; i < 5; i++) {
		assert_non_null(profile_at(i));
		assert_string_equal(profile_at(i)->name, names[i]);
		assert_ptr_equal(profile_find(names[i]), profile_at(i));
	}
	assert_null(profile_at(5));
	assert_null(profile_find("0xefa9"));
	assert_null(profile_find(""));
}

/* What the engine takes for granted of every preset. */
static void test_presets_fit_the_engine(void **state)
{
	const struct device_profile *p;
	unsigned i;

	for (i = 0; (p = profile_at(i)); i++) {
		assert_int_equal(p->vendor_id, 0x1d0f);
		assert_true(p->mtu + UD_HEADER_BYTES <=
			    GUEST_COPY_BOUNCE_BYTES);
		assert_true(p->mtu + UD_HEADER_BYTES <= UINT16_MAX);
		assert_true(p->max_sq_sge <= EFA_IO_TX_MAX_SGE);
		assert_int_equal(p->max_wr_rdma_sge, EFA_IO_TX_MAX_RDMA_SGE);
		assert_true(p->max_rq_sge <= RECV_MAX_SGE);
		assert_int_equal(p->inline_buf_size, EFA_IO_TX_INLINE_MAX);
		assert_true(!p->inline_buf_size_ex ||
			    p->inline_buf_size_ex == EFA_IO_TX_INLINE_MAX_WIDE);
		assert_int_equal(p->sub_cqs_per_cq, 1);
		assert_true(p->max_sq_wr <= 32768 && p->max_cqe <= 32768);
		assert_true(p->max_qp <= 32768);
		assert_true(p->max_mr <= 1u << 23);
		assert_true(p->max_ah < EFA_IO_AH_UNKNOWN / 2);
		assert_true(p->max_llq_size / EFA_IO_TX_WQE_SIZE >=
			    p->max_sq_wr);
	}
}

/* What a wrong value is told, the command line's test sees. */
static void test_settings(void **state)
{
	struct device_profile p = *profile_find("next");
	struct setting_error error;
	char text[640];

	assert_int_equal(profile_set_caps(&p, "-rdma-read,-rnr-retry,"
					  "+rdma-read", &error), 0);
	assert_int_equal(p.device_caps, profile_find("next")->device_caps &
			 ~DEVICE_CAP_RNR_RETRY);
	assert_int_equal(profile_set_limits(&p, "max_qp=3,min_sq_wr=16,"
					    "max_rdma_size=0x80000000",
					    &error), 0);
	assert_int_equal(p.max_qp, 3);
	assert_int_equal(p.min_sq_wr, 16);
	assert_int_equal(p.max_rdma_size, 0x80000000);
	assert_int_equal(profile_check(&p, &error), 0);
	profile_print_limits(&p, text, sizeof(text));
	assert_non_null(strstr(text, " min_sq_wr=16 "));
	assert_int_equal(profile_set_limits(&p, "max_rdma_size=0x80000001",
					    &error), -EINVAL);
	assert_int_equal(profile_set_limits(&p, "max_qp=-1", &error), -EINVAL);
	assert_int_equal(profile_set_limits(&p, "max_qp=1 ", &error), -EINVAL);
	assert_int_equal(profile_set_limits(&p, "=1", &error), -EINVAL);
	assert_int_equal(profile_set_caps(&p, "-", &error), -EINVAL);
	assert_int_equal(profile_set_rules(&p, "target-ah=off", &error), 0);
	assert_true(p.rdma_without_ah);
	/* Each preset is one that could be given. */
	for (unsigned i = 0; profile_at(i); i++)
		assert_int_equal(profile_check(profile_at(i), &error), 0);
	/* A text that does not fit is cut off. */
	profile_print_caps(UINT32_MAX, text, 8);
	assert_string_equal(text, "rdma-re");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_presets_by_name),
		cmocka_unit_test(test_presets_fit_the_engine),
		cmocka_unit_test(test_settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
