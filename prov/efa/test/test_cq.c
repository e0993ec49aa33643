/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include <rdma/fi_errno.h>

#include "compat/log.h"
#include "direct/complete.h"
#include "fabric/cq.h"
#include "fabric/ep_base.h"

#define QPN	7
#define ENTRIES	16

static struct efa_io_cdesc ring[ENTRIES];
static uint32_t written;
static uint32_t doorbell;
static struct dev_device device = { .name = "efa_0" };
static struct fabric_domain domain = {
	.device = &device,
	.lock_data_path = true,
};
static struct fabric_cq cq;
static struct fabric_ep ep;	/* nothing of it is in flight */
static int warnings;

static void count_warning(enum fi_log_level level, const char *text)
{
	warnings += level == FI_LOG_WARN;
}

static int set_up(void **state)
{
	memset(ring, 0, sizeof(ring));
	memset(&cq, 0, sizeof(cq));
	written = 0;
	warnings = 0;
	cq.dev.geometry = (struct hw_cq_geometry) {
		.buffer = ring, .entry_size = sizeof(ring[0]),
		.num_entries = ENTRIES, .doorbell = &doorbell,
	};
	compat_log_redirect(count_warning);
	return fabric_cq_init(&cq, &domain, FI_CQ_FORMAT_CONTEXT);
}

static int tear_down(void **state)
{
	compat_log_redirect(NULL);
	fabric_cq_fini(&cq);
	return 0;
}

/* What the device writes for a send of @qpn that is done. */
static void device_writes(uint16_t qpn)
{
	struct efa_io_cdesc *cqe = &ring[written % ENTRIES];

	cqe->qp_num = qpn;
	cqe->flags = EFA_IO_SEND_QUEUE << EFA_IO_CDESC_Q_TYPE_SHIFT |
		     (~(written / ENTRIES) & EFA_IO_CDESC_PHASE);
	written++;
}

static void read_nothing(void)
{
	struct fi_cq_entry entry;

	assert_int_equal(fabric_cq_read(&cq.fid, &entry, 1), -FI_EAGAIN);
}

static void attach(uint16_t qpn)
{
	assert_int_equal(fabric_cq_attach(&cq, &direct_complete_source, qpn,
					  &ep), 0);
}

static void what_nobody_explains_is_told_once(void **state)
{
	attach(QPN);
	device_writes(QPN + 1);
	device_writes(QPN + 2);
	read_nothing();
	assert_int_equal(warnings, 1);
	assert_int_equal(cq.stale, 2);
	assert_int_equal(cq.hw.consumed, 2);
	fabric_cq_detach(&cq, QPN);
}

/* A reader is faster than the thread that closes: between detach and
 * retire it may see everything the endpoint left behind. */
static void what_a_closed_endpoint_leaves_is_no_surprise(void **state)
{
	attach(QPN);
	fabric_cq_detach(&cq, QPN);
	device_writes(QPN);
	read_nothing();
	fabric_cq_retire(&cq, &ep, 0);
	device_writes(QPN);
	read_nothing();
	assert_int_equal(warnings, 0);
	assert_int_equal(cq.stale, 0);
	assert_int_equal(cq.hw.consumed, 2);
}

/* Its failures as well, of which nothing is left to tell. */
static void what_a_closed_endpoint_failed_at_is_not_told(void **state)
{
	struct fi_cq_err_entry error = { 0 };

	attach(QPN);
	fabric_cq_detach(&cq, QPN);
	fabric_cq_retire(&cq, &ep, 0);
	ring[written].status = EFA_IO_COMP_STATUS_REMOTE_ERROR_BAD_DEST_QPN;
	device_writes(QPN);
	read_nothing();
	assert_int_equal(fabric_cq_readerr(&cq.fid, &error, 0), -FI_EAGAIN);
	assert_int_equal(cq.hw.consumed, 1);
	assert_int_equal(warnings, 0);
}

