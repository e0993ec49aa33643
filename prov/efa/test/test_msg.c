/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the entries of small sends and writes hold: the bytes, where the CPU
 * may read them, and else where they are; and when the device is told. */
#include "direct/msg.h"

#include <errno.h>
#include <endian.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "compat/fi_abi.h"
#include "direct/complete.h"
#include "direct/rma.h"
#include "fabric/ep_queue.h"
#include "fabric/mr.h"
#include "util/cache_line.h"

#include "fake_verbs.h"

#define REGION_BYTES	4096

static struct fabric_domain domain;
static struct fabric_cq cq;
static struct fabric_av av;
static _Atomic uint64_t peers[1];
static struct fabric_ep *ep;
static struct fi_info *info;
static struct fid_mr *ordinary, *dmabuf;
static uint8_t memory[REGION_BYTES];
static uint8_t *nowhere;	/* addresses that the CPU cannot read */

static void open_domain_and_cq(void)
{
	const struct dev_cq_attr cq_attr = { .depth = 256 };
	const struct dev_list *list;

	assert_int_equal(dev_list_get(&list), 0);
	memset(&domain, 0, sizeof(domain));
	memset(&cq, 0, sizeof(cq));
	domain.fid.fid.fclass = FI_CLASS_DOMAIN;
	domain.device = &list->device[0];
	domain.api_version = FI_VERSION(2, 0);
	fabric_reference_init(&domain.users);
	assert_int_equal(dev_pd_create(domain.device, &domain.pd), 0);
	assert_int_equal(dev_cq_create(domain.device, &cq_attr, &cq.dev), 0);
	assert_int_equal(fabric_cq_init(&cq, &domain, FI_CQ_FORMAT_CONTEXT),
			 0);
}

