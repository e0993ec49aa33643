/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Opening the queues of an endpoint when the device does not go along. */
#include "fabric/ep_queue.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rdma/fi_errno.h>

#include "compat/fi_abi.h"
#include "direct/complete.h"
#include "fabric/cntr.h"
#include "util/cache_line.h"

#include "fake_verbs.h"

static struct fabric_domain domain;
static struct fabric_cq cq;
static struct fabric_ep *ep;
static struct fi_info *info;

static int begin(void **state)
{
	const struct dev_cq_attr cq_attr = { .depth = 256 };
	const struct dev_list *list;

	fake_verbs_install();
	assert_int_equal(dev_list_get(&list), 0);
	memset(&domain, 0, sizeof(domain));
	memset(&cq, 0, sizeof(cq));
	domain.device = &list->device[0];
	fabric_reference_init(&domain.users);
	assert_int_equal(dev_pd_create(domain.device, &domain.pd), 0);
	assert_int_equal(dev_cq_create(domain.device, &cq_attr, &cq.dev), 0);
	assert_int_equal(fabric_cq_init(&cq, &domain, FI_CQ_FORMAT_CONTEXT),
			 0);
	info = fabric_info_offer(domain.device, FABRIC_INFO_DIRECT, FI_MSG,
				 0);
	assert_non_null(info);
	info->tx_attr->size = 64;
	info->tx_attr->inject_size = 32;
	info->rx_attr->size = 64;
	info->rx_attr->iov_limit = 1;
	ep = util_cache_line_calloc(sizeof(*ep));
	assert_non_null(ep);
	fabric_ep_init(ep, &domain, info, FABRIC_INFO_DIRECT, NULL);
	ep->tx_cq = ep->rx_cq = &cq;
	return 0;
}

static int end(void **state)
{
	fabric_ep_fini(ep);
	free(ep);
	compat_info_destroy(info);
	fabric_cq_fini(&cq);
	assert_int_equal(dev_cq_destroy(&cq.dev), 0);
	assert_int_equal(dev_pd_destroy(&domain.pd), 0);
	dev_list_release();
	fake_verbs_assert_clean();
	return 0;
}

static int queue_open(void)
{
	return fabric_ep_queue_open(ep, &direct_complete_source);
}

static void refuse(const char *function, const char *another)
{
	fake.failing = function;
	fake.failing_too = another;
	fake.failing_errno = EIO;
}

static void opens_and_closes(void **state)
{
	uint32_t credits = atomic_load(&cq.credits);

	assert_int_equal(queue_open(), 0);
	assert_int_equal(fake.qps, 1);
	assert_int_equal(atomic_load(&cq.credits), credits - 128);
	assert_int_equal(fabric_ep_queue_close(ep), 0);
	assert_int_equal(fake.qps, 0);
	assert_int_equal(atomic_load(&cq.credits), credits);
	/* closed already */
	assert_int_equal(fabric_ep_queue_close(ep), 0);
}

/* Exactly as many sends as were asked for, whatever the ring has. */
static void a_send_queue_has_the_size_asked_for(void **state)
{
	static const uint32_t sizes[] = { 1, 63, 64, 65, 100, 120 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		ep->tx_size = sizes[i];
		assert_int_equal(queue_open(), 0);
		while (fabric_ep_queue_grow_tx(ep))
			;
		assert_int_equal(ep->sq.ids.limit, sizes[i]);
		assert_int_equal(ep->tx_credits, sizes[i]);
		assert_int_equal(fabric_ep_queue_close(ep), 0);
	}
}