/* The number's next owner answers for its own. */
static void a_number_given_again_is_watched_again(void **state)
{
	attach(QPN);
	fabric_cq_detach(&cq, QPN);
	device_writes(QPN);
	attach(QPN);
	assert_int_equal(cq.hw.consumed, 1);
	assert_int_equal(warnings, 0);
	assert_ptr_equal(fabric_cq_owner(&cq, QPN), &ep);
	fabric_cq_detach(&cq, QPN);
	assert_null(fabric_cq_owner(&cq, QPN));
	assert_null(fabric_cq_owner(&cq, QPN + 1));
	assert_null(fabric_cq_owner(&cq, QPN));
}

static void credits_come_back_with_the_entries(void **state)
{
	uint32_t all = fabric_cq_credits_take(&cq, ENTRIES);

	assert_int_equal(all, hw_cq_capacity(ENTRIES));
	attach(QPN);
	device_writes(QPN);
	fabric_cq_detach(&cq, QPN);
	fabric_cq_retire(&cq, &ep, all);
	assert_int_equal(fabric_cq_credits_take(&cq, 1), 0);
	read_nothing();
	assert_int_equal(fabric_cq_credits_take(&cq, ENTRIES), all);
}

/* Who opens an endpoint need not have read what an earlier one left. */
static void credits_are_reclaimed_without_a_reader(void **state)
{
	uint32_t all = fabric_cq_credits_take(&cq, ENTRIES);

	attach(QPN);
	device_writes(QPN);
	fabric_cq_detach(&cq, QPN);
	fabric_cq_retire(&cq, &ep, all);
	fabric_cq_reclaim(&cq);
	assert_int_equal(fabric_cq_credits_take(&cq, ENTRIES), all);
	fabric_cq_reclaim(&cq);
	assert_int_equal(fabric_cq_credits_take(&cq, ENTRIES), 0);
}

/* Every entry is a completion that somebody wants to read. */
static bool take_one(struct fabric_cq *from, bool only_failed,
		     struct fabric_completion *out, char *text)
{
	if (!hw_cq_peek(&from->hw))
		return false;
	*out = (struct fabric_completion) { .op_context = ring };
	hw_cq_consume(&from->hw);
	return true;
}

static ssize_t read_none(struct fabric_cq *from, void *buf, size_t count,
			 fi_addr_t *source)
{
	return -FI_EAGAIN;
}

static const struct fabric_cq_source one_by_one = {
	.read = read_none,
	.take = take_one,
};

/* The oldest entry is gone from the ring, and not in the stash yet: a thread
 * that looks without the lock is told to look again. */
static bool take_and_look(struct fabric_cq *from, bool only_failed,
			  struct fabric_completion *out, char *text)
{
	if (!take_one(from, only_failed, out, text))
		return false;
	assert_false(hw_cq_looks_empty(&from->hw) &&
		     !atomic_load(&from->stashed));
	return true;
}

/* All have failed. */
static bool take_failure(struct fabric_cq *from, bool only_failed,
			 struct fabric_completion *out, char *text)
{
	if (!take_one(from, only_failed, out, text))
		return false;
	out->err = FI_EINVAL;
	text[0] = '\0';
	return true;
}

static void writes_and_counts(uint32_t entries, uint32_t consumed)
{
	for (uint32_t i = 0; i < entries; i++)
		device_writes(QPN);
	fabric_cq_progress(&cq);
	assert_int_equal(cq.hw.consumed, consumed);
}

/* Who reads counters alone is not given memory without end: what does not
 * fit stays on the ring, and its requests in flight. */
static void counters_alone_fill_no_memory(void **state)
{
	struct fi_cq_entry entries[ENTRIES + 1];

	cq.source = &one_by_one;
	writes_and_counts(10, 10);
	writes_and_counts(10, ENTRIES);
	writes_and_counts(4, ENTRIES);
	assert_int_equal(fabric_cq_read(&cq.fid, entries, ENTRIES + 1),
			 ENTRIES);
	assert_ptr_equal(entries[ENTRIES - 1].op_context, ring);
	writes_and_counts(0, 24);
	assert_int_equal(fabric_cq_read(&cq.fid, entries, 1), 1);
	assert_int_equal(fabric_cq_read(&cq.fid, entries, ENTRIES), 7);
	read_nothing();
}

