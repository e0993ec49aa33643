/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Memory of accelerators, with stand-ins for their libraries that a process
 * of its own finds on the loader's path. Each scenario runs in one, since a
 * library is loaded once; without an argument this program runs them all.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "fabtests/functional/device_transfers.h"

#define CUDA_FILE	"libcuda.so.1"
#define PAGE		4096u

static struct fab_endpoint e;

static void open_one(void)
{
	struct fab_wish wish = device_wish();

	fab_open(&e, &wish);
}

/* As an application with memory of a device has it in its process. */
static struct fake_hmem *load(const char *file)
{
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	struct fake_hmem *device;

	if (!handle)
		fprintf(stderr, "%s\n", dlerror());
	REQUIRE(handle);
	device = dlsym(handle, FAKE_HMEM_SYMBOL);
	REQUIRE(device);
	return device;
}

/* ---- the provider's lines of the log ---- */

static int log_fd, real_stderr;

static void log_begin(void)
{
	log_fd = memfd_create("log", MFD_CLOEXEC);
	real_stderr = dup(2);
	REQUIRE(log_fd >= 0 && real_stderr >= 0);
	REQUIRE_EQ(dup2(log_fd, 2), 2);
}

/* One line since log_begin, with all of @words (NULL ends them). */
static void log_end_one_line(const char *const *words)
{
	char text[4096] = "";
	int lines = 0;

	dup2(real_stderr, 2);
	close(real_stderr);
	REQUIRE(pread(log_fd, text, sizeof(text) - 1, 0) >= 0);
	close(log_fd);
	for (const char *at = text; (at = strstr(at, ":efa:")); at++)
		lines++;
	EXPECT_EQ(lines, 1);
	for (; *words; words++) {
		if (!EXPECT(strstr(text, *words)))
			fprintf(stderr, "\"%s\" is not in: %s\n", *words,
				text);
	}
}

#define LOG_END_ONE_LINE(...) \
	log_end_one_line((const char *const []) { __VA_ARGS__, NULL })

/* ---- scenarios ---- */

/* Without any library all else works, and the refusal names it. */
static void no_library(void)
{
	char memory[64];
	struct fid_mr *mr;

	if (dlopen(CUDA_FILE, RTLD_NOW))
		expect_skip("a machine without " CUDA_FILE);
	open_one();
	EXPECT(e.info->caps & FI_HMEM);
	log_begin();
	EXPECT_EQ(device_reg(&e, FI_HMEM_CUDA, memory, 64, &mr), -FI_ENOSYS);
	LOG_END_ONE_LINE("64 bytes of CUDA memory", CUDA_FILE
			 " cannot be loaded", "LD_LIBRARY_PATH");
	REQUIRE_EQ(device_reg(&e, FI_HMEM_SYSTEM, memory, 64, &mr), 0);
	EXPECT_EQ(fi_close(&mr->fid), 0);
	EXPECT_EQ(device_reg(&e, FI_HMEM_ZE, memory, 64, &mr), -FI_ENOSYS);
	fab_close(&e);
}

static struct fi_info *query(const struct fi_info *hints)
{
	struct fi_info *info = NULL;
	int ret = fi_getinfo(FAB_API_VERSION, NULL, NULL, 0, hints, &info);

	if (ret)
		EXPECT_EQ(ret, -FI_ENODATA);
	return info;
}

/* Without hints all there is; and what was returned finds itself. */
static void check_no_hints(void)
{
	struct fi_info *list = query(NULL), *again;
	bool found = false;

	for (struct fi_info *info = list; info; info = info->next) {
		if (strcmp(info->fabric_attr->name, "efa-direct"))
			continue;
		found = true;
		EXPECT(info->caps & FI_HMEM);
		EXPECT(info->domain_attr->mr_mode & FI_MR_HMEM);
		again = query(info);
		REQUIRE(again);
		EXPECT_EQ(again->caps, info->caps);
		EXPECT_EQ(again->domain_attr->mr_mode,
			  info->domain_attr->mr_mode);
		fi_freeinfo(again);
		/* so does what it was taken away from, in caps alone */
		info->caps &= ~FI_HMEM;
		again = query(info);
		REQUIRE(again);
		EXPECT(!(again->caps & FI_HMEM));
		EXPECT(!(again->tx_attr->caps & FI_HMEM));
		fi_freeinfo(again);
	}
	EXPECT(found);
	fi_freeinfo(list);
}

