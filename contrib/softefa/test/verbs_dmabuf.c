/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Memory behind a descriptor: regions and completion rings. A memfd stands
 * in for the dma-buf of an accelerator.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define BYTES	(64u << 10)
#define OFFSET	4196u		/* not the start of a page */
#define LENGTH	50000u
#define IOVA	(0x500000000000ull + OFFSET % 4096)

static struct two_qps pair;

struct buffer {
	int fd;
	uint8_t *bytes;
};

static struct buffer buffer_open(unsigned flags)
{
	struct buffer buffer = {
		.fd = memfd_create("dma-buf", MFD_CLOEXEC | flags),
	};

	REQUIRE(buffer.fd >= 0);
	REQUIRE_EQ(ftruncate(buffer.fd, BYTES), 0);
	buffer.bytes = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
			    buffer.fd, 0);
	REQUIRE(buffer.bytes != MAP_FAILED);
	return buffer;
}

static void buffer_close(struct buffer *buffer)
{
	munmap(buffer->bytes, BYTES);
	close(buffer->fd);
}

static struct ibv_mr *reg(struct endpoint *e, const struct buffer *buffer)
{
	struct ibv_mr *mr;

	mr = ibv_reg_dmabuf_mr(e->pd, OFFSET, LENGTH, IOVA, buffer->fd,
			       device_access(pair.ctx));
	REQUIRE(mr);
	return mr;
}

