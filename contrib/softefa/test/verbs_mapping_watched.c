/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A program in which libibverbs and libefa do not reach the C library's mmap
 * but one that makes the system call itself, as with the memory hooks of
 * libfabric's registration cache, of Open MPI and of UCX: queues are mapped
 * and carry messages all the same.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fabtests/expect.h"
#include "test/two_qps.h"

#define MESSAGES	100u

static unsigned mappings;

/* A program's own function goes before those of all libraries.  A sanitizer
 * calls it before it is ready for code that it has instrumented. */
__attribute__((no_sanitize("address", "thread", "undefined")))
void *mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	mappings++;
	return (void *)syscall(SYS_mmap, addr, len, prot, flags, fd, offset);
}

static void check_refusals(struct ibv_context *ctx)
{
	int pair[2];

	expect_stage("mappings that are refused");
	errno = 0;
	EXPECT(mmap(NULL, 4096, PROT_READ, MAP_SHARED, ctx->cmd_fd,
		    1l << 40) == MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	REQUIRE_EQ(pipe(pair), 0);
	EXPECT(mmap(NULL, 4096, PROT_READ, MAP_SHARED, pair[0], 0) ==
	       MAP_FAILED);
	EXPECT_EQ(errno, ENODEV);
	EXPECT(mmap(NULL, 4096, PROT_READ, MAP_SHARED, -1, 0) == MAP_FAILED);
	EXPECT_EQ(errno, EBADF);
	close(pair[0]);
	close(pair[1]);
}

static void check_messages(struct two_qps *pair)
{
	struct request r = request_send(&pair->a, 1, 0, 512);
	unsigned i;

	expect_stage("messages");
	for (i = 0; i < MESSAGES; i++) {
		expect_fill(pair->a.buf, 512, i);
		REQUIRE_EQ(receive_post(&pair->b, 2, 0, 512), 0);
		REQUIRE_EQ(request_post(&pair->a, &r), 0);
		COMPLETION_EXPECT(&pair->a, 1, IBV_WC_SUCCESS);
		COMPLETION_EXPECT(&pair->b, 2, IBV_WC_SUCCESS);
		EXPECT_FILLED(pair->b.buf, 512, i);
	}
}

int main(void)
{
	struct endpoint_wish wish = endpoint_wish_default();
	struct two_qps pair;
	unsigned before = mappings;

	expect_deadline(60);
	expect_stage("queues");
	two_qps_open(&pair, &wish);
	/* The library's mappings came here, or this shows nothing. */
	EXPECT(mappings - before > 2);
	check_messages(&pair);
	check_refusals(pair.ctx);
	two_qps_close(&pair);
	return expect_result();
}
