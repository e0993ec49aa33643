/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Looks out for a copy from or to a client's memory that does not end.
 *
 * The kernel makes whoever touches memory behind userfaultfd(2) or a file of
 * a FUSE file system wait until another process answers, and nothing but the
 * end of one of the two ends that wait. All clients would wait with the
 * daemon. A thread of its own therefore ends the client (SIGKILL) whose
 * memory kept one copy for longer than a bound: its userfaultfd is closed
 * with it, and the copy returns.
 *
 * Whoever serves such memory for another process keeps the copy waiting all
 * the same. That is told, again and again, by who can end it.
 */
#ifndef DAEMON_COPY_WATCH_H
#define DAEMON_COPY_WATCH_H

#include "daemon/client_process.h"

/*
 * Starts the thread, once in a process. It ends the client of a copy that
 * took @limit_ms, which it notices after up to twice that time. -errno of
 * pthread_create.
 */
int copy_watch_start(unsigned limit_ms);
/* Nothing is being copied. */
void copy_watch_stop(void);

/*
 * Around each copy, by the thread that drives the daemon; a few stores.
 * Either is allowed when nothing was started.
 */
void copy_watch_begin(struct client_process *client);
void copy_watch_end(void);

/*
 * Before a client is closed that is not being copied from or to: no other
 * thread looks at it after this returns.
 */
void copy_watch_wait(void);

#endif /* DAEMON_COPY_WATCH_H */
