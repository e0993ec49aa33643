/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One thread opens endpoints on a CQ, loads them with work and closes them,
 * while others read that CQ and count: no completion of an endpoint comes
 * after it was closed, none is reported as failed.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define READERS		2
#define ROUNDS		60
#define WORK		100

static struct fab_endpoint e;
static atomic_bool done;
/* Rounds whose endpoint is closed; a round's number is its context's. */
static atomic_uint closed_rounds;

static void *read_cq(void *arg)
{
	struct fi_cq_data_entry entry;
	unsigned closed;
	ssize_t ret;

	while (!atomic_load(&done)) {
		closed = atomic_load(&closed_rounds);
		ret = fi_cq_read(e.cq, &entry, 1);
		if (ret == -FI_EAGAIN)
			continue;
		if (!EXPECT_EQ(ret, 1))
			break;
		EXPECT(fab_context_number(&e, entry.op_context) >= closed);
	}
	return NULL;
}

static void one_endpoint(unsigned round)
{
	void *context = &e.contexts[round];
	uint8_t addr[FAB_ADDR_MAX];
	size_t len = sizeof(addr);
	struct fid_ep *ep;
	fi_addr_t itself;

	REQUIRE_EQ(fi_endpoint(e.domain, e.info, &ep, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(ep, &e.av->fid, 0), 0);
	REQUIRE_EQ(fi_ep_bind(ep, &e.cq->fid, FI_TRANSMIT | FI_RECV), 0);
	REQUIRE_EQ(fi_enable(ep), 0);
	REQUIRE_EQ(fi_getname(&ep->fid, addr, &len), 0);
	REQUIRE_EQ(fi_av_insert(e.av, addr, 1, &itself, 0, NULL), 1);
	for (int i = 0; i < WORK; i++)
		fi_recv(ep, e.buf, 64, e.desc, FI_ADDR_UNSPEC, context);
	for (int i = 0; i < WORK; i++)
		fi_send(ep, e.buf + 4096, 64, e.desc, itself, context);
	REQUIRE_EQ(fi_close(&ep->fid), 0);
	REQUIRE_EQ(fi_av_remove(e.av, &itself, 1, 0), 0);
}

int main(void)
{
	struct fab_wish wish = fab_wish_direct();
	pthread_t readers[READERS];

	expect_deadline(120);
	fab_open(&e, &wish);
	if (fab_is_in_tree(e.info))
		expect_skip("endpoints closed without a trace: the in-tree provider leaves completions");
	fab_connect(&e, e.addr);
	for (int i = 0; i < READERS; i++)
		REQUIRE_EQ(pthread_create(&readers[i], NULL, read_cq, NULL), 0);
	for (unsigned round = 0; round < ROUNDS; round++) {
		one_endpoint(round);
		atomic_store(&closed_rounds, round + 1);
	}
	atomic_store(&done, true);
	for (int i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
	fab_close(&e);
	return expect_result();
}
