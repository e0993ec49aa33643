/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "fabric/cq_wait.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <rdma/fi_errno.h>

#include "compat/log.h"

int fabric_cq_wait_init(struct fabric_cq *cq)
{
	int ret = 0;

	cq->signal_fd = -1;
	if (cq->wait_obj == FI_WAIT_NONE)
		return 0;
	if (cq->done)
		ret = fabric_done_open_wake(cq->done);
	if (!ret) {
		cq->signal_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		ret = cq->signal_fd < 0 ? -errno : 0;
	}
	if (ret) {
		compat_warn(FI_LOG_CQ, "eventfd: %s; raise ulimit -n",
			    strerror(-ret));
		return ret;
	}
	/* who polls the descriptor without fi_trywait is woken as well */
	hw_cq_arm(&cq->hw);
	return 0;
}

void fabric_cq_wait_fini(struct fabric_cq *cq)
{
	if (cq->signal_fd >= 0)
		close(cq->signal_fd);
}

/*
 * Makes the device announce the next entry, and returns whether the queue is
 * empty after that: an entry that came before gives no event for sure.
 */
static bool fabric_cq_arm_if_empty(struct fabric_cq *cq, int *error)
{
	bool empty;
	int ret;

	util_lock_acquire(&cq->lock);
	while ((ret = dev_cq_take_event(&cq->dev)) > 0)
		hw_cq_event_taken(&cq->hw);
	*error = ret;
	hw_cq_arm(&cq->hw);
	empty = fabric_cq_is_empty(cq);
	util_lock_release(&cq->lock);
	return empty;
}

static int64_t fabric_cq_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Milliseconds until @deadline_ms, or -1 for one that never comes. */
static int fabric_cq_time_left(int64_t deadline_ms)
{
	int64_t left;

	if (deadline_ms < 0)
		return -1;
	left = deadline_ms - fabric_cq_now_ms();
	return left > 0 ? (int)left : 0;
}

static void fabric_cq_waiters_add(struct fabric_cq *cq, int n)
{
	uint64_t signals;

	util_lock_acquire(&cq->lock);
	cq->waiters += (uint32_t)n;
	/* the last who was woken takes the signal away; the descriptor does
	 * not block, and nothing in it is as good as something */
	if (n < 0 && cq->waiters == 0 &&
	    read(cq->signal_fd, &signals, sizeof(signals)) < 0)
		errno = 0;
	util_lock_release(&cq->lock);
}

/*
 * Sleeps until the device announces an entry, or a call of another thread
 * made a completion: 0; -FI_EAGAIN when
 * fi_cq_signal or a signal of the process woke it, or time is up; or what
 * poll says.
 */
static int fabric_cq_sleep(struct fabric_cq *cq, int timeout_ms)
{
	struct pollfd fds[3] = {
		{ .fd = cq->dev.channel->fd, .events = POLLIN },
		{ .fd = cq->signal_fd, .events = POLLIN },
		{ .fd = cq->done ? cq->done->wake_fd : -1, .events = POLLIN },
	};
	int ret = poll(fds, 3, timeout_ms);

	if (ret < 0)
		return errno == EINTR ? -FI_EAGAIN : -errno;
	/* a signal is answered as the end of time is (fi_cq(3)) */
	if (fds[1].revents & POLLIN)
		return -FI_EAGAIN;
	return fds[0].revents || fds[2].revents ? 0 : -FI_EAGAIN;
}

/* Does fi_cq_signal ask the waiters to return? */
static bool fabric_cq_was_signalled(const struct fabric_cq *cq)
{
	struct pollfd fd = { .fd = cq->signal_fd, .events = POLLIN };

	return poll(&fd, 1, 0) > 0;
}

/*
 * Sleeps, until the deadline at most; a protocol may have something to do
 * before: then 0 as well, to look again.
 */
static int fabric_cq_nap(struct fabric_cq *cq, int64_t deadline_ms)
{
	int left_ms = fabric_cq_time_left(deadline_ms);
	int sleep_ms = left_ms;
	int ret = 0;

	if (cq->done) {
		sleep_ms = cq->source->sleep_ms(cq, left_ms);
		if (fabric_done_sleep_begin(cq->done))
			ret = fabric_cq_sleep(cq, sleep_ms);
		fabric_done_sleep_end(cq->done);
	} else {
		ret = fabric_cq_sleep(cq, sleep_ms);
	}
	if (ret == -FI_EAGAIN && sleep_ms != left_ms &&
	    !fabric_cq_was_signalled(cq))
		return 0;
	return ret;
}

/* Reads until @threshold entries are there; how many, or why there is none. */
static ssize_t fabric_cq_wait_for(struct fabric_cq *cq, char *buf,
				  size_t count, fi_addr_t *source,
				  size_t threshold, int64_t deadline_ms)
{
	size_t size = fabric_cq_entry_size(cq->format);
	size_t n = 0;
	ssize_t ret;
	int error;

	for (;;) {
		ret = cq->fid.ops->readfrom(&cq->fid, buf + n * size,
					    count - n,
					    source ? source + n : NULL);
		if (ret > 0)
			n += (size_t)ret;
		if (n >= threshold || (ret < 0 && ret != -FI_EAGAIN))
			break;
		if (!fabric_cq_arm_if_empty(cq, &error) && !error)
			continue;
		ret = error ? error : fabric_cq_nap(cq, deadline_ms);
		if (ret)
			break;
	}
	return n ? (ssize_t)n : ret;
}

ssize_t fabric_cq_sreadfrom(struct fid_cq *fid, void *buf, size_t count,
			    fi_addr_t *source, const void *cond,
			    int timeout_ms)
{
	struct fabric_cq *cq = fabric_cq_of(fid);
	int64_t deadline_ms = -1;
	size_t threshold = 1;
	ssize_t ret;

	if (cq->wait_obj == FI_WAIT_NONE)
		return -FI_ENOSYS;
	if (!count)
		return -FI_EAGAIN;
	if (timeout_ms >= 0)
		deadline_ms = fabric_cq_now_ms() + timeout_ms;
	if (cq->wait_cond == FI_CQ_COND_THRESHOLD && cond) {
		threshold = (size_t)(uintptr_t)cond;
		if (threshold > count)
			threshold = count;
	}
	fabric_cq_waiters_add(cq, 1);
	ret = fabric_cq_wait_for(cq, buf, count, source, threshold,
				 deadline_ms);
	fabric_cq_waiters_add(cq, -1);
	return ret;
}

ssize_t fabric_cq_sread(struct fid_cq *cq, void *buf, size_t count,
			const void *cond, int timeout_ms)
{
	return fabric_cq_sreadfrom(cq, buf, count, NULL, cond, timeout_ms);
}

int fabric_cq_signal(struct fid_cq *fid)
{
	struct fabric_cq *cq = fabric_cq_of(fid);
	uint64_t one = 1;

	if (cq->wait_obj == FI_WAIT_NONE)
		return -FI_ENOSYS;
	if (write(cq->signal_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		return -errno;
	return 0;
}

int fabric_cq_trywait(struct fid_cq *fid)
{
	struct fabric_cq *cq = fabric_cq_of(fid);
	bool empty;
	int error;

	if (cq->wait_obj == FI_WAIT_NONE)
		return -FI_EINVAL;
	/* what time or another CQ ends is not seen at the descriptor */
	if (cq->done && cq->source->sleep_ms(cq, -1) >= 0) {
		cq->source->progress(cq);
		return -FI_EAGAIN;
	}
	empty = fabric_cq_arm_if_empty(cq, &error);
	if (error)
		return error;
	return empty ? 0 : -FI_EAGAIN;
}
