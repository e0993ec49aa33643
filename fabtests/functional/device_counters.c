/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Counters of the device alone (cntr_open_ext): what the device counts, in
 * memory that the application chose, as programs on an accelerator wait for
 * it. A memfd stands for an accelerator's memory. Skips on devices without
 * counters; run_on_softefa gives it one that has some.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <rdma/fi_ext_efa.h>
#include <rdma/fi_rma.h>

#include "fabtests/expect.h"
#include "fabtests/functional/fabric_endpoint.h"

#define LEN	256u
#define FEW	20u
#define WAIT_MS	60000
#define MOST	100000u
#define EVENTS_BYTES	1	/* of an API after 1.17 */
#define WITH_COMP	FI_EFA_COMP_CNTR_INIT_WITH_COMP_EXTERNAL_MEM
#define WITH_ERR	FI_EFA_COMP_CNTR_INIT_WITH_ERR_EXTERNAL_MEM

static struct fab_endpoint e;	/* for domain, vector and buffer */
static struct fi_efa_ops_gda *ops;

/* A counter's memory as the accelerator sees it. */
static int memory_fd;
static uint64_t *memory;

enum { COMP_AT = 8, ERR_AT = 16 };	/* its words, in 8 bytes */

static struct fi_efa_comp_cntr_init_attr in_memory(void)
{
	struct fi_efa_comp_cntr_init_attr attr = {
		.flags = WITH_COMP,
		.comp_cntr_ext_mem = {
			.type = FI_EFA_MEMORY_LOCATION_DMABUF,
			.dmabuf = { .fd = memory_fd, .offset = COMP_AT * 8 },
		},
	};

	return attr;
}

static int try_open(struct fi_efa_comp_cntr_init_attr attr,
		    struct fid_cntr **cntr)
{
	struct fi_cntr_attr cntr_attr = { .events = FI_CNTR_EVENTS_COMP };

	return ops->cntr_open_ext(e.domain, &cntr_attr, cntr, NULL, &attr);
}

static struct fid_cntr *open_counter(struct fi_efa_comp_cntr_init_attr attr)
{
	struct fid_cntr *cntr = NULL;

	REQUIRE_EQ(try_open(attr, &cntr), 0);
	return cntr;
}

struct counted {
	struct fid_ep *ep;
	struct fid_cq *cq;
	fi_addr_t addr;
};

static void open_counted(struct counted *c, struct fid_cntr *cntr,
			 uint64_t flags)
{
	struct fi_cq_attr cq_attr = { .format = FI_CQ_FORMAT_MSG };
	uint8_t addr[FAB_ADDR_MAX];
	size_t len = sizeof(addr);

	REQUIRE_EQ(fi_cq_open(e.domain, &cq_attr, &c->cq, NULL), 0);
	REQUIRE_EQ(fi_endpoint(e.domain, e.info, &c->ep, NULL), 0);
	REQUIRE_EQ(fi_ep_bind(c->ep, &e.av->fid, 0), 0);
	REQUIRE_EQ(fi_ep_bind(c->ep, &c->cq->fid, FI_TRANSMIT | FI_RECV), 0);
	REQUIRE_EQ(fi_ep_bind(c->ep, &cntr->fid, flags), 0);
	REQUIRE_EQ(fi_enable(c->ep), 0);
	REQUIRE_EQ(fi_getname(&c->ep->fid, addr, &len), 0);
	REQUIRE_EQ(fi_av_insert(e.av, addr, 1, &c->addr, 0, NULL), 1);
}

static void close_counted(struct counted *c)
{
	EXPECT_EQ(fi_close(&c->ep->fid), 0);
	EXPECT_EQ(fi_close(&c->cq->fid), 0);
}

static ssize_t write_to(const struct counted *from, const struct counted *to,
			uint64_t key)
{
	return fi_write(from->ep, e.buf, LEN, e.desc, to->addr,
			(uintptr_t)e.buf + LEN, key, &e.contexts[0]);
}

/* Waits as an accelerator does: by looking. */
static void expect_word(const uint64_t *word, uint64_t value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value)
		sched_yield();
	EXPECT_EQ(__atomic_load_n(word, __ATOMIC_ACQUIRE), value);
}

