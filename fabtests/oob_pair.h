/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Two processes of one test and the socket between them, for addresses and
 * for "I have done my part". A peer that is gone ends the caller with a
 * failed check.
 */
#ifndef FABTESTS_OOB_PAIR_H
#define FABTESTS_OOB_PAIR_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Forks. Returns the socket to the other process; *child is 0 in the child,
 * which dies with its parent. Call it before any device is opened.
 */
int oob_fork(pid_t *child);

void oob_send(int fd, const void *buf, size_t len_bytes);
void oob_recv(int fd, void *buf, size_t len_bytes);

/* Returns once the other process has called it as often. */
void oob_sync(int fd);

/* Sends @mine and receives the other's, both of @len_bytes. */
void oob_swap(int fd, const void *mine, void *theirs, size_t len_bytes);

#endif /* FABTESTS_OOB_PAIR_H */
