/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Threads that share one endpoint: several post, several read completions;
 * and one that inserts and removes the very address that others use. Under
 * FI_THREAD_COMPLETION, where the data path takes no locks, the address
 * vector is still anybody's.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include <rdma/fi_rma.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define POSTERS		4u
#define EACH		400u	/* messages of a poster */
#define WRITES		3000u
#define LEN		64u

enum { STATUS_INVALID_AH = 4 };

static struct fab_endpoint a, b;

/* ---- posting and reading ---- */

static atomic_uint seen[2 * POSTERS];	/* completions, by context */
static atomic_uint left;

static void until_posted(bool receive, unsigned ctx)
{
	ssize_t ret;

	do {
		ret = receive ? fab_recv(&a, ctx, LEN, LEN)
			      : fab_send(&a, ctx, 0, LEN);
		if (ret == -FI_EAGAIN)
			sched_yield();
	} while (ret == -FI_EAGAIN);
	REQUIRE_EQ(ret, 0);
}

/* Each has a context for its sends and one for its receives. */
static void *post(void *arg)
{
	unsigned number = (unsigned)(uintptr_t)arg;

	for (unsigned i = 0; i < EACH; i++) {
		until_posted(true, 2 * number + 1);
		until_posted(false, 2 * number);
	}
	return NULL;
}

static void *read_completions(void *arg)
{
	struct fi_cq_data_entry entry[8];

	while (atomic_load(&left)) {
		ssize_t n = fi_cq_read(a.cq, entry, 8);

		if (n == -FI_EAGAIN) {
			sched_yield();
			continue;
		}
		REQUIRE(n > 0);
		for (ssize_t i = 0; i < n; i++)
			atomic_fetch_add(&seen[fab_context_number(
				&a, entry[i].op_context)], 1);
		atomic_fetch_sub(&left, (unsigned)n);
	}
	return arg;
}

static void check_shared_endpoint(void)
{
	struct fab_wish wish = fab_wish_direct();
	pthread_t posters[POSTERS], readers[2];
	unsigned i;

	expect_stage("one endpoint, four threads that post, two that read");
	wish.tx_size = wish.rx_size = 64;
	fab_open(&a, &wish);
	fab_connect(&a, a.addr);
	atomic_store(&left, 2 * POSTERS * EACH);
	for (i = 0; i < 2; i++)
		REQUIRE_EQ(pthread_create(&readers[i], NULL, read_completions,
					  NULL), 0);
	for (i = 0; i < POSTERS; i++)
		REQUIRE_EQ(pthread_create(&posters[i], NULL, post,
					  (void *)(uintptr_t)i), 0);
	for (i = 0; i < POSTERS; i++)
		pthread_join(posters[i], NULL);
	for (i = 0; i < 2; i++)
		pthread_join(readers[i], NULL);
	for (i = 0; i < 2 * POSTERS; i++)
		EXPECT_EQ(atomic_load(&seen[i]), EACH);
	fab_close(&a);
}

/* ---- an address that comes and goes ---- */

static atomic_bool done;

static void *insert_and_remove(void *arg)
{
	uint8_t found[FAB_ADDR_MAX];

	while (!atomic_load(&done)) {
		size_t len = sizeof(found);
		fi_addr_t addr;

		REQUIRE_EQ(fi_av_insert(a.av, b.addr, 1, &addr, 0, NULL), 1);
		/* the index that was free before is free again */
		EXPECT_EQ(addr, 0);
		EXPECT_EQ(fi_av_lookup(a.av, addr, found, &len), 0);
		EXPECT_BYTES(found, b.addr, b.addr_len);
		for (int i = 0; i < 20; i++)
			sched_yield();
		EXPECT_EQ(fi_av_remove(a.av, &addr, 1, 0), 0);
		sched_yield();
	}
	return arg;
}

/* Never a part of an address. */
static void *look_up(void *arg)
{
	while (!atomic_load(&done)) {
		uint8_t found[FAB_ADDR_MAX] = { 0 };
		size_t len = sizeof(found);

		if (!fi_av_lookup(a.av, 0, found, &len))
			EXPECT_BYTES(found, b.addr, b.addr_len);
		sched_yield();
	}
	return arg;
}

/* One that the device had not begun when the address went may fail. */
static unsigned take_writes(void)
{
	struct fi_cq_data_entry entry;
	struct fi_cq_err_entry err;
	unsigned taken = 0;
	ssize_t ret;

	while ((ret = fi_cq_read(a.cq, &entry, 1)) != -FI_EAGAIN) {
		if (ret == -FI_EAVAIL) {
			memset(&err, 0, sizeof(err));
			REQUIRE_EQ(fi_cq_readerr(a.cq, &err, 0), 1);
			EXPECT_EQ(err.flags, FI_RMA | FI_WRITE);
			EXPECT_EQ(err.prov_errno, STATUS_INVALID_AH);
		} else {
			REQUIRE_EQ(ret, 1);
			EXPECT_EQ(entry.flags, FI_RMA | FI_WRITE);
		}
		taken++;
	}
	return taken;
}

static void check_moving_address(enum fi_threading threading)
{
	struct fab_wish wish = fab_wish_rma();
	unsigned posted = 0, taken = 0;
	pthread_t threads[2];

	expect_stage(threading == FI_THREAD_SAFE ?
		     "writes to an address that comes and goes" :
		     "the same under FI_THREAD_COMPLETION");
	wish.threading = threading;
	fab_open(&a, &wish);
	fab_open(&b, &wish);
	fab_connect(&b, a.addr);
	atomic_store(&done, false);
	REQUIRE_EQ(pthread_create(&threads[0], NULL, insert_and_remove, NULL),
		   0);
	REQUIRE_EQ(pthread_create(&threads[1], NULL, look_up, NULL), 0);
	while (posted < WRITES) {
		ssize_t ret = fi_write(a.ep, a.buf, LEN, a.desc, 0,
				       (uintptr_t)b.buf, fi_mr_key(b.mr),
				       &a.contexts[0]);

		if (ret)
			EXPECT(ret == -FI_EAGAIN || ret == -FI_EADDRNOTAVAIL);
		else
			posted++;
		taken += take_writes();
		if (ret)
			sched_yield();
	}
	while (taken < posted)
		taken += take_writes();
	atomic_store(&done, true);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	fab_close(&a);
	fab_close(&b);
}

int main(void)
{
	struct fab_wish wish = fab_wish_direct();

	expect_deadline(120);
	fab_open(&a, &wish);
	if (fab_is_in_tree(a.info))
		expect_skip("addresses that go while they are used: the in-tree provider's slots are freed");
	fab_close(&a);
	check_shared_endpoint();
	check_moving_address(FI_THREAD_SAFE);
	check_moving_address(FI_THREAD_COMPLETION);
	return expect_result();
}
