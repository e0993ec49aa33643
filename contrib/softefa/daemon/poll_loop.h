/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Descriptors the daemon waits for, and what to do when one is ready.
 */
#ifndef DAEMON_POLL_LOOP_H
#define DAEMON_POLL_LOOP_H

#include <stdint.h>
#include <sys/epoll.h>

struct poll_source {
	/* @events: EPOLL*. May remove and free its own or any source. */
	void (*ready)(struct poll_source *source, uint32_t events);
};

struct poll_loop {
	int epoll_fd;
};

int poll_loop_init(struct poll_loop *loop);
void poll_loop_fini(struct poll_loop *loop);

/*
 * Watches @fd for @events, level-triggered. The source stays the caller's
 * and must be removed before it or @fd goes. -errno of epoll_ctl.
 */
int poll_loop_add(struct poll_loop *loop, int fd, struct poll_source *source,
		  uint32_t events);
void poll_loop_change(struct poll_loop *loop, int fd,
		      struct poll_source *source, uint32_t events);
void poll_loop_remove(struct poll_loop *loop, int fd);

/*
 * Sleeps until something is ready, at most @sleep_ns (0: not at all,
 * UINT64_MAX: without end), or a signal arrives; then calls what is ready,
 * at most @bound sources. Returns how many it called.
 */
unsigned poll_loop_run(struct poll_loop *loop, uint64_t sleep_ns,
		       unsigned bound);

#endif /* DAEMON_POLL_LOOP_H */
