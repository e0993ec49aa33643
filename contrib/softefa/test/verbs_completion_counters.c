/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Completion counters: what they count, where they live, what is refused.
 * Skips on devices without them; verbs_profiles.sh runs it on `next`.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define ALL_OPS		63u

static struct ibv_context *ctx;

static struct ibv_comp_cntr *create(void)
{
	struct ibv_comp_cntr_init_attr attr = {};
	struct ibv_comp_cntr *cntr;

	cntr = ibv_create_comp_cntr(ctx, &attr);
	REQUIRE(cntr);
	return cntr;
}

static uint64_t count(struct ibv_comp_cntr *cntr)
{
	uint64_t value = 0;

	EXPECT_EQ(ibv_read_comp_cntr(cntr, &value), 0);
	return value;
}

static uint64_t errors(struct ibv_comp_cntr *cntr)
{
	uint64_t value = 0;

	EXPECT_EQ(ibv_read_err_comp_cntr(cntr, &value), 0);
	return value;
}

/* A count may come a moment after the completion. */
static void expect_count(struct ibv_comp_cntr *cntr, uint64_t good,
			 uint64_t bad)
{
	while (count(cntr) < good || errors(cntr) < bad)
		sched_yield();
	EXPECT_EQ(count(cntr), good);
	EXPECT_EQ(errors(cntr), bad);
}

static int attach(struct ibv_qp *qp, struct ibv_comp_cntr *cntr, uint32_t ops)
{
	struct ibv_qp_attach_comp_cntr_attr attr = { .op_mask = ops };

	return ibv_qp_attach_comp_cntr(qp, cntr, &attr);
}

static void check_caps(void)
{
	struct ibv_comp_cntr_caps caps;
	struct ibv_comp_cntr **cntr;
	uint32_t i;

	expect_stage("as many as there are");
	REQUIRE_EQ(ibv_query_comp_cntr_caps(ctx, &caps), 0);
	EXPECT_EQ(caps.supported_qp_attach_ops, ALL_OPS);
	EXPECT(caps.max_value > 0);
	REQUIRE(caps.max_counters > 0 && caps.max_counters < 100000);
	cntr = calloc(caps.max_counters, sizeof(*cntr));
	REQUIRE(cntr);
	for (i = 0; i < caps.max_counters; i++)
		cntr[i] = create();
	EXPECT(!ibv_create_comp_cntr(ctx, &(struct ibv_comp_cntr_init_attr){}));
	EXPECT_EQ(errno, ENOMEM);
	for (i = 0; i < caps.max_counters; i++)
		EXPECT_EQ(ibv_destroy_comp_cntr(cntr[i]), 0);
	free(cntr);
}

static void check_modify(void)
{
	struct ibv_comp_cntr *cntr = create();

	expect_stage("set and increment");
	EXPECT_EQ(count(cntr), 0);
	EXPECT_EQ(errors(cntr), 0);
	EXPECT_EQ(ibv_set_comp_cntr(cntr, 1ull << 40), 0);
	EXPECT_EQ(ibv_inc_comp_cntr(cntr, 5), 0);
	EXPECT_EQ(count(cntr), (1ull << 40) + 5);
	EXPECT_EQ(errors(cntr), 0);
	EXPECT_EQ(ibv_inc_err_comp_cntr(cntr, 7), 0);
	EXPECT_EQ(errors(cntr), 7);
	EXPECT_EQ(ibv_set_err_comp_cntr(cntr, 2), 0);
	EXPECT_EQ(errors(cntr), 2);
	EXPECT_EQ(count(cntr), (1ull << 40) + 5);
	EXPECT_EQ(ibv_destroy_comp_cntr(cntr), 0);
}

/* One counter an operation on each side of a pair. */
static struct ibv_comp_cntr *of_a[6], *of_b[6];

static void open_counted(struct two_qps *pair)
{
	struct endpoint_wish wish = endpoint_wish_default();
	int i;

	wish.rnr_retry = 0;
	pair->ctx = ctx;
	endpoint_create(&pair->a, ctx, &wish);
	endpoint_create(&pair->b, ctx, &wish);
	for (i = 0; i < 6; i++) {
		of_a[i] = create();
		of_b[i] = create();
		EXPECT_EQ(attach(pair->a.qp, of_a[i], 1u << i), 0);
		EXPECT_EQ(attach(pair->b.qp, of_b[i], 1u << i), 0);
	}
	REQUIRE_EQ(endpoint_to_rts(&pair->a, 0), 0);
	REQUIRE_EQ(endpoint_to_rts(&pair->b, 0), 0);
	endpoint_connect(&pair->a, &pair->b.self);
	endpoint_connect(&pair->b, &pair->a.self);
}

static void close_counted(struct two_qps *pair)
{
	EXPECT_EQ(ibv_destroy_comp_cntr(of_a[0]), EBUSY);
	endpoint_close(&pair->a);
	endpoint_close(&pair->b);
	for (int i = 0; i < 6; i++) {
		EXPECT_EQ(ibv_destroy_comp_cntr(of_a[i]), 0);
		EXPECT_EQ(ibv_destroy_comp_cntr(of_b[i]), 0);
	}
}

