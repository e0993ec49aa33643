/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* With an accelerator made for the test, and fake verbs. */
#include "fabric/device_region.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <rdma/fi_errno.h>

#include "compat/fi_abi.h"
#include "fabric/mr.h"
#include "fake_verbs.h"
#include "hmem/device_memory.h"

#define VARIABLE	"FI_HMEM_TESTS_USE_DMABUF"

static struct dev_device device;
static struct ibv_pd verbs_pd;
static struct fabric_domain domain;
static uint8_t memory[4096];

/* What the accelerator was asked, and what it answers. */
static struct {
	int answer;
	int exports, closed_fd, device;
	const void *addr;
	size_t len;
} fake_accelerator;

static int export_dmabuf(const struct hmem_range *range, int *fd,
			 uint64_t *offset, char *reason)
{
	fake_accelerator.exports++;
	fake_accelerator.addr = range->addr;
	fake_accelerator.len = range->len;
	fake_accelerator.device = range->device;
	snprintf(reason, HMEM_REASON_SIZE, "testExport gave 7");
	*fd = 42;
	*offset = 0x300;
	return fake_accelerator.answer;
}

static void close_dmabuf(int fd)
{
	fake_accelerator.closed_fd = fd;
}

static struct hmem_accelerator accelerator;

static int set_up(void **state)
{
	fake_verbs_install();
	device = (struct dev_device) { .name = "efa_0" };
	domain = (struct fabric_domain) {
		.device = &device, .api_version = FI_VERSION(1, 18),
		.pd = { .verbs = &verbs_pd }, .hmem = true,
		.fid.fid.fclass = FI_CLASS_DOMAIN,
	};
	fabric_reference_init(&domain.users);
	memset(&fake_accelerator, 0, sizeof(fake_accelerator));
	accelerator = (struct hmem_accelerator) {
		.name = "Test", .variable = VARIABLE, .by_address = true,
		.export_dmabuf = export_dmabuf, .close_dmabuf = close_dmabuf,
	};
	hmem_replace(FI_HMEM_CUDA, &accelerator);
	return 0;
}

static int tear_down(void **state)
{
	hmem_replace(FI_HMEM_CUDA, NULL);
	unsetenv(VARIABLE);
	unsetenv("FI_HMEM_DISABLE_P2P");
	fake_verbs_assert_clean();
	return fabric_reference_is_used(&domain.users);
}

static int reg(enum fi_hmem_iface iface, size_t len, uint64_t flags,
	       struct fid_mr **mr)
{
	struct iovec iov = { memory + 0x300, len };
	struct fi_mr_attr attr = {
		.mr_iov = &iov, .iov_count = 1, .access = FI_RECV,
		.iface = iface, .device.cuda = 3, .context = memory,
	};

	*mr = NULL;
	return fabric_mr_regattr(&domain.fid.fid, &attr, flags, mr);
}

static void assert_said(int warnings, const char *what)
{
	assert_int_equal(fake.warnings, warnings);
	if (!strstr(fake.last_warning, what))
		fail_msg("\"%s\" does not say: %s", fake.last_warning, what);
}

static void registers_the_dmabuf_and_closes_it(void **state)
{
	struct fid_mr *mr;

	assert_int_equal(reg(FI_HMEM_CUDA, 100, FI_HMEM_DEVICE_ONLY, &mr), 0);
	assert_ptr_equal(fake_accelerator.addr, memory + 0x300);
	assert_int_equal(fake_accelerator.len, 100);
	assert_int_equal(fake_accelerator.device, 3);
	assert_int_equal(fake_accelerator.closed_fd, 42);
	assert_int_equal(fake.mr_fd, 42);
	assert_int_equal(fake.mr_offset, 0x300);
	assert_int_equal(fake.mr_length, 100);
	assert_true(fake.mr_iova == (uintptr_t)memory + 0x300);
	assert_int_equal(fake.mr_access, IBV_ACCESS_LOCAL_WRITE);
	assert_false(fabric_mr_cpu_reads(fi_mr_desc(mr)));
	assert_ptr_equal(mr->fid.context, memory);
	assert_int_equal(fake.warnings, 0);
	assert_int_equal(fi_close(&mr->fid), 0);
}

static void keeps_a_descriptor_that_is_the_librarys(void **state)
{
	struct fid_mr *mr;

	accelerator.close_dmabuf = NULL;
	assert_int_equal(reg(FI_HMEM_CUDA, 100, 0, &mr), 0);
	assert_int_equal(fake_accelerator.closed_fd, 0);
	assert_int_equal(fi_close(&mr->fid), 0);
}