/* As the NCCL plugin asks, and in halves. */
static void check_hints(void)
{
	struct fab_wish wish = device_wish();
	struct fi_info *hints = fab_hints(&wish), *info;

	hints->caps = FI_MSG | FI_RMA | FI_HMEM | FI_LOCAL_COMM |
		      FI_REMOTE_COMM;
	hints->domain_attr->mr_mode |= FI_MR_ENDPOINT;
	hints->domain_attr->threading = FI_THREAD_COMPLETION;
	info = query(hints);
	REQUIRE(info);
	EXPECT(info->caps & info->tx_attr->caps & info->rx_attr->caps &
	       FI_HMEM);
	EXPECT(info->domain_attr->mr_mode & FI_MR_HMEM);
	fi_freeinfo(info);
	hints->domain_attr->mr_mode &= ~FI_MR_HMEM;
	EXPECT(!query(hints));
	hints->domain_attr->mr_mode |= FI_MR_HMEM;
	for (int i = 0; i < 2; i++) {
		hints->caps = i ? FI_MSG : 0;
		info = query(hints);
		REQUIRE(info);
		EXPECT(!(info->caps & FI_HMEM));
		EXPECT(!(info->tx_attr->caps & FI_HMEM));
		EXPECT(!(info->domain_attr->mr_mode & FI_MR_HMEM));
		fi_freeinfo(info);
	}
	fi_freeinfo(hints);
}

#define OPT_CUDA_API_PERMITTED	10	/* of API 1.18 */

static int set_p2p(int value)
{
	return fi_setopt(&e.ep->fid, FI_OPT_ENDPOINT, FI_OPT_FI_HMEM_P2P,
			 &value, sizeof(value));
}

/* The device reaches device memory by itself, and in no other way. */
static void check_options(void)
{
	bool permitted = false;
	int value = -1;
	size_t size = sizeof(value);

	EXPECT_EQ(set_p2p(FI_HMEM_P2P_REQUIRED), 0);
	EXPECT_EQ(set_p2p(FI_HMEM_P2P_ENABLED), 0);
	EXPECT_EQ(set_p2p(FI_HMEM_P2P_PREFERRED), 0);
	EXPECT_EQ(set_p2p(FI_HMEM_P2P_DISABLED), -FI_EOPNOTSUPP);
	EXPECT_EQ(set_p2p(77), -FI_EINVAL);
	EXPECT_EQ(fi_getopt(&e.ep->fid, FI_OPT_ENDPOINT, FI_OPT_FI_HMEM_P2P,
			    &value, &size), 0);
	EXPECT_EQ(value, FI_HMEM_P2P_REQUIRED);
	EXPECT_EQ(fi_setopt(&e.ep->fid, FI_OPT_ENDPOINT,
			    OPT_CUDA_API_PERMITTED, &permitted,
			    sizeof(permitted)), 0);
}

/* What does not concern device memory loads no library. */
static void quiet(void)
{
	static const char *const files[] = {
		CUDA_FILE, "libhsa-runtime64.so.1", "libnrt.so.1",
	};
	struct fid_mr *mr;
	char memory[64];

	check_no_hints();
	check_hints();
	open_one();
	check_options();
	REQUIRE_EQ(fab_recv(&e, 1, 0, 64), 0);
	REQUIRE_EQ(device_reg(&e, FI_HMEM_SYSTEM, memory, 64, &mr), 0);
	EXPECT_EQ(fi_close(&mr->fid), 0);
	fab_close(&e);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		EXPECT(!dlopen(files[i], RTLD_NOW | RTLD_NOLOAD));
		/* but it is on the path */
		EXPECT(dlopen(files[i], RTLD_NOW));
	}
}