static void register_both(void)
{
	struct compat_mr_dmabuf range = { .fd = 42, .len = REGION_BYTES };
	struct fi_mr_attr attr = {
		.mr_iov = (const void *)&range, .iov_count = 1,
		.access = FI_SEND | FI_WRITE,
	};

	nowhere = mmap(NULL, REGION_BYTES, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(nowhere != MAP_FAILED);
	range.base_addr = nowhere;
	assert_int_equal(fabric_mr_regattr(&domain.fid.fid, &attr,
					   COMPAT_MR_DMABUF, &dmabuf), 0);
	assert_int_equal(fabric_mr_reg(&domain.fid.fid, memory, REGION_BYTES,
				       FI_SEND | FI_WRITE, 0, 0, 0, &ordinary,
				       NULL), 0);
}

static int begin(void **state)
{
	fake_verbs_install();
	fake.efa.device_caps |= COMPAT_EFADV_RDMA_WRITE;
	open_domain_and_cq();
	register_both();
	info = fabric_info_offer(domain.device, FABRIC_INFO_DIRECT, 0,
				 FI_CONTEXT2 | FI_RX_CQ_DATA);
	assert_non_null(info);
	assert_true(info->caps & FI_RMA);
	info->tx_attr->size = 16;
	info->tx_attr->inject_size = 80;
	info->rx_attr->size = 16;
	info->rx_attr->iov_limit = 1;
	ep = util_cache_line_calloc(sizeof(*ep));
	assert_non_null(ep);
	fabric_ep_init(ep, &domain, info, FABRIC_INFO_DIRECT, NULL);
	av.first_count = 1;
	av.words[0] = peers;
	ep->av = &av;
	ep->tx_cq = ep->rx_cq = &cq;
	assert_int_equal(fabric_ep_queue_open(ep, &direct_complete_source), 0);
	ep->tx_msg_mask = ep->rx_msg_mask = UINT64_MAX;
	ep->fid.msg = &direct_msg_ops;
	ep->fid.rma = &direct_rma_ops;
	return 0;
}

static int end(void **state)
{
	assert_int_equal(fabric_ep_queue_close(ep), 0);
	ep->av = NULL;
	fabric_ep_fini(ep);
	free(ep);
	compat_info_destroy(info);
	assert_int_equal(fi_close(&ordinary->fid), 0);
	assert_int_equal(fi_close(&dmabuf->fid), 0);
	munmap(nowhere, REGION_BYTES);
	assert_int_equal(fabric_empty_region_close(&domain.empty_region), 0);
	fabric_cq_fini(&cq);
	assert_int_equal(dev_cq_destroy(&cq.dev), 0);
	assert_int_equal(dev_pd_destroy(&domain.pd), 0);
	dev_list_release();
	fake_verbs_assert_clean();
	return 0;
}

static const struct efa_io_tx_wqe *last_posted(void)
{
	return (const void *)(ep->sq.ring + (size_t)(ep->sq.produced - 1) *
					    ep->sq.entry_size);
}

static bool is_inline(const struct efa_io_tx_wqe *wqe)
{
	return wqe->meta.ctrl1 & EFA_IO_TX_META_INLINE_MSG;
}

static uint64_t addr_of(const struct efa_io_tx_buf_desc *buf)
{
	return buf->buf_addr_lo | (uint64_t)buf->buf_addr_hi << 32;
}

static void small_payloads_are_in_the_entry(void **state)
{
	void *desc = fi_mr_desc(ordinary);

	memcpy(memory, "payload", 8);
	assert_int_equal(fi_send(&ep->fid, memory, 8, desc, 0, NULL), 0);
	assert_true(is_inline(last_posted()));
	assert_memory_equal(last_posted()->data.inline_data, memory, 8);
	assert_int_equal(fi_send(&ep->fid, memory, 8, NULL, 0, NULL), 0);
	assert_true(is_inline(last_posted()));
	assert_int_equal(fi_write(&ep->fid, memory, 8, desc, 0, 0, 1, NULL),
			 0);
	assert_true(is_inline(last_posted()));
	assert_memory_equal(last_posted()->data.rdma_req.inline_data, memory,
			    8);
}

/* Of a dma-buf the device reads the smallest message as well. */
static void a_dmabuf_is_left_to_the_device(void **state)
{
	void *desc[2] = { fi_mr_desc(dmabuf), fi_mr_desc(ordinary) };
	struct iovec iov[2] = { { nowhere, 8 }, { memory, 8 } };
	const struct efa_io_tx_wqe *wqe;

	assert_int_equal(fi_send(&ep->fid, nowhere, 8, desc[0], 0, NULL), 0);
	wqe = last_posted();
	assert_false(is_inline(wqe));
	assert_int_equal(wqe->meta.length, 1);
	assert_int_equal(wqe->data.sgl[0].length, 8);
	assert_true(addr_of(&wqe->data.sgl[0]) == (uintptr_t)nowhere);
	assert_int_equal(fi_sendv(&ep->fid, iov, desc, 2, 0, NULL), 0);
	wqe = last_posted();
	assert_false(is_inline(wqe));
	assert_int_equal(wqe->meta.length, 2);
	assert_true(addr_of(&wqe->data.sgl[1]) == (uintptr_t)memory);
	assert_int_equal(fi_write(&ep->fid, nowhere, 8, desc[0], 0, 0, 1,
				  NULL), 0);
	wqe = last_posted();
	assert_false(is_inline(wqe));
	assert_true(addr_of(&wqe->data.rdma_req.local_mem[0]) ==
		    (uintptr_t)nowhere);
	/* nothing to be read */
	assert_int_equal(fi_send(&ep->fid, nowhere, 0, desc[0], 0, NULL), 0);
	assert_true(is_inline(last_posted()));
}

static void a_dmabuf_cannot_be_injected(void **state)
{
	void *desc[2] = { fi_mr_desc(ordinary), fi_mr_desc(dmabuf) };
	struct iovec iov[2] = { { memory, 8 }, { nowhere, 8 } };
	struct fi_msg msg = {
		.msg_iov = &iov[1], .desc = &desc[1], .iov_count = 1,
	};
	struct fi_rma_iov rma = { .len = 8, .key = 1 };
	struct fi_msg_rma write = {
		.msg_iov = &iov[1], .desc = &desc[1], .iov_count = 1,
		.rma_iov = &rma, .rma_iov_count = 1,
	};

	assert_int_equal(fi_sendmsg(&ep->fid, &msg, FI_INJECT),
			 -FI_EOPNOTSUPP);
	assert_int_equal(fi_writemsg(&ep->fid, &write, FI_INJECT),
			 -FI_EOPNOTSUPP);
	assert_int_equal(fi_writev(&ep->fid, iov, desc, 2, 0, 0, 1, NULL),
			 -FI_EINVAL);
	assert_int_equal(ep->sq.produced, 0);
}

static int set_option(int option, size_t value)
{
	return fi_setopt(&ep->fid.fid, FI_OPT_ENDPOINT, option, &value,
			 sizeof(value));
}

/* What is short enough for the entry is not always short enough. */
static void lower_limits_hold_for_small_payloads(void **state)
{
	struct iovec iov[2] = { { memory, 6 }, { memory, 5 } };
	void *desc = fi_mr_desc(ordinary);
	size_t value, len = sizeof(value);

	assert_int_equal(set_option(COMPAT_OPT_MAX_MSG_SIZE, 10), 0);
	assert_int_equal(set_option(COMPAT_OPT_MAX_RMA_SIZE, 10), 0);
	assert_int_equal(fi_send(&ep->fid, memory, 11, desc, 0, NULL),
			 -FI_EMSGSIZE);
	assert_int_equal(fi_inject(&ep->fid, memory, 11, 0), -FI_EMSGSIZE);
	assert_int_equal(fi_sendv(&ep->fid, iov, NULL, 2, 0, NULL),
			 -FI_EMSGSIZE);
	assert_int_equal(fi_write(&ep->fid, memory, 11, desc, 0, 0, 1, NULL),
			 -FI_EMSGSIZE);
	assert_int_equal(fi_inject_write(&ep->fid, memory, 11, 0, 0, 1),
			 -FI_EMSGSIZE);
	assert_int_equal(fi_writev(&ep->fid, iov, NULL, 2, 0, 0, 1, NULL),
			 -FI_EMSGSIZE);
	assert_int_equal(ep->sq.produced, 0);
	assert_int_equal(fi_getopt(&ep->fid.fid, FI_OPT_ENDPOINT,
				   COMPAT_OPT_INJECT_MSG_SIZE, &value, &len),
			 0);
	assert_int_equal(value, 10);
	assert_int_equal(fi_inject(&ep->fid, memory, 10, 0), 0);
	assert_int_equal(fi_inject_write(&ep->fid, memory, 10, 0, 0, 1), 0);
	/* the inject size is as asked for when there is room again */
	assert_int_equal(set_option(COMPAT_OPT_MAX_MSG_SIZE, 100), 0);
	assert_int_equal(set_option(COMPAT_OPT_MAX_RMA_SIZE, 100), 0);
	assert_int_equal(fi_inject(&ep->fid, memory, 80, 0), 0);
	assert_int_equal(fi_inject_write(&ep->fid, memory, 80, 0, 0, 1), 0);
	assert_int_equal(fi_inject(&ep->fid, memory, 81, 0), -FI_EOPNOTSUPP);
	assert_int_equal(set_option(COMPAT_OPT_INJECT_MSG_SIZE, 81),
			 -FI_EINVAL);
}

/* Two buffers, and FI_INJECT: the same answers as for one. */
static void injected_writes_of_two_buffers(void **state)
{
	struct iovec iov[2] = { { memory, 40 }, { memory, 40 } };
	struct fi_rma_iov rma = { .len = 4096, .key = 1 };
	struct fi_msg_rma write = {
		.msg_iov = iov, .iov_count = 2,
		.rma_iov = &rma, .rma_iov_count = 1,
	};

	assert_int_equal(fi_writemsg(&ep->fid, &write, FI_INJECT), 0);
	iov[1].iov_len = 41;
	assert_int_equal(fi_writemsg(&ep->fid, &write, FI_INJECT),
			 -FI_EOPNOTSUPP);
	assert_int_equal(fi_writemsg(&ep->fid, &write, 0), -FI_EINVAL);
	iov[1].iov_len = (size_t)domain.device->max_rdma_size;
	rma.len = SIZE_MAX;
	assert_int_equal(fi_writemsg(&ep->fid, &write, FI_INJECT),
			 -FI_EMSGSIZE);
}

/* It took no receive, so there is no context; the queue tells of it. */
static void a_peers_write_that_fails_is_told(void **state)
{
	struct efa_io_cdesc *cqe = cq.dev.geometry.buffer;
	/* of an application of API 2.0, whose entry is longer */
	union {
		struct fi_cq_err_entry error;
		uint8_t room[256];
	} read = { .room = { 0 } };
	struct fi_cq_entry entry;

	ep->unsolicited = true;
	ep->rx_bound = true;
	cqe->qp_num = (uint16_t)ep->qp.qpn;
	cqe->status = EFA_IO_COMP_STATUS_LOCAL_ERROR_INVALID_LKEY;
	cqe->rx.imm = htobe32(5);
	cqe->rx.ah = EFA_IO_AH_UNKNOWN;
	cqe->flags = EFA_IO_RECV_QUEUE << EFA_IO_CDESC_Q_TYPE_SHIFT |
		     EFA_IO_RDMA_WRITE << EFA_IO_CDESC_OP_TYPE_SHIFT |
		     EFA_IO_CDESC_HAS_IMM | EFA_IO_CDESC_UNSOLICITED |
		     EFA_IO_CDESC_PHASE;
	assert_int_equal(fabric_cq_read(&cq.fid, &entry, 1), -FI_EAVAIL);
	assert_int_equal(fabric_cq_readerr(&cq.fid, &read.error, 0), 1);
	assert_null(read.error.op_context);
	assert_true(read.error.flags == (FI_RMA | FI_REMOTE_WRITE |
				    FI_REMOTE_CQ_DATA));
	assert_int_equal(read.error.err, FI_EINVAL);
	assert_int_equal(read.error.data, 5);
	assert_int_equal(fabric_cq_read(&cq.fid, &entry, 1), -FI_EAGAIN);
	memset(cqe, 0, sizeof(*cqe));
	/* no reference was taken */
	ep->rx_bound = false;
}

/* One doorbell a queue, with the request that ends the batch. */
static void more_holds_the_doorbells_back(void **state)
{
	void *desc = fi_mr_desc(ordinary);
	struct iovec iov = { memory, 8 };
	struct fi_msg msg = {
		.msg_iov = &iov, .desc = &desc, .iov_count = 1,
	};

	for (int i = 0; i < 3; i++)
		assert_int_equal(fi_sendmsg(&ep->fid, &msg, FI_MORE), 0);
	assert_int_equal(fi_recvmsg(&ep->fid, &msg, FI_MORE), 0);
	assert_int_equal(ep->sq.produced, 3);
	assert_int_equal(ep->rq.produced, 1);
	assert_int_equal(ep->sq.doorbells, 0);
	assert_int_equal(ep->rq.doorbells, 0);
	assert_int_equal(fi_write(&ep->fid, memory, 8, desc, 0, 0, 1, NULL),
			 0);
	assert_int_equal(ep->sq.doorbells, 1);
	assert_int_equal(ep->rq.doorbells, 1);
	/* a refusal ends it as well */
	assert_int_equal(fi_sendmsg(&ep->fid, &msg, FI_MORE), 0);
	assert_int_equal(fi_recvmsg(&ep->fid, &msg, FI_MORE), 0);
	assert_int_equal(fi_send(&ep->fid, memory, 8, desc, 1, NULL),
			 -FI_EADDRNOTAVAIL);
	assert_int_equal(ep->sq.doorbells, 2);
	assert_int_equal(ep->rq.doorbells, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(small_payloads_are_in_the_entry),
		TEST(a_dmabuf_is_left_to_the_device),
		TEST(a_dmabuf_cannot_be_injected),
		TEST(lower_limits_hold_for_small_payloads),
		TEST(injected_writes_of_two_buffers),
		TEST(a_peers_write_that_fails_is_told),
		TEST(more_holds_the_doorbells_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
