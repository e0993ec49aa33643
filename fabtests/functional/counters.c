/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Counters of an endpoint that talks to itself. Whoever only waits for
 * counters makes progress, and finds every completion in the CQ later; or at
 * the same time, in another thread, to which under FI_THREAD_COMPLETION the
 * CQ alone belongs.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define MESSAGES	100u
#define INJECTS		20u
#define LEN		256u
#define WAIT_MS		60000
#define ROUNDS		50u

static struct fab_endpoint e;	/* for domain, buffer and vector */
static struct fid_cq *cq;
static struct fid_ep *ep;
static struct fid_cntr *sent, *received;
static fi_addr_t self, nobody;

static void open_counted_endpoint(void)
{
	struct fi_cntr_attr cntr_attr = { .wait_obj = FI_WAIT_UNSPEC };
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_MSG };

	expect_stage("opening");
	REQUIRE_EQ(fi_cq_open(e.domain, &cq_attr, &cq, NULL), 0);
	REQUIRE_EQ(fi_cntr_open(e.domain, &cntr_attr, &sent, NULL), 0);
	REQUIRE_EQ(fi_cntr_open(e.domain, &cntr_attr, &received, NULL), 0);
	REQUIRE_EQ(fi_endpoint(e.domain, e.info, &ep, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(ep, &e.av->fid, 0), 0);
	REQUIRE_EQ(fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV), 0);
	REQUIRE_EQ(fi_ep_bind(ep, &sent->fid, FI_SEND), 0);
	REQUIRE_EQ(fi_ep_bind(ep, &received->fid, FI_RECV), 0);
	EXPECT_EQ(fi_close(&sent->fid), -FI_EBUSY);
	REQUIRE_EQ(fi_enable(ep), 0);
}

/* Its own address, and one of a queue pair that nobody has. */
static void insert_addresses(void)
{
	uint8_t addr[FAB_ADDR_MAX];
	size_t len = sizeof(addr);

	REQUIRE_EQ(fi_getname(&ep->fid, addr, &len), 0);
	REQUIRE_EQ(fi_av_insert(e.av, addr, 1, &self, 0, NULL), 1);
	addr[16] ^= 0xff;
	addr[17] ^= 0x40;
	REQUIRE_EQ(fi_av_insert(e.av, addr, 1, &nobody, 0, NULL), 1);
}

static void count_messages(void)
{
	expect_stage("messages, seen through counters alone");
	for (unsigned i = 0; i < MESSAGES + INJECTS; i++)
		REQUIRE_EQ(fi_recv(ep, e.buf + (i + 1) * LEN, LEN, e.desc,
				   FI_ADDR_UNSPEC, &e.contexts[i]), 0);
	for (unsigned i = 0; i < MESSAGES; i++)
		REQUIRE_EQ(fi_send(ep, e.buf, LEN, e.desc, self,
				   &e.contexts[200 + i]), 0);
	for (unsigned i = 0; i < INJECTS; i++)
		REQUIRE_EQ(fi_inject(ep, e.buf, 8, self), 0);
	EXPECT_EQ(fi_cntr_wait(received, MESSAGES + INJECTS, WAIT_MS), 0);
	EXPECT_EQ(fi_cntr_wait(sent, MESSAGES + INJECTS, WAIT_MS), 0);
	EXPECT_EQ(fi_cntr_read(received), MESSAGES + INJECTS);
	EXPECT_EQ(fi_cntr_read(sent), MESSAGES + INJECTS);
	EXPECT_EQ(fi_cntr_wait(sent, MESSAGES + INJECTS + 1, 1),
		  -FI_ETIMEDOUT);
	EXPECT_EQ(fi_cntr_readerr(sent), 0);
}

/* Nothing that was counted before is lost; an inject has no entry. What the
 * device counted may come to the CQ later. */
static void find_completions(void)
{
	bool seen[FAB_CONTEXTS] = { false };
	struct fi_cq_msg_entry entry;
	unsigned found = 0;
	ssize_t ret;

	expect_stage("completions that were counted");
	while (found < 2 * MESSAGES + INJECTS) {
		unsigned n;

		ret = fi_cq_read(cq, &entry, 1);
		if (ret == -FI_EAGAIN) {
			sched_yield();
			continue;
		}
		REQUIRE_EQ(ret, 1);
		n = fab_context_number(&e, entry.op_context);
		REQUIRE(n < FAB_CONTEXTS);
		EXPECT(!seen[n]);
		seen[n] = true;
		EXPECT_EQ(entry.flags, FI_MSG | (n < 200 ? FI_RECV : FI_SEND));
		found++;
	}
	EXPECT_EQ(fi_cq_read(cq, &entry, 1), -FI_EAGAIN);
}