/* Sent from the buffer of a, received in that of b. */
static void check_message(void)
{
	struct buffer from = buffer_open(0), to = buffer_open(0);
	struct ibv_mr *from_mr = reg(&pair.a, &from);
	struct ibv_mr *to_mr = reg(&pair.b, &to);
	struct ibv_sge sge = { IOVA + 10, 5000, to_mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = 2, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;
	struct request r = request_send(&pair.a, 1, 0, 5000);

	expect_stage("a message between dma-bufs");
	/* The descriptor is the program's again: the region keeps its own. */
	expect_fill(from.bytes + OFFSET + 20, 5000, 3);
	close(from.fd);
	r.sge[0] = (struct ibv_sge) { IOVA + 20, 5000, from_mr->lkey };
	REQUIRE_EQ(ibv_post_recv(pair.b.qp, &wr, &bad), 0);
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	COMPLETION_EXPECT(&pair.a, 1, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&pair.b, 2, IBV_WC_SUCCESS);
	EXPECT_FILLED(to.bytes + OFFSET + 10, 5000, 3);
	EXPECT_EQ(ibv_dereg_mr(from_mr), 0);
	EXPECT_EQ(ibv_dereg_mr(to_mr), 0);
	from.fd = -1;
	buffer_close(&from);
	buffer_close(&to);
}

static void check_rdma(enum ibv_wr_opcode op)
{
	struct buffer far = buffer_open(0);
	struct ibv_mr *mr = reg(&pair.b, &far);
	struct request r = request_rdma(&pair.a, op, 3, 0, LENGTH);

	expect_stage("RDMA to and from a dma-buf");
	expect_fill(pair.a.buf, LENGTH, 5);
	expect_fill(far.bytes + OFFSET, LENGTH, 6);
	r.remote_addr = IOVA;
	r.rkey = mr->rkey;
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	COMPLETION_EXPECT(&pair.a, 3, IBV_WC_SUCCESS);
	EXPECT_FILLED(pair.a.buf, LENGTH, op == IBV_WR_RDMA_READ ? 6 : 5);
	EXPECT_FILLED(far.bytes + OFFSET, LENGTH,
		      op == IBV_WR_RDMA_READ ? 6 : 5);
	r.remote_addr = IOVA + 1;
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	EXPECT_EQ(COMPLETION_EXPECT(&pair.a, 3,
				    IBV_WC_REM_ACCESS_ERR).vendor_err, 7);
	/* Cut off under the region: an error, and the device lives on. */
	REQUIRE_EQ(ftruncate(far.fd, 4096), 0);
	r.remote_addr = IOVA;
	REQUIRE_EQ(request_post(&pair.a, &r), 0);
	EXPECT_EQ(COMPLETION_EXPECT(&pair.a, 3,
				    IBV_WC_REM_ACCESS_ERR).vendor_err, 7);
	EXPECT_EQ(ibv_dereg_mr(mr), 0);
	buffer_close(&far);
}

static void refused(int fd, uint64_t offset, size_t length, uint64_t iova,
		    int access, int expected)
{
	struct ibv_mr *mr;

	errno = 0;
	mr = ibv_reg_dmabuf_mr(pair.a.pd, offset, length, iova, fd, access);
	EXPECT(!mr);
	EXPECT_EQ(errno, expected);
	if (mr)
		ibv_dereg_mr(mr);
}

static void check_refusals(void)
{
	struct buffer buffer = buffer_open(MFD_ALLOW_SEALING);
	int pipe_fd[2], disk = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	expect_stage("refused registrations");
	refused(-1, 0, 4096, 0, IBV_ACCESS_LOCAL_WRITE, EBADF);
	REQUIRE_EQ(pipe(pipe_fd), 0);
	refused(pipe_fd[0], 0, 4096, 0, 0, EINVAL);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	REQUIRE(disk >= 0);
	refused(disk, 0, 4096, 0, 0, EINVAL);
	close(disk);
	refused(buffer.fd, 0, BYTES + 1, 0, 0, EINVAL);
	refused(buffer.fd, 4096, BYTES, 0, 0, EINVAL);
	refused(buffer.fd, UINT64_MAX - 4095, 8192, 0, 0, EINVAL);
	refused(buffer.fd, 0, 0, 0, 0, EINVAL);
	refused(buffer.fd, 0, 4096, 1, 0, EINVAL);
	refused(buffer.fd, 0, 4096, 0, IBV_ACCESS_REMOTE_WRITE, EINVAL);
	refused(buffer.fd, 0, 4096, 0, IBV_ACCESS_MW_BIND, EOPNOTSUPP);
	munmap(buffer.bytes, BYTES);
	REQUIRE_EQ(fcntl(buffer.fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
	refused(buffer.fd, 0, 4096, 0, IBV_ACCESS_LOCAL_WRITE, EPERM);
	close(buffer.fd);
}

/* An address in the window of a dma-buf is none of the process. */
static void check_no_back_door(void)
{
	struct buffer buffer = buffer_open(0);
	struct ibv_mr *mr = reg(&pair.a, &buffer);

	expect_stage("no address leads to a dma-buf");
	errno = 0;
	EXPECT(!ibv_reg_mr(pair.a.pd, (void *)((1ull << 63) + OFFSET % 4096),
			   4096, IBV_ACCESS_LOCAL_WRITE));
	EXPECT_EQ(errno, EFAULT);
	EXPECT_EQ(ibv_dereg_mr(mr), 0);
	buffer_close(&buffer);
}

static struct ibv_cq_ex *create_cq(const struct buffer *buffer,
				   uint64_t offset, uint64_t length)
{
	struct efadv_cq_init_attr efa_attr = {
		.flags = EFADV_CQ_INIT_FLAGS_EXT_MEM_DMABUF,
		.ext_mem_dmabuf = {
			.buffer = buffer->bytes + offset,
			.length = length,
			.offset = offset,
			.fd = buffer->fd,
		},
	};
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 16,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
	};

	errno = 0;
	return efadv_create_cq(pair.ctx, &attr, &efa_attr, sizeof(efa_attr));
}

static void check_cq_refusals(void)
{
	struct buffer fixed = buffer_open(MFD_ALLOW_SEALING);
	struct buffer open_end = buffer_open(0);	/* cannot be sealed */

	expect_stage("completion rings refused");
	EXPECT(!create_cq(&fixed, 0, 16 * 32 - 1));
	EXPECT_EQ(errno, EINVAL);
	EXPECT(!create_cq(&fixed, BYTES - 16 * 32 + 32, 16 * 32));
	EXPECT_EQ(errno, EINVAL);
	EXPECT(!create_cq(&fixed, 8, 16 * 32));
	EXPECT_EQ(errno, EINVAL);
	EXPECT(!create_cq(&open_end, 0, 4096));
	EXPECT_EQ(errno, EINVAL);
	buffer_close(&fixed);
	buffer_close(&open_end);
}

/* Completions of a QP in a ring that the program brought. */
static void check_cq(void)
{
	struct buffer buffer = buffer_open(MFD_ALLOW_SEALING);
	struct endpoint_wish wish = endpoint_wish_default();
	struct ibv_poll_cq_attr poll_attr = {};
	struct efadv_cq_attr query = {};
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = 1, .max_send_sge = 1,
			 .max_recv_wr = 16, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_UD,
	};
	struct ibv_cq_ex *cq;
	struct endpoint e;
	int i;

	expect_stage("a completion ring in a dma-buf");
	cq = create_cq(&buffer, 8192, 4096);
	if (!device_has(pair.ctx,
			EFADV_DEVICE_ATTR_CAPS_CQ_WITH_EXT_MEM_DMABUF)) {
		EXPECT(!cq);
		EXPECT_EQ(errno, EOPNOTSUPP);
		buffer_close(&buffer);
		return;
	}
	REQUIRE(cq);
	REQUIRE_EQ(efadv_query_cq(ibv_cq_ex_to_cq(cq), &query,
				  sizeof(query)), 0);
	EXPECT(query.buffer == buffer.bytes + 8192);
	EXPECT(!query.doorbell);
	init.send_cq = init.recv_cq = ibv_cq_ex_to_cq(cq);
	endpoint_create(&e, pair.ctx, &wish);
	EXPECT_EQ(ibv_destroy_qp(e.qp), 0);
	e.qp = ibv_create_qp(e.pd, &init);
	REQUIRE(e.qp);
	REQUIRE_EQ(endpoint_to_rts(&e, 0), 0);
	for (i = 0; i < 10; i++)
		REQUIRE_EQ(receive_post(&e, 100u + (unsigned)i, 0, 64), 0);
	REQUIRE_EQ(ibv_modify_qp(e.qp, &(struct ibv_qp_attr) {
		.qp_state = IBV_QPS_ERR }, IBV_QP_STATE), 0);
	for (i = 0; i < 10; i++) {
		while (ibv_start_poll(cq, &poll_attr))
			;
		EXPECT_EQ(cq->wr_id, 100 + i);
		EXPECT_EQ(cq->status, IBV_WC_WR_FLUSH_ERR);
		ibv_end_poll(cq);
	}
	/* It can no longer be cut off. */
	EXPECT(ftruncate(buffer.fd, 4096) < 0);
	endpoint_close(&e);
	EXPECT_EQ(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
	buffer_close(&buffer);
	check_cq_refusals();
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();

	expect_deadline(60);
	two_qps_open(&pair, &wish);
	check_message();
	if (device_has(pair.ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_READ))
		check_rdma(IBV_WR_RDMA_READ);
	if (device_has(pair.ctx, EFADV_DEVICE_ATTR_CAPS_RDMA_WRITE))
		check_rdma(IBV_WR_RDMA_WRITE);
	check_refusals();
	check_no_back_door();
	check_cq();
	two_qps_close(&pair);
	return expect_result();
}
