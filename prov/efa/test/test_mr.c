/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/mr.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rdma/fi_errno.h>

#include "compat/fi_abi.h"
#include "fabric/ext_domain.h"
#include "fabric/ext_gda.h"
#include "fake_verbs.h"

static struct dev_device device;
static struct ibv_pd verbs_pd;
static struct fabric_domain domain;
static uint8_t memory[4096];

static int set_up(void **state)
{
	fake_verbs_install();
	device = (struct dev_device) { .name = "efa_0" };
	device.caps.rdma_read = true;
	device.caps.rdma_write = true;
	domain = (struct fabric_domain) {
		.device = &device, .api_version = FI_VERSION(2, 0),
		.pd = { .verbs = &verbs_pd },
		.fid.fid.fclass = FI_CLASS_DOMAIN,
	};
	fabric_reference_init(&domain.users);
	return fabric_region_table_init(&domain.regions);
}

static int tear_down(void **state)
{
	fake_verbs_assert_clean();
	fabric_region_table_fini(&domain.regions);
	return fabric_reference_is_used(&domain.users);
}

static int reg(uint64_t access, struct fid_mr **mr)
{
	return fabric_mr_reg(&domain.fid.fid, memory, sizeof(memory), access,
			     0, 0, 0, mr, memory + 7);
}

static void asks_for_the_access_needed(void **state)
{
	static const struct {
		uint64_t access;
		unsigned int verbs;
	} rows[] = {
		{ 0, 0 },
		{ FI_SEND, 0 },
		{ FI_WRITE, 0 },	/* read-only memory will do */
		{ FI_RECV, IBV_ACCESS_LOCAL_WRITE },
		{ FI_READ, IBV_ACCESS_LOCAL_WRITE },
		{ FI_REMOTE_READ, IBV_ACCESS_REMOTE_READ },
		{ FI_REMOTE_WRITE, IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_LOCAL_WRITE },
	};
	struct fid_mr *mr;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(reg(rows[i].access, &mr), 0);
		assert_int_equal(fake.mr_access, rows[i].verbs);
		assert_int_equal(fake.mr_length, sizeof(memory));
		assert_int_equal(fi_mr_key(mr), 6);
		assert_ptr_equal(mr->fid.context, memory + 7);
		assert_int_equal(fabric_mr_of_desc(fi_mr_desc(mr))->lkey, 5);
		assert_int_equal(fi_close(&mr->fid), 0);
	}
}

static void refuses_what_it_cannot(void **state)
{
	struct iovec iov[2] = { { memory, 10 }, { memory, 10 } };
	struct fid_mr *mr = NULL;

	assert_int_equal(reg(FI_SOURCE, &mr), -FI_EINVAL);
	device.caps.rdma_write = false;
	assert_int_equal(reg(FI_REMOTE_WRITE, &mr), -FI_EOPNOTSUPP);
	device.caps.rdma_read = false;
	assert_int_equal(reg(FI_REMOTE_READ, &mr), -FI_EOPNOTSUPP);
	assert_int_equal(fabric_mr_reg(&domain.fid.fid, memory, 1, FI_SEND, 0,
				       0, FI_RMA_EVENT, &mr, NULL),
			 -FI_EBADFLAGS);
	assert_int_equal(fabric_mr_regv(&domain.fid.fid, iov, 2, FI_SEND, 0, 0,
					0, &mr, NULL), -FI_EINVAL);
	assert_int_equal(fake.warnings, 5);
	fake.failing = "reg_mr";
	fake.failing_errno = ENOMEM;
	assert_int_equal(reg(FI_SEND, &mr), -FI_ENOMEM);
	assert_non_null(strstr(fake.last_warning, "ulimit -l"));
	assert_null(mr);
}

/* A byte elsewhere, at the address that operations of length 0 name. */
static void stands_in_for_no_bytes(void **state)
{
	void *const at[] = { memory + 5, NULL };
	struct fid_mr *mr;

	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(fabric_mr_reg(&domain.fid.fid, at[i], 0,
					       FI_REMOTE_WRITE, 0, 0, 0, &mr,
					       NULL), 0);
		assert_int_equal(fake.mr_length, 1);
		assert_int_equal(fake.mr_iova, (uintptr_t)at[i]);
		assert_ptr_not_equal(fake.mr_addr, at[i]);
		assert_int_equal(fake.mr_access, IBV_ACCESS_REMOTE_WRITE |
						 IBV_ACCESS_LOCAL_WRITE);
		assert_int_equal(fi_mr_key(mr), 6);
		assert_int_equal(fabric_mr_of_desc(fi_mr_desc(mr))->lkey, 5);
		fake.failing = "dereg_mr";
		fake.failing_errno = EBUSY;
		assert_int_equal(fi_close(&mr->fid), -FI_EBUSY);
		fake.failing = NULL;
		assert_int_equal(fi_close(&mr->fid), 0);
	}
	fake.failing = "reg_mr";
	fake.failing_errno = ENOMEM;
	assert_int_equal(fabric_mr_reg(&domain.fid.fid, memory, 0, FI_SEND, 0,
				       0, 0, &mr, NULL), -FI_ENOMEM);
	assert_non_null(strstr(fake.last_warning, "ulimit -l"));
}

static int reg_dmabuf(const struct compat_mr_dmabuf *dmabuf, size_t count,
		      struct fid_mr **mr)
{
	struct fi_mr_attr attr = {
		.mr_iov = (const void *)dmabuf, .iov_count = count,
		.access = FI_RECV, .context = &attr,
	};

	return fabric_mr_regattr(&domain.fid.fid, &attr, COMPAT_MR_DMABUF, mr);
}

