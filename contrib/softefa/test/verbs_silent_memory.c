/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A client whose registered memory never answers (userfaultfd(2) with nobody
 * behind it) is ended; others are served after it as before.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "fabtests/oob_pair.h"
#include "test/two_qps.h"

#define SILENT_BYTES	4096u

/* Memory that nobody ever fills; NULL where there is no userfaultfd. */
static void *silent_memory(void)
{
	void *memory = mmap(NULL, SILENT_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { (uintptr_t)memory, SILENT_BYTES },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	REQUIRE(memory != MAP_FAILED);
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &range))
		return NULL;
	return memory;
}

/* Sends from it; what comes of that is not seen any more. */
static void hostile(int oob)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct ibv_context *ctx = device_open(0);
	struct endpoint_addr peer;
	void *memory = silent_memory();
	bool there = memory;
	struct ibv_mr *mr;
	struct endpoint e;
	struct request r;

	oob_send(oob, &there, sizeof(there));
	if (!there)
		exit(0);
	endpoint_open(&e, ctx, &wish);
	mr = ibv_reg_mr(e.pd, memory, SILENT_BYTES, IBV_ACCESS_LOCAL_WRITE);
	REQUIRE(mr);
	peer = e.self;
	endpoint_connect(&e, &peer);
	REQUIRE_EQ(receive_post(&e, 0, 0, 64), 0);
	r = request_send(&e, 1, 0, 64);
	r.sge[0].addr = (uintptr_t)memory;
	r.sge[0].lkey = mr->lkey;
	REQUIRE_EQ(request_post(&e, &r), 0);
	for (;;)
		pause();
}

static void check_alive(struct two_qps *good, uint64_t id)
{
	struct request r = request_send(&good->a, id, 0, 64);

	EXPECT_EQ(receive_post(&good->b, id + 1, 4096, 64), 0);
	EXPECT_EQ(request_post(&good->a, &r), 0);
	COMPLETION_EXPECT(&good->a, id, IBV_WC_SUCCESS);
	COMPLETION_EXPECT(&good->b, id + 1, IBV_WC_SUCCESS);
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct two_qps good;
	int oob, status = 0;
	bool there;
	pid_t child;

	expect_deadline(60);
	oob = oob_fork(&child);
	if (!child) {
		expect_deadline(60);
		hostile(oob);
	}
	two_qps_open(&good, &wish);
	check_alive(&good, 100);
	oob_recv(oob, &there, sizeof(there));
	if (!there)
		expect_skip("userfaultfd(2) for this user: run as root");
	expect_stage("the client is ended");
	REQUIRE_EQ(waitpid(child, &status, 0), child);
	EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	expect_stage("others are served");
	check_alive(&good, 200);
	two_qps_close(&good);
	return expect_result();
}
