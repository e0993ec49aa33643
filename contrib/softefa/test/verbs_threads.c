/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Threads of one process: own QPs, a shared QP, objects coming and going. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define THREADS		6
#define MESSAGES	1500u
#define CYCLES		150

static struct ibv_context *ctx;
static struct endpoint_wish wish;

/* A pair of its own on the shared context. */
static void *exchange(void *arg)
{
	unsigned seed = (unsigned)(uintptr_t)arg, i;
	struct endpoint a, b;
	struct request r;

	endpoint_open(&a, ctx, &wish);
	endpoint_open(&b, ctx, &wish);
	endpoint_connect(&a, &b.self);
	for (i = 0; i < MESSAGES; i++) {
		expect_fill(a.buf, 500, seed + i);
		REQUIRE_EQ(receive_post(&b, i, 0, 500), 0);
		r = request_send(&a, i, 0, 500);
		REQUIRE_EQ(request_post(&a, &r), 0);
		COMPLETION_EXPECT(&a, i, IBV_WC_SUCCESS);
		COMPLETION_EXPECT(&b, i, IBV_WC_SUCCESS);
		EXPECT_FILLED(b.buf, 500, seed + i);
	}
	endpoint_close(&a);
	endpoint_close(&b);
	return NULL;
}

static void *create_destroy(void *arg)
{
	struct ibv_context *own;
	struct endpoint e;
	int i;

	(void)arg;
	for (i = 0; i < CYCLES; i++) {
		endpoint_open(&e, ctx, &wish);
		endpoint_connect(&e, &e.self);
		EXPECT_EQ(receive_post(&e, 1, 0, 64), 0);
		endpoint_close(&e);
		own = device_open(0);
		endpoint_open(&e, own, &wish);
		endpoint_close(&e);
		device_close(own);
	}
	return NULL;
}

static void check_own_qps(void)
{
	pthread_t thread[THREADS];
	int i;

	expect_stage("threads with own QPs");
	for (i = 0; i < THREADS; i++)
		REQUIRE_EQ(pthread_create(&thread[i], NULL,
					  i < 4 ? exchange : create_destroy,
					  (void *)(uintptr_t)(i * 10000)), 0);
	for (i = 0; i < THREADS; i++)
		REQUIRE_EQ(pthread_join(thread[i], NULL), 0);
}

static struct endpoint shared;
static atomic_uint completions;

static void *post_shared(void *arg)
{
	struct request r = request_send(&shared, 7, 0, 64);
	unsigned i;
	int err;

	(void)arg;
	for (i = 0; i < MESSAGES; i++) {
		do {
			err = receive_post(&shared, 8, 4096, 64);
			if (err)
				sched_yield();
		} while (err == ENOMEM);
		REQUIRE_EQ(err, 0);
		do {
			err = request_post(&shared, &r);
			if (err)
				sched_yield();
		} while (err == ENOMEM);
		REQUIRE_EQ(err, 0);
	}
	return NULL;
}

static void *poll_shared(void *arg)
{
	struct completion c;

	(void)arg;
	while (atomic_load(&completions) < 2 * 2 * MESSAGES) {
		if (!completion_poll(&shared, &c)) {
			sched_yield();
			continue;
		}
		EXPECT_EQ(c.status, IBV_WC_SUCCESS);
		atomic_fetch_add(&completions, 1);
	}
	return NULL;
}

/* Two threads post to one QP, two others poll its CQ. */
static void check_shared_qp(void)
{
	pthread_t thread[4];
	int i;

	expect_stage("threads on one QP");
	endpoint_open(&shared, ctx, &wish);
	endpoint_connect(&shared, &shared.self);
	for (i = 0; i < 4; i++)
		REQUIRE_EQ(pthread_create(&thread[i], NULL,
					  i < 2 ? post_shared : poll_shared,
					  NULL), 0);
	for (i = 0; i < 4; i++)
		REQUIRE_EQ(pthread_join(thread[i], NULL), 0);
	EXPECT_EQ(atomic_load(&completions), 2 * 2 * MESSAGES);
	endpoint_close(&shared);
}

int main(void)
{
	expect_deadline(120);
	wish = endpoint_wish_default();
	ctx = device_open(0);
	check_own_qps();
	check_shared_qp();
	device_close(ctx);
	return expect_result();
}