static void registers_a_dmabuf_from_its_offset(void **state)
{
	struct compat_mr_dmabuf dmabuf = {
		.fd = 42, .offset = 0x200, .len = 0x100, .base_addr = memory,
	};
	struct fid_mr *mr;

	assert_int_equal(reg_dmabuf(&dmabuf, 1, &mr), 0);
	assert_int_equal(fake.mr_fd, 42);
	assert_int_equal(fake.mr_offset, 0x200);
	assert_int_equal(fake.mr_length, 0x100);
	assert_int_equal(fake.mr_iova, (uintptr_t)memory + 0x200);
	assert_int_equal(fake.mr_access, IBV_ACCESS_LOCAL_WRITE);
	assert_int_equal(fi_close(&mr->fid), 0);
}

static void refuses_a_dmabuf_that_the_cpu_would_copy(void **state)
{
	struct compat_mr_dmabuf dmabuf = { .fd = 42, .len = 0x100 };
	struct fid_mr *mr = NULL;

	domain.soft_completions = true;
	assert_int_equal(reg_dmabuf(&dmabuf, 1, &mr), -FI_EOPNOTSUPP);
	assert_null(mr);
	assert_non_null(strstr(fake.last_warning, "efa-direct"));
	domain.soft_completions = false;
	assert_int_equal(reg_dmabuf(&dmabuf, 1, &mr), 0);
	assert_int_equal(fi_close(&mr->fid), 0);
}

static void refuses_an_impossible_dmabuf(void **state)
{
	struct compat_mr_dmabuf dmabuf = { .fd = -1, .len = 1 };
	struct fid_mr *mr = NULL;

	assert_int_equal(reg_dmabuf(&dmabuf, 1, &mr), -FI_EINVAL);
	assert_int_equal(reg_dmabuf(NULL, 1, &mr), -FI_EINVAL);
	dmabuf.fd = 42;
	assert_int_equal(reg_dmabuf(&dmabuf, 2, &mr), -FI_EINVAL);
	fake.failing = "reg_mr";
	fake.failing_errno = EBADF;
	assert_int_equal(reg_dmabuf(&dmabuf, 1, &mr), -FI_EBADF);
	assert_non_null(strstr(fake.last_warning, "dma-buf"));
	assert_null(mr);
}

/* Its second pointer is a range, and the bit means nothing. */
static void keeps_to_the_api_before_dmabufs(void **state)
{
	struct iovec iov = { memory, sizeof(memory) };
	struct fi_mr_attr attr = {
		.mr_iov = &iov, .iov_count = 1, .access = FI_SEND,
	};
	struct fid_mr *mr = NULL;

	domain.api_version = FI_VERSION(1, 19);
	assert_int_equal(fabric_mr_regattr(&domain.fid.fid, &attr,
					   COMPAT_MR_DMABUF, &mr),
			 -FI_EBADFLAGS);
	assert_null(mr);
	assert_int_equal(fabric_mr_regattr(&domain.fid.fid, &attr, 0, &mr), 0);
	assert_int_equal(fi_close(&mr->fid), 0);
}

static void stays_when_the_kernel_keeps_it(void **state)
{
	struct fid_mr *mr;

	assert_int_equal(reg(FI_SEND, &mr), 0);
	fake.failing = "dereg_mr";
	fake.failing_errno = EBUSY;
	assert_int_equal(fi_close(&mr->fid), -FI_EBUSY);
	assert_true(fabric_reference_is_used(&domain.users));
	fake.failing = NULL;
	assert_int_equal(fi_close(&mr->fid), 0);
}

static void tells_interconnects_and_the_local_key(void **state)
{
	struct fi_efa_mr_attr attr;
	struct fid_mr *mr;

	fake.mr_efa = (struct compat_efadv_mr_attr) {
		.ic_id_validity = 5, .recv_ic_id = 10, .rdma_recv_ic_id = 12,
	};
	assert_int_equal(reg(FI_SEND, &mr), 0);
	assert_int_equal(fabric_ext_domain_ops.query_mr(mr, &attr), 0);
	assert_int_equal(attr.ic_id_validity, FI_EFA_MR_ATTR_RECV_IC_ID |
			 FI_EFA_MR_ATTR_RDMA_RECV_IC_ID);
	assert_int_equal(attr.recv_ic_id, 10);
	assert_int_equal(attr.rdma_recv_ic_id, 12);
	assert_int_equal(fabric_ext_domain_ops.query_mr(NULL, &attr),
			 -FI_EINVAL);
	assert_int_equal(fabric_ext_domain_ops.query_mr(mr, NULL),
			 -FI_EINVAL);
	fake.failing = "efadv_query_mr";
	fake.failing_errno = EOPNOTSUPP;
	assert_int_equal(fabric_ext_domain_ops.query_mr(mr, &attr),
			 -FI_EOPNOTSUPP);
	assert_int_equal(fabric_ext_gda_ops.get_mr_lkey(mr), 5);
	assert_true(fabric_ext_gda_ops.get_mr_lkey(NULL) == FI_KEY_NOTAVAIL);
	assert_int_equal(fi_close(&mr->fid), 0);
}

#define TEST(function)							\
	cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(asks_for_the_access_needed),
		TEST(refuses_what_it_cannot),
		TEST(stands_in_for_no_bytes),
		TEST(registers_a_dmabuf_from_its_offset),
		TEST(refuses_a_dmabuf_that_the_cpu_would_copy),
		TEST(refuses_an_impossible_dmabuf),
		TEST(keeps_to_the_api_before_dmabufs),
		TEST(stays_when_the_kernel_keeps_it),
		TEST(tells_interconnects_and_the_local_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
