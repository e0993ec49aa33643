/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hw/comp_queue.h"

struct test_cq {
	struct efa_io_cdesc ring[16];
	uint32_t doorbell;
	struct hw_cq_geometry geometry;
	struct hw_cq cq;
	uint32_t written;	/* by the device's side, free running */
};

static void test_open(struct test_cq *t)
{
	memset(t, 0, sizeof(*t));
	t->geometry = (struct hw_cq_geometry){
		.buffer = t->ring, .entry_size = 32, .num_entries = 16,
		.doorbell = &t->doorbell,
	};
	assert_int_equal(hw_cq_init(&t->cq, &t->geometry), 0);
}

/* What the device does: the phase is 1 in the first round. */
static void test_device_writes(struct test_cq *t, uint16_t req_id)
{
	struct efa_io_cdesc *cqe = &t->ring[t->written % 16];

	cqe->req_id = req_id;
	cqe->flags = (uint8_t)(EFA_IO_SEND_QUEUE << 1 |
			       (~(t->written / 16) & 1));
	t->written++;
}

static void test_refuses_impossible_rings(void **state)
{
	struct test_cq t;
	struct hw_cq_geometry bad;

	test_open(&t);
	bad = t.geometry;
	bad.entry_size = 16;
	assert_int_equal(hw_cq_init(&t.cq, &bad), -EINVAL);
	bad = t.geometry;
	bad.num_entries = 24;
	assert_int_equal(hw_cq_init(&t.cq, &bad), -EINVAL);
	bad = t.geometry;
	bad.num_entries = 65536;
	assert_int_equal(hw_cq_init(&t.cq, &bad), -EINVAL);
	bad = t.geometry;
	bad.buffer = NULL;
	assert_int_equal(hw_cq_init(&t.cq, &bad), -EINVAL);
}

static void test_reads_each_entry_once(void **state)
{
	struct test_cq t;
	uint16_t next = 0, read = 0;

	test_open(&t);
	assert_null(hw_cq_peek(&t.cq));
	for (uint32_t n = 0; n < 1000; n++) {
		uint32_t count = n % 17;

		for (uint32_t i = 0; i < count; i++)
			test_device_writes(&t, next++);
		for (uint32_t i = 0; i < count; i++) {
			const struct efa_io_cdesc *cqe = hw_cq_peek(&t.cq);

			assert_non_null(cqe);
			assert_int_equal(cqe->req_id, read);
			read++;
			hw_cq_consume(&t.cq);
		}
		assert_null(hw_cq_peek(&t.cq));
	}
	assert_int_equal(next, read);
}

/* However it is polled, the device never sees too little room. */
static void test_capacity_never_overruns(void **state)
{
	struct test_cq t;
	uint32_t capacity = hw_cq_capacity(16);
	uint32_t outstanding = 0, seed = 1;

	test_open(&t);
	for (int n = 0; n < 100000; n++) {
		seed = seed * 1103515245 + 12345;
		if (seed >> 16 & 1 && outstanding < capacity) {
			test_device_writes(&t, 0);
			outstanding++;
		} else if (outstanding) {
			assert_non_null(hw_cq_peek(&t.cq));
			hw_cq_consume(&t.cq);
			outstanding--;
		}
		assert_true((uint16_t)(t.written - t.doorbell) <= 16);
	}
}

static struct hw_cq watched;
static atomic_bool watching;

static void *watch(void *arg)
{
	uintptr_t looks = 0;

	while (atomic_load(&watching))
		looks += hw_cq_looks_empty(&watched);
	return (void *)looks;
}

/* Who looks without serialising never looks beyond the ring. */
static void test_looking_stays_within(void **state)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *memory = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct hw_cq_geometry geometry = {
		.entry_size = 32, .num_entries = 2,
	};
	pthread_t thread;

	assert_true(memory != MAP_FAILED);
	assert_int_equal(mprotect(memory + page, page, PROT_NONE), 0);
	geometry.buffer = memory + page - 2 * 32;
	assert_int_equal(hw_cq_init(&watched, &geometry), 0);
	atomic_store(&watching, true);
	assert_int_equal(pthread_create(&thread, NULL, watch, NULL), 0);
	for (int i = 0; i < 3000000; i++)
		hw_cq_consume(&watched);
	atomic_store(&watching, false);
	assert_int_equal(pthread_join(thread, NULL), 0);
	munmap(memory, 2 * page);
}

static void test_depth_holds_what_it_was_asked_for(void **state)
{
	for (uint32_t wanted = 1; wanted <= 16384; wanted++) {
		uint32_t entries = 1;

		while (entries < hw_cq_depth(wanted))
			entries *= 2;
		assert_true(hw_cq_capacity(entries) >= wanted);
	}
}

static void test_doorbell_word(void **state)
{
	struct test_cq t;

	test_open(&t);
	for (int i = 0; i < 5; i++) {
		test_device_writes(&t, 0);
		hw_cq_consume(&t.cq);
	}
	hw_cq_arm(&t.cq);
	assert_int_equal(t.doorbell, 0x80000005);
	hw_cq_event_taken(&t.cq);
	hw_cq_arm(&t.cq);
	assert_int_equal(t.doorbell, 0xa0000005);
	for (int i = 0; i < 4; i++)
		hw_cq_event_taken(&t.cq);
	hw_cq_write_doorbell(&t.cq, false);
	assert_int_equal(t.doorbell, 0x20000005);
	/* a queue without a doorbell takes all of this in silence */
	t.geometry.doorbell = NULL;
	assert_int_equal(hw_cq_init(&t.cq, &t.geometry), 0);
	hw_cq_arm(&t.cq);
	hw_cq_publish(&t.cq);
	assert_int_equal(t.doorbell, 0x20000005);
}

static void test_what_an_entry_says(void **state)
{
	const uint8_t send[32] = { 0x34, 0x12, 0, 0x03, 1, 0,
				   0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0 };
	const uint8_t write_imm[32] = { 0, 0, 0, 0xad, 1, 0, 0x01, 0x80,
					9, 0, 5, 0, 1, 2, 3, 4, 0x02, 0 };
	struct efa_io_cdesc cqe;

	memcpy(&cqe, send, 32);
	assert_true(hw_cqe_is_send(&cqe));
	assert_false(hw_cqe_has_imm(&cqe));
	assert_int_equal(hw_cqe_op(&cqe), EFA_IO_SEND);
	assert_true(hw_cqe_tx_id(&cqe, false) == 0x1234);
	assert_true(hw_cqe_tx_id(&cqe, true) == 0xf0debc9a78561234);
	memcpy(&cqe, write_imm, 32);
	assert_false(hw_cqe_is_send(&cqe));
	assert_true(hw_cqe_has_imm(&cqe));
	assert_true(hw_cqe_is_unsolicited(&cqe));
	assert_int_equal(hw_cqe_op(&cqe), EFA_IO_RDMA_WRITE);
	assert_int_equal(hw_cqe_rx_length(&cqe), 0x28001);
	assert_int_equal(cqe.rx.imm, 0x04030201);
	cqe.flags = EFA_IO_RECV_QUEUE << EFA_IO_CDESC_Q_TYPE_SHIFT;
	assert_int_equal(hw_cqe_rx_length(&cqe), 0x8001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refuses_impossible_rings),
		cmocka_unit_test(test_reads_each_entry_once),
		cmocka_unit_test(test_capacity_never_overruns),
		cmocka_unit_test(test_depth_holds_what_it_was_asked_for),
		cmocka_unit_test(test_doorbell_word),
		cmocka_unit_test(test_looking_stays_within),
		cmocka_unit_test(test_what_an_entry_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