/* The counts of both sides in the order of the operations' bits. */
static void expect_counts(const unsigned a[6], const unsigned b[6])
{
	for (int i = 0; i < 6; i++) {
		expect_count(of_a[i], a[i], 0);
		expect_count(of_b[i], b[i], 0);
	}
}

static void rdma(struct two_qps *pair, enum ibv_wr_opcode op)
{
	struct request r = request_rdma(&pair->a, op, 9, 0, 100);

	REQUIRE_EQ(request_post(&pair->a, &r), 0);
	COMPLETION_EXPECT(&pair->a, 9, IBV_WC_SUCCESS);
}

static void check_counting(void)
{
	struct two_qps pair;
	struct request r;
	int i;

	expect_stage("what is counted");
	open_counted(&pair);
	r = request_send(&pair.a, 3, 0, 64);
	for (i = 0; i < 3; i++) {
		REQUIRE_EQ(receive_post(&pair.b, 4, 0, 64), 0);
		REQUIRE_EQ(request_post(&pair.a, &r), 0);
		COMPLETION_EXPECT(&pair.a, 3, IBV_WC_SUCCESS);
		COMPLETION_EXPECT(&pair.b, 4, IBV_WC_SUCCESS);
	}
	expect_counts((unsigned[6]){ 3, 0, 0, 0, 0, 0 },
		      (unsigned[6]){ 0, 3, 0, 0, 0, 0 });
	rdma(&pair, IBV_WR_RDMA_READ);
	rdma(&pair, IBV_WR_RDMA_WRITE);
	rdma(&pair, IBV_WR_RDMA_WRITE);
	REQUIRE_EQ(receive_post(&pair.b, 4, 0, 0), 0);
	rdma(&pair, IBV_WR_RDMA_WRITE_WITH_IMM);
	COMPLETION_EXPECT(&pair.b, 4, IBV_WC_SUCCESS);
	expect_counts((unsigned[6]){ 3, 0, 1, 0, 3, 0 },
		      (unsigned[6]){ 0, 4, 0, 1, 0, 3 });
	close_counted(&pair);
}

/* Errors of each kind, and what is flushed. */
static void check_errors(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct two_qps pair;
	struct request r;

	expect_stage("errors are counted apart");
	open_counted(&pair);
	r = request_send(&pair.a, 3, 0, 64);	/* no receive: RNR */
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	COMPLETION_EXPECT(&pair.a, 3, IBV_WC_RNR_RETRY_EXC_ERR);
	expect_count(of_a[0], 0, 1);
	r = request_rdma(&pair.a, IBV_WR_RDMA_READ, 4, 0, 64);
	r.rkey ^= 0x00555555;
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	COMPLETION_EXPECT(&pair.a, 4, IBV_WC_REM_ACCESS_ERR);
	expect_count(of_a[2], 0, 1);
	expect_count(of_b[3], 0, 0);
	REQUIRE_EQ(receive_post(&pair.b, 5, 0, 64), 0);
	REQUIRE_EQ(receive_post(&pair.b, 6, 0, 64), 0);
	EXPECT_EQ(ibv_modify_qp(pair.b.qp, &attr, IBV_QP_STATE), 0);
	COMPLETION_EXPECT(&pair.b, 5, IBV_WC_WR_FLUSH_ERR);
	COMPLETION_EXPECT(&pair.b, 6, IBV_WC_WR_FLUSH_ERR);
	expect_count(of_b[1], 0, 2);
	close_counted(&pair);
}

static void check_attaching(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct ibv_comp_cntr *one = create(), *other = create();
	struct endpoint e;

	expect_stage("attaching");
	endpoint_create(&e, ctx, &wish);
	EXPECT_EQ(attach(e.qp, one, 0), EINVAL);
	EXPECT_EQ(attach(e.qp, one, IBV_QP_ATTACH_COMP_CNTR_OP_SEND |
			 IBV_QP_ATTACH_COMP_CNTR_OP_RECV), 0);
	EXPECT_EQ(attach(e.qp, other, IBV_QP_ATTACH_COMP_CNTR_OP_RECV |
			 IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_READ), EBUSY);
	/* What failed attached nothing. */
	EXPECT_EQ(attach(e.qp, other, IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_READ),
		  0);
	REQUIRE_EQ(endpoint_to_rts(&e, 0), 0);
	EXPECT_EQ(attach(e.qp, other, IBV_QP_ATTACH_COMP_CNTR_OP_RDMA_WRITE),
		  EINVAL);
	EXPECT_EQ(ibv_destroy_comp_cntr(one), EBUSY);
	endpoint_close(&e);
	EXPECT_EQ(ibv_destroy_comp_cntr(one), 0);
	EXPECT_EQ(ibv_destroy_comp_cntr(other), 0);
}