/* Two sides of writes: what is over, and what arrived. */
static void check_accelerator(void)
{
	struct fi_efa_comp_cntr_init_attr attr = in_memory();
	struct fid_cntr *done, *arrived;
	struct counted a, b;

	expect_stage("counts in an accelerator's memory");
	done = open_counter(attr);
	attr.comp_cntr_ext_mem.dmabuf.offset = ERR_AT * 8;
	arrived = open_counter(attr);
	open_counted(&a, done, FI_WRITE);
	open_counted(&b, arrived, FI_REMOTE_WRITE);
	for (unsigned i = 0; i < FEW; i++) {
		REQUIRE_EQ(write_to(&a, &b, fi_mr_key(e.mr)), 0);
		expect_word(&memory[COMP_AT], i + 1);
		expect_word(&memory[ERR_AT], i + 1);
	}
	/* what the CPU may not look at */
	EXPECT_EQ(fi_cntr_read(done), 0);
	EXPECT_EQ(fi_cntr_wait(done, 1, WAIT_MS), -FI_EOPNOTSUPP);
	EXPECT_EQ(fi_cntr_readerr(done), 0);
	EXPECT_EQ(fi_close(&done->fid), -FI_EBUSY);
	close_counted(&a);
	close_counted(&b);
	EXPECT_EQ(fi_close(&done->fid), 0);
	EXPECT_EQ(fi_close(&arrived->fid), 0);
	EXPECT_EQ(memory[COMP_AT], FEW);
}

/* Both counts, in memory that the CPU reads as well. */
static void check_readable(struct fi_efa_comp_cntr_init_attr attr,
			   const uint64_t *good, const uint64_t *bad)
{
	struct fid_cntr *cntr = open_counter(attr);
	struct counted a, b;

	open_counted(&a, cntr, FI_WRITE);
	open_counted(&b, cntr, FI_REMOTE_WRITE);
	REQUIRE_EQ(write_to(&a, &b, fi_mr_key(e.mr)), 0);
	/* each end counts */
	EXPECT_EQ(fi_cntr_wait(cntr, 2, WAIT_MS), 0);
	EXPECT_EQ(fi_cntr_read(cntr), 2);
	EXPECT_EQ(fi_cntr_set(cntr, 40), 0);
	EXPECT_EQ(fi_cntr_add(cntr, 2), 0);
	EXPECT_EQ(fi_cntr_read(cntr), 42);
	EXPECT_EQ(fi_cntr_seterr(cntr, 6), 0);
	EXPECT_EQ(fi_cntr_adderr(cntr, 1), 0);
	EXPECT_EQ(fi_cntr_readerr(cntr), 7);
	if (good)
		EXPECT_EQ(*good, 42);
	if (bad)
		EXPECT_EQ(*bad, 7);
	REQUIRE_EQ(write_to(&a, &b, ~fi_mr_key(e.mr) & UINT32_MAX), 0);
	EXPECT_EQ(fi_cntr_wait(cntr, 50, WAIT_MS), -FI_EAVAIL);
	EXPECT_EQ(fi_cntr_readerr(cntr), 8);
	close_counted(&a);
	close_counted(&b);
	EXPECT_EQ(fi_close(&cntr->fid), 0);
}

static void check_places(void)
{
	static _Alignas(8) uint64_t good, bad;
	struct fi_efa_comp_cntr_init_attr attr = { 0 };

	expect_stage("counts in the provider's memory");
	check_readable(attr, NULL, NULL);
	expect_stage("counts in the program's memory");
	attr.flags = WITH_COMP | WITH_ERR;
	attr.comp_cntr_ext_mem.ptr = (uint8_t *)&good;
	attr.err_cntr_ext_mem.ptr = (uint8_t *)&bad;
	check_readable(attr, &good, &bad);
	expect_stage("a count in a dma-buf that is mapped");
	attr = in_memory();
	attr.comp_cntr_ext_mem.ptr = (uint8_t *)&memory[COMP_AT];
	check_readable(attr, &memory[COMP_AT], NULL);
}

