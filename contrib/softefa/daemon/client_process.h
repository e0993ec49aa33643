/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A client process: its memory and its descriptors.
 *
 * Known by a pidfd, so that a number the kernel gave to another process
 * meanwhile is not touched. A client that is watched is known to be gone
 * once the poll loop has told: its number may come back only after all
 * others have been given out, which takes far longer than the time between
 * two runs of the loop. One that is not is asked after before each access.
 */
#ifndef DAEMON_CLIENT_PROCESS_H
#define DAEMON_CLIENT_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "daemon/poll_loop.h"
#include "engine/engine.h"

struct client_process {
	struct guest_memory mem;	/* what the engine and the gate use */
	pid_t pid;			/* in the daemon's name space */
	int pidfd;
	struct poll_loop *loop;		/* that watches pidfd, or NULL */
	struct poll_source source;
	bool is_gone;			/* the loop told */
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

/*
 * Has @loop, which must outlive the client, look out for its end: accesses
 * no longer cost a system call to ask for it. -errno of epoll_ctl.
 */
int client_process_watch(struct client_process *client,
			 struct poll_loop *loop);

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