static void system_memory_asks_no_accelerator(void **state)
{
	struct fid_mr *mr;

	assert_int_equal(reg(FI_HMEM_SYSTEM, 100, 0, &mr), 0);
	assert_true(fabric_mr_cpu_reads(fi_mr_desc(mr)));
	assert_int_equal(fi_close(&mr->fid), 0);
	/* nor does any where whose memory it is has no meaning */
	domain.hmem = false;
	assert_int_equal(reg(FI_HMEM_CUDA, 100, 0, &mr), 0);
	assert_true(fabric_mr_cpu_reads(fi_mr_desc(mr)));
	assert_int_equal(fi_close(&mr->fid), 0);
	assert_int_equal(fake_accelerator.exports, 0);
}

static void a_refusal_is_no_reason_for_another_way(void **state)
{
	struct fid_mr *mr;

	fake_accelerator.answer = -FI_EINVAL;
	assert_int_equal(reg(FI_HMEM_CUDA, 100, 0, &mr), -FI_EINVAL);
	assert_null(mr);
	assert_said(1, "cannot register 100 bytes of Test memory");
	assert_said(1, "with efa_0: testExport gave 7: ");
	assert_said(1, "one allocation");
	assert_int_equal(fake_accelerator.closed_fd, 0);
	fake_accelerator.answer = 0;
	fake.failing = "reg_mr";
	fake.failing_errno = ENOMEM;
	assert_int_equal(reg(FI_HMEM_CUDA, 100, 0, &mr), -FI_ENOMEM);
	assert_said(2, "the kernel refuses its dma-buf");
	assert_int_equal(fake_accelerator.closed_fd, 42);
	fake.failing = NULL;
	assert_int_equal(reg(FI_HMEM_CUDA, 0, 0, &mr), -FI_EINVAL);
	assert_said(3, "the range is empty");
}

static void without_dmabufs_the_address_is_left(void **state)
{
	struct fid_mr *mr;

	fake_accelerator.answer = -FI_EOPNOTSUPP;
	fake.mr_fd = -1;
	assert_int_equal(reg(FI_HMEM_CUDA, 100, 0, &mr), 0);
	assert_int_equal(fake.mr_fd, -1);
	assert_true(fake.mr_iova == (uintptr_t)memory + 0x300);
	assert_false(fabric_mr_cpu_reads(fi_mr_desc(mr)));
	assert_said(1, "by its address");
	assert_said(1, "testExport gave 7");
	assert_int_equal(fi_close(&mr->fid), 0);
	/* said once */
	assert_int_equal(reg(FI_HMEM_CUDA, 100, 0, &mr), 0);
	assert_int_equal(fake.warnings, 1);
	assert_int_equal(fi_close(&mr->fid), 0);
	fake.failing = "reg_mr";
	fake.failing_errno = EFAULT;
	assert_int_equal(reg(FI_HMEM_CUDA, 100, 0, &mr), -FI_EFAULT);
	assert_said(2, "testExport gave 7: ");
	assert_said(2, "peer-memory");
	fake.failing = NULL;
	accelerator.by_address = false;
	assert_int_equal(reg(FI_HMEM_CUDA, 100, 0, &mr), -FI_EOPNOTSUPP);
	assert_said(3, "by dma-buf alone");
}

static void the_environment_chooses(void **state)
{
	struct fid_mr *mr;

	fake.mr_fd = -1;
	setenv(VARIABLE, "0", 1);
	assert_int_equal(reg(FI_HMEM_CUDA, 100, 0, &mr), 0);
	assert_int_equal(fake_accelerator.exports, 0);
	assert_int_equal(fake.mr_fd, -1);
	assert_int_equal(fi_close(&mr->fid), 0);
	setenv(VARIABLE, "1", 1);
	setenv("FI_HMEM_DISABLE_P2P", "yes", 1);
	assert_int_equal(reg(FI_HMEM_CUDA, 100, 0, &mr), -FI_ENOSYS);
	assert_non_null(strstr(fake.last_warning, "FI_HMEM_DISABLE_P2P"));
	assert_int_equal(fake_accelerator.exports, 0);
}

static void refuses_other_interfaces(void **state)
{
	struct fid_mr *mr;

	assert_int_equal(reg(FI_HMEM_ZE, 100, 0, &mr), -FI_ENOSYS);
	assert_said(1, "interface 3 is not supported");
	assert_int_equal(reg((enum fi_hmem_iface)77, 100, 0, &mr),
			 -FI_EINVAL);
	assert_said(2, "interface 77 is unknown");
	assert_int_equal(reg((enum fi_hmem_iface)-1, 100, 0, &mr),
			 -FI_EINVAL);
	assert_said(3, "is unknown");
}

#define TEST(function)							\
	cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(registers_the_dmabuf_and_closes_it),
		TEST(keeps_a_descriptor_that_is_the_librarys),
		TEST(system_memory_asks_no_accelerator),
		TEST(a_refusal_is_no_reason_for_another_way),
		TEST(without_dmabufs_the_address_is_left),
		TEST(the_environment_chooses),
		TEST(refuses_other_interfaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