static void count_failure(void)
{
	struct fi_cq_err_entry err;

	expect_stage("a failure");
	REQUIRE_EQ(fi_send(ep, e.buf, LEN, e.desc, nobody, &e.contexts[0]),
		   0);
	EXPECT_EQ(fi_cntr_wait(sent, MESSAGES + INJECTS + 1, WAIT_MS),
		  -FI_EAVAIL);
	EXPECT_EQ(fi_cntr_readerr(sent), 1);
	EXPECT_EQ(fi_cntr_read(sent), MESSAGES + INJECTS);
	memset(&err, 0, sizeof(err));
	while (fi_cq_readerr(cq, &err, 0) == -FI_EAGAIN)
		sched_yield();
	EXPECT_EQ(fab_context_number(&e, err.op_context), 0);
	EXPECT_EQ(err.err, FI_ENOTCONN);
}

static atomic_bool done;

static void *read_counters(void *arg)
{
	uint64_t before = 0, now;

	while (!atomic_load(&done)) {
		now = fi_cntr_read(received);
		EXPECT(now >= before);
		before = now;
		sched_yield();
	}
	return arg;
}

/* Each completion is found once, by whichever thread saw it first. */
static void read_completions(unsigned count)
{
	unsigned times[FAB_CONTEXTS] = { 0 };
	struct fi_cq_msg_entry entry;

	for (unsigned found = 0; found < count;) {
		ssize_t ret = fi_cq_read(cq, &entry, 1);

		if (ret == -FI_EAGAIN) {
			sched_yield();
			continue;
		}
		REQUIRE_EQ(ret, 1);
		times[fab_context_number(&e, entry.op_context)]++;
		found++;
	}
	for (unsigned i = 0; i < MESSAGES; i++) {
		EXPECT_EQ(times[i], 1);
		EXPECT_EQ(times[200 + i], 1);
	}
}

static void count_in_another_thread(void)
{
	pthread_t reader;

	expect_stage("a thread that reads counters alone");
	REQUIRE_EQ(pthread_create(&reader, NULL, read_counters, NULL), 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < MESSAGES; i++) {
			REQUIRE_EQ(fi_recv(ep, e.buf + LEN, LEN, e.desc,
					   FI_ADDR_UNSPEC, &e.contexts[i]),
				   0);
			REQUIRE_EQ(fi_send(ep, e.buf, LEN, e.desc, self,
					   &e.contexts[200 + i]), 0);
		}
		read_completions(2 * MESSAGES);
	}
	atomic_store(&done, true);
	pthread_join(reader, NULL);
	/* the device may count a moment later than it completes */
	EXPECT_EQ(fi_cntr_wait(received, ROUNDS * MESSAGES, WAIT_MS), 0);
	EXPECT_EQ(fi_cntr_wait(sent, ROUNDS * MESSAGES, WAIT_MS), 0);
	EXPECT_EQ(fi_cntr_read(received), ROUNDS * MESSAGES);
	EXPECT_EQ(fi_cntr_read(sent), ROUNDS * MESSAGES);
}

static void open_all(enum fi_threading threading)
{
	struct fab_wish wish = fab_wish_direct();

	wish.threading = threading;
	fab_open(&e, &wish);
	open_counted_endpoint();
	insert_addresses();
}

static void close_all(void)
{
	expect_stage("closing");
	EXPECT_EQ(fi_close(&ep->fid), 0);
	EXPECT_EQ(fi_close(&sent->fid), 0);
	EXPECT_EQ(fi_close(&received->fid), 0);
	EXPECT_EQ(fi_close(&cq->fid), 0);
	fab_close(&e);
}

int main(void)
{
	expect_deadline(120);
	open_all(FI_THREAD_SAFE);
	count_messages();
	find_completions();
	count_failure();
	close_all();
	open_all(FI_THREAD_COMPLETION);
	/* There, a counter's thread must not be another than the queue's. */
	if (!fab_is_in_tree(e.info))
		count_in_another_thread();
	close_all();
	return expect_result();
}
