/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A client process: its memory and its descriptors.
 *
 * Known by a pidfd, so that a number the kernel gave to another process
 * meanwhile is never touched: before each access the pidfd must say that
 * the process is still there.
 */
#ifndef DAEMON_CLIENT_PROCESS_H
#define DAEMON_CLIENT_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "engine/engine.h"

struct client_process {
	struct guest_memory mem;	/* what the engine and the gate use */
	pid_t pid;			/* in the daemon's name space */
	int pidfd;
	char name[16];			/* comm at open, for people */
};

/*
 * The process at the other end of the connected UNIX socket @socket_fd.
 * -ESRCH when it is gone or not visible from the daemon's PID name space,
 * -EPERM when the kernel does not let the daemon into its memory (another
 * user, not dumpable, or yama's ptrace_scope), else errno of pidfd_open.
 */
int client_process_open_peer(struct client_process **client, int socket_fd);

/*
 * The same for the sender of a message: process @pid, for which @pidfd
 * stands. -1: the kernel is too old to tell, and a number that was given to
 * another process since then is not noticed. @pidfd stays the caller's.
 */
int client_process_open_sender(struct client_process **client, pid_t pid,
			       int pidfd);

/* NULL is allowed. */
void client_process_close(struct client_process *client);

bool client_process_is_alive(const struct client_process *client);

/*
 * A duplicate of descriptor @number of the process, owned by the caller.
 * -EBADF when it has no such descriptor, -ESRCH when it is gone.
 */
int client_process_get_fd(const struct client_process *client,
			  uint64_t number);

#endif /* DAEMON_CLIENT_PROCESS_H */