/* Another thread reads the counter than the queue. */
static void a_counter_shares_the_queue(void **state)
{
	struct fid_domain *fid = &domain.fid;
	struct fid_cntr *cntr;

	domain.threading = FI_THREAD_COMPLETION;
	assert_int_equal(queue_open(), 0);
	assert_false(cq.lock_data_path);
	assert_int_equal(fabric_ep_queue_close(ep), 0);
	assert_int_equal(fabric_cntr_open(fid, NULL, &cntr, NULL), 0);
	ep->bound_cntrs[FABRIC_EP_SEND] = fabric_cntr_of(cntr);
	fabric_reference_get(&fabric_cntr_of(cntr)->users);
	assert_int_equal(queue_open(), 0);
	assert_true(cq.lock_data_path);
	ep->enabled = true;
	assert_int_equal(fabric_ep_queue_close(ep), 0);
	ep->bound_cntrs[FABRIC_EP_SEND] = NULL;
	fabric_reference_put(&fabric_cntr_of(cntr)->users);
	assert_int_equal(fi_close(&cntr->fid), 0);
}

/* What the device does not count, it alone does not count right. */
static void a_counter_of_the_device_counts_there_or_nowhere(void **state)
{
	uint32_t credits = atomic_load(&cq.credits);
	struct fabric_cntr *cntr;
	struct fid_cntr *fid;

	assert_int_equal(fabric_cntr_open(&domain.fid, NULL, &fid, NULL), 0);
	cntr = fabric_cntr_of(fid);
	cntr->device_alone = true;
	ep->bound_cntrs[FABRIC_EP_WRITE] = cntr;
	assert_int_equal(queue_open(), -FI_EOPNOTSUPP);
	assert_non_null(strstr(fake.last_warning, "fi_cntr_open"));
	assert_int_equal(fake.qps, 0);
	assert_int_equal(atomic_load(&cq.credits), credits);
	cntr->device_alone = false;
	assert_int_equal(queue_open(), 0);
	assert_ptr_equal(ep->cntrs[FABRIC_EP_WRITE], cntr);
	ep->enabled = true;
	assert_int_equal(fabric_ep_queue_close(ep), 0);
	ep->bound_cntrs[FABRIC_EP_WRITE] = NULL;
	assert_int_equal(fi_close(&fid->fid), 0);
}

static void a_failure_leaves_nothing(void **state)
{
	uint32_t credits = atomic_load(&cq.credits);

	refuse("modify_qp", NULL);
	assert_int_equal(queue_open(), -EIO);
	assert_int_equal(fake.qps, 0);
	assert_int_equal(atomic_load(&cq.credits), credits);
	refuse(NULL, NULL);
	assert_int_equal(queue_open(), 0);
	assert_int_equal(fabric_ep_queue_close(ep), 0);
}

/* The QP of a try that failed may refuse to go; the next try first makes it
 * go, and so does closing. */
static void a_qp_that_stays_is_not_forgotten(void **state)
{
	refuse("modify_qp", "destroy_qp");
	assert_int_equal(queue_open(), -EIO);
	assert_int_equal(fake.qps, 1);
	assert_int_equal(queue_open(), -EIO);
	assert_int_equal(fake.qps, 1);
	refuse("modify_qp", NULL);
	assert_int_equal(queue_open(), -EIO);
	assert_int_equal(fake.qps, 0);
	refuse("modify_qp", "destroy_qp");
	assert_int_equal(queue_open(), -EIO);
	refuse(NULL, NULL);
	assert_int_equal(queue_open(), 0);
	assert_int_equal(fake.qps, 1);
	assert_int_equal(fabric_ep_queue_close(ep), 0);
	refuse("modify_qp", "destroy_qp");
	assert_int_equal(queue_open(), -EIO);
	assert_int_equal(fabric_ep_queue_close(ep), -EIO);
	refuse(NULL, NULL);
	assert_int_equal(fabric_ep_queue_close(ep), 0);
	assert_int_equal(fake.qps, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(opens_and_closes),
		TEST(a_send_queue_has_the_size_asked_for),
		TEST(a_counter_shares_the_queue),
		TEST(a_counter_of_the_device_counts_there_or_nowhere),
		TEST(a_failure_leaves_nothing),
		TEST(a_qp_that_stays_is_not_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