static struct ibv_comp_cntr *create_at(struct efadv_memory_location comp,
				       struct efadv_memory_location err)
{
	struct ibv_comp_cntr_init_attr attr = {};
	struct efadv_comp_cntr_init_attr efa_attr = {
		.flags = EFADV_COMP_CNTR_INIT_WITH_COMP_EXTERNAL_MEM |
			 EFADV_COMP_CNTR_INIT_WITH_ERR_EXTERNAL_MEM,
		.comp_cntr_ext_mem = comp,
		.err_cntr_ext_mem = err,
	};

	errno = 0;
	return efadv_create_comp_cntr(ctx, &attr, &efa_attr,
				      sizeof(efa_attr));
}

static struct efadv_memory_location at_va(void *ptr)
{
	return (struct efadv_memory_location) {
		.type = EFADV_MEMORY_LOCATION_VA,
		.ptr = ptr,
	};
}

static struct efadv_memory_location at_dmabuf(int fd, uint64_t offset,
					      void *ptr)
{
	return (struct efadv_memory_location) {
		.type = EFADV_MEMORY_LOCATION_DMABUF,
		.dmabuf = { .fd = fd, .offset = offset },
		.ptr = ptr,
	};
}

static void check_external(void)
{
	_Alignas(8) static uint64_t count_here = 77, errors_here = 78;
	int fd = memfd_create("counters", MFD_CLOEXEC);
	struct ibv_comp_cntr *cntr;
	uint64_t *shared;

	expect_stage("memory of the program's choice");
	cntr = create_at(at_va(&count_here), at_va(&errors_here));
	REQUIRE(cntr);
	EXPECT_EQ(ibv_inc_comp_cntr(cntr, 3), 0);
	EXPECT_EQ(ibv_inc_err_comp_cntr(cntr, 4), 0);
	EXPECT_EQ(count_here, 3);
	EXPECT_EQ(errors_here, 4);
	EXPECT_EQ(ibv_destroy_comp_cntr(cntr), 0);

	REQUIRE(fd >= 0);
	REQUIRE_EQ(ftruncate(fd, 8192), 0);
	shared = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	REQUIRE(shared != MAP_FAILED);
	cntr = create_at(at_dmabuf(fd, 4096 + 16, shared + 514),
			 at_dmabuf(fd, 8, shared + 1));
	REQUIRE(cntr);
	EXPECT_EQ(ibv_inc_comp_cntr(cntr, 5), 0);
	EXPECT_EQ(ibv_inc_err_comp_cntr(cntr, 6), 0);
	EXPECT_EQ(shared[514], 5);
	EXPECT_EQ(shared[1], 6);
	/* The memory goes; the device and its counter live on. */
	REQUIRE_EQ(ftruncate(fd, 0), 0);
	EXPECT_EQ(ibv_inc_comp_cntr(cntr, 1), 0);
	EXPECT_EQ(ibv_destroy_comp_cntr(cntr), 0);
	munmap(shared, 8192);
	close(fd);
}

static void refused(struct efadv_memory_location comp,
		    struct efadv_memory_location err, int expected)
{
	EXPECT(!create_at(comp, err));
	EXPECT_EQ(errno, expected);
}

static void check_refusals(void)
{
	uint8_t *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct efadv_memory_location good;
	int fd = memfd_create("short", MFD_CLOEXEC), pipe_fd[2];

	expect_stage("memory that cannot be");
	REQUIRE(page != MAP_FAILED);
	REQUIRE_EQ(munmap(page + 4096, 4096), 0);
	good = at_va(page);
	refused(at_va(page + 4), good, EINVAL);
	refused(good, at_va(page + 1), EINVAL);
	refused(at_va(page + 4096), good, EFAULT);
	refused(good, at_va(NULL), EFAULT);
	refused(at_va((void *)~7ull), good, EFAULT);
	refused(at_va((void *)(1ull << 63)), good, EFAULT);
	REQUIRE_EQ(mprotect(page, 4096, PROT_READ), 0);
	refused(good, good, EFAULT);
	REQUIRE_EQ(mprotect(page, 4096, PROT_READ | PROT_WRITE), 0);
	REQUIRE_EQ(ftruncate(fd, 12), 0);
	refused(at_dmabuf(fd, 8, page), good, EINVAL);
	refused(at_dmabuf(fd, UINT64_MAX - 3, page), good, EINVAL);
	refused(at_dmabuf(-1, 0, page), good, EBADF);
	REQUIRE_EQ(pipe(pipe_fd), 0);
	refused(at_dmabuf(pipe_fd[1], 0, page), good, EINVAL);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	close(fd);
	munmap(page, 4096);
}

int main(void)
{
	expect_deadline(60);
	ctx = device_open(0);
	if (!device_has(ctx, EFADV_DEVICE_ATTR_CAPS_COMP_CNTR)) {
		EXPECT(!ibv_create_comp_cntr(
			ctx, &(struct ibv_comp_cntr_init_attr){}));
		EXPECT_EQ(errno, EOPNOTSUPP);
		if (expect_result())
			return 1;
		expect_skip("a device with completion counters");
	}
	check_caps();
	check_modify();
	check_counting();
	check_errors();
	check_attaching();
	check_external();
	check_refusals();
	device_close(ctx);
	return expect_result();
}
