/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Queue pairs: what is asked of verbs for each type, the rings, the states. */
#include "dev/queue_pair.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake_verbs.h"

static struct dev_device device;	/* the test may change it */
static struct dev_pd pd;
static struct dev_cq cq;
static struct dev_qp_attr attr;

static int begin(void **state)
{
	const struct dev_cq_attr cq_attr = { .depth = 8 };
	const struct dev_list *list;

	fake_verbs_install();
	fake.efa.device_caps |= COMPAT_EFADV_UNSOLICITED_WRITE_RECV;
	assert_int_equal(dev_list_get(&list), 0);
	device = list->device[0];
	assert_int_equal(dev_pd_create(&device, &pd), 0);
	assert_int_equal(dev_cq_create(&device, &cq_attr, &cq), 0);
	attr = (struct dev_qp_attr) {
		.type = DEV_QP_SRD, .send_cq = &cq, .recv_cq = &cq,
		.send_depth = 200, .recv_depth = 300, .send_sge = 2,
		.recv_sge = 1, .inline_size = 32, .qkey = 0x1234,
		.rnr_retry = 3,
	};
	return 0;
}

static int end(void **state)
{
	assert_int_equal(dev_cq_destroy(&cq), 0);
	assert_int_equal(dev_pd_destroy(&pd), 0);
	dev_list_release();
	fake_verbs_assert_clean();
	return 0;
}

static void srd(void **state)
{
	struct dev_qp qp;

	fake.wq_caps = COMPAT_EFADV_WQ_REQ_ID_64;
	attr.unsolicited_write_recv = true;
	assert_int_equal(dev_qp_create(&pd, &attr, &qp), 0);
	assert_int_equal(fake.qp_type, IBV_QPT_DRIVER);
	assert_int_equal(fake.qp_efa.driver_qp_type, 0);
	assert_int_equal(fake.qp_efa.flags,
			 COMPAT_EFADV_QP_UNSOLICITED_WRITE_RECV);
	assert_int_equal(fake.qp_efa.sl, 0);
	assert_int_equal(fake.qp_cap.max_send_wr, 200);
	assert_int_equal(fake.qp_cap.max_recv_wr, 300);
	assert_int_equal(fake.qp_cap.max_send_sge, 2);
	assert_int_equal(fake.qp_cap.max_recv_sge, 1);
	assert_int_equal(qp.qpn, 77);
	assert_int_equal(qp.qkey, 0x1234);
	assert_int_equal(qp.inline_size, 32);
	assert_int_equal(qp.sq.entry_size, 64);
	assert_int_equal(qp.sq.num_entries, 256);
	assert_int_equal(qp.sq.max_batch, 16);
	assert_int_equal(qp.sq.caps, HW_WQ_REQ_ID_64);
	assert_int_equal(qp.rq.entry_size, 16);
	assert_int_equal(qp.rq.num_entries, 512);
	assert_int_equal(qp.rq.caps, 0);
	assert_int_equal(dev_qp_destroy(&qp), 0);
}

static void wide(void **state)
{
	struct dev_qp qp;

	attr.inline_size = 80;
	assert_int_equal(dev_qp_create(&pd, &attr, &qp), 0);
	assert_int_equal(qp.sq.entry_size, 128);
	assert_int_equal(qp.inline_size, 80);
	assert_int_equal(dev_qp_destroy(&qp), 0);
}

/* What the application was promised, its entries must have room for. */
static void less_than_was_asked_for(void **state)
{
	struct dev_qp qp;

	attr.inline_size = 33;
	fake.short_entries = true;
	assert_int_equal(dev_qp_create(&pd, &attr, &qp), -EOPNOTSUPP);
	assert_int_equal(fake.qps, 0);
	assert_int_equal(fake.warnings, 1);
	assert_non_null(strstr(fake.last_warning, "entries are too short"));
	attr.inline_size = 32;
	assert_int_equal(dev_qp_create(&pd, &attr, &qp), 0);
	assert_int_equal(dev_qp_destroy(&qp), 0);
	fake.inline_given = 16;
	assert_int_equal(dev_qp_create(&pd, &attr, &qp), -EOPNOTSUPP);
	assert_int_equal(fake.qps, 0);
	assert_non_null(strstr(fake.last_warning, "less inline data"));
}

static void ud(void **state)
{
	struct dev_qp qp;

	attr.type = DEV_QP_UD;
	assert_int_equal(dev_qp_create(&pd, &attr, &qp), 0);
	assert_int_equal(fake.qp_type, IBV_QPT_UD);
	assert_int_equal(dev_qp_enable(&qp, &attr), 0);
	assert_int_equal(fake.modify_masks[2],
			 IBV_QP_STATE | IBV_QP_SQ_PSN);
	assert_int_equal(dev_qp_destroy(&qp), 0);
}

