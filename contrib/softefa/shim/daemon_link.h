/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Requests of a client process to the daemon, in the words of protocol.h.
 *
 * Made of system calls alone: no allocation, no lock, no C library state,
 * and none of the shim's own hooks. So any thread, a signal handler and both
 * sides of a fork() may call everything here at any time. A wait ends with
 * the answer or, when the daemon is gone, with its hang-up; signals do not
 * end it, as they do not end the ioctl it stands for.
 */
#ifndef SHIM_DAEMON_LINK_H
#define SHIM_DAEMON_LINK_H

#include "protocol.h"

#define DAEMON_LINK_MAX_FDS	2u

/* An answer and the descriptors that came with it, close-on-exec. */
struct daemon_reply {
	struct softefa_answer answer;
	unsigned num_fds;
	int fd[DAEMON_LINK_MAX_FDS];
};

/*
 * Asks for the device table. Strings of it are terminated and its count is
 * in range whatever the daemon sent. Returns 0; -ENODEV without a daemon,
 * -EACCES when it is another user's, -EPROTO when it speaks another protocol.
 */
int daemon_link_devices(struct softefa_devices *devices);

/*
 * Opens a context of device number @device: a connection whose own end is
 * bound to the abstract name @tag (without the leading NUL). @flags:
 * SOCK_CLOEXEC, SOCK_NONBLOCK. Returns the descriptor, which the caller
 * owns; -EADDRINUSE when @tag is taken, -ENODEV without a daemon, or what
 * the daemon says.
 */
int daemon_link_open(uint32_t device, const char *tag, int flags);

/*
 * Sends @request on the context @fd and waits for the answer. Returns 0 with
 * *@reply filled, whose descriptors the caller owns; -EIO when the daemon is
 * gone, -EMFILE when this process has no descriptor free (it takes two for
 * the time of the call), or another negative errno.
 */
int daemon_link_request(int fd, const struct softefa_request *request,
			struct daemon_reply *reply);

#endif /* SHIM_DAEMON_LINK_H */