static void refused(struct fi_efa_comp_cntr_init_attr attr)
{
	struct fid_cntr *cntr = NULL;

	EXPECT_EQ(try_open(attr, &cntr), -FI_EINVAL);
	EXPECT(cntr == NULL);
}

static void check_refusals(void)
{
	struct fi_cntr_attr bytes = { .events = EVENTS_BYTES };
	struct fi_efa_comp_cntr_init_attr attr;
	struct fid_cntr *cntr = NULL;

	expect_stage("what is refused");
	attr = in_memory();
	attr.flags |= 0x100;
	refused(attr);
	attr = in_memory();
	attr.comp_mask = 1;
	refused(attr);
	attr = in_memory();
	attr.comp_cntr_ext_mem.type = 2;
	refused(attr);
	attr = in_memory();
	attr.comp_cntr_ext_mem.dmabuf.offset = 4;
	refused(attr);
	attr = in_memory();
	attr.comp_cntr_ext_mem.dmabuf.fd = -1;
	refused(attr);
	attr = in_memory();
	attr.comp_cntr_ext_mem.type = FI_EFA_MEMORY_LOCATION_VA;
	refused(attr);
	attr = in_memory();
	EXPECT_EQ(ops->cntr_open_ext(e.domain, &bytes, &cntr, NULL, &attr),
		  -FI_ENOSYS);
	EXPECT_EQ(ops->cntr_open_ext(e.domain, NULL, &cntr, NULL, NULL),
		  -FI_EINVAL);
	EXPECT_EQ(ops->cntr_open_ext(NULL, NULL, &cntr, NULL, &attr),
		  -FI_EINVAL);
	/* behind the end of the memory */
	attr.comp_cntr_ext_mem.dmabuf.offset = 4096;
	EXPECT(try_open(attr, &cntr) < 0);
	EXPECT(cntr == NULL);
}

/* All that there are; a counter of fi_cntr_open does without. */
static void check_exhausted(void)
{
	struct fid_cntr **cntr = calloc(MOST, sizeof(*cntr)), *soft;
	unsigned count = 0;
	int ret;

	expect_stage("all counters of the device");
	REQUIRE(cntr);
	while (!(ret = try_open(in_memory(), &cntr[count])))
		REQUIRE(++count < MOST);
	EXPECT_EQ(ret, -FI_ENOMEM);
	EXPECT(count > 0);
	REQUIRE_EQ(fi_cntr_open(e.domain, NULL, &soft, NULL), 0);
	EXPECT_EQ(fi_close(&soft->fid), 0);
	while (count--)
		EXPECT_EQ(fi_close(&cntr[count]->fid), 0);
	free(cntr);
}

static void skip_without_counters(void)
{
	const char *profile = getenv("TEST_PROFILE");
	struct fid_cntr *cntr;
	int ret = try_open(in_memory(), &cntr);

	if (!ret) {
		EXPECT_EQ(fi_close(&cntr->fid), 0);
		return;
	}
	EXPECT_EQ(ret, -FI_EOPNOTSUPP);
	EXPECT(!profile || strcmp(profile, "next"));
	if (!expect_result())
		expect_skip("the device has no completion counters");
	expect_give_up();
}

int main(void)
{
	struct fab_wish wish = fab_wish_rma();

	expect_deadline(120);
	fab_open(&e, &wish);
	if (fab_is_in_tree(e.info))
		expect_skip("this provider's extensions: another one was loaded");
	memory_fd = memfd_create("accelerator", MFD_CLOEXEC);
	REQUIRE(memory_fd >= 0 && !ftruncate(memory_fd, 4096));
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED,
		      memory_fd, 0);
	REQUIRE(memory != MAP_FAILED);
	REQUIRE_EQ(fi_open_ops(&e.domain->fid, FI_EFA_GDA_OPS, 0,
			       (void **)&ops, NULL), 0);
	skip_without_counters();
	check_accelerator();
	check_places();
	check_refusals();
	check_exhausted();
	fab_close(&e);
	munmap(memory, 4096);
	close(memory_fd);
	return expect_result();
}