static void low_latency(void **state)
{
	struct dev_qp qp;

	attr.low_latency = true;
	assert_int_equal(dev_qp_create(&pd, &attr, &qp), 0);
	assert_int_equal(fake.qp_efa.sl, 8);
	assert_int_equal(dev_qp_destroy(&qp), 0);
	fake.sl_refused = 8;
	assert_int_equal(dev_qp_create(&pd, &attr, &qp), 0);
	assert_int_equal(fake.qp_efa.sl, 0);
	assert_int_equal(fake.warnings, 0);
	assert_int_equal(dev_qp_destroy(&qp), 0);
}

static void states(void **state)
{
	struct dev_qp qp;

	assert_int_equal(dev_qp_create(&pd, &attr, &qp), 0);
	assert_int_equal(dev_qp_enable(&qp, &attr), 0);
	assert_int_equal(fake.modifies, 3);
	assert_int_equal(fake.modify_attrs[0].qp_state, IBV_QPS_INIT);
	assert_int_equal(fake.modify_attrs[0].qkey, 0x1234);
	assert_int_equal(fake.modify_attrs[0].port_num, 1);
	assert_int_equal(fake.modify_masks[0],
			 IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			 IBV_QP_QKEY);
	assert_int_equal(fake.modify_attrs[1].qp_state, IBV_QPS_RTR);
	assert_int_equal(fake.modify_attrs[2].qp_state, IBV_QPS_RTS);
	assert_int_equal(fake.modify_attrs[2].rnr_retry, 3);
	assert_int_equal(fake.modify_masks[2],
			 IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_RNR_RETRY);
	assert_int_equal(dev_qp_flush(&qp), 0);
	assert_int_equal(fake.modify_attrs[3].qp_state, IBV_QPS_ERR);
	fake.failing = "modify_qp";
	fake.failing_errno = EIO;
	assert_int_equal(dev_qp_enable(&qp, &attr), -EIO);
	assert_int_equal(fake.warnings, 1);
	fake.failing = NULL;
	assert_int_equal(dev_qp_destroy(&qp), 0);
}

static void refused(int expected)
{
	struct dev_qp qp = { .qpn = 9 };
	int warnings = fake.warnings;

	assert_int_equal(dev_qp_create(&pd, &attr, &qp), expected);
	assert_int_equal(fake.warnings, warnings + 1);
	assert_int_equal(qp.qpn, 9);
	assert_int_equal(fake.qps, 0);
}

/* attr with one member changed, for one call. */
#define REFUSED_WITH(member, value, expected)				\
	do {								\
		struct dev_qp_attr saved = attr;			\
									\
		attr.member = value;					\
		refused(expected);					\
		attr = saved;						\
	} while (0)

static void beyond_the_device(void **state)
{
	REFUSED_WITH(inline_size, 81, -EINVAL);
	REFUSED_WITH(send_depth, 0, -EINVAL);
	REFUSED_WITH(send_depth, 4097, -EINVAL);
	REFUSED_WITH(send_sge, 3, -EINVAL);
	REFUSED_WITH(send_sge, 0, -EINVAL);
	REFUSED_WITH(recv_sge, 4, -EINVAL);
	REFUSED_WITH(recv_depth, 32769, -EINVAL);
	REFUSED_WITH(recv_depth, 0, -EINVAL);
	attr.recv_sge = 3;
	REFUSED_WITH(recv_depth, 10923, -EINVAL);
	REFUSED_WITH(recv_depth, UINT32_MAX, -EINVAL);
	attr.inline_size = 80;
	REFUSED_WITH(send_depth, 2049, -EINVAL);
	device.caps.wide_wqe = false;
	REFUSED_WITH(send_depth, 1, -EINVAL);
	device.caps.unsolicited_write_recv = false;
	REFUSED_WITH(unsolicited_write_recv, true, -EOPNOTSUPP);
}

static void failing_steps(void **state)
{
	fake.failing_errno = ENOSPC;
	fake.failing = "efadv_create_qp_ex";
	refused(-ENOSPC);
	fake.failing = "efadv_query_qp_wqs";
	refused(-ENOSPC);
	assert_non_null(strstr(fake.last_warning, "rings"));
	attr.type = DEV_QP_UD;
	fake.failing = "create_qp";
	refused(-ENOSPC);
	fake.failing = NULL;
}

static void stays_when_not_destroyed(void **state)
{
	struct dev_qp qp;

	assert_int_equal(dev_qp_create(&pd, &attr, &qp), 0);
	fake.failing = "destroy_qp";
	fake.failing_errno = EBUSY;
	assert_int_equal(dev_qp_destroy(&qp), -EBUSY);
	fake.failing = NULL;
	assert_int_equal(dev_qp_destroy(&qp), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(srd),
		TEST(wide),
		TEST(less_than_was_asked_for),
		TEST(ud),
		TEST(low_latency),
		TEST(states),
		TEST(beyond_the_device),
		TEST(failing_steps),
		TEST(stays_when_not_destroyed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