/* Requests end although nobody takes an entry; the entries are kept. */
static void reading_none_ends_requests(void **state)
{
	struct fi_cq_entry entries[ENTRIES + 1];

	cq.source = &one_by_one;
	assert_int_equal(fabric_cq_read(&cq.fid, NULL, 0), -FI_EAGAIN);
	for (uint32_t i = 1; i <= 3; i++) {
		device_writes(QPN);
		assert_int_equal(fabric_cq_read(&cq.fid, NULL, 0),
				 -FI_EAGAIN);
		assert_int_equal(cq.hw.consumed, i);
	}
	assert_int_equal(fabric_cq_read(&cq.fid, entries, 2), 2);
	for (int i = 0; i < ENTRIES; i++)
		device_writes(QPN);
	assert_int_equal(fabric_cq_read(&cq.fid, NULL, 0), -FI_EAGAIN);
	assert_int_equal(cq.hw.consumed, 2 + ENTRIES);
	assert_int_equal(fabric_cq_read(&cq.fid, entries, ENTRIES + 1),
			 ENTRIES);
}

static void reading_none_tells_of_a_failure(void **state)
{
	static const struct fabric_cq_source failures = {
		.read = read_none,
		.take = take_failure,
	};
	struct fi_cq_err_entry error = { 0 };

	cq.source = &failures;
	writes_and_counts(1, 1);
	assert_int_equal(fabric_cq_read(&cq.fid, NULL, 0), -FI_EAVAIL);
	assert_int_equal(fabric_cq_readerr(&cq.fid, &error, 0), 1);
	assert_int_equal(error.err, FI_EINVAL);
	assert_int_equal(fabric_cq_read(&cq.fid, NULL, 0), -FI_EAGAIN);
}

static void nothing_is_overlooked_on_its_way(void **state)
{
	static const struct fabric_cq_source looking = {
		.read = read_none,
		.take = take_and_look,
	};

	cq.source = &looking;
	writes_and_counts(3, 3);
	assert_int_equal(atomic_load(&cq.stashed), 3);
}

/* A counter's reader is another thread than the queue's. */
static void a_shared_queue_is_locked(void **state)
{
	domain.lock_data_path = false;
	for (int i = 0; i < 2; i++) {
		domain.threading = i ? FI_THREAD_DOMAIN : FI_THREAD_COMPLETION;
		cq.lock_data_path = false;
		fabric_cq_share(&cq);
		assert_int_equal(cq.lock_data_path, !i);
	}
	domain.threading = FI_THREAD_SAFE;
	domain.lock_data_path = true;
}

/* Without a wait object nobody waits for the device to know. */
static void who_does_not_wait_rings_no_doorbell(void **state)
{
	doorbell = 0xabcd;
	cq.source = &one_by_one;
	for (int i = 0; i < 5; i++) {
		struct fi_cq_entry entries[ENTRIES];

		writes_and_counts(ENTRIES, (uint32_t)(i + 1) * ENTRIES);
		assert_int_equal(fabric_cq_read(&cq.fid, entries, ENTRIES),
				 ENTRIES);
	}
	assert_int_equal(doorbell, 0xabcd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_nobody_explains_is_told_once),
		TEST(what_a_closed_endpoint_leaves_is_no_surprise),
		TEST(what_a_closed_endpoint_failed_at_is_not_told),
		TEST(a_number_given_again_is_watched_again),
		TEST(credits_come_back_with_the_entries),
		TEST(credits_are_reclaimed_without_a_reader),
		TEST(counters_alone_fill_no_memory),
		TEST(reading_none_ends_requests),
		TEST(reading_none_tells_of_a_failure),
		TEST(nothing_is_overlooked_on_its_way),
		TEST(a_shared_queue_is_locked),
		TEST(who_does_not_wait_rings_no_doorbell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