static void transfers(const char *file, enum fi_hmem_iface iface)
{
	struct fab_wish wish = device_wish();
	struct fake_hmem *device = load(file);

	EXPECT_EQ(device->calls, 0);
	device_check_transfers(&wish, device, iface, 0);
	device_check_transfers(&wish, device, iface, 3 * PAGE + 100);
	/* entries with room for more in them than device memory may use */
	wish.inject_size = 80;
	if (fab_wish_is_there(&wish))
		device_check_transfers(&wish, device, iface, 0);
}

static void cuda(void)
{
	transfers(CUDA_FILE, FI_HMEM_CUDA);
}

static void rocr(void)
{
	transfers("libhsa-runtime64.so.1", FI_HMEM_ROCR);
}

static void neuron(void)
{
	transfers("libnrt.so.1", FI_HMEM_NEURON);
}

static int open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	REQUIRE(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void count_descriptors(const char *file, enum fi_hmem_iface iface)
{
	struct fake_hmem *device = load(file);
	uint8_t *memory = device->alloc(2 * PAGE);
	struct fid_mr *mr;
	int before;

	before = open_descriptors();
	for (int i = 0; i < 1000; i++) {
		REQUIRE_EQ(device_reg(&e, iface, memory + 8, PAGE, &mr), 0);
		if (!i)
			EXPECT_EQ(open_descriptors(), before);
		REQUIRE_EQ(fi_close(&mr->fid), 0);
	}
	EXPECT_EQ(open_descriptors(), before);
	EXPECT_EQ(device->exports, 1000);
	/* nor do refusals keep any */
	for (int i = 0; i < 10; i++)
		EXPECT(device_reg(&e, iface, memory + PAGE, 2 * PAGE,
				  &mr) < 0);
	EXPECT_EQ(open_descriptors(), before);
	device->free(memory);
}

static void descriptors(void)
{
	open_one();
	count_descriptors(CUDA_FILE, FI_HMEM_CUDA);
	count_descriptors("libhsa-runtime64.so.1", FI_HMEM_ROCR);
	fab_close(&e);
}

/* Neither dma-bufs nor a peer-memory module: one error says both. */
static void p2p_off(void)
{
	struct fake_hmem *device = load(CUDA_FILE);
	void *memory = device->alloc(PAGE);
	struct fid_mr *mr;

	device->no_dmabuf = true;
	open_one();
	log_begin();
	EXPECT(device_reg(&e, FI_HMEM_CUDA, memory, PAGE, &mr) < 0);
	LOG_END_ONE_LINE("4096 bytes of CUDA memory",
			 "cuMemGetHandleForAddressRange gave 801",
			 "CUDA_ERROR_NOT_SUPPORTED", "peer-memory");
	EXPECT(!mr);
	fab_close(&e);
	device->free(memory);
}

/* A range that is not the device's is refused, not tried in another way. */
static void not_its_memory(void)
{
	struct fake_hmem *device = load(CUDA_FILE);
	struct fid_mr *mr;
	char memory[64];

	open_one();
	log_begin();
	EXPECT_EQ(device_reg(&e, FI_HMEM_CUDA, memory, 64, &mr), -FI_EINVAL);
	LOG_END_ONE_LINE("CUDA_ERROR_INVALID_VALUE", "one allocation");
	EXPECT_EQ(device->exports, 0);
	fab_close(&e);
}

/* The stand-in's CPU mapping plays the module that knows the address. */
static void peer_memory(void)
{
	struct fake_hmem *device = load(CUDA_FILE);
	struct fab_wish wish = device_wish();
	struct fid_mr *mr;
	void *memory;

	device->no_dmabuf = true;
	device->peer_memory = true;
	memory = device->alloc(PAGE);
	open_one();
	log_begin();
	REQUIRE_EQ(device_reg(&e, FI_HMEM_CUDA, memory, PAGE, &mr), 0);
	LOG_END_ONE_LINE("by its address", "peer-memory",
			 "cuMemGetHandleForAddressRange gave 801");
	EXPECT_EQ(fi_close(&mr->fid), 0);
	fab_close(&e);
	device->free(memory);
	device_check_transfers(&wish, device, FI_HMEM_CUDA, 0);
	EXPECT_EQ(device->exports, 0);
}

/* A driver of before dma-bufs: the error names the symbol and the file. */
static void old_driver(void)
{
	struct fake_hmem *device = load(CUDA_FILE);
	void *memory = device->alloc(PAGE);
	struct fid_mr *mr;

	open_one();
	log_begin();
	EXPECT(device_reg(&e, FI_HMEM_CUDA, memory, PAGE, &mr) < 0);
	LOG_END_ONE_LINE(CUDA_FILE " (/",
			 ") has no cuMemGetHandleForAddressRange");
	device->free(memory);
	/* Neuron's older call knows allocations by their start */
	device = load("libnrt.so.1");
	memory = device->alloc(2 * PAGE);
	REQUIRE_EQ(device_reg(&e, FI_HMEM_NEURON, memory, 100, &mr), 0);
	EXPECT_EQ(fi_close(&mr->fid), 0);
	EXPECT_EQ(device_reg(&e, FI_HMEM_NEURON, (uint8_t *)memory + PAGE,
			     100, &mr), -FI_EINVAL);
	EXPECT_EQ(device->exports, 2);
	device->free(memory);
	fab_close(&e);
}

/* As struct fi_mr_dmabuf of API 1.20, of which the range is in the place of
 * mr_iov. */
struct dmabuf_range {
	int fd;
	uint64_t offset;
	size_t len;
	void *base_addr;
};

/* What the application exports itself: from base_addr + offset on, with a
 * descriptor that stays the application's. */
static void own_dmabuf(void)
{
	struct fab_wish wish = device_wish();
	struct dmabuf_range range = { .offset = PAGE + 100, .len = 2000 };
	struct fi_mr_attr attr = {
		.mr_iov = (const void *)&range, .iov_count = 1,
		.access = FI_SEND | FI_RECV, .iface = FI_HMEM_ROCR,
	};
	const char *file = "libhsa-runtime64.so.1";
	struct fake_hmem *device = load(file);
	int (*export_dmabuf)(const void *addr, size_t size, int *fd,
			     uint64_t *offset);
	uint8_t text[64];
	uint64_t offset;
	struct fid_mr *mr;

	wish.api_version = FI_VERSION(1, 20);
	if (FI_VERSION_LT(fi_version(), wish.api_version))
		expect_skip("libfabric 1.20, for FI_MR_DMABUF");
	fab_open(&e, &wish);
	fab_connect(&e, e.addr);
	export_dmabuf = dlsym(dlopen(file, RTLD_NOW),
			      "hsa_amd_portable_export_dmabuf");
	range.base_addr = device->alloc(4 * PAGE);
	REQUIRE_EQ(export_dmabuf(range.base_addr, 4 * PAGE, &range.fd,
				 &offset), 0);
	REQUIRE_EQ(fi_mr_regattr(e.domain, &attr, 1ull << 40, &mr), 0);
	EXPECT_EQ(close(range.fd), 0);
	EXPECT_EQ(device->calls, 1);
	expect_fill(e.buf, sizeof(text), 1);
	REQUIRE_EQ(fi_recv(e.ep, (uint8_t *)range.base_addr + range.offset +
			   10, sizeof(text), fi_mr_desc(mr), FI_ADDR_UNSPEC,
			   &e.contexts[1]), 0);
	REQUIRE_EQ(fab_send(&e, 1, 0, sizeof(text)), 0);
	FAB_EXPECT(&e, 1);
	FAB_EXPECT(&e, 1);
	device->read(text, (uint8_t *)range.base_addr + range.offset + 10,
		     sizeof(text));
	EXPECT_FILLED(text, sizeof(text), 1);
	EXPECT_EQ(fi_close(&mr->fid), 0);
	device->free(range.base_addr);
	fab_close(&e);
}

/* Forbidden by the environment, it is not offered. */
static void disabled(void)
{
	struct fab_wish wish = device_wish();

	setenv("FI_HMEM_DISABLE_P2P", "1", 1);
	EXPECT(!fab_wish_is_there(&wish));
	wish.caps &= ~FI_HMEM;
	EXPECT(fab_wish_is_there(&wish));
	setenv("FI_HMEM_DISABLE_P2P", "0", 1);
	wish.caps |= FI_HMEM;
	EXPECT(fab_wish_is_there(&wish));
}

/* That the stand-in notices the CPU at all, and says where. */
static void host_access(void)
{
	struct fake_hmem *device = load(CUDA_FILE);
	volatile uint8_t *memory = device->alloc(PAGE);
	char text[4096] = "", address[64];
	int status, fd = memfd_create("said", MFD_CLOEXEC);
	pid_t child = fork();

	REQUIRE(fd >= 0 && child >= 0);
	if (!child) {
		dup2(fd, 2);
		_exit(memory[100]);
	}
	REQUIRE_EQ(waitpid(child, &status, 0), child);
	EXPECT(status);
	REQUIRE(pread(fd, text, sizeof(text) - 1, 0) >= 0);
	snprintf(address, sizeof(address),
		 "the CPU touched device memory at 0x%016lx",
		 (unsigned long)(uintptr_t)(memory + 100));
	EXPECT(strstr(text, address));
	close(fd);
}

/* ---- all of them, each in a process of its own ---- */

static const struct scenario {
	const char *name;
	void (*run)(void);
	const char *libraries;	/* below fabtests/fake_hmem; NULL: none */
} scenarios[] = {
	{ "no-library", no_library, NULL },
	{ "quiet", quiet, ".libs" },
	{ "cuda", cuda, ".libs" },
	{ "rocr", rocr, ".libs" },
	{ "neuron", neuron, ".libs" },
	{ "descriptors", descriptors, ".libs" },
	{ "p2p-off", p2p_off, ".libs" },
	{ "not-its-memory", not_its_memory, ".libs" },
	{ "peer-memory", peer_memory, ".libs" },
	{ "old-driver", old_driver, "old/.libs" },
	{ "own-dmabuf", own_dmabuf, ".libs" },
	{ "disabled", disabled, NULL },
	{ "host-access", host_access, ".libs" },
};

#define SCENARIOS	(sizeof(scenarios) / sizeof(*scenarios))

/* The directories of the loader's path, with the stand-ins' first. */
static void set_path(const char *program, const char *libraries)
{
	const char *path = getenv("LD_LIBRARY_PATH");
	char directory[PATH_MAX], all[2 * PATH_MAX];
	const char *end = strstr(program, "/functional/");

	REQUIRE(end);
	snprintf(directory, sizeof(directory), "%.*s/fake_hmem/%s",
		 (int)(end - program), program, libraries);
	REQUIRE_EQ(access(directory, R_OK), 0);
	snprintf(all, sizeof(all), "%s%s%s", directory, path ? ":" : "",
		 path ? path : "");
	setenv("LD_LIBRARY_PATH", all, 1);
}

static int run(const char *program, const struct scenario *scenario)
{
	pid_t child = fork();
	int status = 0;

	REQUIRE(child >= 0);
	if (!child) {
		setenv("FI_LOG_LEVEL", "warn", 1);
		setenv("FI_LOG_PROV", "efa", 1);
		if (scenario->libraries)
			set_path(program, scenario->libraries);
		execl(program, program, scenario->name, NULL);
		_exit(99);
	}
	REQUIRE_EQ(waitpid(child, &status, 0), child);
	return status;
}

static int run_all(void)
{
	char program[PATH_MAX] = "";
	int status;

	REQUIRE(readlink("/proc/self/exe", program, sizeof(program) - 1) > 0);
	for (size_t i = 0; i < SCENARIOS; i++) {
		expect_stage(scenarios[i].name);
		status = run(program, &scenarios[i]);
		/* one of them may need what this machine has not */
		if (!WIFEXITED(status) ||
		    WEXITSTATUS(status) != EXPECT_SKIPPED)
			if (!EXPECT_EQ(status, 0))
				fprintf(stderr, "in the scenario %s\n",
					scenarios[i].name);
	}
	return expect_result();
}

int main(int argc, char **argv)
{
	expect_deadline(300);
	if (argc < 2) {
		/* skips the program where there is no device */
		device_wish();
		return run_all();
	}
	for (size_t i = 0; i < SCENARIOS; i++) {
		if (!strcmp(argv[1], scenarios[i].name)) {
			scenarios[i].run();
			return expect_result();
		}
	}
	fprintf(stderr, "there is no scenario %s\n", argv[1]);
	return 2;
}
