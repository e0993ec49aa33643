/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#include "daemon/poll_loop.h"

int poll_loop_init(struct poll_loop *loop)
{
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	return loop->epoll_fd < 0 ? -errno : 0;
}

void poll_loop_fini(struct poll_loop *loop)
{
	close(loop->epoll_fd);
}

int poll_loop_add(struct poll_loop *loop, int fd, struct poll_source *source,
		  uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = source };

	if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event))
		return -errno;
	return 0;
}

void poll_loop_change(struct poll_loop *loop, int fd,
		      struct poll_source *source, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = source };
	int ret = epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, fd, &event);

	assert(ret == 0);
	(void)ret;
}

void poll_loop_remove(struct poll_loop *loop, int fd)
{
	epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

/*
 * Whether something is ready after the sleep. ppoll on the epoll descriptor:
 * it keeps nanoseconds on any kernel.
 */
static bool poll_loop_sleep(struct poll_loop *loop, uint64_t sleep_ns)
{
	struct pollfd pfd = { .fd = loop->epoll_fd, .events = POLLIN };
	struct timespec timeout = {
		.tv_sec = sleep_ns / 1000000000u,
		.tv_nsec = sleep_ns % 1000000000u,
	};

	return ppoll(&pfd, 1, sleep_ns == UINT64_MAX ? NULL : &timeout,
		     NULL) > 0;
}

unsigned poll_loop_run(struct poll_loop *loop, uint64_t sleep_ns,
		       unsigned bound)
{
	struct epoll_event event;
	unsigned count = 0;

	if (sleep_ns && !poll_loop_sleep(loop, sleep_ns))
		return 0;
	/*
	 * One at a time: a source may free another one, which must not wait
	 * in a list already fetched. epoll goes round the ready ones.
	 */
	while (count < bound &&
	       epoll_wait(loop->epoll_fd, &event, 1, 0) == 1) {
		struct poll_source *source = event.data.ptr;

		source->ready(source, event.events);
		count++;
	}
	return count;
}
